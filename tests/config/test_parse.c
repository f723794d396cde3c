// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads_every_kind_of_key(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("sweep: quickstart\n"
               "seed: 7\n"
               "replicates: 3\n"
               "task:  {kind: signal, dim: 64, samples: 128}\n"
               "model: {kind: two_layer, head_dim: 32, value_dim: 8}\n"
               "train: {optimizer: gd, learning_rate: 0.05, steps: 1000}\n"
               "evaluate: {points: 64, test_samples: 1000}\n"
               "grid:\n"
               "  snr:          {from: 1, to: 64, points: 7, scale: log}\n"
               "  noise_rate:   [0, 0.1, 0.2]\n"
               "  train_length: [8, 16]\n"
               "  test_length:  [1x, 4x, 16x, 256]\n"
               "  encoding:     [none, absolute, relative, alibi, rope]\n"
               "exclude:\n"
               "  - {noise_rate: 0.2, train_length: 16}\n",
               &parsed);
    const struct sweep *sweep = &parsed.sweep;
    assert_string_equal(sweep->name, "quickstart");
    assert_string_equal(sweep->path, "s.yaml");
    assert_int_equal(sweep->text_size, strlen(sweep->text));
    assert_int_equal(sweep->base.seed, 7);
    assert_int_equal(sweep->replicates, 3);
    assert_true(sweep->twins);
    assert_string_equal(base_text(&parsed, "samples"), "128");
    assert_string_equal(base_text(&parsed, "learning_rate"), "0.05");
    assert_int_equal(sweep->axes_count, 4);
    const char *const names[] = {"snr", "noise_rate", "train_length", "encoding"};
    const char *const values[] = {"1 2 4 8 16 32 64", "0 0.1 0.2", "8 16", "none absolute relative alibi rope"};
    for (size_t a = 0; a < 4; a++) {
        assert_string_equal(sweep->axes[a].name, names[a]);
        assert_string_equal(column_text(&parsed, &sweep->axes[a], 0), values[a]);
        assert_int_equal(sweep->axes[a].columns_count, 1);
    }
    assert_string_equal(lengths_text(&parsed), "1x 4x 16x 256");
    assert_true(sweep->lengths_axis);
    assert_int_equal(sweep->lengths_position, 3);
    assert_int_equal(sweep->exclusions_count, 1);
    parsed_fini(&parsed);
}

