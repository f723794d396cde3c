// SPDX-License-Identifier: MIT
// Addition, multiplication and modular against machine integers: sequences are read back symbol by symbol.
#include "token_cases.h"

#include <math.h>

enum { N = 6, SAMPLES = 500, LONG = 64 };

static struct settings arithmetic(const char *const pairs[CASE_SETTINGS][2])
{
    struct settings settings = case_settings(pairs);
    const struct setting *blamed;
    settings.task.train_length = N;
    settings.task.noise_rate = 0;
    assert_int_equal(settings_check(&settings, &blamed, NULL), STATUS_OK);
    return settings;
}

static const char *const formats[][CASE_SETTINGS][2] = {
    {{"task", "addition"}},
    {{"task", "addition"}, {"digit_order", "reversed"}},
    {{"task", "addition"}, {"zero_padding", "false"}, {"index_hints", "20"}},
    {{"task", "addition"}, {"zero_padding", "false"}, {"index_hints", "7"}, {"digit_order", "reversed"}},
    {{"task", "addition"}, {"base", "2"}, {"operand_offset", "2"}, {"zero_padding", "false"}},
    {{"task", "multiplication"}},
    {{"task", "multiplication"}, {"digit_order", "reversed"}, {"index_hints", "12"}},
    {{"task", "multiplication"}, {"zero_padding", "false"}},
    {{"task", "multiplication"}, {"zero_padding", "false"}, {"multiplier_digits", "1"}, {"index_hints", "9"}},
    {{"task", "multiplication"}, {"base", "37"}, {"operand_offset", "4"}, {"digit_order", "reversed"}},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

// A number as it is written, and the first of its hints by worth.
struct number {
    uint64_t value;
    long digits;
    int32_t start, highest;
};

// Reads symbols up to the first that is neither digit nor hint; returns how many they are.
static long read_number(const struct settings *settings, const int32_t *symbols, long count, struct number *ret)
{
    const int32_t base = (int32_t)settings->task.base, hint = base + 3;
    const bool hints = settings->task.index_hints > 0, reversed = settings->task.digit_order == DIGITS_REVERSED;
    uint64_t worth = 1;
    long at = 0;
    *ret = (struct number){.start = -1};
    for (; at < count && (symbols[at] < base || symbols[at] >= hint); at++) {
        if (hints) {
            assert_true(symbols[at] >= hint);
            const int32_t start = symbols[at] - (int32_t)(reversed ? ret->digits : -ret->digits);
            assert_true(ret->digits == 0 || start == ret->start);
            ret->start = start;
            assert_true(++at < count);
        }
        assert_true(symbols[at] < base);
        ret->value =
            reversed ? ret->value + worth * (uint64_t)symbols[at] : ret->value * (uint64_t)base + (uint64_t)symbols[at];
        worth *= (uint64_t)base;
        ret->highest = reversed || ret->digits == 0 ? symbols[at] : ret->highest;
        ret->digits++;
    }
    if (!reversed && hints)
        ret->start -= (int32_t)ret->digits - 1;
    return at;
}

static void check_number(const struct settings *settings, const struct number *number, long digits, bool answer)
{
    if (!answer || settings->task.zero_padding)
        assert_int_equal(number->digits, digits);
    if (!settings->task.zero_padding)
        assert_true(number->digits == 1 || number->highest > 0);
}

// The symbols of a sequence whose tokens and targets are given: its first token and all targets.
static void check_sequence(const struct settings *settings, const int32_t *symbols, const uint8_t *mask, long count,
                           long length)
{
    const int32_t base = (int32_t)settings->task.base;
    const bool adds = settings->task.kind == TASK_ADDITION;
    const long second = (long)settings_second_digits(settings, false, length);
    struct number a, b, c;
    long at = read_number(settings, symbols, count, &a);
    assert_int_equal(symbols[at++], base);
    at += read_number(settings, symbols + at, count - at, &b);
    assert_int_equal(symbols[at++], base + 1);
    const long given = at;
    at += read_number(settings, symbols + at, count - at, &c);
    const long asked = at + 1;
    assert_true(a.start == b.start && b.start == c.start);
    check_number(settings, &a, length, false);
    check_number(settings, &b, second, false);
    check_number(settings, &c, adds ? length + 1 : length + second, true);
    assert_true(c.value == (adds ? a.value + b.value : a.value * b.value));
    for (; at < count; at++)
        assert_int_equal(symbols[at], base + 2);
    for (long t = 1; t < count; t++)
        assert_int_equal(mask[t - 1], t >= given && t < asked);
}

static void check_batch(const struct settings *settings, const struct task_set *set, const struct batch *batch)
{
    int32_t symbols[LONG];
    for (long i = 0; i < batch->samples; i++) {
        const long row = (long)batch_row(batch, i), count = batch_length(batch, i);
        symbols[0] = batch->tokens[row];
        memcpy(symbols + 1, batch->clean + row, (size_t)count * sizeof *symbols);
        assert_same(symbols, batch->tokens + row, count);
        check_sequence(settings, symbols, batch->mask + row, count + 1, task_length(set, i));
    }
}

static void answers_are_those_of_integers(void **state)
{
    for (size_t f = 0; f < FORMATS; f++) {
        const struct settings settings = arithmetic(formats[f]);
        struct task_set set;
        task_set_init(&set, &settings, SPLIT_TRAIN, N);
        const struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        check_batch(&settings, &set, &batch);
    }
}

static void sequences_of_many_lengths_share_a_batch(void **state)
{
    for (size_t f = 0; f < FORMATS; f++) {
        struct settings settings = arithmetic(formats[f]);
        struct task_set set;
        struct batch batch;
        struct status status;
        settings.task.length_distribution = LENGTHS_UNIFORM;
        task_set_init(&set, &settings, SPLIT_TRAIN, N);
        assert_int_equal(task_make(&set, 0, SAMPLES, *state, &batch, &status), STATUS_OK);
        assert_non_null(batch.offsets);
        check_batch(&settings, &set, &batch);
        long of_length[N + 1] = {0};
        for (long i = 0; i < SAMPLES; i++)
            of_length[task_length(&set, i)]++;
        for (long length = 1; length <= N; length++)
            assert_int_equal(of_length[length] > 0, settings_length_possible(&settings, length));
    }
}

// Digits of the operands, worth base^i, of a sequence in the recipe's form.
static void operands(const struct batch *batch, long sample, long n, int32_t *ret_digits)
{
    memcpy(ret_digits, batch->tokens + sample * batch->length, (size_t)n * sizeof *ret_digits);
    memcpy(ret_digits + n, batch->tokens + sample * batch->length + n + 1, (size_t)n * sizeof *ret_digits);
}

static void digits_depend_on_their_worth_alone(void **state)
{
    static const char *const pairs[CASE_SETTINGS][2] = {{"task", "addition"}, {"digit_order", "reversed"}};
    struct settings settings = arithmetic(pairs), longer = settings, product = settings, noisy = settings,
                    hinted = settings, plain = settings;
    longer.task.train_length = 2 * N;
    product.task.kind = TASK_MULTIPLICATION;
    noisy.task.noise_rate = 0.5;
    hinted.task.index_hints = 9;
    plain.task.digit_order = DIGITS_PLAIN;
    const struct batch a = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                       b = make_batch(&longer, SPLIT_TRAIN, 2 * N, 0, SAMPLES, *state),
                       c = make_batch(&product, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                       d = make_batch(&noisy, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                       e = make_batch(&hinted, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                       f = make_batch(&plain, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    assert_same(a.tokens, d.tokens, SAMPLES * a.length);
    for (long i = 0; i < SAMPLES; i++) {
        int32_t of_a[2 * N], of_b[4 * N], of_c[2 * N], of_f[2 * N];
        operands(&a, i, N, of_a);
        operands(&b, i, 2 * N, of_b);
        operands(&c, i, N, of_c);
        operands(&f, i, N, of_f);
        assert_same(of_a, of_b, N);
        assert_same(of_a + N, of_b + 2 * N, N);
        assert_same(of_a, of_c, 2 * N);
        for (long k = 0; k < N; k++) {
            assert_true(of_a[k] == of_f[N - 1 - k] && of_a[N + k] == of_f[2 * N - 1 - k]);
            assert_int_equal(of_a[k], e.tokens[i * e.length + 2 * k + 1]);
        }
    }
}

static void assert_share(long seen, long all, double share)
{
    assert_true(fabs((double)seen / (double)all - share) < 5 * sqrt(share * (1 - share) / (double)all) + 1e-12);
}

static void digits_are_uniform_and_highest_ones_above_zero(void **state)
{
    enum { DRAWS = 20000, BASE = 4, DIGITS = 3 };
    for (int padded = 0; padded < 2; padded++) {
        const char *const pairs[CASE_SETTINGS][2] = {{"task", "addition"},
                                                     {"base", "9"},
                                                     {"test_base", "4"},
                                                     {"digit_order", "reversed"},
                                                     {"zero_padding", padded ? "true" : "false"}};
        const struct settings settings = arithmetic(pairs);
        const struct batch batch = make_batch(&settings, SPLIT_TEST, DIGITS, 0, DRAWS, *state);
        long seen[2 * DIGITS][BASE] = {0};
        for (long i = 0; i < DRAWS; i++) {
            int32_t digits[2 * DIGITS];
            operands(&batch, i, DIGITS, digits);
            for (long k = 0; k < 2 * DIGITS; k++)
                seen[k][digits[k]]++;
        }
        for (long k = 0; k < 2 * DIGITS; k++) {
            const bool leads = !padded && k % DIGITS == DIGITS - 1;
            for (int x = 0; x < BASE; x++)
                assert_share(seen[k][x], DRAWS, leads ? (x > 0) / 3.0 : 0.25);
        }
    }
}

static void hints_begin_anywhere_that_leaves_enough(void **state)
{
    enum { DRAWS = 20000, DIGITS = 4, HINTS = 9, STARTS = HINTS - DIGITS };
    static const char *const pairs[CASE_SETTINGS][2] = {
        {"task", "addition"}, {"digit_order", "reversed"}, {"index_hints", "9"}};
    const struct settings settings = arithmetic(pairs);
    const struct batch batch = make_batch(&settings, SPLIT_TEST, DIGITS, 0, DRAWS, *state);
    long seen[HINTS] = {0};
    for (long i = 0; i < DRAWS; i++)
        seen[batch.tokens[i * batch.length] - 13]++;
    for (long hint = 0; hint < HINTS; hint++)
        assert_share(seen[hint], DRAWS, hint < STARTS ? 1.0 / STARTS : 0);
}

static void terms_are_uniform_and_answers_their_sum(void **state)
{
    static const char *const pairs[CASE_SETTINGS][2] = {{"task", "modular"}, {"modulus", "7"}, {"test_modulus", "4"}};
    enum { DRAWS = 20000, TERMS = 5, ROWS = 2 * TERMS + 1 };
    const struct settings settings = arithmetic(pairs);
    const struct batch batch = make_batch(&settings, SPLIT_TEST, TERMS, 0, DRAWS, *state);
    long seen[TERMS][4] = {{0}};
    assert_int_equal(batch.length, ROWS);
    for (long i = 0; i < DRAWS; i++) {
        const int32_t *tokens = batch.tokens + i * ROWS, *targets = batch.targets + i * ROWS;
        int32_t sum = 0;
        for (long t = 0; t < TERMS; t++) {
            assert_in_range(tokens[2 * t], 0, 3);
            assert_int_equal(tokens[2 * t + 1], t < TERMS - 1 ? 7 : 8);
            seen[t][tokens[2 * t]]++;
            sum += tokens[2 * t];
        }
        assert_int_equal(targets[ROWS - 2], sum % 4);
        assert_int_equal(targets[ROWS - 1], 9);
        assert_same(tokens + 1, targets, ROWS - 1);
        for (long t = 0; t < ROWS; t++)
            assert_int_equal(batch.mask[i * ROWS + t], t >= ROWS - 2);
    }
    for (long t = 0; t < TERMS; t++)
        for (int x = 0; x < 4; x++)
            assert_share(seen[t][x], DRAWS, 0.25);
    assert_float_equal(task_chance_error(&settings, TERMS), 3.0 / 8, 1e-12);
}

static void noise_on_the_last_falls_on_the_end_that_counts(void **state)
{
    static const char *const pairs[CASE_SETTINGS][2] = {
        {"task", "addition"}, {"zero_padding", "false"}, {"noise_on", "final"}, {"noise_rate", "0.3"}};
    struct settings settings = case_settings(pairs);
    enum { DRAWS = 4000 };
    const struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, DRAWS, *state);
    long flips = 0;
    for (long i = 0; i < DRAWS * batch.length; i++) {
        if (batch.targets[i] == batch.clean[i])
            continue;
        assert_true(batch.mask[i] && batch.clean[i] == 12);
        flips++;
    }
    assert_share(flips, DRAWS, 0.3);
}

static void symbols_have_names(void **state)
{
    (void)state;
    static const struct {
        const char *settings[CASE_SETTINGS][2];
        int32_t token;
        const char *name;
    } rows[] = {
        {{{"task", "addition"}}, 0, "0"},
        {{{"task", "addition"}}, 9, "9"},
        {{{"task", "addition"}}, 10, "+"},
        {{{"task", "addition"}}, 11, "="},
        {{{"task", "addition"}}, 12, "end"},
        {{{"task", "addition"}, {"index_hints", "20"}}, 13, "i0"},
        {{{"task", "addition"}, {"index_hints", "20"}, {"test_base", "16"}}, 15, "15"},
        {{{"task", "multiplication"}, {"index_hints", "60000"}}, 60012, "i59999"},
        {{{"task", "multiplication"}}, 10, "*"},
        {{{"task", "modular"}, {"test_modulus", "60000"}}, 59999, "59999"},
        {{{"task", "modular"}}, 5, "+"},
        {{{"task", "modular"}}, 7, "end"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct settings settings = case_settings(rows[r].settings);
        char text[TASK_SYMBOL_SIZE];
        assert_string_equal(task_symbol(&settings, rows[r].token, text), rows[r].name);
        assert_string_equal(task_class(&settings, rows[r].token, text), rows[r].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(answers_are_those_of_integers),
        ROW(sequences_of_many_lengths_share_a_batch),
        ROW(digits_depend_on_their_worth_alone),
        ROW(digits_are_uniform_and_highest_ones_above_zero),
        ROW(hints_begin_anywhere_that_leaves_enough),
        ROW(terms_are_uniform_and_answers_their_sum),
        ROW(noise_on_the_last_falls_on_the_end_that_counts),
        ROW(symbols_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
