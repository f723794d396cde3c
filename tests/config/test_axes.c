// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <string.h>

static void axes_keep_their_order_and_places(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("zip:\n"
               "  size: {dim: [8, 16], samples: [10, 20]}\n"
               "grid:\n"
               "  encoding: [rope, none]\n"
               "  test_length: [4x, 1x]\n"
               "  snr: 2\n",
               &parsed);
    const struct sweep *sweep = &parsed.sweep;
    const char *const names[] = {"size", "encoding", "snr"};
    const int lines[] = {2, 4, 6};
    assert_int_equal(sweep->axes_count, 3);
    for (size_t a = 0; a < 3; a++) {
        assert_string_equal(sweep->axes[a].name, names[a]);
        assert_int_equal(sweep->axes[a].place.line, lines[a]);
        assert_int_equal(sweep->axes[a].place.column, 3);
    }
    assert_int_equal(sweep->lengths_position, 2);
    assert_string_equal(column_text(&parsed, &sweep->axes[1], 0), "rope none");
    assert_string_equal(column_text(&parsed, &sweep->axes[2], 0), "2");
    const struct setting *snr = setting_find("snr", 3);
    assert_int_equal(sweep->places[setting_index(snr)].line, 6);
    parsed_fini(&parsed);
}

static void zip_blocks_have_several_columns(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("zip:\n"
               "  size:\n"
               "    dim: [8, 16, 8]\n"
               "    learning_rate: [1e-3, 5e-4, 1e-2]\n"
               "  n: {train_length: {from: 8, to: 32, points: 3, scale: log}, noise_rate: [0, 0.1, 0.2]}\n",
               &parsed);
    const struct axis *size = &parsed.sweep.axes[0], *n = &parsed.sweep.axes[1];
    assert_int_equal(parsed.sweep.axes_count, 2);
    assert_string_equal(size->name, "size");
    assert_int_equal(size->count, 3);
    assert_int_equal(size->columns_count, 2);
    assert_string_equal(size->columns[0].setting->name, "dim");
    assert_string_equal(column_text(&parsed, size, 0), "8 16 8");
    assert_string_equal(column_text(&parsed, size, 1), "0.001 0.0005 0.01");
    assert_int_equal(size->columns[1].place.line, 4);
    assert_string_equal(column_text(&parsed, n, 0), "8 16 32");
    assert_string_equal(column_text(&parsed, n, 1), "0 0.1 0.2");
    parsed_fini(&parsed);
}

