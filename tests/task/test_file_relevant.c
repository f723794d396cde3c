// SPDX-License-Identifier: MIT
#include "file_fixture.h"
#include "spec_batch.h"

// Two training sequences of the good file with some changes, from the second on.
static struct batch read_train(struct file_fixture *f, const struct file_array *changes, size_t count,
                               struct task_set *set)
{
    open_file_fixture(f);
    write_file(f->path, changes, count);
    look(f);
    task_set_init(set, &f->settings, SPLIT_TRAIN, 4);
    task_set_from(set, open_source(f, NULL, 0));
    return make(set, 1, 2, f->arena);
}

static void targets_have_positions_of_their_own(void **state)
{
    (void)state;
    struct file_fixture f;
    struct task_set set;
    struct file_array packed[RAGGED];
    memcpy(packed, ragged, sizeof packed);
    // Target 4 does not count, and may name anything.
    packed[4] =
        (struct file_array){"train/relevant", 2, 18, {0, -1, 0, 1, 0, 2, -1, -1, 9, -7, 1, -1, 2, -1, 0, 1, -1, -1}};
    struct batch batch = read_train(&f, packed, RAGGED, &set);
    const int32_t want[] = {-1, -1, 1, -1, 2, -1, 0, 1, -1, -1};
    assert_true(batch.relevant_count == 2 && batch.relevant_each && batch_relevant(&batch, 2) == 5);
    assert_memory_equal(batch.relevant, want, sizeof want);
    assert_true(batch_naming(&batch, 0) == 1 && batch_naming(&batch, 1) == 2);
    close_file_fixture(&f);
    const struct file_array cube[] = {{"train/targets", 4, 24, {0, 1}},
                                      {"train/relevant", 4, 24, {[4] = 0, -1, 2, 3}, .deep = 1},
                                      {"validation/targets", 4, 8, {0, 1}},
                                      {"test/8/targets", 8, 16, {0, 1}}};
    batch = read_train(&f, cube, 4, &set);
    assert_true(batch.relevant_count == 1 && batch.relevant_each && batch.relevant[1] == -1 && batch.relevant[3] == 3);
    close_file_fixture(&f);
}

// Lists of two for each of nine targets, the first of which is changed.
static void lists_of_targets_name_nothing_twice(void **state)
{
    (void)state;
    static const struct {
        int32_t first, second;
        const char *want; // NULL: it is good
    } rows[] = {
        {0, 1, NULL},
        {1, -1, NULL},
        {-1, -1, NULL},
        {1, 1, "train/relevant has 1 in sample 0, position 0, but relevant positions ascend and lie in their sequence"},
        {-1, 1, "train/relevant has 1 in sample 0, position 0, but"},
        {1, 0, "train/relevant has 0 in sample 0, position 0, but"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct file_array packed[RAGGED];
        struct file_fixture f;
        struct status status = {0};
        memcpy(packed, ragged, sizeof packed);
        packed[4] = (struct file_array){"train/relevant", 2, 18, {rows[i].first, rows[i].second}};
        for (size_t k = 2; k < 18; k++)
            packed[4].numbers[k] = -1;
        open_file_fixture(&f);
        write_file(f.path, packed, RAGGED);
        assert_int_equal(task_file_look(f.path, NULL, f.arena, &f.file, &status),
                         rows[i].want ? STATUS_INVALID : STATUS_OK);
        if (rows[i].want)
            assert_says(&status, rows[i].want);
        close_file_fixture(&f);
    }
}

static void says_where_positions_are_wrong(void **state)
{
    (void)state;
    static const struct wrong_file wrongs[] = {
        {{{"train/relevant", 0, 6, {0}}}, "train/relevant has shape (6,), but should have (6, k)"},
        {{{"train/relevant", 1, 6, {[4] = 4}}},
         "train/relevant has 4 in sample 4, but relevant positions ascend and lie"},
        {{{"train/relevant", 2, 12, {0, 1, 3, 1}}}, "train/relevant has 1 in sample 1, but relevant positions ascend"},
        {{{"train/relevant", 1, 6, {[4] = -1}}},
         "train/relevant has -1 in sample 4, but relevant positions ascend and lie"},
        {{{"train/relevant", 2, 12, {0, 1, [4] = 2, [5] = 2}}},
         "train/relevant has 0 in sample 1, but relevant positions ascend and lie in their sequence, none of them "
         "twice"},
        {{{"train/relevant", 4, 24, {0}, .deep = 1}},
         "train/relevant has shape (6, 4, 1), but should have (6, k) for k positions a sequence, or the shape of its"},
        {{{"train/targets", 4, 24, {0}}, {"train/relevant", 3, 18, {0}, .deep = 1}},
         "train/relevant has shape (6, 3, 1), but should have (6, k)"},
        {{{"train/targets", 4, 24, {0}}, {"train/relevant", 4, 24, {[6] = -2}, .deep = 1}},
         "train/relevant has -2 in sample 1, position 2, but relevant positions ascend and lie in their sequence"},
        {{{"train/targets", 4, 24, {0}}, {"train/relevant", 4, 24, {[23] = 4}, .deep = 1}},
         "train/relevant has 4 in sample 5, position 3, but relevant positions"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        assert_refused(&wrongs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_have_positions_of_their_own),
        cmocka_unit_test(lists_of_targets_name_nothing_twice),
        cmocka_unit_test(says_where_positions_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
