// SPDX-License-Identifier: MIT
// Settings that are texts, from scalars, lists and lists of lists.
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_value_is_a_scalar_a_list_or_a_list_of_lists(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"0 1", "0 1"},
        {"\"  0 \\t 1;\\n 1  0 \"", "0 1; 1 0"},
        {"'0 1;1 0'", "0 1; 1 0"},
        {"0 1 ;1 0", "0 1; 1 0"},
        {"[0, 1]", "0 1"},
        {"[0 1, '2  3']", "0 1; 2 3"},
        {"[0, 1 2]", "0; 1 2"},
        {"[0 1; 1 0]", "0 1; 1 0"},
        {"[' 0 ', 1]", "0 1"},
        {"[[0, 1], [1, 0]]", "0 1; 1 0"},
        {"[[0 1], [1 0]]", "0 1; 1 0"},
        {"[[00, 01], [+1, -0]]", "0 1; 1 0"},
        {"[[0.0, 1.], [1e0, 0]]", "0 1; 1 0"},
        {"'00 +1;10e-1 0.0'", "0 1; 1 0"},
        {"[[0, 1],\n     [1,   0]]", "0 1; 1 0"},
        {"\n    - [0, 1]\n    - [1, 0]", "0 1; 1 0"},
        {"\n    - 0 1\n    - 1 0", "0 1; 1 0"},
        {"\n    - - 0\n      - 1\n    - - 1\n      - 0", "0 1; 1 0"},
        {"[[7]]", "7"},
        {"[0, ~, null, '', -]", "0 ~ ~ ~ ~"},
        {"[[], [1]]", "; 1"},
        {"''", ""},
        {"1e3", "1000"},
        {"-7", "-7"},
        {">\n    0 1\n    2\n", "0 1 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        char text[256];
        snprintf(text, sizeof text, "task:\n  table: %s\n", rows[i][0]);
        parse_good(text, &parsed);
        assert_string_equal(parsed.sweep.base.task.table, rows[i][1]);
        parsed_fini(&parsed);
    }
}

static void each_item_of_an_axis_is_such_a_value(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("grid:\n"
               "  table:\n"
               "    - 0 1; 1 0\n"
               "    - [[0, 1, 1], [1, 0, 0]]\n"
               "    - [1 2, 2 1]\n"
               "  outputs: 0 1\n"
               "zip: {both: {lengths: [[1, 2], [3, 3, 4]], train_length: [2, 4]}}\n",
               &parsed);
    const struct axis *axes = parsed.sweep.axes;
    static const char *const tables[] = {"0 1; 1 0", "0 1 1; 1 0 0", "1 2; 2 1"}, *const lengths[] = {"1 2", "3 3 4"};
    assert_true(axes[0].count == 3 && axes[1].count == 1 && axes[2].count == 2);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(axes[0].columns[0].values[i].text, tables[i]);
    assert_string_equal(axes[1].columns[0].values[0].text, "0 1");
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(axes[2].columns[0].values[i].text, lengths[i]);
    parsed_fini(&parsed);
}

static void equal_values_are_one_point_however_they_are_written(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_text("grid:\n  table: ['0 1;  1 0', [[00, 1.0], [+1, 0]], [[0, 1], [1, 1]]]\n", &parsed);
    assert_int_equal(parsed.code, STATUS_OK);
    assert_int_equal(parsed.sweep.axes[0].count, 2);
    assert_string_equal(parsed.sweep.axes[0].columns[0].values[1].text, "0 1; 1 1");
    bytes_u8(&parsed.warnings, 0);
    assert_non_null(strstr((char *)parsed.warnings.data,
                           "2:3: warning: table: value 2 (0 1; 1 0) is there already; the two are one point"));
    parsed_fini(&parsed);
}

static void exclusions_and_overrides_name_texts(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("grid:\n  table: [[[0, 1], [1, 0]], '1 0; 0 1']\n  snr: [1, 4]\n"
               "exclude:\n  - {table: ['0 1;01 0.0'], snr: 4}\n  - {table: [[[1, 0], [0, 1]]], snr: 1}\n"
               "init: {from: a.h5, with: {table: [[1, 1], [0, 0]]}}\n",
               &parsed);
    assert_string_equal(parsed.sweep.exclusions[0].conditions[0].values[0].text, "0 1; 1 0");
    assert_string_equal(parsed.sweep.exclusions[1].conditions[0].values[0].text, "1 0; 0 1");
    assert_string_equal(parsed.sweep.init.with[0].value.text, "1 1; 0 0");
    parsed_fini(&parsed);
    assert_refused("grid:\n  outputs: [[0, 1], '1 0']\nexclude:\n  - {outputs: 1 1}\n",
                   "4:15: 1 1 is not on the axis 'outputs'; it has 0 1, 1 0");
}

