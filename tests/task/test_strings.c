// SPDX-License-Identifier: MIT
// Tasks on strings: where answers lie, how inputs are drawn, and how they are written.
#include "token_cases.h"

#include <math.h>

enum { SAMPLES = 20000 };

static struct settings strings(int task, int64_t alphabet, int64_t modulus)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = 7;
    settings.model.kind = MODEL_RNN;
    settings.task.kind = task;
    settings.task.alphabet = alphabet;
    settings.task.modulus = modulus;
    settings.task.noise_rate = 0;
    return settings;
}

static void assert_share(long count, long samples, double share)
{
    const double error = sqrt(share * (1 - share) / (double)samples);
    assert_true(fabs((double)count / (double)samples - share) < 5 * error + 1e-12);
}

static bool ends(int task)
{
    return task == TASK_STACK_MANIPULATION || task == TASK_BINARY_ADDITION || task == TASK_BINARY_MULTIPLICATION;
}

// One sequence with targets at its tokens: those that count are the first of the blanks, up to an end if there is one.
static void check_answer(const struct batch *batch, long i, int task, long length, int32_t blank)
{
    const int32_t *tokens = batch->tokens + i * batch->length, *clean = batch->clean + i * batch->positions;
    const uint8_t *mask = batch->mask + i * batch->positions;
    long counted = length;
    for (long t = 0; t < batch->length; t++) {
        assert_int_equal(tokens[t] == blank, t >= length);
        assert_true(t >= length || !mask[t]);
    }
    while (counted < batch->length && mask[counted]) {
        const bool last = counted + 1 == batch->length || !mask[counted + 1];
        assert_int_equal(clean[counted++] == 2, last && ends(task));
    }
    assert_true(counted == batch->length || ends(task));
    for (long t = counted; t < batch->length; t++)
        assert_true(!mask[t] && clean[t] == 0);
}

static void answers_are_in_the_blanks(void **state)
{
    static const long lengths[] = {4, 7, 31};
    for (int task = TASK_STACK_MANIPULATION; task <= TASK_BUCKET_SORT; task++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            struct settings settings = strings(task, 2, 5);
            const long blanks = (long)settings_answer_tokens(&settings, lengths[l]);
            struct batch batch = make_batch(&settings, SPLIT_TEST, lengths[l], 0, 100, *state);
            assert_int_equal(batch.length, lengths[l] + blanks);
            assert_int_equal(batch.mask == NULL, batch.positions == 1);
            assert_true(batch.positions > 1 || blanks == 1);
            for (long i = 0; batch.mask && i < 100; i++)
                check_answer(&batch, i, task, lengths[l], (int32_t)settings_vocabulary(&settings) - 1);
        }
}

