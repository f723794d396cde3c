// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_hash.h"
#include "task.h"
#include <math.h>
#include <string.h>

enum { M = 5, N = 12, SAMPLES = 400 };

static struct settings some_settings(int supervision)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = 7;
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.supervision = supervision;
    settings.task.modulus = M;
    settings.task.train_length = N;
    settings.task.samples = SAMPLES;
    settings.task.noise_rate = 0.25;
    return settings;
}

static struct batch make(const struct settings *settings, enum task_split split, long length, long first, long count,
                         struct arena *arena)
{
    struct task_set set;
    struct batch batch = {0};
    struct status status;
    task_set_init(&set, settings, split, length);
    assert_int_equal(task_make(&set, first, count, arena, &batch, &status), STATUS_OK);
    assert_int_equal(batch.samples, count);
    assert_int_equal(batch.length, length);
    assert_int_equal(batch.first, first);
    assert_int_equal(batch.classes, settings->task.modulus);
    assert_false(batch.binary);
    assert_null(batch.vectors);
    assert_null(batch.mask);
    assert_null(batch.index);
    assert_int_equal(batch.relevant_count, 0);
    return batch;
}

static void assert_same(const int32_t *a, const int32_t *b, long count)
{
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

// The definition, without regard to speed.
static int state_after(const int32_t *tokens, long steps, int modulus)
{
    long sum = 0;
    for (long t = 0; t < steps; t++)
        if (tokens[t] / modulus == 1)
            sum += tokens[t] % modulus;
    return (int)(sum % modulus);
}

static void shapes_follow_the_modulus(void **state)
{
    (void)state;
    struct settings settings = some_settings(SUPERVISION_STEPS);
    struct batch_shape shape;
    task_shape(&settings, &shape);
    assert_int_equal(shape.vocabulary, 2 * M);
    assert_int_equal(shape.classes, M);
    assert_int_equal(shape.dim, 0);
    assert_false(shape.binary);
}

static void targets_are_the_state_after_each_step(void **state)
{
    static const int moduli[] = {2, 3, M, 97};
    for (size_t m = 0; m < sizeof moduli / sizeof moduli[0]; m++) {
        struct settings settings = some_settings(SUPERVISION_STEPS);
        settings.task.modulus = moduli[m];
        struct batch batch = make(&settings, SPLIT_TRAIN, N, 0, 60, *state);
        assert_int_equal(batch.positions, N);
        for (long i = 0; i < 60; i++)
            for (long t = 0; t < N; t++) {
                int32_t token = batch.tokens[i * N + t];
                assert_true(token >= 0 && token < 2 * moduli[m]);
                assert_int_equal(batch.clean[i * N + t], state_after(batch.tokens + i * N, t + 1, moduli[m]));
            }
    }
}

static void the_final_target_is_the_last_of_the_steps(void **state)
{
    struct settings steps = some_settings(SUPERVISION_STEPS), final = some_settings(SUPERVISION_FINAL);
    struct batch a = make(&steps, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                 b = make(&final, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    assert_int_equal(b.positions, 1);
    assert_same(a.tokens, b.tokens, SAMPLES * N);
    for (long i = 0; i < SAMPLES; i++)
        assert_int_equal(b.clean[i], a.clean[i * N + N - 1]);
}

static void any_range_has_the_bits_of_the_whole(void **state)
{
    struct settings settings = some_settings(SUPERVISION_STEPS);
    struct batch whole = make(&settings, SPLIT_TRAIN, N, 0, 40, *state);
    for (long first = 0; first < 40; first += 7) {
        long count = first + 7 < 40 ? 7 : 40 - first;
        struct batch part = make(&settings, SPLIT_TRAIN, N, first, count, *state);
        assert_same(whole.tokens + first * N, part.tokens, count * N);
        assert_same(whole.clean + first * N, part.clean, count * N);
        assert_same(whole.targets + first * N, part.targets, count * N);
    }
}

static void a_stream_goes_on_far_beyond_the_set(void **state)
{
    struct settings settings = some_settings(SUPERVISION_STEPS);
    const long far = 5000000000;
    struct batch a = make(&settings, SPLIT_TRAIN, N, far, 3, *state),
                 b = make(&settings, SPLIT_TRAIN, N, far + 1, 1, *state);
    assert_same(a.tokens + N, b.tokens, N);
    assert_memory_not_equal(a.tokens, a.tokens + N, N * sizeof(int32_t));
}

static void a_longer_sequence_begins_with_the_shorter(void **state)
{
    struct settings settings = some_settings(SUPERVISION_STEPS), longer = settings;
    longer.task.train_length = 3 * N;
    struct batch a = make(&settings, SPLIT_TRAIN, N, 0, 40, *state),
                 b = make(&longer, SPLIT_TRAIN, 3 * N, 0, 40, *state);
    for (long i = 0; i < 40; i++) {
        assert_same(a.tokens + i * N, b.tokens + i * 3 * N, N);
        assert_same(a.clean + i * N, b.clean + i * 3 * N, N);
        assert_same(a.targets + i * N, b.targets + i * 3 * N, N);
    }
}

static void noise_is_nested_and_uniform_over_the_other_classes(void **state)
{
    static const double rates[] = {0, 0.05, 0.25, 0.6, 0.95};
    const double targets = (double)SAMPLES * N;
    const int32_t *before = NULL;
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        struct settings settings = some_settings(SUPERVISION_STEPS);
        long by_step[M] = {0};
        settings.task.noise_rate = rates[r];
        struct batch batch = make(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        for (long i = 0; i < SAMPLES * N; i++) {
            assert_true(batch.targets[i] >= 0 && batch.targets[i] < M);
            by_step[(batch.targets[i] - batch.clean[i] + M) % M]++;
            if (before && before[i] != batch.clean[i])
                assert_int_equal(batch.targets[i], before[i]);
        }
        before = batch.targets;
        for (int step = 1; step < M; step++) {
            double share = rates[r] / (M - 1), spread = sqrt(share * (1 - share) / targets);
            assert_true(fabs((double)by_step[step] / targets - share) <= 4 * spread);
        }
    }
}

static void labels_are_clean_outside_training(void **state)
{
    static const enum task_split splits[] = {SPLIT_VALIDATION, SPLIT_TEST};
    for (size_t s = 0; s < 2; s++) {
        struct settings settings = some_settings(SUPERVISION_STEPS);
        settings.task.noise_rate = 0.9;
        struct batch batch = make(&settings, splits[s], N, 0, 100, *state);
        assert_same(batch.targets, batch.clean, 100 * N);
    }
}

static void symbols_are_uniform_and_differ_by_split_length_and_seed(void **state)
{
    struct settings settings = some_settings(SUPERVISION_STEPS), other_seed = settings, other_data = settings;
    other_seed.seed++;
    other_data.data_seed = 5;
    const struct batch batches[] = {
        make(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state),   make(&settings, SPLIT_VALIDATION, N, 0, SAMPLES, *state),
        make(&settings, SPLIT_TEST, N, 0, SAMPLES, *state),    make(&settings, SPLIT_TEST, 2 * N, 0, SAMPLES, *state),
        make(&other_seed, SPLIT_TRAIN, N, 0, SAMPLES, *state), make(&other_data, SPLIT_TRAIN, N, 0, SAMPLES, *state),
    };
    const double share = 1.0 / (2 * M);
    for (size_t a = 0; a < sizeof batches / sizeof batches[0]; a++) {
        const double symbols = (double)(SAMPLES * batches[a].length);
        long seen[2 * M] = {0};
        for (long i = 0; i < SAMPLES * batches[a].length; i++)
            seen[batches[a].tokens[i]]++;
        for (int symbol = 0; symbol < 2 * M; symbol++)
            assert_true(fabs((double)seen[symbol] / symbols - share) < 4 * sqrt(share * (1 - share) / symbols));
        for (size_t b = 0; b < a; b++) {
            long same = 0;
            for (long i = 0; i < SAMPLES; i++)
                same += batches[a].tokens[i * batches[a].length] == batches[b].tokens[i * batches[b].length];
            assert_true(fabs((double)same / SAMPLES - share) < 4 * sqrt(share * (1 - share) / SAMPLES));
        }
    }
}

static void the_chance_error_is_that_of_the_likeliest_state(void **state)
{
    static const struct {
        int modulus, supervision;
        long length;
    } rows[] = {
        {2, SUPERVISION_STEPS, 3}, {M, SUPERVISION_STEPS, 1},  {M, SUPERVISION_STEPS, N},
        {M, SUPERVISION_FINAL, 2}, {17, SUPERVISION_FINAL, 1}, {17, SUPERVISION_FINAL, 40},
    };
    enum { DRAWS = 20000 };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = some_settings(rows[r].supervision);
        settings.task.modulus = rows[r].modulus;
        struct batch batch = make(&settings, SPLIT_TEST, rows[r].length, 0, DRAWS, *state);
        double errors = 0;
        for (long t = 0; t < batch.positions; t++) {
            long seen[32] = {0}, likeliest = 0;
            for (long i = 0; i < DRAWS; i++)
                seen[batch.clean[i * batch.positions + t]]++;
            for (int c = 0; c < rows[r].modulus; c++)
                likeliest = seen[c] > likeliest ? seen[c] : likeliest;
            errors += 1 - (double)likeliest / DRAWS;
        }
        const double chance = task_chance_error(&settings, rows[r].length);
        assert_true(chance > 0 && chance < 1);
        assert_true(fabs(errors / (double)batch.positions - chance) < 5 * sqrt(0.25 / DRAWS));
    }
}

static void the_best_predictor_makes_no_error(void **state)
{
    (void)state;
    struct settings settings = some_settings(SUPERVISION_FINAL);
    assert_true(task_bayes_error(&settings, 512) == 0);
    assert_true(task_bayes_flops(&settings, 512) == 0);
}

static void memory_is_what_it_says_and_its_lack_an_error(void **state)
{
    (void)state;
    for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
        struct settings settings = some_settings(supervision);
        struct task_set set;
        struct batch batch = {.samples = -1};
        struct status status;
        task_set_init(&set, &settings, SPLIT_TRAIN, N);
        assert_true(task_sample_flops(&set) > 0);
        struct arena *arena = arena_create(1 << 12, 0);
        assert_int_equal(task_make(&set, 0, SAMPLES, arena, &batch, &status), STATUS_OK);
        assert_true(arena_used(arena) <= task_make_bytes(&set, SAMPLES));
        assert_true(SAMPLES * task_sample_bytes(&set) <= task_make_bytes(&set, SAMPLES));
        arena_destroy(arena);
        arena = arena_create(1 << 10, 1 << 12);
        batch.samples = -1;
        assert_int_equal(task_make(&set, 0, SAMPLES, arena, &batch, &status), STATUS_MEMORY);
        assert_int_equal(batch.samples, -1);
        assert_non_null(strstr(status.text, "lower"));
        arena_destroy(arena);
    }
}

static void bits_are_golden(void **state)
{
    struct settings settings = some_settings(SUPERVISION_STEPS);
    struct batch batch = make(&settings, SPLIT_TRAIN, N, 0, 40, *state);
    char tokens[HASH_TEXT_SIZE], targets[HASH_TEXT_SIZE];
    hash_text(hash_128(batch.tokens, 40 * N * sizeof(int32_t)), tokens);
    hash_text(hash_128(batch.targets, 40 * N * sizeof(int32_t)), targets);
    assert_string_equal(tokens, "ddd48b6692c3f01cb287731939c3cf0f");
    assert_string_equal(targets, "7dc1fccde8e577d6ae3da59d4d396313");
}

static int create_arena(void **state)
{
    *state = arena_create(1 << 16, 0);
    return *state == NULL;
}

static int destroy_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, create_arena, destroy_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(shapes_follow_the_modulus),
        ROW(targets_are_the_state_after_each_step),
        ROW(the_final_target_is_the_last_of_the_steps),
        ROW(any_range_has_the_bits_of_the_whole),
        ROW(a_stream_goes_on_far_beyond_the_set),
        ROW(a_longer_sequence_begins_with_the_shorter),
        ROW(noise_is_nested_and_uniform_over_the_other_classes),
        ROW(labels_are_clean_outside_training),
        ROW(symbols_are_uniform_and_differ_by_split_length_and_seed),
        ROW(the_chance_error_is_that_of_the_likeliest_state),
        ROW(the_best_predictor_makes_no_error),
        ROW(memory_is_what_it_says_and_its_lack_an_error),
        ROW(bits_are_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
