// SPDX-License-Identifier: MIT
#include "batches_fixture.h"

static void build(struct fixture *fixture, int task, int64_t samples, int64_t batch_size, int64_t accumulation,
                  int data, bool cached)
{
    struct status status;
    memset(fixture, 0, sizeof *fixture);
    fixture->arena = arena_create(1 << 16, 0);
    settings_defaults(&fixture->settings);
    fixture->settings.task.kind = task;
    fixture->settings.task.dim = 5;
    fixture->settings.task.samples = samples;
    fixture->settings.task.train_length = 7;
    fixture->settings.task.noise_rate = 0.3;
    fixture->settings.train.batch_size = batch_size;
    fixture->settings.train.accumulation = accumulation;
    fixture->settings.train.data = data;
    task_set_init(&fixture->train.set, &fixture->settings, SPLIT_TRAIN, 7);
    if (cached)
        assert_int_equal(train_data_cache(&fixture->train, (long)samples, fixture->arena, &status), STATUS_OK);
    assert_int_equal(train_batches_create(&fixture->train, fixture->arena, &fixture->batches, &status), STATUS_OK);
}

static void the_kind_follows_from_the_settings(void **state)
{
    const struct {
        int64_t batch_size, accumulation;
        int data;
        enum train_batches_kind kind;
    } rows[] = {
        {0, 1, DATA_FINITE, BATCHES_WHOLE},     {20, 1, DATA_FINITE, BATCHES_WHOLE},
        {99, 1, DATA_FINITE, BATCHES_WHOLE},    {19, 1, DATA_FINITE, BATCHES_SHUFFLED},
        {10, 2, DATA_FINITE, BATCHES_SHUFFLED}, {0, 1, DATA_STREAM, BATCHES_STREAM},
        {99, 3, DATA_STREAM, BATCHES_STREAM},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct fixture fixture;
        build(&fixture, TASK_SIGNAL, 20, rows[r].batch_size, rows[r].accumulation, rows[r].data, true);
        assert_int_equal(train_batches_kind(&fixture.settings), rows[r].kind);
        assert_int_equal(fixture.batches.kind, rows[r].kind);
        arena_destroy(fixture.arena);
    }
    (void)state;
}

// Which samples an epoch of micro-batches has, in their order.
static void read_epoch(struct fixture *fixture, int64_t epoch, int64_t *ret_index)
{
    const int64_t samples = fixture->batches.samples, size = fixture->batches.size;
    const int64_t count = (samples + size - 1) / size, accumulation = fixture->batches.accumulation;
    int64_t seen = 0;
    for (int64_t m = epoch * count; m < (epoch + 1) * count; m++) {
        struct batch batch = get(fixture, m / accumulation, m % accumulation);
        assert_int_equal(batch.samples, samples - seen < size ? samples - seen : size);
        assert_string_equal(batch.set, "train");
        for (long i = 0; i < batch.samples; i++)
            ret_index[seen++] = batch_index(&batch, i);
    }
    assert_int_equal(seen, samples);
}

static void an_epoch_has_every_sample_once(void **state)
{
    const int64_t sizes[] = {1, 2, 7, 10, 29};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int64_t accumulation = 1; accumulation <= 2; accumulation++) {
            struct fixture fixture;
            int64_t before[30] = {0}, index[30];
            int moved = 0;
            build(&fixture, TASK_SIGNAL, 30, sizes[s], accumulation, DATA_FINITE, true);
            for (int64_t epoch = 0; epoch < 4; epoch++) {
                bool seen[30] = {false};
                read_epoch(&fixture, epoch, index);
                for (int i = 0; i < 30; i++) {
                    assert_in_range(index[i], 0, 29);
                    assert_false(seen[index[i]]);
                    seen[index[i]] = true;
                    moved += index[i] != before[i];
                }
                memcpy(before, index, sizeof index);
            }
            assert_true(moved > 90); // of 120, at least 4 of which stay by chance
            arena_destroy(fixture.arena);
        }
    (void)state;
}