static void what_is_no_text_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"task:\n  table:\n", "2:9: a value is missing here"},
        {"task: {table: ~}\n", "1:15: a value is missing here"},
        {"task: {table: []}\n", "1:15: a list without values"},
        {"task: {table: {a: 1}}\n", "1:15: a list should stand here, not a mapping; write it as in [[0, 1]"},
        {"task: {lengths: {from: 1, to: 8, step: 1}}\n",
         "1:17: a list should stand here, not a mapping; write it as in [1, 2, 3]"},
        {"task: {path: {a: 1}}\n", "1:14: a single value should stand here, not a mapping"},
        {"task: {table: [1, {a: 1}]}\n", "1:19: a value should stand here, not a mapping"},
        {"task: {table: [1, [2]]}\n", "1:19: a value should stand here, not a list"},
        {"task: {table: [[1], 2]}\n", "1:21: a list should stand here, like the one before"},
        {"task: {table: [[1], {a: 2}]}\n", "1:21: a list should stand here, like the one before"},
        {"task: {table: [[1, [2]]]}\n", "1:20: a value should stand here, not a list; lists of lists go no deeper"},
        {"task: {table: [1, *a]}\n", "1:19: aliases ('*') are not supported"},
        {"task: {table: [&a 1]}\n", "1:16: anchors ('&') are not supported"},
        {"task: {table: \"a\\x07b\"}\n",
         "1:15: table: 'a?b' is not an integer; allowed: rows of integers, as in 0 1; 1 0"},
        {"task: {table: [\"\\0\"]}\n", "1:16: table: '?' is not an integer"},
        {"task:\n  table:\n    - [0, 1]\n    - [1, 0.5]\n", "4:11: table: '0.5' is not an integer"},
        {"task: {outputs: [0, one]}\n", "1:21: outputs: 'one' is not an integer; allowed: integers, as in 0 1"},
        {"task: {lengths: '4 no 8'}\n", "1:17: lengths: 'no' is not an integer"},
        {"task: {table: [[0, 99999999999999999999]]}\n", "1:20: table: '99999999999999999999' is out of range"},
        {"task: {table: [[0, '1; 1'], [0, 1]]}\n", "1:20: '1; 1' has a ';', which ends a row, within a row"},
        {"task: {path: \"a\\x07b\"}\n", "1:14: path: 'a?b' has control characters; allowed: text"},
        {"task: {path: [a, b]}\n", "1:14: a single value should stand here, not a list"},
        {"grid: {table: []}\n", "1:15: a list without values"},
        {"grid: {table: [0 1; 1 0, ]}\nzip: {b: {outputs: [1, ~]}}\n", "2:24: a value is missing here"},
        {"grid: {table: {from: 1, to: 2, points: 2}}\n", "1:15: a range is for numbers; list the values"},
        {"grid: {table: [1, {b: 1}]}\n", "1:19: a list should stand here, not a mapping"},
        {"task: {table: 0 1}\ngrid: {table: [0 1]}\n", "'table' is given already at line 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(rows[i][0], rows[i][1]);
}

static void an_axis_of_tables_is_no_table(void **state)
{
    (void)state;
    static const char says[] = "is one row alone, but an axis is a list of tables: write [[[0, 1], [1, 0]]]";
    static const char *const rows[][2] = {
        {"grid: {table: [[0, 1], [1, 0]]}\n", "1:16: table: '0 1' "},
        {"grid: {table: 0 1}\n", "1:15: table: '0 1' "},
        {"grid: {table: [0 1; 1 0, 1 1]}\n", "1:26: table: '1 1' "},
        {"grid:\n  table:\n    - 0 1\n    - 1 0\n", "3:7: table: '0 1' "},
        {"zip: {b: {table: [[0, 1], [1, 0]], outputs: [[0, 1], [1, 0]]}}\n", "1:19: table: '0 1' "},
        {"grid: {table: [[[0, 1], [1, 0]]]}\nexclude:\n  - {table: [[0, 1], [1, 0]]}\n", "3:14: table: '0 1' "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        parse_text(rows[i][0], &parsed);
        assert_int_equal(parsed.code, STATUS_INVALID);
        const char *at = strstr(parsed.status.text, rows[i][1]);
        assert_non_null(at);
        assert_memory_equal(at + strlen(rows[i][1]), says, sizeof says - 1);
        assert_null(strstr(at + strlen(rows[i][1]) + 1, says)); // once
        parsed_fini(&parsed);
    }
}

static void an_empty_list_is_an_empty_text_where_one_list_is_due(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("task: {lengths: []}\n"
               "zip: {b: {table: ['0 1; 1 0', '1 0; 0 1'], outputs: [[], [1, 0]]}}\n",
               &parsed);
    assert_string_equal(parsed.sweep.base.task.lengths, "");
    assert_string_equal(parsed.sweep.axes[0].columns[1].values[0].text, "");
    assert_string_equal(parsed.sweep.axes[0].columns[1].values[1].text, "1 0");
    parsed_fini(&parsed);
    assert_refused("grid: {outputs: []}\n", "1:17: a list without values");
}

static void a_text_is_no_longer_than_a_setting_may_be(void **state)
{
    (void)state;
    for (size_t bytes = SETTING_BYTES; bytes <= SETTING_BYTES + 1; bytes++) {
        struct parsed parsed;
        char *text = malloc(bytes + 64);
        size_t used = (size_t)sprintf(text, "task: {table: ");
        for (size_t i = 0; i < SETTING_BYTES; i++)
            text[used + i] = i % 2 ? ' ' : '1';
        strcpy(text + used + SETTING_BYTES, bytes > SETTING_BYTES ? "0}\n" : "}\n");
        parse_text(text, &parsed);
        assert_int_equal(parsed.code, bytes > SETTING_BYTES ? STATUS_INVALID : STATUS_OK);
        if (parsed.code != STATUS_OK)
            assert_non_null(strstr(parsed.status.text, "1:15: table: a text of 65536 bytes is longer than 65535"));
        parsed_fini(&parsed);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_a_scalar_a_list_or_a_list_of_lists),
        cmocka_unit_test(each_item_of_an_axis_is_such_a_value),
        cmocka_unit_test(equal_values_are_one_point_however_they_are_written),
        cmocka_unit_test(exclusions_and_overrides_name_texts),
        cmocka_unit_test(what_is_no_text_is_refused_where_it_stands),
        cmocka_unit_test(an_axis_of_tables_is_no_table),
        cmocka_unit_test(an_empty_list_is_an_empty_text_where_one_list_is_due),
        cmocka_unit_test(a_text_is_no_longer_than_a_setting_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
