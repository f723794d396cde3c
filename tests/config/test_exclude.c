// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <string.h>

#define GRID                                                                                                           \
    "grid:\n  snr: [1, 4, 16]\n  encoding: [none, rope]\n  train_length: [8, 16]\n  test_length: [1x, 4x, 100]\n"      \
    "  project_noise: [true]\nzip: {size: {dim: [8, 9], samples: [5, 6]}}\nexclude:\n"

static void conditions_keep_settings_and_values(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good(GRID "  - {snr: 4, encoding: [none, rope]}\n"
                    "  - {dim: 9, test_length: [4x, 100]}\n"
                    "  - snr: [4, 16.0]\n"
                    "    project_noise: yes\n",
               &parsed);
    const struct exclusion *exclusions = parsed.sweep.exclusions;
    assert_int_equal(parsed.sweep.exclusions_count, 3);
    assert_int_equal(exclusions[0].count, 2);
    assert_string_equal(exclusions[0].conditions[0].setting->name, "snr");
    assert_int_equal(exclusions[0].conditions[0].count, 1);
    assert_true(exclusions[0].conditions[0].values[0].r == 4);
    assert_int_equal(exclusions[0].conditions[1].count, 2);
    assert_int_equal(exclusions[0].conditions[1].values[1].choice, ENCODING_ROPE);
    assert_string_equal(exclusions[1].conditions[0].setting->name, "dim");
    assert_null(exclusions[1].conditions[1].setting);
    assert_int_equal(exclusions[1].conditions[1].count, 2);
    assert_true(exclusions[1].conditions[1].lengths[0].relative);
    assert_int_equal(exclusions[1].place.line, 10);
    assert_int_equal(exclusions[1].place.column, 5);
    assert_int_equal(exclusions[2].conditions[0].count, 2);
    assert_true(exclusions[2].conditions[1].values[0].b);
    parsed_fini(&parsed);
}

static void lengths_may_be_named_otherwise_than_in_the_grid(void **state)
{
    (void)state;
    const char *const accepted[] = {"8", "16", "32", "64", "1x", "4x", "100", "12.5x", "6.25x", "2x", "0.5x"};
    const char *const refused[] = {"7", "4", "128", "3x", "101"};
    char text[512];
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct parsed parsed;
        bool asked = strcmp(accepted[i], "2x") != 0 && strcmp(accepted[i], "0.5x") != 0;
        snprintf(text, sizeof text, GRID "  - {test_length: %s}\n", accepted[i]);
        parse_text(text, &parsed);
        assert_int_equal(parsed.code, asked ? STATUS_OK : STATUS_INVALID);
        parsed_fini(&parsed);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char fragment[128];
        snprintf(text, sizeof text, GRID "  - {test_length: %s}\n", refused[i]);
        snprintf(fragment, sizeof fragment, "s.yaml:9:19: %s is none of the sweep's test lengths", refused[i]);
        assert_refused(text, fragment);
    }
}

static void refuses_what_excludes_nothing(void **state)
{
    (void)state;
    const struct {
        const char *exclude, *fragment;
    } rows[] = {
        {"  - {snr: 3}\n", "9:11: 3 is not on the axis 'snr'; the nearest is 4"},
        {"  - {snr: [1, 2, 100]}\n", "9:15: 2 is not on the axis 'snr'; the nearest is 1"},
        {"  - {snr: [1, 2, 100]}\n", "9:18: 100 is not on the axis 'snr'; the nearest is 16"},
        {"  - {dim: 10}\n", "10 is not on the axis 'dim'; the nearest is 9"},
        {"  - {encoding: alibi}\n", "9:16: alibi is not on the axis 'encoding'; it has none, rope"},
        {"  - {project_noise: false}\n", "false is not on the axis 'project_noise'; it has true"},
        {"  - {encoding: rpoe}\n", "encoding: 'rpoe' is not known, did you mean 'rope'?"},
        {"  - {snr: .nan}\n", "snr: '.nan' is never a value"},
        {"  - {noise_rate: 0}\n", "9:6: 'noise_rate' is not an axis of the grid, so that it cannot be excluded"},
        {"  - {size: 1}\n", "9:6: unknown setting 'size'"},
        {"  - {encodign: rope}\n", "unknown setting 'encodign'; did you mean 'encoding'?"},
        {"  - {zzzzzzzz: 1}\n", "unknown setting 'zzzzzzzz'; conditions are settings of the grid"},
        {"  - {replicate: 0}\n", "single replicates cannot be excluded; lower 'replicates'"},
        {"  - when: test_length < train_length\n", "9:5: conditions ('when') are not supported; list values to leave "
                                                   "out, as in {snr: 1, test_length: [8x, 16x]}"},
        {"  - {when: {snr: 1}}\n", "conditions ('when') are not supported"},
        {"  - {snr: []}\n", "a list without values"},
        {"  - {snr: [[1]]}\n", "a single value should stand here, not a list"},
        {"  - {snr: {from: 1, to: 4, points: 2}}\n", "a condition has a value or a list of values, not a mapping"},
        {"  - {test_length: y}\n", "test_length: 'y' is neither an integer"},
        {"  - snr\n", "9:5: an exclusion is a mapping of settings to values"},
        {"  - [snr, 1]\n", "not a list"},
        {"  - {}\n", "not an empty one"},
        {"  - {snr: 1, snr: 4}\n", "duplicate key 'snr'"},
        {"  snr: 1\n", "'exclude' is a list of mappings, each after a '-', as in - {snr: 1}, not a mapping"},
        {"  1\n", "'exclude' is a list of mappings"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, GRID "%s", rows[i].exclude);
        assert_refused(text, rows[i].fragment);
    }
}

static void an_exclusion_may_stand_before_the_grid(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("exclude: [{snr: 1}]\ngrid: {snr: [1, 2]}\n", &parsed);
    assert_int_equal(parsed.sweep.exclusions_count, 1);
    parsed_fini(&parsed);
}

static void their_number_is_bounded(void **state)
{
    (void)state;
    struct bytes text = {0};
    struct parsed parsed;
    bytes_raw(&text, "grid: {snr: 1}\nexclude:\n", 24);
    for (int i = 0; i < 1001; i++)
        bytes_raw(&text, "- {snr: 1}\n", 11);
    parse_bytes((const char *)text.data, text.size, &parsed);
    assert_non_null(strstr(parsed.status.text, "at most 1000 exclusions, with 10000 values together, are possible"));
    parsed_fini(&parsed);
    bytes_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_keep_settings_and_values),
        cmocka_unit_test(lengths_may_be_named_otherwise_than_in_the_grid),
        cmocka_unit_test(refuses_what_excludes_nothing),
        cmocka_unit_test(an_exclusion_may_stand_before_the_grid),
        cmocka_unit_test(their_number_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
