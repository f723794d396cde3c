// SPDX-License-Identifier: MIT
// Lengths of training sequences, symbols around them, and where label noise falls.
#include "token_cases.h"

#include "base_random.h"
#include <math.h>
#include <stdio.h>

enum { N = 20, SAMPLES = 6000 };

static struct settings settings_of(const char *distribution)
{
    struct settings settings =
        case_settings((const char *[CASE_SETTINGS][2]){{"task", "accumulator"}, {"length_distribution", distribution}});
    settings.task.train_length = N;
    settings.task.noise_rate = 0;
    settings.task.samples = SAMPLES;
    return settings;
}

static struct batch make(const struct settings *settings, enum task_split split, long length, long first, long count,
                         struct arena *arena)
{
    struct task_set *set = arena_get(arena, 1, sizeof *set);
    struct batch batch = {0};
    task_set_init(set, settings, split, length);
    assert_int_equal(task_make(set, first, count, arena, &batch, NULL), STATUS_OK);
    assert_int_equal(batch.samples, count);
    return batch;
}

static void check(const struct settings *settings)
{
    const struct setting *blamed;
    struct status status = {0};
    if (settings_check(settings, &blamed, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static struct task_set set_of(const struct settings *settings)
{
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, (long)settings->task.train_length);
    return set;
}

// Counts of lengths 0 … N.
static void count_lengths(const struct task_set *set, long samples, long ret_count[N + 1])
{
    memset(ret_count, 0, (N + 1) * sizeof *ret_count);
    for (long i = 0; i < samples; i++) {
        const long length = task_length(set, i);
        assert_in_range(length, 1, N);
        assert_int_equal(task_tokens(set, i), length);
        ret_count[length]++;
    }
}

// Five standard errors about the stated share.
static void assert_share(long count, long samples, double share)
{
    const double error = sqrt(share * (1 - share) / (double)samples);
    if (fabs((double)count / (double)samples - share) > 5 * error + 1e-12)
        fail_msg("%ld of %ld, not a share of %g", count, samples, share);
}

static void lengths_are_distributed_as_stated(void **state)
{
    (void)state;
    struct settings uniform = settings_of("uniform"), exponential = settings_of("exponential"),
                    list = settings_of("list");
    uniform.task.min_length = exponential.task.min_length = 3;
    list.task.lengths = "5 7 7 20";
    double all = 0;
    for (int l = 3; l <= N; l++)
        all += exp(-3.0 * l / N);
    const struct settings *cases[] = {&uniform, &exponential, &list};
    for (int c = 0; c < 3; c++) {
        long count[N + 1];
        check(cases[c]);
        const struct task_set set = set_of(cases[c]);
        count_lengths(&set, SAMPLES, count);
        for (int l = 1; l <= N; l++) {
            const double shares[] = {l < 3 ? 0 : 1.0 / (N - 2), l < 3 ? 0 : exp(-3.0 * l / N) / all,
                                     l == 7              ? 0.5
                                     : l == 5 || l == 20 ? 0.25
                                                         : 0};
            assert_share(count[l], SAMPLES, shares[c]);
        }
    }
}

static void lengths_that_a_task_cannot_make_are_left_out(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "task", "automaton");
    put_setting(&settings, "automaton", "modular_arithmetic");
    put_setting(&settings, "supervision", "final");
    settings.task.train_length = N - 1;
    check(&settings);
    struct task_set set = set_of(&settings);
    long count[N + 1];
    count_lengths(&set, SAMPLES, count);
    for (int l = 1; l < N; l++)
        assert_share(count[l], SAMPLES, l % 2 ? 0.1 : 0);
    put_setting(&settings, "automaton", "even_pairs");
    set = set_of(&settings);
    count_lengths(&set, SAMPLES, count);
    assert_int_equal(count[1], 0);
    assert_share(count[2], SAMPLES, 1.0 / (N - 2));
}

// A table whose answers differ where the number of symbols is 1 modulo `period` alone.
static void put_wheel(struct settings *settings, int period, char text[4096])
{
    size_t used = (size_t)sprintf(text, "1 2");
    for (int state = 1; state <= 2; state++)
        used += (size_t)sprintf(text + used, "; %d %d", period == 2 ? 0 : 3, period == 2 ? 0 : 3);
    for (int state = 3; state <= period; state++)
        used += (size_t)sprintf(text + used, "; %d %d", state < period ? state + 1 : 0, state < period ? state + 1 : 0);
    static char outputs[1024];
    used = (size_t)sprintf(outputs, "0 0 1");
    for (int state = 3; state <= period; state++)
        used += (size_t)sprintf(outputs + used, " 0");
    put_setting(settings, "task", "automaton");
    put_setting(settings, "automaton", "table");
    put_setting(settings, "supervision", "final");
    settings->task.table = text;
    settings->task.outputs = outputs;
}

// However few the lengths that are possible, they keep their proportions.
static void rare_lengths_keep_their_proportions(void **state)
{
    (void)state;
    static const char *const distributions[] = {"uniform", "exponential"};
    char text[4096];
    for (size_t d = 0; d < 2; d++)
        for (int c = 0; c < 4; c++) {
            static const struct {
                int64_t train_length, first, step;
            } rows[] = {{110, 101, 1}, {1010, 1001, 1}, {211, 1, 70}, {601, 1, 200}};
            struct settings settings = settings_of(distributions[d]);
            settings.task.train_length = rows[c].train_length;
            settings.task.operand_offset = rows[c].first - 1;
            put_setting(&settings, "task", "addition");
            if (rows[c].step > 1)
                put_wheel(&settings, (int)rows[c].step, text);
            check(&settings);
            const struct task_set set = set_of(&settings);
            long count[1024] = {0};
            double all = 0;
            for (long i = 0; i < SAMPLES; i++)
                count[task_length(&set, i)]++;
            const double rate = d ? 3.0 / (double)settings.task.train_length : 0;
            for (int64_t l = rows[c].first; l <= settings.task.train_length; l += rows[c].step)
                all += exp(-rate * (double)l);
            for (int64_t l = 1; l <= settings.task.train_length; l++) {
                const bool possible = l >= rows[c].first && (l - rows[c].first) % rows[c].step == 0;
                assert_int_equal(settings_length_possible(&settings, l), possible);
                assert_share(count[l], SAMPLES, possible ? exp(-rate * (double)l) / all : 0);
            }
        }
}

// What the set found out once is what is asked for each length.
static void possible_lengths_are_those_of_each_alone(void **state)
{
    (void)state;
    char text[4096];
    static uint64_t possible[LENGTH_WORDS];
    for (int c = 0; c < 6; c++)
        for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
            static const char *const kinds[] = {"even_pairs", "modular_arithmetic", "parity"};
            struct settings settings = settings_of("uniform");
            put_setting(&settings, "task", "automaton");
            if (c < 3)
                put_setting(&settings, "automaton", kinds[c]);
            else
                put_wheel(&settings, c, text);
            settings.task.supervision = supervision;
            settings_lengths_possible(&settings, 300, possible);
            for (int64_t l = 1; l < 400; l++)
                assert_int_equal(length_is_in(possible, l), l <= 300 && settings_length_possible(&settings, l));
            settings.task.min_length = 9;
            int64_t shortest = 9;
            while (!settings_length_possible(&settings, shortest))
                shortest++;
            assert_int_equal(settings_shortest_length(&settings), shortest);
        }
}

