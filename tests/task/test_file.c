// SPDX-License-Identifier: MIT
#include "file_fixture.h"
#include "spec_batch.h"
#include <math.h>

static void a_file_says_what_it_holds(void **state)
{
    (void)state;
    struct file_fixture f;
    open_file_fixture(&f);
    write_file(f.path, NULL, 0);
    look(&f);
    const struct task_source_set *train = &f.file.sets[0];
    assert_int_equal(f.file.count, 3);
    assert_int_equal(f.file.vocabulary, 3);
    assert_int_equal(f.file.classes, 2);
    assert_true(train->in_file == 6 && train->longest == 4 && train->shortest == 4 && !train->every_token);
    assert_true(!train->noisy && !train->masked && train->relevant_count == 0);
    assert_string_equal(f.file.sets[2].name, "test/8");
    assert_int_equal(f.settings.task.file_vocabulary, 3);
    assert_true(f.settings.task.file_hash == f.file.hash && f.file.hash != 0);
    assert_true(fabs(train->chance_error - 2.0 / 6) < 1e-12);
    close_file_fixture(&f);
}

static void batches_are_the_file(void **state)
{
    (void)state;
    const int64_t lengths[] = {8};
    struct file_fixture f;
    struct task_set set;
    open_file_fixture(&f);
    write_file(f.path, NULL, 0);
    look(&f);
    const struct task_source *source = open_source(&f, lengths, 1);
    task_set_init(&set, &f.settings, SPLIT_TRAIN, 4);
    task_set_from(&set, source);
    struct batch batch = make(&set, 1, 3, f.arena);
    assert_true(batch.samples == 3 && batch.length == 4 && batch.positions == 1 && !batch.offsets && !batch.mask);
    assert_memory_equal(batch.tokens, good_arrays[0].numbers + 4, 12 * sizeof(int32_t));
    assert_memory_equal(batch.targets, good_arrays[1].numbers + 1, 3 * sizeof(int32_t));
    assert_memory_equal(batch.clean, batch.targets, 3 * sizeof(int32_t));
    assert_int_equal(batch_index(&batch, 2), 3);
    task_set_init(&set, &f.settings, SPLIT_TEST, 8);
    task_set_from(&set, source);
    batch = make(&set, 0, 2, f.arena);
    assert_memory_equal(batch.tokens, good_arrays[4].numbers, 16 * sizeof(int32_t));
    assert_true(task_set_chance_error(&set) == 0.5 && isnan(task_bayes_error(&f.settings, 8)));
    close_file_fixture(&f);
}

static void sequences_keep_their_lengths_masks_and_positions(void **state)
{
    (void)state;
    struct file_fixture f;
    struct task_set set;
    open_file_fixture(&f);
    write_file(f.path, ragged, RAGGED);
    look(&f);
    assert_true(settings_ragged(&f.settings) && settings_masked(&f.settings) && settings_every_step(&f.settings));
    task_set_init(&set, &f.settings, SPLIT_TRAIN, 4);
    task_set_from(&set, open_source(&f, NULL, 0));
    struct batch batch = make(&set, 0, 3, f.arena);
    const long want[] = {4, 2, 3};
    assert_true(batch.length == 4 && batch.positions == 4 && batch.offsets && batch_row(&batch, 3) == 9);
    for (long i = 0; i < 3; i++)
        assert_true(batch_length(&batch, i) == task_tokens(&set, i) && task_tokens(&set, i) == want[i]);
    const int32_t targets[] = {0, 1, 0, 1, 0, 1, 1, 0, 1};
    assert_memory_equal(batch.targets, targets, sizeof targets);
    assert_true(batch.mask[3] == 1 && batch.mask[4] == 0 && batch.mask[5] == 1);
    assert_true(batch.relevant_count == 2 && batch.relevant[1] == 3 && batch.relevant[5] == 2);
    batch = make(&set, 1, 2, f.arena);
    assert_true(batch.length == 3 && batch.positions == 3 && batch_row(&batch, 1) == 2 && batch_row(&batch, 2) == 5);
    assert_memory_equal(batch.tokens, ragged[0].numbers + 4, 5 * sizeof(int32_t));
    assert_true(batch.mask[0] == 0 && batch.relevant[0] == 0);
    batch = make(&set, 2, 1, f.arena);
    assert_true(!batch.offsets && batch.length == 3 && batch.targets[0] == 1);
    close_file_fixture(&f);
}

