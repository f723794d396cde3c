// SPDX-License-Identifier: MIT
// Batches of sequences of different lengths.
#include "batches_fixture.h"

#include <math.h>

static struct settings ragged_settings(int task, int data)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = task;
    settings.task.dim = 5;
    settings.task.samples = 40;
    settings.task.train_length = 9;
    settings.task.begin_token = true;
    settings.task.length_distribution = LENGTHS_UNIFORM;
    settings.train.batch_size = 6;
    settings.train.accumulation = 2;
    settings.train.data = data;
    return settings;
}

static void build_ragged(struct fixture *fixture, const struct settings *settings, bool cached)
{
    struct status status;
    memset(fixture, 0, sizeof *fixture);
    fixture->arena = arena_create(1 << 16, 0);
    fixture->settings = *settings;
    task_set_init(&fixture->train.set, &fixture->settings, SPLIT_TRAIN, (long)settings->task.train_length);
    if (cached)
        assert_int_equal(train_data_cache(&fixture->train, 40, fixture->arena, &status), STATUS_OK);
    assert_int_equal(train_batches_create(&fixture->train, fixture->arena, &fixture->batches, &status), STATUS_OK);
}

static void packed_batches_have_the_samples_of_the_task(void **state)
{
    const int tasks[] = {TASK_SIGNAL, TASK_ACCUMULATOR, TASK_BRACKETS};
    for (int task = 0; task < 3; task++)
        for (int row = 0; row < 8; row++) {
            struct settings settings = ragged_settings(tasks[task], DATA_FINITE);
            struct fixture fixture;
            struct batch whole;
            struct status status;
            bool packed = false;
            settings.task.supervision = row & 1 ? SUPERVISION_FINAL : SUPERVISION_STEPS;
            settings.train.curriculum = row & 4 ? CURRICULUM_SCHEDULE : CURRICULUM_NONE;
            build_ragged(&fixture, &settings, row & 2);
            assert_int_equal(fixture.batches.kind, row & 4 ? BATCHES_DRAWN : BATCHES_SHUFFLED);
            assert_int_equal(task_make(&fixture.train.set, 0, 40, fixture.arena, &whole, &status), STATUS_OK);
            for (int64_t number = 0; number < 14; number++) {
                struct batch batch = get(&fixture, number / 2, number % 2);
                packed |= batch.offsets != NULL;
                for (long i = 0; i < batch.samples; i++) {
                    assert_same_sample(&batch, i, &whole, (long)batch_index(&batch, i));
                    assert_true(batch_length(&batch, i) <= batch.length);
                }
            }
            assert_true(packed);
            arena_destroy(fixture.arena);
        }
    (void)state;
}