// The draw of a sample is the first attempt of its number, whatever else the settings say.
static void draws_are_inverses_of_the_distribution(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    settings.task.min_length = 4;
    const struct task_set set = set_of(&settings);
    const struct random_key key = random_key(settings.seed, settings_data_seed(&settings), "train/length");
    for (uint64_t i = 0; i < 200; i++) {
        const double u = random_uniform(key, i, 0, 0);
        assert_int_equal(task_length(&set, (long)i), 4 + (long)(u * (N - 3)));
    }
}

static void a_curriculum_cuts_the_distribution(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "data", "stream");
    put_setting(&settings, "curriculum", "schedule");
    put_setting(&settings, "curriculum_start", "4");
    put_setting(&settings, "curriculum_keep", "0.25");
    check(&settings);
    struct task_set set = set_of(&settings);
    long count[N + 1];
    set.longest = 10;
    count_lengths(&set, SAMPLES, count);
    for (int l = 1; l <= N; l++)
        assert_share(count[l], SAMPLES, l <= 4 ? 0.75 / 10 + 0.25 / 4 : l <= 10 ? 0.75 / 10 : 0);
    put_setting(&settings, "length_distribution", "fixed");
    set = set_of(&settings);
    set.longest = 10;
    count_lengths(&set, SAMPLES, count);
    assert_share(count[10], SAMPLES, 0.75);
    assert_share(count[4], SAMPLES, 0.25);
}