// Otherwise the page that users copy from and the program would part.
static void the_example_of_the_page_is_a_sweep(void **state)
{
    (void)state;
    char path[512], page[1 << 14];
    struct parsed parsed;
    snprintf(path, sizeof path, "%s/docs/sweep_file.md", getenv("SOURCE_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    char *example = strstr(page, "```yaml\n"), *end = example ? strstr(example + 8, "```") : NULL;
    assert_non_null(end);
    *end = '\0';
    parse_good(example + 8, &parsed);
    assert_string_equal(parsed.sweep.name, "example");
    assert_int_equal(parsed.sweep.axes_count, 5);
    assert_int_equal(parsed.sweep.exclusions_count, 2);
    parsed_fini(&parsed);
}

static void what_is_not_said_has_its_default(void **state)
{
    (void)state;
    struct parsed parsed;
    struct settings defaults;
    parse_good("seed: 1\n", &parsed);
    settings_defaults(&defaults);
    assert_memory_equal(&parsed.sweep.base, &defaults, sizeof defaults);
    assert_string_equal(parsed.sweep.name, "s");
    assert_int_equal(parsed.sweep.replicates, 1);
    assert_true(parsed.sweep.twins);
    assert_string_equal(lengths_text(&parsed), "1x");
    assert_false(parsed.sweep.lengths_axis);
    assert_int_equal(parsed.sweep.axes_count, 0);
    assert_int_equal(parsed.sweep.exclusions_count, 0);
    parsed_fini(&parsed);
}

static void the_setting_decides_the_type(void **state)
{
    (void)state;
    const struct {
        const char *section, *name, *text, *canonical;
    } rows[] = {
        {"task", "noise_rate", "1e-3", "0.001"},
        {"task", "noise_rate", "'1e-3'", "0.001"},
        {"task", "noise_rate", "\"5E-3\"", "0.005"},
        {"task", "noise_rate", ".5", "0.5"},
        {"task", "snr", "1.", "1"},
        {"task", "snr", "+1", "1"},
        {"task", "snr", ".inf", "inf"},
        {"task", "snr", "010", "10"},
        {"task", "samples", "010", "10"},
        {"task", "samples", "3e6", "3000000"},
        {"task", "samples", "64.0", "64"},
        {"task", "project_noise", "no", "false"},
        {"task", "project_noise", "True", "true"},
        {"task", "project_noise", "off", "false"},
        {"task", "signal_position", "first", "first"},
        {"model", "encoding", "\"rope\"", "rope"},
        {"train", "steps", "0", "0"},
        {"evaluate", "points", "1", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct parsed parsed;
        snprintf(text, sizeof text, "%s:\n  %s: %s\n", rows[i].section, rows[i].name, rows[i].text);
        parse_good(text, &parsed);
        assert_string_equal(base_text(&parsed, rows[i].name), rows[i].canonical);
        const struct setting *setting = setting_find(rows[i].name, strlen(rows[i].name));
        assert_int_equal(parsed.sweep.places[setting_index(setting)].line, 2);
        assert_int_equal(parsed.sweep.places[setting_index(setting)].column, 3);
        parsed_fini(&parsed);
    }
}

static void big_integers_are_exact(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("seed: 9007199254740993\n", &parsed);
    assert_true(parsed.sweep.base.seed == UINT64_C(9007199254740993));
    parsed_fini(&parsed);
    parse_good("seed: 18446744073709551615\n", &parsed);
    assert_true(parsed.sweep.base.seed == UINT64_MAX);
    parsed_fini(&parsed);
    assert_refused("seed: 18446744073709551616\n", "s.yaml:1:7: seed: '18446744073709551616' is out of range");
}

static void kind_stands_for_the_name_of_its_section(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("task: {task: signal}\nmodel: {kind: two_layer}\n", &parsed);
    assert_int_equal(parsed.sweep.base.task.kind, TASK_SIGNAL);
    assert_int_equal(parsed.sweep.base.model.kind, MODEL_TWO_LAYER);
    parsed_fini(&parsed);
    assert_refused("task:\n  kind: signal\n  task: signal\n",
                   "s.yaml:3:3: 'task' is given already at line 2, column 3");
}

static void the_sweep_is_named_after_its_file(void **state)
{
    (void)state;
    const struct {
        const char *path, *name;
    } rows[] = {
        {"a.yaml", "a"},
        {"x/y/b.yml", "b"},
        {"/c", "c"},
        {"d.e.yaml", "d.e"},
        {"x.y/f", "f"},
        {".yaml", ".yaml"},
        {"测试 é.yaml", "测试 é"},
        {"bad\xFF.yaml", "bad\xFF"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena *arena = arena_create(1024, 0);
        struct sweep sweep;
        struct status status;
        assert_int_equal(config_parse(rows[i].path, "seed: 1", 7, arena, &sweep, NULL, &status), STATUS_OK);
        assert_string_equal(sweep.name, rows[i].name);
        assert_string_equal(sweep.path, rows[i].path);
        arena_destroy(arena);
    }
}

static void numbers_do_not_ask_the_locale(void **state)
{
    (void)state;
    struct parsed parsed;
    const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++)
        setlocale(LC_ALL, locales[i]);
    parse_good("task: {snr: 1.5}\n"
               "grid:\n"
               "  noise_rate: {from: 0.1, to: 0.3, points: 3}\n"
               "  learning_rate: {from: 0.001, to: 0.1, points: 4, scale: log}\n",
               &parsed);
    assert_string_equal(base_text(&parsed, "snr"), "1.5");
    assert_string_equal(column_text(&parsed, &parsed.sweep.axes[0], 0), "0.1 0.2 0.3");
    assert_string_equal(column_text(&parsed, &parsed.sweep.axes[1], 0), "0.001 0.00464158883361 0.0215443469003 0.1");
    parsed_fini(&parsed);
    assert_refused("task:\n  snr: 1,5\n", "s.yaml:2:8: snr: '1,5' is not a number");
    setlocale(LC_ALL, "C");
}

static void a_refused_file_leaves_the_sweep_alone(void **state)
{
    (void)state;
    struct arena *arena = arena_create(1024, 0);
    struct sweep sweep, before;
    memset(&sweep, 0x5A, sizeof sweep);
    memcpy(&before, &sweep, sizeof sweep);
    assert_int_equal(config_parse("a.yaml", "seed: x", 7, arena, &sweep, NULL, NULL), STATUS_INVALID);
    assert_memory_equal(&sweep, &before, sizeof sweep);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind_of_key),
        cmocka_unit_test(the_example_of_the_page_is_a_sweep),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(the_setting_decides_the_type),
        cmocka_unit_test(big_integers_are_exact),
        cmocka_unit_test(kind_stands_for_the_name_of_its_section),
        cmocka_unit_test(the_sweep_is_named_after_its_file),
        cmocka_unit_test(numbers_do_not_ask_the_locale),
        cmocka_unit_test(a_refused_file_leaves_the_sweep_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