static void answers_are_as_long_as_inputs_say(void **state)
{
    (void)state;
    static const struct {
        int task;
        int64_t length, blanks;
    } rows[] = {
        {TASK_STACK_MANIPULATION, 9, 10}, {TASK_REVERSE_STRING, 9, 9},    {TASK_MODULAR_ARITHMETIC_BRACKETS, 9, 1},
        {TASK_SOLVE_EQUATION, 9, 1},      {TASK_DUPLICATE_STRING, 9, 18}, {TASK_MISSING_DUPLICATE_STRING, 9, 1},
        {TASK_ODDS_FIRST, 9, 9},          {TASK_BINARY_ADDITION, 9, 10},  {TASK_BINARY_MULTIPLICATION, 9, 9},
        {TASK_COMPUTE_SQRT, 9, 5},        {TASK_COMPUTE_SQRT, 10, 5},     {TASK_BUCKET_SORT, 9, 9},
        {TASK_ACCUMULATOR, 9, 0},         {TASK_MODULAR, 9, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = strings(rows[r].task, 2, 5);
        assert_int_equal(settings_answer_tokens(&settings, rows[r].length), rows[r].blanks);
        if (rows[r].blanks)
            assert_int_equal(settings_tokens(&settings, false, rows[r].length), rows[r].length + rows[r].blanks);
    }
}

static void parts_have_all_lengths_alike(void **state)
{
    enum { N = 9 };
    static const struct {
        int task;
        int32_t least, most; // symbols of which the first ends the first part
        long parts;
    } rows[] = {
        {TASK_STACK_MANIPULATION, 2, 4, N - 1},
        {TASK_BINARY_ADDITION, 2, 2, N - 2},
        {TASK_BINARY_MULTIPLICATION, 2, 2, N - 2},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = strings(rows[r].task, 2, 5);
        struct batch batch = make_batch(&settings, SPLIT_TEST, N, 0, SAMPLES, *state);
        long count[N + 1] = {0};
        for (long i = 0; i < SAMPLES; i++) {
            const int32_t *tokens = batch.tokens + i * batch.length;
            long first = 0;
            while (tokens[first] < rows[r].least)
                first++;
            assert_true(tokens[first] <= rows[r].most);
            count[first]++;
        }
        assert_int_equal(count[0], 0);
        for (long k = 1; k <= rows[r].parts; k++)
            assert_share(count[k], SAMPLES, 1 / (double)rows[r].parts);
        arena_reset(*state);
    }
}

static void numbers_are_all_but_0_alike(void **state)
{
    struct settings settings = strings(TASK_COMPUTE_SQRT, 2, 5);
    struct batch batch = make_batch(&settings, SPLIT_TEST, 3, 0, SAMPLES, *state);
    long count[8] = {0};
    for (long i = 0; i < SAMPLES; i++) {
        const int32_t *bits = batch.tokens + i * batch.length;
        count[4 * bits[0] + 2 * bits[1] + bits[2]]++;
    }
    assert_int_equal(count[0], 0);
    for (int x = 1; x < 8; x++)
        assert_share(count[x], SAMPLES, 1.0 / 7);
}

static void the_hole_is_anywhere_and_odd_inputs_are_padded(void **state)
{
    for (long length = 8; length <= 9; length++) {
        struct settings settings = strings(TASK_MISSING_DUPLICATE_STRING, 3, 5);
        struct batch batch = make_batch(&settings, SPLIT_TEST, length, 0, SAMPLES, *state);
        long count[8] = {0};
        for (long i = 0; i < SAMPLES; i++) {
            const int32_t *tokens = batch.tokens + i * batch.length;
            long holes = 0;
            for (long t = 0; t < 8; t++) {
                const int32_t other = tokens[(t + 4) % 8];
                count[t] += tokens[t] == 3;
                holes += tokens[t] == 3;
                assert_true(tokens[t] < 4 && (tokens[t] == 3 || other == 3 || tokens[t] == other));
                assert_true(tokens[t] != 3 || batch.clean[i] == other);
            }
            assert_int_equal(holes, 1);
            assert_true(length == 8 || tokens[8] == 4);
        }
        for (long t = 0; t < 8; t++)
            assert_share(count[t], SAMPLES, 0.125);
        arena_reset(*state);
    }
}

static void lengths_that_are_impossible_are_left_out(void **state)
{
    static const int tasks[] = {TASK_BINARY_ADDITION, TASK_COMPUTE_SQRT, TASK_SOLVE_EQUATION};
    for (size_t k = 0; k < sizeof tasks / sizeof tasks[0]; k++) {
        struct settings settings = strings(tasks[k], 2, 5);
        const struct setting *blamed;
        struct task_set set;
        struct batch batch;
        settings.task.length_distribution = LENGTHS_UNIFORM;
        settings.task.train_length = 6;
        const long least = tasks[k] == TASK_BINARY_ADDITION ? 4 : 3;
        assert_int_equal(settings_check(&settings, &blamed, NULL), STATUS_OK);
        task_set_init(&set, &settings, SPLIT_TRAIN, 6);
        assert_int_equal(task_make(&set, 0, 400, *state, &batch, NULL), STATUS_OK);
        long seen[7] = {0};
        for (long i = 0; i < 400; i++) {
            const long length = task_length(&set, i), tokens = batch.offsets[i + 1] - batch.offsets[i];
            assert_in_range(length, least, 6);
            assert_int_equal(tokens, length + settings_answer_tokens(&settings, length));
            assert_int_equal(batch.tokens[batch.offsets[i + 1] - 1], settings_vocabulary(&settings) - 1);
            seen[length]++;
        }
        for (long length = least; length <= 6; length++)
            assert_true(seen[length] > 60);
    }
}

static void the_longest_inputs_are_made(void **state)
{
    for (int task = TASK_STACK_MANIPULATION; task <= TASK_BUCKET_SORT; task++)
        for (long length = 65535; length <= 65536; length++) {
            struct settings settings = strings(task, 1024, 1024);
            struct batch batch = make_batch(&settings, SPLIT_TEST, length, 0, 2, *state);
            assert_true(batch.length > length);
            arena_reset(*state);
        }
}

static void symbols_have_names(void **state)
{
    (void)state;
    static const struct {
        int task;
        const char *symbols, *classes;
    } rows[] = {
        {TASK_STACK_MANIPULATION, "0 1 pop push0 push1 _", "0 1 end"},
        {TASK_REVERSE_STRING, "a b c _", "a b c"},
        {TASK_MODULAR_ARITHMETIC_BRACKETS, "0 1 2 3 + - ( ) * _", "0 1 2 3"},
        {TASK_SOLVE_EQUATION, "0 1 2 3 + - ( ) x = _", "0 1 2 3"},
        {TASK_DUPLICATE_STRING, "a b c _", "a b c"},
        {TASK_MISSING_DUPLICATE_STRING, "a b c ? . _", "a b c"},
        {TASK_ODDS_FIRST, "a b c _", "a b c"},
        {TASK_BINARY_ADDITION, "0 1 + _", "0 1 end"},
        {TASK_BINARY_MULTIPLICATION, "0 1 * _", "0 1 end"},
        {TASK_COMPUTE_SQRT, "0 1 _", "0 1"},
        {TASK_BUCKET_SORT, "a b c _", "a b c"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct settings settings = strings(rows[r].task, 3, 4);
        char symbols[256] = "", classes[256] = "", text[TASK_SYMBOL_SIZE];
        for (int32_t x = 0; x < settings_vocabulary(&settings); x++)
            strcat(strcat(symbols, x ? " " : ""), task_symbol(&settings, x, text));
        for (int32_t x = 0; x < settings_classes(&settings); x++)
            strcat(strcat(classes, x ? " " : ""), task_class(&settings, x, text));
        assert_string_equal(symbols, rows[r].symbols);
        assert_string_equal(classes, rows[r].classes);
    }
    const struct settings many = strings(TASK_BUCKET_SORT, 30, 4);
    char text[TASK_SYMBOL_SIZE];
    assert_string_equal(task_symbol(&many, 25, text), "z");
    assert_string_equal(task_symbol(&many, 26, text), "26");
    assert_string_equal(task_class(&many, 29, text), "29");
    assert_string_equal(task_symbol(&many, 30, text), "_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(answers_are_in_the_blanks),
        cmocka_unit_test(answers_are_as_long_as_inputs_say),
        ROW(parts_have_all_lengths_alike),
        ROW(numbers_are_all_but_0_alike),
        ROW(the_hole_is_anywhere_and_odd_inputs_are_padded),
        ROW(lengths_that_are_impossible_are_left_out),
        ROW(the_longest_inputs_are_made),
        cmocka_unit_test(symbols_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
