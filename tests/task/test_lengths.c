// SPDX-License-Identifier: MIT
// Lengths of training sequences, symbols around them, and where label noise falls.
#include "lengths_fixture.h"

#include <stdio.h>

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