static void a_batch_may_share_one_length(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "data", "stream");
    put_setting(&settings, "batch_size", "8");
    put_setting(&settings, "length_mixing", "batches");
    const struct task_set set = set_of(&settings);
    long count[N + 1] = {0};
    for (long batch = 0; batch < SAMPLES / 8; batch++) {
        struct batch made = make(&settings, SPLIT_TRAIN, N, batch * 8, 8, *state);
        assert_null(made.offsets);
        assert_int_equal(made.length, task_length(&set, batch * 8 + 5));
        count[made.length]++;
    }
    for (int l = 1; l <= N; l++)
        assert_share(count[l], SAMPLES / 8, 1.0 / N);
}

// The sequence of a sample under any distribution is that of the fixed one, cut.
static void short_sequences_begin_the_long_ones(void **state)
{
    static const char *const kinds[][2] = {{"accumulator", "steps"}, {"brackets", "final"}, {"automaton", "steps"}};
    for (size_t k = 0; k < 3; k++) {
        struct settings fixed = settings_of("fixed"), mixed = settings_of("uniform");
        put_setting(&fixed, "task", kinds[k][0]);
        put_setting(&mixed, "task", kinds[k][0]);
        put_setting(&fixed, "supervision", kinds[k][1]);
        put_setting(&mixed, "supervision", kinds[k][1]);
        fixed.task.noise_rate = mixed.task.noise_rate = 0.25;
        struct batch whole = make(&fixed, SPLIT_TRAIN, N, 0, 50, *state),
                     cut = make(&mixed, SPLIT_TRAIN, N, 0, 50, *state);
        const struct task_set set = set_of(&mixed);
        assert_non_null(cut.offsets);
        for (long i = 0; i < 50; i++) {
            const long length = batch_length(&cut, i);
            assert_int_equal(length, task_length(&set, i));
            assert_same(whole.tokens + i * N, cut.tokens + batch_row(&cut, i), length);
            if (cut.positions == 1)
                continue;
            assert_same(whole.targets + i * N, cut.targets + batch_row(&cut, i), length);
            assert_same(whole.clean + i * N, cut.clean + batch_row(&cut, i), length);
        }
    }
}

static void vectors_of_different_lengths_are_packed(void **state)
{
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "task", "signal");
    put_setting(&settings, "dim", "6");
    put_setting(&settings, "signal_tokens", "2");
    settings.task.min_length = 2;
    check(&settings);
    struct batch batch = make(&settings, SPLIT_TRAIN, N, 0, 40, *state);
    for (long i = 0; i < 40; i++) {
        const float *rows = batch.vectors + batch_row(&batch, i) * 6;
        int signals = 0;
        for (long t = 0; t < batch_length(&batch, i); t++)
            signals += rows[t * 6] != 0 || rows[t * 6 + 1] != 0;
        assert_int_equal(signals, 2);
        assert_true(batch.relevant[2 * i + 1] < batch_length(&batch, i));
    }
}