static const struct wrong_file wrongs[] = {
    {{{"train/tokens", 0, 0, {0}}}, "a.npz has no array train/tokens; add it"},
    {{{"validation/targets", 0, 0, {0}}}, "a.npz has no array validation/targets; add it"},
    {{{"test/8/targets", 0, 0, {0}}}, "has no array test/8/targets"},
    {{{"train/tokens", 0, 24, {0}}},
     "train/tokens has shape (24,), but should have (samples, length), or (rows,) with"},
    {{{"train/targets", 0, 5, {0}}},
     "train/targets has shape (5,), but should have (6,) for one a sequence, or as its tokens (6, 4)"},
    {{{"train/targets", 3, 18, {0}}}, "train/targets has shape (6, 3), but should have (6,)"},
    {{{"train/targets", 0, 6, {0, 1, 5, 1, 1, 1}}, {"classes", 0, 1, {5}}},
     "train/targets has 5 in sample 2, but numbers from 0 to 4 belong there"},
    {{{"train/targets", 4, 24, {[6] = -1}}},
     "train/targets has -1 in sample 1, position 2, but numbers from 0 to 65535 belong there"},
    {{{"train/tokens", 4, 24, {[13] = -7}}}, "train/tokens has -7 in sample 3, position 1, but numbers from 0"},
    {{{"test/8/tokens", 8, 16, {[15] = 3}}, {"vocabulary", 0, 1, {3}}},
     "test/8/tokens has 3 in sample 1, position 7, but numbers from 0 to 2 belong there"},
    {{{"train/tokens", 4, 24, {[1] = 65536}}}, "train/tokens has 65536 in sample 0, position 1"},
    {{{"classes", 0, 2, {2, 2}}}, "classes is one number, not 2"},
    {{{"classes", 0, 1, {1}}}, "classes is 1; from 2 to 65536 are possible"},
    {{{"train/clean", 4, 24, {0}}}, "train/clean has shape (6, 4), but should have the shape of the targets"},
    {{{"train/mask", 0, 6, {0}}}, "a.npz: train/mask is 0 everywhere, so that no target counts; write 1"},
    {{{"test/8/targets", 8, 16, {0}}, {"test/8/mask", 8, 16, {0}}}, "test/8/mask is 0 everywhere"},
    {{{"train/mask", 0, 7, {0}}}, "train/mask has shape (7,), but should have"},
    {{{"train/offsets", 0, 3, {0, 1, 4}}}, "train/tokens has shape (6, 4), but should have (4,), as its offsets say"},
    {{{"train/offsets", 0, 3, {0, 2, 2}}}, "train/offsets has 2 in sample 2, but sequences have at least one token"},
    {{{"train/offsets", 0, 3, {1, 2, 3}}}, "train/offsets has 1 in sample 0, but the first sequence begins at 0"},
    {{{"train/offsets", 0, 1, {0}}}, "train/offsets has shape (1,), but should have (samples + 1,)"},
    {{{"train/vectors", 0, 1, {0}}}, "train has vectors, but task file reads tokens"},
};

static void says_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        assert_refused(&wrongs[i]);
}

static void noise_of_a_file_is_not_doubled(void **state)
{
    (void)state;
    static const struct file_array clean[] = {{"train/clean", 0, 6, {0, 1, 1, 1, 1, 1}}};
    struct file_fixture f;
    struct task_file_fault fault;
    struct task_set set;
    open_file_fixture(&f);
    write_file(f.path, clean, 1);
    look(&f);
    f.settings.task.noise_rate = 0.1;
    assert_true(task_file_fault(&f.file, &f.settings, NULL, 0, &fault));
    assert_string_equal(fault.blamed, "noise_rate");
    f.settings.task.noise_rate = 0;
    assert_false(task_file_fault(&f.file, &f.settings, NULL, 0, &fault));
    task_set_init(&set, &f.settings, SPLIT_TRAIN, 4);
    task_set_from(&set, open_source(&f, NULL, 0));
    struct batch batch = make(&set, 0, 6, f.arena);
    assert_true(batch.targets[2] == 0 && batch.clean[2] == 1);
    close_file_fixture(&f);
}

enum { SAMPLES = 200, LENGTH = 9 };

// Clean sequences of a task, as a file of its own.
static void write_clean(const char *path, const struct settings *settings, struct arena *arena)
{
    static const struct {
        enum task_split split;
        const char *name;
    } sets[] = {{SPLIT_TRAIN, "train"}, {SPLIT_VALIDATION, "validation"}};
    struct npz_writer *writer = NULL;
    struct status status = {0};
    const int64_t rest = LENGTH;
    assert_int_equal(npz_create(path, &writer, &status), STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        struct task_set set;
        char name[32];
        task_set_init(&set, settings, sets[i].split, LENGTH);
        struct batch batch = make(&set, 0, SAMPLES, arena);
        snprintf(name, sizeof name, "%s/tokens", sets[i].name);
        const int tokens = npz_add(writer, name, NPZ_INT32, 2, &rest);
        snprintf(name, sizeof name, "%s/targets", sets[i].name);
        const int targets = npz_add(writer, name, NPZ_INT32, 2, &rest);
        assert_int_equal(npz_put(writer, tokens, batch.tokens, SAMPLES * LENGTH, &status), STATUS_OK);
        assert_int_equal(npz_put(writer, targets, batch.clean, SAMPLES * LENGTH, &status), STATUS_OK);
    }
    assert_int_equal(npz_finish(writer, &status), STATUS_OK);
}

