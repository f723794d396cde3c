// SPDX-License-Identifier: MIT
// What holds for every task on tokens.
#include "token_cases.h"

#include "base_hash.h"
#include <math.h>

enum { N = 11, SAMPLES = 400 };

static const struct token_case {
    const char *settings[CASE_SETTINGS][2];
    bool anew; // a longer sequence is another one, since it is made of parts whose lengths are drawn
} cases[] = {
    {{{"task", "accumulator"}}},
    {{{"task", "automaton"}, {"automaton", "parity"}}},
    {{{"task", "automaton"}, {"automaton", "cycle_navigation"}}},
    {{{"task", "automaton"}, {"automaton", "even_pairs"}}},
    {{{"task", "automaton"}, {"automaton", "modular_arithmetic"}}},
    {{{"task", "automaton"}, {"automaton", "flip_flop"}}},
    {{{"task", "automaton"}, {"automaton", "cyclic"}, {"order", "7"}}},
    {{{"task", "automaton"}, {"automaton", "cyclic"}, {"order", "6"}, {"group_symbols", "generators"}}},
    {{{"task", "automaton"}, {"automaton", "dihedral"}, {"order", "3"}}},
    {{{"task", "automaton"}, {"automaton", "dihedral"}, {"order", "4"}, {"group_symbols", "generators"}}},
    {{{"task", "automaton"}, {"automaton", "symmetric"}, {"order", "3"}}},
    {{{"task", "automaton"}, {"automaton", "symmetric"}, {"order", "4"}, {"group_symbols", "generators"}}},
    {{{"task", "automaton"}, {"automaton", "alternating5"}}},
    {{{"task", "automaton"}, {"automaton", "alternating5"}, {"group_symbols", "generators"}}},
    {{{"task", "automaton"}, {"automaton", "table"}, {"table", "1 0 2; 2 0 1; 0 2 2"}}},
    {{{"task", "automaton"},
      {"automaton", "table"},
      {"table", "0 1; 2 3; 4 0; 1 2; 3 4"},
      {"outputs", "0 1 1 1 1"},
      {"start", "3"}}},
    {{{"task", "brackets"}}},
    {{{"task", "brackets"}, {"bracket_types", "3"}, {"depth", "2"}, {"test_depth", "9"}}},
    {{{"task", "addition"}}},
    {{{"task", "addition"}, {"digit_order", "reversed"}, {"index_hints", "70"}}},
    {{{"task", "addition"}, {"zero_padding", "false"}, {"base", "3"}, {"test_base", "2"}}},
    {{{"task", "addition"}, {"zero_padding", "false"}, {"operand_offset", "1"}, {"index_hints", "34"}}},
    {{{"task", "multiplication"}, {"digit_order", "reversed"}}},
    {{{"task", "multiplication"}, {"zero_padding", "false"}, {"base", "2"}}},
    {{{"task", "multiplication"}, {"zero_padding", "false"}, {"multiplier_digits", "1"}, {"index_hints", "35"}}},
    {{{"task", "modular"}, {"test_modulus", "7"}}},
    {{{"task", "stack_manipulation"}}, .anew = true},
    {{{"task", "reverse_string"}}},
    {{{"task", "modular_arithmetic_brackets"}}, .anew = true},
    {{{"task", "solve_equation"}}, .anew = true},
    {{{"task", "duplicate_string"}}},
    {{{"task", "missing_duplicate_string"}}, .anew = true},
    {{{"task", "odds_first"}}},
    {{{"task", "binary_addition"}}, .anew = true},
    {{{"task", "binary_multiplication"}}, .anew = true},
    {{{"task", "compute_sqrt"}}},
    {{{"task", "bucket_sort"}}},
    {{{"task", "reverse_string"}, {"alphabet", "7"}}},
    {{{"task", "missing_duplicate_string"}, {"alphabet", "5"}}, .anew = true},
    {{{"task", "bucket_sort"}, {"alphabet", "5"}}},
    {{{"task", "modular_arithmetic_brackets"}, {"modulus", "12"}}, .anew = true},
    {{{"task", "solve_equation"}, {"modulus", "2"}}, .anew = true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static struct settings settings_of(size_t row, int supervision)
{
    struct settings settings = case_settings(cases[row].settings);
    const struct setting *blamed;
    settings.task.supervision = supervision;
    settings.task.train_length = N;
    settings.task.samples = SAMPLES;
    settings.task.noise_rate = 0.25;
    assert_int_equal(settings_check(&settings, &blamed, NULL), STATUS_OK);
    return settings;
}

static void shapes_are_those_of_the_settings(void **state)
{
    (void)state;
    static const struct {
        const char *settings[CASE_SETTINGS][2];
        long vocabulary;
        int classes;
    } rows[] = {
        {{{"task", "signal"}}, 0, 2},
        {{{"task", "accumulator"}, {"modulus", "9"}}, 18, 9},
        {{{"task", "automaton"}, {"automaton", "parity"}}, 2, 2},
        {{{"task", "automaton"}, {"automaton", "modular_arithmetic"}}, 8, 5},
        {{{"task", "automaton"}, {"automaton", "cycle_navigation"}}, 3, 5},
        {{{"task", "automaton"}, {"automaton", "even_pairs"}}, 2, 2},
        {{{"task", "automaton"}, {"automaton", "flip_flop"}}, 3, 2},
        {{{"task", "automaton"}, {"automaton", "cyclic"}, {"order", "256"}}, 256, 256},
        {{{"task", "automaton"}, {"automaton", "dihedral"}, {"order", "256"}}, 512, 512},
        {{{"task", "automaton"}, {"automaton", "symmetric"}, {"order", "5"}}, 120, 120},
        {{{"task", "automaton"}, {"automaton", "symmetric"}, {"order", "3"}, {"group_symbols", "generators"}}, 2, 6},
        {{{"task", "automaton"}, {"automaton", "alternating5"}}, 60, 60},
        {{{"task", "brackets"}, {"bracket_types", "1024"}}, 2048, 1025},
        {{{"task", "addition"}}, 13, 13},
        {{{"task", "addition"}, {"base", "2"}, {"test_base", "16"}, {"index_hints", "9"}}, 28, 28},
        {{{"task", "multiplication"}, {"base", "7"}, {"test_base", "5"}}, 10, 10},
        {{{"task", "modular"}, {"modulus", "3"}, {"test_modulus", "97"}, {"index_hints", "9"}}, 100, 100},
        {{{"task", "stack_manipulation"}, {"alphabet", "9"}}, 6, 3},
        {{{"task", "reverse_string"}, {"alphabet", "9"}}, 10, 9},
        {{{"task", "modular_arithmetic_brackets"}, {"modulus", "7"}}, 13, 7},
        {{{"task", "solve_equation"}, {"modulus", "7"}}, 14, 7},
        {{{"task", "duplicate_string"}, {"alphabet", "9"}}, 10, 9},
        {{{"task", "missing_duplicate_string"}, {"alphabet", "9"}}, 12, 9},
        {{{"task", "odds_first"}}, 3, 2},
        {{{"task", "binary_addition"}}, 4, 3},
        {{{"task", "binary_multiplication"}, {"modulus", "7"}}, 4, 3},
        {{{"task", "compute_sqrt"}}, 3, 2},
        {{{"task", "bucket_sort"}, {"alphabet", "1024"}}, 1025, 1024},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = case_settings(rows[r].settings);
        struct batch_shape shape;
        task_shape(&settings, &shape);
        assert_int_equal(shape.vocabulary, rows[r].vocabulary);
        assert_int_equal(shape.classes, rows[r].classes);
        assert_int_equal(settings_vocabulary(&settings), rows[r].vocabulary);
        assert_int_equal(settings_classes(&settings), rows[r].classes);
        assert_int_equal(shape.autoregressive, settings_autoregressive(&settings));
    }
}

static void the_final_target_is_the_last_of_the_steps(void **state)
{
    for (size_t c = 0; c < CASES; c++) {
        struct settings steps = settings_of(c, SUPERVISION_STEPS), final = settings_of(c, SUPERVISION_FINAL);
        if (settings_autoregressive(&steps) || settings_answer_tokens(&steps, N))
            continue;
        struct batch a = make_batch(&steps, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                     b = make_batch(&final, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        assert_same(a.tokens, b.tokens, SAMPLES * N);
        for (long i = 0; i < SAMPLES; i++)
            assert_int_equal(b.clean[i], a.clean[i * N + N - 1]);
        assert_true(a.relevant_count == b.relevant_count && !b.relevant_each);
        for (long i = 0; i < SAMPLES * a.relevant_count; i++) {
            const int32_t last = a.relevant[i * N + N - 1];
            assert_true(last == b.relevant[i] || last == -1);
        }
        for (long i = 0; i < SAMPLES * b.relevant_count; i++)
            assert_true(b.relevant[i] >= 0 && b.relevant[i] < N);
    }
}

static void any_range_has_the_bits_of_the_whole(void **state)
{
    for (size_t c = 0; c < CASES; c++)
        for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
            struct settings settings = settings_of(c, supervision);
            struct batch whole = make_batch(&settings, SPLIT_TRAIN, N, 0, 40, *state);
            for (long first = 0; first < 40; first += 7) {
                const long count = first + 7 < 40 ? 7 : 40 - first, positions = whole.positions, length = whole.length;
                struct batch part = make_batch(&settings, SPLIT_TRAIN, N, first, count, *state);
                assert_same(whole.tokens + first * length, part.tokens, count * length);
                assert_same(whole.clean + first * positions, part.clean, count * positions);
                assert_same(whole.targets + first * positions, part.targets, count * positions);
                if (whole.mask)
                    assert_memory_equal(whole.mask + first * positions, part.mask, (size_t)(count * positions));
                const long each = whole.relevant_count, list = (long)batch_relevant(&whole, first);
                if (each)
                    assert_same(whole.relevant + list * each, part.relevant, (long)batch_relevant(&part, count) * each);
            }
        }
}

static void targets_that_count_name_positions_in_order(void **state)
{
    long named = 0;
    for (size_t c = 0; c < CASES; c++) {
        struct settings settings = settings_of(c, SUPERVISION_STEPS);
        struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, 40, *state);
        assert_true(batch.relevant_count == 0 || batch.relevant_each);
        for (long t = 0; t < 40 * batch.positions; t++)
            for (long k = 0, before = 0; k < batch.relevant_count; k++) {
                const int32_t at = batch.relevant[t * batch.relevant_count + k];
                assert_true(at < batch.length && (at < 0 ? at == -1 : k == 0 || at > before));
                assert_true(at < 0 || counts(&batch, t));
                before = at < 0 ? N * N * N : at;
                named += at >= 0;
            }
    }
    assert_true(named > 0);
}

static void a_longer_sequence_begins_with_the_shorter(void **state)
{
    for (size_t c = 0; c < CASES; c++) {
        struct settings settings = settings_of(c, SUPERVISION_STEPS);
        if (settings_autoregressive(&settings) || cases[c].anew)
            continue;
        struct batch a = make_batch(&settings, SPLIT_TRAIN, N, 0, 40, *state),
                     b = make_batch(&settings, SPLIT_TRAIN, 3 * N, 0, 40, *state);
        for (long i = 0; i < 40; i++) {
            assert_same(a.tokens + i * a.length, b.tokens + i * b.length, N);
            if (settings_answer_tokens(&settings, N))
                continue; // what answers is behind the input
            assert_same(a.clean + i * N, b.clean + i * 3 * N, N);
            assert_same(a.targets + i * N, b.targets + i * 3 * N, N);
        }
    }
}

// Settings that are no part of the data of a training set, with values other than by default. Under curricula of
// streams and batches of one length some are.
static const char others[] =
    "model=transformer encoding=rope width=32 snr=2 optimizer=adam steps=7 samples=99 batch_size=16 "
    "init_seed=3 test_samples=300 dim=20 budget=tokens budget_tokens=777 budget_flops=1e7 "
    "attention_bias=false head_bias=false tied=true dropout=0.5 clip=1 schedule=cosine warmup=0.5 "
    "accumulation=3 points=3 curriculum_start=1 curriculum_share=1 curriculum_threshold=0.5 "
    "curriculum_increment=3 curriculum_every=2 curriculum_keep=0.5 min_length=3 length_mixing=batches";

static void put_others(struct settings *settings)
{
    char text[sizeof others], *rest = NULL;
    memcpy(text, others, sizeof others);
    for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        *value = '\0';
        put_setting(settings, name, value + 1);
    }
}

static void other_settings_leave_the_data_alone(void **state)
{
    for (size_t c = 0; c < CASES; c++) {
        struct settings settings = settings_of(c, SUPERVISION_STEPS), other = settings;
        put_others(&other);
        for (int split = SPLIT_TRAIN; split <= SPLIT_TEST; split++) {
            struct batch a = make_batch(&settings, (enum task_split)split, N, 0, 50, *state),
                         b = make_batch(&other, (enum task_split)split, N, 0, 50, *state);
            assert_same(a.tokens, b.tokens, 50 * a.length);
            assert_same(a.targets, b.targets, 50 * a.positions);
        }
        other.replicate = 1;
        struct batch a = make_batch(&settings, SPLIT_TRAIN, N, 0, 50, *state),
                     b = make_batch(&other, SPLIT_TRAIN, N, 0, 50, *state);
        assert_memory_not_equal(a.tokens, b.tokens, (size_t)(50 * a.length) * sizeof(int32_t));
    }
}

// Lengths too are those of a replicate's data, whatever learns them and how. A curriculum of a finite set says in what
// order samples come, and leaves them alone.
static void other_settings_leave_drawn_lengths_alone(void **state)
{
    static const char *const distributions[] = {"uniform", "exponential", "list"};
    for (size_t c = 0; c < CASES; c++)
        for (size_t d = 0; d < 3; d++) {
            struct settings settings[3]; // one, the same with others, and another replicate
            struct task_set set[3];
            struct batch batch[3] = {{0}};
            long differ = 0;
            settings[0] = settings_of(c, SUPERVISION_STEPS);
            put_setting(&settings[0], "length_distribution", distributions[d]);
            put_setting(&settings[0], "lengths", "5 7 7 11");
            settings[1] = settings[2] = settings[0];
            put_others(&settings[1]);
            settings[1].task.min_length = settings[0].task.min_length;
            put_setting(&settings[1], "curriculum", "schedule");
            settings[2].replicate = 1;
            for (int i = 0; i < 3; i++) {
                task_set_init(&set[i], &settings[i], SPLIT_TRAIN, N);
                assert_int_equal(task_make(&set[i], 0, 50, *state, &batch[i], NULL), STATUS_OK);
            }
            assert_memory_equal(batch[0].offsets, batch[1].offsets, 51 * sizeof *batch[0].offsets);
            assert_same(batch[0].tokens, batch[1].tokens, (long)batch[0].offsets[50]);
            for (long i = 0; i < 50; i++)
                differ += task_length(&set[0], i) != task_length(&set[2], i);
            assert_true(differ > 10);
        }
}

static void noise_is_nested_and_uniform_over_the_other_classes(void **state)
{
    static const double rates[] = {0, 0.05, 0.25, 0.95};
    for (size_t c = 0; c < CASES; c++) {
        const int32_t *before = NULL;
        for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
            struct settings settings = settings_of(c, SUPERVISION_STEPS);
            long by_step[128] = {0}, targets = 0;
            settings.task.noise_rate = rates[r];
            struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
            const int classes = batch.classes;
            for (long i = 0; i < SAMPLES * batch.positions; i++) {
                assert_true(batch.targets[i] >= 0 && batch.targets[i] < classes);
                assert_true(counts(&batch, i) || batch.targets[i] == batch.clean[i]);
                if (!counts(&batch, i))
                    continue;
                targets++;
                by_step[(batch.targets[i] - batch.clean[i] + classes) % classes]++;
                if (before && before[i] != batch.clean[i])
                    assert_int_equal(batch.targets[i], before[i]);
            }
            before = batch.targets;
            for (int step = 1; step < classes; step++) {
                const double share = rates[r] / (classes - 1), spread = sqrt(share * (1 - share) / (double)targets);
                assert_true(fabs((double)by_step[step] / (double)targets - share) <= 5 * spread);
            }
        }
    }
}