static void symbols_around_a_sequence_leave_it_alone(void **state)
{
    struct settings plain = settings_of("uniform");
    put_setting(&plain, "task", "brackets");
    plain.task.noise_rate = 0.25;
    struct settings begun = plain;
    put_setting(&begun, "begin_token", "true");
    check(&begun);
    assert_int_equal(settings_vocabulary(&begun), settings_vocabulary(&plain) + 1);
    struct batch a = make(&plain, SPLIT_TRAIN, N, 0, 50, *state), b = make(&begun, SPLIT_TRAIN, N, 0, 50, *state);
    for (long i = 0; i < 50; i++) {
        const int64_t from = batch_row(&a, i), to = batch_row(&b, i);
        const long length = batch_length(&a, i);
        assert_int_equal(batch_length(&b, i), length + 1);
        assert_int_equal(b.tokens[to], settings_vocabulary(&plain));
        assert_int_equal(b.mask[to], 0);
        assert_same(a.tokens + from, b.tokens + to + 1, length);
        assert_same(a.targets + from, b.targets + to + 1, length);
        assert_true(b.relevant_each && b.relevant[to] == -1);
        for (long t = 1; t <= length; t++) {
            const int32_t at = a.relevant[from + t - 1];
            assert_int_equal(b.mask[to + t], 1);
            assert_int_equal(b.relevant[to + t], at < 0 ? -1 : at + 1);
        }
    }
    put_setting(&plain, "supervision", "final");
    put_setting(&begun, "supervision", "final");
    put_setting(&begun, "query_token", "true");
    a = make(&plain, SPLIT_TEST, N, 0, 50, *state);
    b = make(&begun, SPLIT_TEST, N, 0, 50, *state);
    assert_int_equal(b.length, N + 2);
    assert_null(b.mask);
    assert_same(a.targets, b.targets, 50);
    for (long i = 0; i < 50; i++) {
        assert_same(a.tokens + i * N, b.tokens + i * (N + 2) + 1, N);
        assert_int_equal(b.tokens[i * (N + 2) + N + 1], settings_vocabulary(&plain) + 1);
        assert_int_equal(b.relevant[i], a.relevant[i] + 1);
    }
}

static void noise_falls_where_it_is_put(void **state)
{
    struct settings settings = settings_of("fixed");
    settings.task.noise_rate = 0.5;
    put_setting(&settings, "noise_on", "final");
    struct batch final = make(&settings, SPLIT_TRAIN, N, 0, 400, *state);
    long flips = 0;
    for (long i = 0; i < 400; i++)
        for (long t = 0; t < N; t++) {
            const bool flipped = final.targets[i * N + t] != final.clean[i * N + t];
            assert_true(!flipped || t == N - 1);
            flips += flipped;
        }
    assert_share(flips, 400, 0.5);
    put_setting(&settings, "noise_on", "chain");
    settings.task.noise_rate = 0.1;
    check(&settings);
    struct batch chain = make(&settings, SPLIT_TRAIN, N, 0, 400, *state);
    assert_same(chain.tokens, final.tokens, 400 * N);
    assert_same(chain.clean, final.clean, 400 * N);
    // The difference to the clean state changes at a corruption alone.
    long corruptions = 0;
    for (long i = 0; i < 400; i++)
        for (long t = 0, before = 0; t < N; t++) {
            const long gap = (chain.targets[i * N + t] - chain.clean[i * N + t] + 5) % 5;
            corruptions += gap != before;
            before = gap;
        }
    assert_share(corruptions, 400 * N, 0.1);
}

static void a_corrupted_state_stays_legal(void **state)
{
    static const char *const automata[] = {"parity", "cycle_navigation", "dihedral", "alternating5"};
    for (size_t a = 0; a < sizeof automata / sizeof automata[0]; a++) {
        struct settings settings = settings_of("fixed"), lower;
        put_setting(&settings, "task", "automaton");
        put_setting(&settings, "automaton", automata[a]);
        put_setting(&settings, "noise_on", "chain");
        settings.task.noise_rate = 0.2;
        check(&settings);
        lower = settings;
        lower.task.noise_rate = 0;
        struct batch batch = make(&settings, SPLIT_TRAIN, N, 0, 100, *state),
                     clean = make(&lower, SPLIT_TRAIN, N, 0, 100, *state);
        long flips = 0;
        assert_same(batch.clean, clean.targets, 100 * N);
        for (long t = 0; t < 100 * N; t++) {
            assert_in_range(batch.targets[t], 0, batch.classes - 1);
            flips += batch.targets[t] != batch.clean[t];
        }
        assert_true(flips > 0);
    }
}

