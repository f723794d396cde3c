// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <string.h>

struct refusal {
    const char *text, *fragment;
};

static void assert_all_refused(const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(rows[i].text, rows[i].fragment);
}

static void unknown_keys_name_the_nearest_or_the_right_place(void **state)
{
    (void)state;
    const struct refusal rows[] = {
        {"task:\n  train_lenght: 64\n", "s.yaml:2:3: unknown key 'train_lenght'; did you mean 'train_length'?"},
        {"task:\n  kinf: signal\n", "2:3: unknown key 'kinf'; did you mean 'kind'?"},
        {"task:\n  learning_rat: 1\n",
         "unknown key 'learning_rat'; did you mean 'learning_rate', which belongs in train?"},
        {"task:\n  zzzzzzzz: 1\n", "2:3: unknown key 'zzzzzzzz'; `lgsweep describe` lists all"},
        {"gird: {snr: 1}\n", "1:1: unknown key 'gird'; did you mean 'grid'?"},
        {"taks: {dim: 8}\n", "unknown key 'taks'; did you mean 'task'?"},
        {"sede: 1\n", "unknown key 'sede'; did you mean 'seed'?"},
        {"data_sede: 1\n", "unknown key 'data_sede'; did you mean 'data_seed'?"},
        {"train_lenght: 64\n", "unknown key 'train_lenght'; did you mean 'train_length', which belongs in task?"},
        {"snr: 4\n", "1:1: 'snr' belongs in task, or in 'grid' as an axis"},
        {"model: {snr: 4}\n", "1:9: 'snr' belongs in task, or in 'grid' as an axis"},
        {"task: {encoding: rope}\n", "'encoding' belongs in model"},
        {"task: {seed: 3}\n", "'seed' belongs at the top level"},
        {"test_length: 4x\n", "'test_length' belongs in 'evaluate', or in 'grid' as an axis"},
        {"task: {test_length: 4x}\n", "'test_length' belongs in 'evaluate'"},
        {"task:\n  dim: 8\n  grid: {snr: 1}\n", "3:3: 'grid' belongs at the top level; check the indentation"},
        {"task:\n  dim: 8\n  train: {steps: 1}\n", "3:3: 'train' belongs at the top level; check the indentation"},
        {"replicate: 3\n", "write 'replicates: N' at the top level"},
        {"task: {replicate: 3}\n", "write 'replicates: N' at the top level"},
        {"grid: {replicate: [0, 1]}\n", "1:8: replicates are no axis; write 'replicates: N' at the top level"},
        {"grid: {replicates: [0, 1]}\n", "replicates are no axis"},
        {"grid: {kind: [signal]}\n", "as an axis 'kind' is called 'task' or 'model'"},
        {"grid: {nr: [1]}\n", "1:8: unknown setting 'nr'; did you mean 'snr'?"},
        {"grid: {zzzzzzzz: [1]}\n", "unknown setting 'zzzzzzzz'; `lgsweep describe` lists all"},
        {"grid: {test_lenght: [1x]}\n", "1:8: unknown setting 'test_lenght'; did you mean 'test_length'?"},
        {"evaluate: {test_lengths: 1x}\n", "unknown key 'test_lengths'; did you mean 'test_length'?"},
        {"task: {test_lengths: 1x}\n", "did you mean 'test_length', which belongs in evaluate?"},
        {"grid: {twins: [yes, no]}\n", "'twins' belongs at the top level; axes are settings, without their section"},
        {"grid: {train: {steps: [1]}}\n", "'train' belongs at the top level"},
        {"zip: {size: {dmi: [8, 9]}}\n", "1:14: unknown setting 'dmi'; did you mean 'dim'?"},
        {"\"bad\\e[31mkey\": 1\n", "unknown key 'bad?[31mkey'"},
        {"averyveryveryveryveryveryveryveryveryveryveryveryverylongkeythatnobodymeant: 1\n",
         "ylon...'; `lgsweep describe`"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
}

static void duplicates_name_both_places(void **state)
{
    (void)state;
    char far[1024] = "grid:\n  snr: [1]\n", expected[128];
    for (int i = 0; i < 38; i++)
        strcat(far, "  # a comment\n");
    strcat(far, "  snr: [2]\n");
    snprintf(expected, sizeof expected, "s.yaml:41:3: duplicate key 'snr'; it stands first at line 2, column 3");
    assert_refused(far, expected);
    const struct refusal rows[] = {
        {"seed: 1\nseed: 2\n", "2:1: duplicate key 'seed'; it stands first at line 1, column 1; keep one"},
        {"seed: 1\n\"seed\": 2\n", "2:1: duplicate key 'seed'"},
        {"task: {dim: 8}\ngrid: {snr: 1}\ntask: {samples: 9}\n", "3:1: duplicate key 'task'"},
        {"task: {dim: 8,\n dim: 9}\n", "2:2: duplicate key 'dim'; it stands first at line 1, column 8"},
        {"task:\n  snr: 4\ngrid:\n  snr: [1]\n",
         "4:3: 'snr' is given already at line 2, column 3; keep one of the two"},
        {"grid:\n  snr: [1]\ntask:\n  snr: 4\n", "4:3: 'snr' is given already at line 2, column 3"},
        {"grid: {snr: [1]}\nzip: {a: {snr: [2, 3]}}\n", "2:11: 'snr' is given already at line 1, column 8"},
        {"zip:\n  a: {snr: [1]}\n  b: {snr: [2]}\n", "3:7: 'snr' is given already at line 2, column 7"},
        {"seed: 1\ngrid: {seed: [1, 2]}\n", "2:8: 'seed' is given already at line 1, column 1"},
        {"model: {kind: two_layer}\ngrid: {model: [two_layer]}\n", "2:8: 'model' is given already at line 1, column 9"},
        {"evaluate: {test_length: 2x}\ngrid: {test_length: [4x]}\n",
         "2:8: 'test_length' is given already at line 1, column 12"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
}

static void values_are_checked_where_they_stand(void **state)
{
    (void)state;
    const struct refusal rows[] = {
        {"task:\n  dim: many\n", "2:8: dim: 'many' is not an integer; allowed: integer from 3 to 65536"},
        {"task: {dim: 2}\n", "1:13: dim: '2' is out of range"},
        {"task: {dim: 8.5}\n", "dim: '8.5' is not an integer"},
        {"task: {dim: 1_000}\n", "dim: '1_000' is not an integer"},
        {"task: {dim: 0x10}\n", "dim: '0x10' is not an integer"},
        {"task: {noise_rate: 1}\n", "noise_rate: '1' is out of range"},
        {"task: {noise_rate: -0.1}\n", "noise_rate: '-0.1' is out of range"},
        {"task: {noise_rate: .inf}\n", "noise_rate: '.inf' is out of range"},
        {"task: {snr: .nan}\n", "1:13: snr: '.nan' is never a value"},
        {"task: {snr: nan}\n", "snr: 'nan' is never a value"},
        {"task: {snr: -.inf}\n", "snr: '-.inf' is out of range"},
        {"task: {snr: 0}\n", "snr: '0' is out of range"},
        {"task: {snr: 1 2}\n", "snr: '1 2' is not a number"},
        {"task: {project_noise: maybe}\n", "project_noise: 'maybe' is neither true nor false"},
        {"model: {encoding: no}\n", "1:19: encoding: 'no' is not known, did you mean 'none'?"},
        {"model: {encoding: off}\n", "encoding: 'off' is not known"},
        {"model: {encoding: Rope}\n", "did you mean 'rope'?"},
        {"model:\n  encoding:\n", "a value is missing here"},
        {"model: {encoding: ~}\n", "1:19: a value is missing here"},
        {"model: {encoding: [rope]}\n", "1:19: 'encoding' takes one value here; several make it an axis, under 'grid'"},
        {"model: {encoding: {a: b}}\n", "'encoding' takes one value here"},
        {"seed: -1\n", "seed: '-1' is out of range"},
        {"seed: [1, 2]\n", "'seed' takes one value here"},
        {"replicates: 0\n", "replicates: '0' is out of range"},
        {"replicates: 2.5\n", "replicates: '2.5' is not an integer"},
        {"replicates: 1000001\n", "replicates: '1000001' is out of range; allowed: integer from 1 to 1000000"},
        {"twins: perhaps\n", "1:8: twins: 'perhaps' is neither true nor false"},
        {"twins: [true]\n", "'twins' takes one value here"},
        {"sweep: a/b\n", "1:8: the sweep's name 'a/b' names a file too: no '/'"},
        {"sweep: ..\n", "the sweep's name '..' names a file too"},
        {"sweep: \"a\\0b\"\n", "no control characters"},
        {"sweep: \"a\\nb\"\n", "no control characters"},
        {"sweep: ''\n", "the sweep's name is empty"},
        {"sweep:\n", "the sweep's name is empty"},
        {"sweep: [a]\n", "the sweep's name is a text, not a list"},
        {"data_seed: 1\ninit_seed: 2\nreplicates: 2\n",
         "2:1: with data_seed (line 1) and init_seed fixed all replicates are the same"},
        {"init_seed: 2\nreplicates: 2\ngrid: {data_seed: [1, 2]}\n", "all replicates are the same"},
        {"data_seed: -1\n", "data_seed: '-1' is out of range"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
}

static void nodes_have_the_right_form(void **state)
{
    (void)state;
    const struct refusal rows[] = {
        {"", "s.yaml: the file is empty"},
        {"# nothing\n\n", "s.yaml: the file is empty"},
        {"---\n...\n", "a sweep file is a mapping of keys such as 'task' and 'grid', not a single value"},
        {"just text\n", "1:1: a sweep file is a mapping of keys such as 'task' and 'grid', not a single value"},
        {"- a\n- b\n", "1:1: a sweep file is a mapping of keys such as 'task' and 'grid', not a list"},
        {"task: signal\n", "1:7: 'task' is a mapping with a setting, not a single value"},
        {"task: [kind, signal]\n", "1:7: 'task' is a mapping with a setting, not a list"},
        {"task:\n", "1:1: 'task' is empty; give it a setting, or remove it"},
        {"task: {}\n", "1:1: 'task' is empty"},
        {"grid:\n", "1:1: 'grid' is empty; give it an axis, or remove it"},
        {"grid: []\n", "'grid' is a mapping with an axis, not a list"},
        {"grid: {snr: []}\n", "1:13: a list without values; give it at least one, or remove it"},
        {"grid: {snr: }\n", "a value is missing here"},
        {"grid: {snr: [1, ]}\nseed: x\n", "2:7: seed: 'x' is not an integer"},
        {"grid: {snr: [1, [2]]}\n", "1:17: a single value should stand here, not a list"},
        {"grid: {snr: [1, {a: 2}]}\n", "1:17: a single value should stand here, not a mapping"},
        {"grid: {snr: [1, ~]}\n", "1:17: a value is missing here"},
        {"grid: {test_length: []}\n", "a list without values"},
        {"evaluate: {test_length: 0}\n",
         "1:25: test_length: '0' is neither an integer from 1 to 16777216 nor a multiple"},
        {"evaluate: {test_length: 1.5}\n", "test_length: '1.5' is neither"},
        {"evaluate: {test_length: x}\n", "test_length: 'x' is neither"},
        {"evaluate: {test_length: -1x}\n", "test_length: '-1x' is neither"},
        {"evaluate: {test_length: .nanx}\n", "test_length: '.nanx' is neither"},
        {"evaluate: {test_length: 4 x}\n", "test_length: '4 x' is neither"},
        {"evaluate: {test_length: 99999999}\n", "test_length: '99999999' is neither"},
        {"evaluate: {test_length: [1x, 0.3x]}\n", "1:30: test_length: 0.3x of train_length 8 is not an integer"},
        {"grid:\n  train_length: [8, 9]\n  test_length: 0.5x\n", "3:16: test_length: 0.5x of train_length 9"},
        {"task: {train_length: 65536}\nevaluate: {test_length: 257x}\n", "257x of train_length 65536"},
        {"zip: [a]\n", "'zip' is a mapping with a block of settings, not a list"},
        {"zip: {}\n", "'zip' is empty; give it a block of settings"},
        {"zip: {a: [1]}\n", "1:10: a zip block is a mapping of settings to lists, not a list"},
        {"zip: {a: {}}\n", "a zip block without settings"},
        {"zip: {a: {snr: [1, 2], dim: [8]}}\n", "1:24: 'dim' has 1 values, but 'snr' has 2"},
        {"zip: {a: {test_length: [1x]}}\n", "test_length cannot be zipped"},
        {"zip: {A: {snr: [1]}}\n", "1:7: 'A' cannot name a dimension"},
        {"zip: {1a: {snr: [1]}}\n", "'1a' cannot name a dimension"},
        {"zip: {snr: {dim: [8]}}\n", "the name 'snr' is taken"},
        {"zip: {eval: {dim: [8]}}\n", "1:7: the name 'eval' is taken; call this block something else"},
        {"zip: {trial: {dim: [8]}}\n", "the name 'trial' is taken"},
        {"zip: {phase: {dim: [8]}}\n", "the name 'phase' is taken"},
        {"zip: {replicate: {dim: [8]}}\n", "the name 'replicate' is taken"},
        {"zip: {test_length: {dim: [8]}}\n", "the name 'test_length' is taken"},
        {"? [a, b]\n: 1\n", "1:3: a key must be a name, not a list"},
        {"{a: 1}: 1\n", "1:1: a key must be a name, not a mapping"},
    };
    assert_all_refused(rows, sizeof rows / sizeof rows[0]);
}

// Every mistake at once: in the file's order, each with its line and a caret under the word.
static void all_errors_of_a_file_come_in_one_run(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_text("seed: many\n"
               "task:\n"
               "  dim: 64\n"
               "  train_lenght: 64\n"
               "  project_noise: perhaps\n"
               "evaluate: {test_length: 0.3x}\n"
               "exclude:\n"
               "  - {encoding: 3}\n"
               "grid:\n"
               "  noise_rate: []\n"
               "  dim: [8]\n",
               &parsed);
    assert_int_equal(parsed.code, STATUS_INVALID);
    const char *expected =
        "s.yaml:1:7: seed: 'many' is not an integer; allowed: integer from 0 to 18446744073709551615\n"
        "     1 | seed: many\n"
        "       |       ^\n"
        "s.yaml:4:3: unknown key 'train_lenght'; did you mean 'train_length'?\n"
        "     4 |   train_lenght: 64\n"
        "       |   ^\n"
        "s.yaml:5:18: project_noise: 'perhaps' is neither true nor false; allowed: true or false\n"
        "     5 |   project_noise: perhaps\n"
        "       |                  ^\n"
        "s.yaml:6:25: test_length: 0.3x of train_length 8 is not an integer from 1 to 16777216\n"
        "     6 | evaluate: {test_length: 0.3x}\n"
        "       |                         ^\n"
        "s.yaml:8:6: 'encoding' is not an axis of the grid, so that it cannot be excluded\n"
        "     8 |   - {encoding: 3}\n"
        "       |      ^\n"
        "s.yaml:10:15: a list without values; give it at least one, or remove it\n"
        "    10 |   noise_rate: []\n"
        "       |               ^\n"
        "s.yaml:11:3: 'dim' is given already at line 3, column 3; keep one of the two\n"
        "    11 |   dim: [8]\n"
        "       |   ^";
    assert_string_equal(parsed.status.text, expected);
    parsed_fini(&parsed);
}

static void no_more_than_twenty_are_shown_and_all_are_counted(void **state)
{
    (void)state;
    char text[2048] = "task:\n", line[32];
    struct parsed parsed;
    for (int i = 0; i < 30; i++) {
        snprintf(line, sizeof line, "  key_%d: 1\n", i);
        strcat(text, line);
    }
    parse_text(text, &parsed);
    assert_int_equal(parsed.code, STATUS_INVALID);
    size_t blocks = 0;
    for (const char *at = parsed.status.text; (at = strstr(at, "unknown key")); at++)
        blocks++;
    assert_int_equal(blocks, CONFIG_MAX_ERRORS);
    assert_non_null(strstr(parsed.status.text, "       |   ^\nand 10 more errors"));
    parsed_fini(&parsed);
}

static void blocks_that_do_not_fit_are_left_out_whole(void **state)
{
    (void)state;
    char text[8192] = "model:\n", line[512];
    struct parsed parsed;
    for (int i = 0; i < 20; i++) {
        snprintf(line, sizeof line, "  %*sencoding%d: &a %0200d\n", 0, "", i, i);
        strcat(text, line);
    }
    parse_text(text, &parsed);
    assert_int_equal(parsed.code, STATUS_INVALID);
    const char *end = strstr(parsed.status.text, "\nand ");
    assert_non_null(end);
    assert_true(end > parsed.status.text && end[-1] == '^');
    assert_true(strlen(parsed.status.text) > sizeof parsed.status.text / 2);
    parsed_fini(&parsed);
}

static void mistakes_on_an_axis_do_not_breed_others(void **state)
{
    (void)state;
    const char *const texts[] = {
        "grid: {snr: [1, x]}\nexclude: [{snr: 1}]\n",
        "grid: {train_length: [8, x], test_length: [0.3x]}\n",
        "grid: {test_length: [1x, y]}\nexclude: [{test_length: 7}]\n",
        "zip: {a: {snr: [1, 2], dim: [8, x]}}\nexclude: [{snr: 7}]\n",
        "zip: {a: {snr: [1, 2], dim: [8]}}\nexclude: [{dim: 9}]\n",
        "grid: {snr: &x [1, 2]}\nexclude: [{snr: 2}]\n",
        "grid: {snr: *x}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct parsed parsed;
        parse_text(texts[i], &parsed);
        assert_int_equal(parsed.code, STATUS_INVALID);
        if (strstr(parsed.status.text + 1, "s.yaml:"))
            fail_msg("more than one error:\n%s", parsed.status.text);
        parsed_fini(&parsed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_keys_name_the_nearest_or_the_right_place),
        cmocka_unit_test(duplicates_name_both_places),
        cmocka_unit_test(values_are_checked_where_they_stand),
        cmocka_unit_test(nodes_have_the_right_form),
        cmocka_unit_test(all_errors_of_a_file_come_in_one_run),
        cmocka_unit_test(no_more_than_twenty_are_shown_and_all_are_counted),
        cmocka_unit_test(blocks_that_do_not_fit_are_left_out_whole),
        cmocka_unit_test(mistakes_on_an_axis_do_not_breed_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