static void labels_are_clean_outside_training(void **state)
{
    for (size_t c = 0; c < CASES; c++)
        for (int split = SPLIT_VALIDATION; split <= SPLIT_TEST; split++) {
            struct settings settings = settings_of(c, SUPERVISION_STEPS);
            settings.task.noise_rate = 0.9;
            struct batch batch = make_batch(&settings, (enum task_split)split, N, 0, 100, *state);
            assert_same(batch.targets, batch.clean, 100 * batch.positions);
        }
}

// Share of wrong answers of one who gives each position its most frequent class.
static double error_of_the_most_frequent(const struct batch *batch)
{
    double right = 0, all = 0;
    for (long t = 0; t < batch->positions; t++) {
        long seen[1100] = {0}, most = 0;
        for (long i = 0; i < batch->samples; i++)
            if (counts(batch, i * batch->positions + t))
                seen[batch->clean[i * batch->positions + t]]++;
        for (int c = 0; c < batch->classes; c++) {
            most = seen[c] > most ? seen[c] : most;
            all += (double)seen[c];
        }
        right += (double)most;
    }
    return 1 - right / all;
}

static void the_chance_error_is_that_of_the_likeliest_class(void **state)
{
    enum { DRAWS = 20000 };
    static const long lengths[] = {2, 3, 8, 33};
    for (size_t c = 0; c < CASES; c++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
                struct settings settings = settings_of(c, supervision);
                struct settings_fault fault;
                if (settings_length_fault(&settings, lengths[l], &fault))
                    continue;
                arena_reset(*state);
                struct batch batch = make_batch(&settings, SPLIT_TEST, lengths[l], 0, DRAWS, *state);
                const double chance = task_chance_error(&settings, lengths[l]);
                assert_true(chance > 0 && chance < 1);
                assert_true(fabs(error_of_the_most_frequent(&batch) - chance) < 5 * sqrt(0.25 / DRAWS));
                assert_true(task_bayes_error(&settings, lengths[l]) == 0);
                assert_true(task_bayes_flops(&settings, lengths[l]) == 0);
            }
}