static void memory_is_what_was_announced(void **state)
{
    static const char *const distributions[] = {"uniform", "exponential", "list"};
    (void)state;
    for (size_t d = 0; d < 3; d++) {
        struct settings settings = settings_of(distributions[d]);
        put_setting(&settings, "begin_token", "true");
        settings.task.lengths = "3 20";
        struct task_set set = set_of(&settings);
        struct arena *arena = arena_create(1 << 16, task_make_bytes(&set, 100));
        struct batch batch;
        struct status status = {0};
        assert_non_null(arena);
        assert_int_equal(task_make(&set, 0, 100, arena, &batch, &status), STATUS_OK);
        arena_destroy(arena);
    }
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings[CASE_SETTINGS][2];
        const char *blamed;
    } rows[] = {
        {{{"length_distribution", "uniform"}, {"min_length", "9"}}, "min_length"},
        {{{"curriculum", "schedule"}, {"data", "stream"}, {"curriculum_start", "9"}}, "curriculum_start"},
        {{{"curriculum", "schedule"}}, "curriculum"},
        {{{"length_distribution", "uniform"}, {"signal_tokens", "2"}}, "signal_tokens"},
        {{{"length_distribution", "uniform"}, {"signal_tokens", "0.5"}}, "signal_tokens"},
        {{{"task", "brackets"}, {"noise_on", "chain"}}, "noise_on"},
        {{{"task", "automaton"}, {"automaton", "even_pairs"}, {"noise_on", "chain"}}, "noise_on"},
        {{{"task", "automaton"}, {"automaton", "flip_flop"}, {"noise_on", "chain"}}, "noise_on"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = case_settings(rows[r].settings);
        const struct setting *blamed = NULL;
        struct status status = {0};
        assert_int_equal(settings_check(&settings, &blamed, &status), STATUS_INVALID);
        assert_string_equal(blamed->name, rows[r].blamed);
    }
}

static void bad_lists_are_refused_for_what_is_wrong_with_them(void **state)
{
    (void)state;
    char many[4096];
    size_t used = 0;
    for (int i = 0; i <= LENGTHS_LIMIT; i++)
        used += (size_t)sprintf(many + used, "%d ", N);
    const char *const rows[][2] = {
        {"", "lengths is empty, but length_distribution: list draws from it; write it as in lengths: [1, 2, 3, 3]"},
        {"3 x", "lengths has x, which is no integer; write integers from 1 to 65536"},
        {"2.5 20", "lengths has 2.5, which is no integer; write integers from 1 to 65536"},
        {"3 0", "lengths has 0, which is below 1; write integers from 1 to 65536"},
        {"-1 20", "lengths has -1, which is below 1; write integers from 1 to 65536"},
        {"3 70000", "lengths has 70000, which is too long; write integers from 1 to 65536"},
        {"99999999999999999999 3", "lengths has 99999999999999999999, which is too long; write integers from 1 to "
                                   "65536"},
        {"a2345678901234567890123456789", "lengths has a23456789012345678901234..., which is no integer; write "
                                          "integers from 1 to 65536"},
        {"3, 20", "lengths has 3,, which is no integer; write integers from 1 to 65536"},
        {"3 ~ 20", "lengths has ~, which is no integer; write integers from 1 to 65536"},
        {"3; 20", "lengths has lists within the list, but it is one list; write it as in lengths: [1, 2, 3, 3]"},
        {many, "lengths has 1025 entries, more than 1024; leave some out"},
        {"3 5", "the longest of lengths is 5, but train_length is 20; write train_length: 5"},
        {"3 20 21", "the longest of lengths is 21, but train_length is 20; write train_length: 21"},
    };
    for (size_t l = 0; l < sizeof rows / sizeof rows[0]; l++) {
        struct settings settings = settings_of("list");
        const struct setting *blamed = NULL;
        struct status status = {0};
        settings.task.lengths = rows[l][0];
        assert_int_equal(settings_check(&settings, &blamed, &status), STATUS_INVALID);
        assert_string_equal(blamed->name, "lengths");
        assert_string_equal(status.text, rows[l][1]);
    }
    many[used - 3] = '\0';
    struct settings settings = settings_of("list");
    settings.task.lengths = many;
    check(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(lengths_are_distributed_as_stated),
        ROW(lengths_that_a_task_cannot_make_are_left_out),
        ROW(rare_lengths_keep_their_proportions),
        ROW(possible_lengths_are_those_of_each_alone),
        ROW(draws_are_inverses_of_the_distribution),
        ROW(a_curriculum_cuts_the_distribution),
        ROW(a_batch_may_share_one_length),
        ROW(short_sequences_begin_the_long_ones),
        ROW(vectors_of_different_lengths_are_packed),
        ROW(symbols_around_a_sequence_leave_it_alone),
        ROW(noise_falls_where_it_is_put),
        ROW(a_corrupted_state_stays_legal),
        cmocka_unit_test(memory_is_what_was_announced),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(bad_lists_are_refused_for_what_is_wrong_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