static void every_order_is_likely_alike(void **state)
{
    int count[6] = {0};
    struct fixture fixture;
    build(&fixture, TASK_SIGNAL, 3, 1, 1, DATA_FINITE, true);
    for (int64_t epoch = 0; epoch < 6000; epoch++) {
        int64_t index[3];
        read_epoch(&fixture, epoch, index);
        count[2 * index[0] + (index[1] > index[2])]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(count[i], 880, 1120); // four standard deviations of 29
    arena_destroy(fixture.arena);
    (void)state;
}

static void an_epoch_is_found_from_any_place(void **state)
{
    struct fixture forward, jumping, other;
    int64_t a[30], b[30];
    build(&forward, TASK_SIGNAL, 30, 4, 1, DATA_FINITE, true);
    build(&jumping, TASK_SIGNAL, 30, 4, 1, DATA_FINITE, true);
    build(&other, TASK_SIGNAL, 30, 4, 1, DATA_FINITE, true);
    other.settings.data_seed = 9;
    for (int64_t epoch = 0; epoch < 5; epoch++)
        read_epoch(&forward, epoch, a);
    read_epoch(&jumping, 4, b);
    assert_memory_equal(a, b, sizeof a);
    read_epoch(&other, 4, b);
    assert_memory_not_equal(a, b, sizeof a);
    arena_destroy(forward.arena);
    arena_destroy(jumping.arena);
    arena_destroy(other.arena);
    (void)state;
}

// The next task that makes its data.
static int next_made(int task)
{
    return task + 1 == TASK_FILE ? task + 2 : task + 1;
}

static void samples_are_those_of_the_task(void **state)
{
    for (int task = 0; task < TASK_KINDS; task = next_made(task))
        for (int cached = 0; cached < 2; cached++) {
            struct fixture fixture;
            struct batch whole;
            struct status status;
            build(&fixture, task, 12, 5, 1, DATA_FINITE, cached);
            assert_int_equal(task_make(&fixture.train.set, 0, 12, fixture.arena, &whole, &status), STATUS_OK);
            for (int64_t step = 0; step < 6; step++) {
                size_t used = arena_used(fixture.arena);
                struct batch batch = get(&fixture, step, 0);
                assert_int_equal(arena_used(fixture.arena), used);
                for (long i = 0; i < batch.samples; i++)
                    assert_same_sample(&batch, i, &whole, (long)batch_index(&batch, i));
            }
            arena_destroy(fixture.arena);
        }
    (void)state;
}

static void a_stream_never_comes_back(void **state)
{
    for (int task = 0; task < TASK_KINDS; task = next_made(task)) {
        struct fixture fixture;
        struct batch whole;
        struct status status;
        build(&fixture, task, 10, 4, 3, DATA_STREAM, false);
        assert_int_equal(task_make(&fixture.train.set, 0, 60, fixture.arena, &whole, &status), STATUS_OK);
        for (int64_t step = 0; step < 5; step++)
            for (int64_t part = 0; part < 3; part++) {
                struct batch batch = get(&fixture, step, part);
                assert_int_equal(batch.samples, 4);
                for (long i = 0; i < 4; i++)
                    assert_same_sample(&batch, i, &whole, (long)((step * 3 + part) * 4 + i));
            }
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static void what_was_seen_is_counted(void **state)
{
    const struct {
        int64_t batch_size, count, full, rest, rest_size;
        int data;
    } rows[] = {
        {0, 5, 0, 5, 10, DATA_FINITE},  {4, 0, 0, 0, 2, DATA_FINITE},   {4, 2, 2, 0, 2, DATA_FINITE},
        {4, 3, 2, 1, 2, DATA_FINITE},   {4, 10, 7, 3, 2, DATA_FINITE},  {5, 4, 2, 2, 5, DATA_FINITE},
        {1, 11, 10, 1, 1, DATA_FINITE}, {4, 10, 10, 0, 4, DATA_STREAM},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct fixture fixture;
        int64_t full, rest;
        build(&fixture, TASK_SIGNAL, 10, rows[r].batch_size, 1, rows[r].data, true);
        train_batches_count(&fixture.settings, rows[r].count, &full, &rest);
        assert_int_equal(full, rows[r].full);
        assert_int_equal(rest, rows[r].rest);
        assert_int_equal(train_batches_rest(&fixture.settings), rows[r].rest_size);
        int64_t seen = 0;
        for (int64_t step = 0; step < rows[r].count; step++)
            seen += get(&fixture, step, 0).samples;
        assert_int_equal(seen, full * settings_batch_size(&fixture.settings) + rest * rows[r].rest_size);
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static void memory_is_foretold_and_its_lack_an_error(void **state)
{
    for (int data = DATA_FINITE; data <= DATA_STREAM; data++)
        for (int task = 0; task < TASK_KINDS; task = next_made(task)) {
            struct fixture fixture;
            struct train_batches batches;
            struct batch batch;
            struct status status;
            build(&fixture, task, 300, 64, 1, data, false);
            // Tasks in turn of one length, of several, and with short ones first.
            fixture.settings.task.length_distribution = task % 3 ? LENGTHS_UNIFORM : LENGTHS_FIXED;
            fixture.settings.train.curriculum = task % 3 == 2 ? CURRICULUM_SCHEDULE : CURRICULUM_NONE;
            task_set_init(&fixture.train.set, &fixture.settings, SPLIT_TRAIN, 7);
            const size_t kept = train_batches_bytes(&fixture.train.set);
            const size_t taken = train_make_bytes(&fixture.train.set, false);
            struct arena *enough = arena_create(kept + taken + 64, kept + taken + 64);
            assert_int_equal(train_batches_create(&fixture.train, enough, &batches, &status), STATUS_OK);
            assert_true(arena_used(enough) <= kept);
            assert_int_equal(train_batches_get(&batches, 0, 0, enough, &batch, &status), STATUS_OK);
            arena_destroy(enough);
            struct arena *small = arena_create(256, 256);
            enum status_code code = train_batches_create(&fixture.train, small, &batches, &status);
            if (code == STATUS_OK)
                code = train_batches_get(&batches, 0, 0, small, &batch, &status);
            assert_int_equal(code, STATUS_MEMORY);
            arena_destroy(small);
            arena_destroy(fixture.arena);
        }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_follows_from_the_settings),
        cmocka_unit_test(an_epoch_has_every_sample_once),
        cmocka_unit_test(every_order_is_likely_alike),
        cmocka_unit_test(an_epoch_is_found_from_any_place),
        cmocka_unit_test(samples_are_those_of_the_task),
        cmocka_unit_test(a_stream_never_comes_back),
        cmocka_unit_test(what_was_seen_is_counted),
        cmocka_unit_test(memory_is_foretold_and_its_lack_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