static void memory_is_what_it_says_and_its_lack_an_error(void **state)
{
    (void)state;
    for (size_t c = 0; c < CASES; c++)
        for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
            struct settings settings = settings_of(c, supervision);
            struct task_set set;
            struct batch batch = {.samples = -1};
            struct status status;
            task_set_init(&set, &settings, SPLIT_TRAIN, N);
            assert_true(task_sample_flops(&set) > 0);
            const size_t needed = task_make_bytes(&set, SAMPLES);
            struct arena *arena = arena_create(needed + 64, 0);
            assert_int_equal(task_make(&set, 0, SAMPLES, arena, &batch, &status), STATUS_OK);
            assert_true(arena_used(arena) <= needed);
            assert_true(SAMPLES * task_sample_bytes(&set) <= needed);
            arena_destroy(arena);
            arena = arena_create(1 << 10, 1 << 12);
            batch.samples = -1;
            assert_int_equal(task_make(&set, 0, SAMPLES, arena, &batch, &status), STATUS_MEMORY);
            assert_int_equal(batch.samples, -1);
            assert_non_null(strstr(status.text, "lower"));
            arena_destroy(arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(shapes_are_those_of_the_settings),
        ROW(the_final_target_is_the_last_of_the_steps),
        ROW(any_range_has_the_bits_of_the_whole),
        ROW(targets_that_count_name_positions_in_order),
        ROW(a_longer_sequence_begins_with_the_shorter),
        ROW(other_settings_leave_the_data_alone),
        ROW(other_settings_leave_drawn_lengths_alone),
        ROW(noise_is_nested_and_uniform_over_the_other_classes),
        ROW(labels_are_clean_outside_training),
        ROW(the_chance_error_is_that_of_the_likeliest_class),
        ROW(memory_is_what_it_says_and_its_lack_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
