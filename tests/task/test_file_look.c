// SPDX-License-Identifier: MIT
// What a sweep wants of a file, held against what the file has.
#include "file_fixture.h"

static void trials_ask_for_what_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t value;
        const char *blamed, *want;
    } rows[] = {
        {"samples", 7, "samples", "has 6 sequences; lower it to that"},
        {"validation_samples", 3, "validation_samples", "has 2 sequences; add some, until they are 200"},
        {"test_samples", 3, "test_samples", "a.npz has 2 sequences; add some, until they are 200"},
        {"train_length", 3, "train_length", "write train_length: 4"},
    };
    const int64_t lengths[] = {8, 9};
    struct file_fixture f;
    struct task_file_fault fault;
    open_file_fixture(&f);
    write_file(f.path, NULL, 0);
    look(&f);
    assert_false(task_file_fault(&f.file, &f.settings, lengths, 1, &fault));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settings settings = f.settings;
        setting_put(setting_find(rows[i].name, strlen(rows[i].name)), &settings,
                    (union setting_value){.i = rows[i].value});
        assert_true(task_file_fault(&f.file, &settings, lengths, 1, &fault));
        assert_string_equal(fault.blamed, rows[i].blamed);
        assert_says(&fault.why, rows[i].want);
    }
    f.settings.task.train_length = 5; // as where none of a few samples is as long as it may be
    assert_false(task_file_fault(&f.file, &f.settings, lengths, 1, &fault));
    assert_true(task_file_fault(&f.file, &f.settings, lengths, 2, &fault));
    assert_true(fault.blamed == NULL && fault.place == 1);
    assert_says(&fault.why, "test length 9 has no set in");
    f.settings.task.supervision = SUPERVISION_STEPS;
    assert_true(task_file_fault(&f.file, &f.settings, lengths, 1, &fault));
    assert_says(&fault.why, "targets of train in");
    assert_says(&fault.why, "are one a sequence; write supervision: final");
    close_file_fixture(&f);
}

static void only_what_is_needed_is_read(void **state)
{
    (void)state;
    static const int64_t lengths[] = {8, 9};
    static const struct file_array bad[] = {{"test/8/targets", 0, 2, {0, 9}}, {"train/targets", 0, 6, {0, 1, 0, 9}}},
                                   given[] = {{"vocabulary", 0, 1, {3}}, {"classes", 0, 1, {2}}};
    static const struct {
        int64_t samples, test_samples;
        size_t lengths_count;
        bool good[2]; // with each of the wrong arrays
    } rows[] = {{6, 2, 2, {false, false}}, {6, 2, 0, {true, false}}, {3, 1, 2, {true, true}}, {9, 9, 0, {true, false}}};
    for (size_t i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
        const bool says = i % 2;
        const size_t wrong = i / 2 % 2, row = i / 4;
        const struct file_array changes[] = {bad[wrong], says ? given[0] : bad[wrong], says ? given[1] : bad[wrong]};
        const struct task_file_need need = {rows[row].samples, 2, rows[row].test_samples, rows[row].lengths_count,
                                            lengths};
        struct file_fixture f;
        struct status status = {0};
        open_file_fixture(&f);
        write_file(f.path, changes, says ? 3 : 1);
        const enum status_code code = task_file_look(f.path, &need, f.arena, &f.file, &status);
        if (!says) // then all numbers count
            assert_true(code == STATUS_OK && f.file.classes == 10);
        else
            assert_int_equal(code, rows[row].good[wrong] ? STATUS_OK : STATUS_INVALID);
        close_file_fixture(&f);
    }
}

static void arrays_of_other_names_are_told(void **state)
{
    (void)state;
    static const struct file_array strays[] = {{"train/token", 0, 1, {0}},
                                               {"test/08/tokens", 0, 1, {0}},
                                               {"notes", 0, 1, {0}},
                                               {"clases", 0, 1, {0}},
                                               {"test/9/mask", 0, 1, {0}}};
    static const char *const nearest[] = {"train/tokens", "test/8/tokens", NULL, "classes"};
    static const struct file_array missing[] = {{"validation/targets", 0, 0, {0}}, {"validation/target", 0, 2, {0, 1}}};
    struct file_fixture f;
    struct status status = {0};
    open_file_fixture(&f);
    write_file(f.path, strays, 5);
    look(&f);
    assert_int_equal(f.file.strays_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f.file.strays[i].name, strays[i].name);
        assert_true(!nearest[i] == !f.file.strays[i].nearest);
        if (nearest[i])
            assert_string_equal(f.file.strays[i].nearest, nearest[i]);
    }
    write_file(f.path, missing, 2);
    assert_int_equal(task_file_look(f.path, NULL, f.arena, &f.file, &status), STATUS_INVALID);
    assert_says(&status, "no array validation/targets; add it; or is it validation/target, which is not read?");
    close_file_fixture(&f);
}

static void samples_reach_to_a_target_that_counts(void **state)
{
    (void)state;
    static const struct file_array masks[][2] = {
        {{"train/mask", 0, 6, {0, 0, 0, 1, 0, 0}}},
        {{"train/targets", 4, 24, {0}}, {"train/mask", 4, 24, {[12] = 1}}},
        {{"train/targets", 4, 24, {0}}, {"train/mask", 4, 24, {[15] = 1}}},
    };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct file_fixture f;
        struct task_file_fault fault;
        const struct task_source *source = NULL;
        struct status status = {0};
        open_file_fixture(&f);
        write_file(f.path, masks[i], 2);
        look(&f);
        assert_int_equal(f.file.sets[0].idle, 3);
        f.settings.task.samples = 4;
        f.settings.task.supervision = i ? SUPERVISION_STEPS : SUPERVISION_FINAL;
        f.file.sets[1].every_token = i > 0; // of no matter here
        assert_false(task_file_fault(&f.file, &f.settings, NULL, 0, &fault));
        f.settings.task.samples = 3;
        assert_true(task_file_fault(&f.file, &f.settings, NULL, 0, &fault));
        assert_string_equal(fault.blamed, "samples");
        assert_says(&fault.why, "train/mask of");
        assert_says(&fault.why, "is 0 everywhere in the first 3 sequences");
        assert_int_equal(task_source_open(&f.settings, NULL, 0, f.arena, &source, &status), STATUS_INVALID);
        assert_says(&status, "train/mask is 0 everywhere");
        close_file_fixture(&f);
    }
}

static void all_sets_have_targets_of_one_form(void **state)
{
    (void)state;
    static const struct file_array changes[] = {{"train/targets", 4, 24, {0}}};
    const int64_t lengths[] = {8};
    struct file_fixture f;
    struct task_file_fault fault;
    open_file_fixture(&f);
    write_file(f.path, changes, 1);
    look(&f);
    for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
        f.settings.task.supervision = supervision;
        assert_true(task_file_fault(&f.file, &f.settings, lengths, 1, &fault));
        if (supervision == SUPERVISION_STEPS) {
            assert_says(&fault.why, "targets of validation in");
            assert_says(&fault.why, "are one a sequence, but those of train one a token; save both in one");
            assert_string_equal(fault.blamed, "path");
        }
    }
    close_file_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_ask_for_what_is_there),      cmocka_unit_test(only_what_is_needed_is_read),
        cmocka_unit_test(arrays_of_other_names_are_told),    cmocka_unit_test(samples_reach_to_a_target_that_counts),
        cmocka_unit_test(all_sets_have_targets_of_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
