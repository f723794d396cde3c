// SPDX-License-Identifier: MIT
// Which positions each target names, by hand: a '.' for none, else numbers with commas, and blanks between targets.
#include "token_cases.h"

#include <stdio.h>

static const struct {
    const char *settings[CASE_SETTINGS][2];
    long length;
    const char *want;
} rows[] = {
    {{{"task", "reverse_string"}}, 3, ". . . 2 1 0"},
    {{{"task", "duplicate_string"}}, 2, ". . 0 1 0 1"},
    {{{"task", "odds_first"}}, 5, ". . . . . 0 2 4 1 3"},
    {{{"task", "addition"}}, 2, ". . . . . 0,3 0,1,3,4,6 1,4,7 ."},
    {{{"task", "addition"}, {"digit_order", "reversed"}}, 2, ". . . . . 0,3 0,1,3,4,6 1,4,7 ."},
    {{{"task", "addition"}, {"operand_offset", "1"}}, 2, ". . . . 0 0,1,3,5 1,3,6 ."},
    {{{"task", "addition"}, {"digit_order", "reversed"}, {"index_hints", "9"}}, 1, ". . . . . . 1,4 . 1,4,7 ."},
    {{{"task", "addition"}, {"index_hints", "9"}}, 1, ". . . . . . 1,4 . 1,4,7 ."},
};
enum { ROWS = sizeof rows / sizeof *rows, TEXT = 256 };

// What each of a sequence's targets names, as above.
static void write_names(const struct batch *batch, long sample, char ret_text[TEXT])
{
    size_t at = 0;
    for (long t = 0; t < batch->positions; t++) {
        const int32_t *named = batch->relevant + (sample * batch->positions + t) * batch->relevant_count;
        const char *before = t ? " " : "";
        at += named[0] < 0 ? (size_t)snprintf(ret_text + at, TEXT - at, "%s.", before) : 0;
        for (long k = 0; k < batch->relevant_count && named[k] >= 0; k++, before = ",")
            at += (size_t)snprintf(ret_text + at, TEXT - at, "%s%d", before, (int)named[k]);
        assert_true(at < TEXT);
    }
}

static void each_target_names_what_it_depends_on(void **state)
{
    for (int r = 0; r < ROWS; r++) {
        const struct settings settings = case_settings(rows[r].settings);
        const struct batch batch = make_batch(&settings, SPLIT_TRAIN, rows[r].length, 0, 20, *state);
        assert_true(batch.relevant_each);
        for (long i = 0; i < batch.samples; i++) {
            char text[TEXT] = "";
            write_names(&batch, i, text);
            assert_string_equal(text, rows[r].want);
        }
    }
}

// The digits that are written move, and what they depend on does not.
static void a_sum_without_padding_names_digits_by_their_worth(void **state)
{
    const char *const pairs[CASE_SETTINGS][2] = {{"task", "addition"}, {"zero_padding", "false"}};
    const struct settings settings = case_settings(pairs);
    const struct batch batch = make_batch(&settings, SPLIT_TRAIN, 2, 0, 40, *state);
    int seen[2] = {0};
    for (long i = 0; i < batch.samples; i++) {
        const bool longer = batch.mask[i * batch.positions + 8];
        char text[TEXT] = "";
        write_names(&batch, i, text);
        assert_string_equal(text, longer ? ". . . . . 0,3 0,1,3,4,6 1,4,7 ." : ". . . . . 0,1,3,4 1,4,6 . .");
        seen[longer]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
}

static void tasks_whose_answers_depend_on_all_name_nothing(void **state)
{
    static const char *const tasks[] = {"accumulator",     "multiplication",        "modular",
                                        "binary_addition", "stack_manipulation",    "bucket_sort",
                                        "compute_sqrt",    "binary_multiplication", "solve_equation"};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const char *const pairs[CASE_SETTINGS][2] = {{"task", tasks[i]}};
        const struct settings settings = case_settings(pairs);
        const struct batch batch = make_batch(&settings, SPLIT_TRAIN, 5, 0, 3, *state);
        assert_true(batch.relevant_count == 0 && !batch.relevant_each && !batch.relevant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(each_target_names_what_it_depends_on),
        ROW(a_sum_without_padding_names_digits_by_their_worth),
        ROW(tasks_whose_answers_depend_on_all_name_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