static void noise_is_that_of_other_tasks(void **state)
{
    (void)state;
    for (int place = NOISE_TARGET; place <= NOISE_FINAL; place++) {
        struct file_fixture f;
        struct task_set set;
        struct settings settings;
        open_file_fixture(&f);
        settings_defaults(&settings);
        settings.seed = 7;
        settings.task.kind = TASK_ACCUMULATOR;
        settings.task.train_length = LENGTH;
        settings.task.noise_rate = 0.3;
        settings.task.noise_on = place;
        write_clean(f.path, &settings, f.arena);
        look(&f);
        f.settings.task.noise_rate = 0.3;
        f.settings.task.noise_on = place;
        task_set_init(&set, &settings, SPLIT_TRAIN, LENGTH);
        struct batch want = make(&set, 3, 150, f.arena);
        task_set_init(&set, &f.settings, SPLIT_TRAIN, LENGTH);
        task_set_from(&set, open_source(&f, NULL, 0));
        struct batch batch = make(&set, 3, 150, f.arena);
        assert_memory_equal(batch.targets, want.targets, 150 * LENGTH * sizeof(int32_t));
        assert_memory_equal(batch.clean, want.clean, 150 * LENGTH * sizeof(int32_t));
        assert_memory_not_equal(batch.targets, batch.clean, 150 * LENGTH * sizeof(int32_t));
        close_file_fixture(&f);
    }
}

static void another_file_in_its_place_is_refused(void **state)
{
    (void)state;
    static const struct file_array other[] = {{"train/targets", 0, 6, {1, 1, 0, 1, 1, 1}}};
    struct file_fixture f;
    const struct task_source *source = NULL;
    struct status status = {0};
    open_file_fixture(&f);
    write_file(f.path, NULL, 0);
    look(&f);
    write_file(f.path, other, 1);
    assert_int_equal(task_source_open(&f.settings, NULL, 0, f.arena, &source, &status), STATUS_INVALID);
    assert_says(&status, "a.npz has changed since the sweep began with it; put that file back");
    assert_int_equal(task_file_check(&f.settings, &status), STATUS_INVALID);
    write_file(f.path, NULL, 0);
    assert_int_equal(task_file_check(&f.settings, &status), STATUS_OK);
    unlink(f.path);
    assert_int_equal(task_file_check(&f.settings, &status), STATUS_SYSTEM);
    assert_int_equal(task_source_open(&f.settings, NULL, 0, f.arena, &source, &status), STATUS_SYSTEM);
    assert_says(&status, "No such file");
    assert_null(source);
    close_file_fixture(&f);
}

// What is put into memory by a task that makes its data is none.
static void memory_is_foretold(void **state)
{
    (void)state;
    const int64_t lengths[] = {8};
    struct file_array each[RAGGED];
    memcpy(each, ragged, sizeof each);
    each[4] = (struct file_array){"train/relevant", 2, 18, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        struct file_fixture f;
        open_file_fixture(&f);
        write_file(f.path, i < 2 ? ragged : each, i ? RAGGED : 0);
        look(&f);
        const size_t before = arena_used(f.arena);
        const double bytes = task_source_bytes(&f.settings, lengths, 1);
        open_source(&f, lengths, 1);
        assert_true((double)(arena_used(f.arena) - before) <= bytes);
        f.settings.task.kind = TASK_ACCUMULATOR;
        assert_true(task_source_bytes(&f.settings, lengths, 1) == 0 && open_source(&f, lengths, 1) == NULL);
        close_file_fixture(&f);
    }
}

static void memory_that_lacks_is_an_error(void **state)
{
    (void)state;
    struct file_fixture f;
    const struct task_source *source = NULL;
    struct status status = {0};
    open_file_fixture(&f);
    write_file(f.path, ragged, RAGGED);
    look(&f);
    for (size_t limit = 64; limit < 4096; limit += 192) {
        struct arena *arena = arena_create(64, limit);
        assert_non_null(arena);
        const enum status_code code = task_source_open(&f.settings, NULL, 0, arena, &source, &status);
        assert_true(code == STATUS_OK || code == STATUS_MEMORY);
        arena_destroy(arena);
    }
    close_file_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_it_holds),
        cmocka_unit_test(batches_are_the_file),
        cmocka_unit_test(sequences_keep_their_lengths_masks_and_positions),
        cmocka_unit_test(says_what_is_wrong_and_where),
        cmocka_unit_test(noise_of_a_file_is_not_doubled),
        cmocka_unit_test(noise_is_that_of_other_tasks),
        cmocka_unit_test(another_file_in_its_place_is_refused),
        cmocka_unit_test(memory_is_foretold),
        cmocka_unit_test(memory_that_lacks_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