static void repeated_values_are_merged_with_a_warning(void **state)
{
    (void)state;
    const struct {
        const char *text, *values, *warning;
    } rows[] = {
        {"grid: {snr: [2, 2.0]}\n", "2",
         "s.yaml:1:8: warning: snr: value 2 (2) is there already; the two are one point"},
        {"grid: {snr: [4, 1, 4, 2, 1]}\n", "4 1 2", "snr: value 3 (4) is there already"},
        {"grid: {snr: [4, 1, 4, 2, 1]}\n", "4 1 2", "snr: value 5 (1) is there already"},
        {"grid: {encoding: [rope, none, \"rope\"]}\n", "rope none", "encoding: value 3 (rope) is there already"},
        {"grid: {noise_rate: [0, -0.0]}\n", "0", "noise_rate: value 2 (0) is there already"},
        {"grid: {project_noise: [yes, true, no]}\n", "true false", "project_noise: value 2 (true) is there already"},
        {"zip: {a: {snr: [1, 2, 1], dim: [8, 8, 8]}}\n", "1 2", "a: value 3 (1, …) is there already"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        parse_text(rows[i].text, &parsed);
        assert_int_equal(parsed.code, STATUS_OK);
        assert_string_equal(column_text(&parsed, &parsed.sweep.axes[0], 0), rows[i].values);
        bytes_u8(&parsed.warnings, 0);
        if (!strstr((const char *)parsed.warnings.data, rows[i].warning))
            fail_msg("'%s' is missing in\n%s", rows[i].warning, (const char *)parsed.warnings.data);
        parsed_fini(&parsed);
    }
}

static void rows_of_a_block_are_repeated_only_as_a_whole(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("zip: {a: {snr: [1, 1, 2, 2], dim: [8, 9, 8, 9]}}\n", &parsed);
    assert_int_equal(parsed.sweep.axes[0].count, 4);
    parsed_fini(&parsed);
}

static void test_lengths_come_from_either_place(void **state)
{
    (void)state;
    const struct {
        const char *text, *lengths;
        bool axis;
        size_t warnings;
    } rows[] = {
        {"evaluate: {test_length: 256}\n", "256", false, 0},
        {"evaluate: {test_length: [1x, 4x, 256, 0.5x]}\n", "1x 4x 256 0.5x", false, 0},
        {"grid: {test_length: 2x}\n", "2x", true, 0},
        {"grid: {test_length: [64, 1e2, '4x']}\n", "64 100 4x", true, 0},
        {"task: {train_length: 30}\nevaluate: {test_length: [0.1x, 0.7x]}\n", "0.1x 0.7x", false, 0},
        {"grid: {test_length: [4x, 32, 4.0x, 32]}\n", "4x 32", true, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        size_t warnings = 0;
        parse_text(rows[i].text, &parsed);
        assert_int_equal(parsed.code, STATUS_OK);
        assert_string_equal(lengths_text(&parsed), rows[i].lengths);
        assert_int_equal(parsed.sweep.lengths_axis, rows[i].axis);
        bytes_u8(&parsed.warnings, 0);
        for (const char *at = (const char *)parsed.warnings.data; (at = strstr(at, "one point")); at++)
            warnings++;
        assert_int_equal(warnings, rows[i].warnings);
        parsed_fini(&parsed);
    }
}

static void seeds_may_be_axes_or_fixed_one_at_a_time(void **state)
{
    (void)state;
    const char *const texts[] = {
        "data_seed: 3\nreplicates: 5\n",         "init_seed: 3\nreplicates: 5\n",
        "data_seed: 3\ninit_seed: 4\n",          "grid: {data_seed: [0, 1, 2], init_seed: [0, 1, 2]}\n",
        "grid: {seed: [1, 2]}\nreplicates: 2\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct parsed parsed;
        parse_good(texts[i], &parsed);
        parsed_fini(&parsed);
    }
}

static void a_huge_grid_is_read_at_once(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("grid:\n"
               "  snr: {from: 1, to: 100, points: 100}\n"
               "  noise_rate: {from: 0, to: 0.99, points: 100}\n"
               "  train_length: {from: 1, to: 100, points: 100}\n"
               "  samples: {from: 1, to: 100, points: 100}\n"
               "  learning_rate: {from: 1, to: 100, points: 100}\n"
               "  init_scale: {from: 1, to: 100, points: 100}\n",
               &parsed);
    assert_int_equal(parsed.sweep.axes_count, 6);
    for (size_t a = 0; a < 6; a++)
        assert_int_equal(parsed.sweep.axes[a].count, 100);
    parsed_fini(&parsed);
    assert_refused(
        "grid:\n  train_length: {from: 1, to: 10000, points: 10000}\n  test_length: {from: 1, to: 11, points: 11}\n",
        "s.yaml:3:3: 10000 train lengths with 11 test lengths; at most 100000 pairs are possible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_keep_their_order_and_places),
        cmocka_unit_test(zip_blocks_have_several_columns),
        cmocka_unit_test(repeated_values_are_merged_with_a_warning),
        cmocka_unit_test(rows_of_a_block_are_repeated_only_as_a_whole),
        cmocka_unit_test(test_lengths_come_from_either_place),
        cmocka_unit_test(seeds_may_be_axes_or_fixed_one_at_a_time),
        cmocka_unit_test(a_huge_grid_is_read_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