static void drawn_samples_are_those_short_enough(void **state)
{
    struct settings settings = ragged_settings(TASK_ACCUMULATOR, DATA_FINITE);
    struct fixture fixture;
    settings.train.curriculum = CURRICULUM_VALIDATION;
    settings.train.curriculum_start = 2;
    for (int keep = 0; keep < 3; keep++) {
        settings.train.curriculum_keep = 0.5 * keep;
        build_ragged(&fixture, &settings, true);
        for (int64_t longest = 1; longest <= 9; longest++) {
            int count[40] = {0}, fitting = 0, seen = 0, short_ones = 0;
            train_batches_set_longest(&fixture.batches, longest);
            for (int64_t step = 0; step < 100; step++) {
                struct batch batch = get(&fixture, step, step % 2);
                assert_int_equal(batch.samples, 6);
                for (long i = 0; i < 6; i++) {
                    const int64_t length = task_length(&fixture.train.set, (long)batch_index(&batch, i));
                    assert_true(length <= (keep == 2 && longest > 2 ? 2 : longest));
                    short_ones += length <= 2;
                    count[batch_index(&batch, i)]++;
                }
            }
            for (long i = 0; i < 40; i++) {
                fitting += task_length(&fixture.train.set, i) <= (keep == 2 && longest > 2 ? 2 : longest);
                seen += count[i] > 0;
                assert_true(count[i] < 8 * 600 / (fitting ? fitting : 1));
            }
            assert_int_equal(seen, fitting);
            assert_true(keep != 1 || short_ones > 300);
        }
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static void where_none_is_short_enough_the_shortest_are_drawn(void **state)
{
    struct settings settings = ragged_settings(TASK_ACCUMULATOR, DATA_FINITE);
    struct fixture fixture;
    settings.task.min_length = 5;
    settings.train.curriculum = CURRICULUM_SCHEDULE;
    build_ragged(&fixture, &settings, false);
    train_batches_set_longest(&fixture.batches, 1);
    for (int64_t step = 0; step < 10; step++) {
        struct batch batch = get(&fixture, step, 0);
        assert_true(batch.length == 6 && !batch.offsets);
    }
    arena_destroy(fixture.arena);
    (void)state;
}

// Whatever was asked for before.
static void a_drawn_batch_is_found_from_any_place(void **state)
{
    struct settings settings = ragged_settings(TASK_ACCUMULATOR, DATA_FINITE);
    struct fixture a, b;
    settings.train.curriculum = CURRICULUM_SCHEDULE;
    build_ragged(&a, &settings, true);
    build_ragged(&b, &settings, false);
    for (int64_t step = 0; step < 9; step++) {
        train_batches_set_longest(&a.batches, 1 + step);
        get(&a, step, 1);
    }
    train_batches_set_longest(&a.batches, 5);
    train_batches_set_longest(&b.batches, 5);
    struct batch x = get(&a, 3, 0), y = get(&b, 3, 0);
    assert_memory_equal(x.index, y.index, 6 * sizeof *x.index);
    arena_destroy(a.arena);
    arena_destroy(b.arena);
    (void)state;
}

static void a_stream_is_as_long_as_the_curriculum_says(void **state)
{
    for (int distribution = LENGTHS_FIXED; distribution <= LENGTHS_EXPONENTIAL; distribution++) {
        struct settings settings = ragged_settings(TASK_ACCUMULATOR, DATA_STREAM);
        struct fixture fixture;
        settings.task.length_distribution = distribution;
        settings.train.curriculum = CURRICULUM_SCHEDULE;
        build_ragged(&fixture, &settings, false);
        for (int64_t longest = 1; longest <= 9; longest++) {
            const struct arena_mark mark = arena_mark(fixture.arena);
            long most = 0;
            train_batches_set_longest(&fixture.batches, longest);
            for (int64_t step = 0; step < 20; step++) {
                struct batch batch = get(&fixture, step, 0);
                assert_true(distribution != LENGTHS_FIXED || (batch.length == 1 + longest && !batch.offsets));
                most = batch.length > most ? batch.length : most;
            }
            assert_true(most == 1 + longest || distribution == LENGTHS_EXPONENTIAL);
            assert_in_range(most, 1 + longest / 2, 1 + longest);
            arena_release(fixture.arena, mark);
        }
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static struct train_tally tally_of(struct nn_model *model, const struct train_data *data, long first, long count,
                                   struct arena *arena)
{
    struct train_tally sums = {0};
    struct status status;
    assert_int_equal(train_tally(model, data, first, count, arena, &sums, &status), STATUS_OK);
    return sums;
}

// Of packed sequences whose targets name positions; the first then names none.
static void attention_is_tallied_of_sequences_that_name_positions(void **state)
{
    struct arena *arena = arena_create(1 << 20, 0);
    struct settings settings = ragged_settings(TASK_BRACKETS, DATA_FINITE);
    struct train_data data = {0};
    struct nn_model *model;
    struct status status;
    settings.model.kind = MODEL_TRANSFORMER;
    settings.model.width = 16;
    task_set_init(&data.set, &settings, SPLIT_TRAIN, 9);
    assert_int_equal(nn_model_create(&settings, &data.set.shape, 10, arena, &model, &status), STATUS_OK);
    const struct train_tally made = tally_of(model, &data, 0, 40, arena);
    assert_int_equal(train_data_cache(&data, 40, arena, &status), STATUS_OK);
    const struct train_tally all = tally_of(model, &data, 0, 40, arena), rest = tally_of(model, &data, 1, 39, arena);
    assert_true(made.mass == all.mass && all.mass > 0 && all.mass < 40 && all.naming == 40);
    assert_true(isnan(all.signal_norm) && isnan(all.noise_norm));
    const long lists = (long)batch_relevant(&data.batch, 40);
    int32_t *relevant = arena_get(arena, (size_t)lists, sizeof *relevant);
    assert_non_null(relevant);
    memcpy(relevant, data.batch.relevant, (size_t)lists * sizeof *relevant);
    for (long t = 0; t < batch_targets(&data.batch, 0); t++)
        relevant[t] = -1;
    data.batch.relevant = relevant;
    const struct train_tally fewer = tally_of(model, &data, 0, 40, arena);
    assert_true(fewer.naming == 39 && fewer.mass == rest.mass);
    arena_destroy(arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_batches_have_the_samples_of_the_task),
        cmocka_unit_test(attention_is_tallied_of_sequences_that_name_positions),
        cmocka_unit_test(drawn_samples_are_those_short_enough),
        cmocka_unit_test(where_none_is_short_enough_the_shortest_are_drawn),
        cmocka_unit_test(a_drawn_batch_is_found_from_any_place),
        cmocka_unit_test(a_stream_is_as_long_as_the_curriculum_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
