// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <math.h>
#include <string.h>

static void set(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_non_null(row);
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

// Identities as they are in users' stores: XXH3-128 of the canonical text, computed outside this program.
static const struct golden {
    const char *set[8][2];
    const char *canonical, *identity;
} goldens[] = {
    {{{NULL}}, "", "99aa06d3014798d86001c324468d497f"},
    {{{"snr", "4"}, {"encoding", "rope"}, {"replicate", "2"}},
     "encoding=rope\nreplicate=2\nsnr=4\n",
     "2b6836c9e8845ef8af4ec81f6b331ae7"},
    {{{"steps", "1e3"}, {"noise_rate", "-0"}, {"learning_rate", "1e-3"}, {"seed", "18446744073709551615"}},
     "learning_rate=0.001\nnoise_rate=0\nseed=18446744073709551615\nsteps=1000\n",
     "f5b6c1cd886e8c88261395088085fb22"},
    {{{"snr", ".inf"}, {"project_noise", "no"}, {"optimizer", "momentum"}, {"momentum", ".5"}, {"data_seed", "0"}},
     "data_seed=0\nmomentum=0.5\noptimizer=momentum\nproject_noise=false\nsnr=inf\n",
     "3cbbbcf9d621f0749086e5d79afac753"},
    {{{"task", "accumulator"},
      {"model", "transformer"},
      {"snr", "4"},
      {"dim", "8"},
      {"head_dim", "4"},
      {"modulus", "7"},
      {"momentum", "0"},
      {"heads", "2"}},
     "heads=2\nmodel=transformer\nmodulus=7\ntask=accumulator\n",
     "fe177c7481bdebd574c2434e2a13caa3"},
};

static void identities_are_frozen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        struct settings settings;
        struct bytes text = {0};
        char identity[HASH_TEXT_SIZE];
        settings_defaults(&settings);
        for (size_t k = 0; k < 8 && goldens[i].set[k][0]; k++)
            set(&settings, goldens[i].set[k][0], goldens[i].set[k][1]);
        settings_canonical(&settings, &text);
        assert_int_equal(text.size, strlen(goldens[i].canonical));
        if (text.size)
            assert_memory_equal(text.data, goldens[i].canonical, text.size);
        hash_text(settings_identity(&settings), identity);
        assert_string_equal(identity, goldens[i].identity);
        bytes_fini(&text);
    }
}

static void canonical_text_is_appended(void **state)
{
    (void)state;
    struct settings settings;
    struct bytes text = {0};
    settings_defaults(&settings);
    settings.task.samples = 40;
    bytes_raw(&text, "head\n", 5);
    settings_canonical(&settings, &text);
    assert_int_equal(text.size, strlen("head\nsamples=40\n"));
    assert_memory_equal(text.data, "head\nsamples=40\n", text.size);
    bytes_fini(&text);
}

static void what_does_not_apply_changes_no_identity(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"momentum", "0.5"},
        {"relative_clip", "3"},
        {"alibi_slope", "1"},
        {"rope_base", "7"},
        {"sinusoidal_scale", "2"},
        {"modulus", "9"},
        {"supervision", "final"},
        {"width", "32"},
        {"heads", "8"},
        {"layers", "1"},
        {"embeddings", "orthonormal"},
        {"pooling", "last"},
        {"attention_mask", "causal"},
        {"dropout", "0.5"},
        {"base_width", "7"},
        {"random_positions", "99"},
        {"rope_scaling", "yarn"},
        {"beta1", "0.5"},
        {"final_rate", "0.5"},
        {"decay_factor", "0.25"},
        {"tied", "true"},
    };
    struct settings standard;
    settings_defaults(&standard);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings = standard;
        set(&settings, rows[i][0], rows[i][1]);
        assert_true(hash_equal(settings_identity(&settings), settings_identity(&standard)));
    }
}

static void every_other_setting_changes_the_identity(void **state)
{
    (void)state;
    struct settings standard;
    settings_defaults(&standard);
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = &settings_table[i];
        if (row->applies || (row->type == SETTING_CHOICE && !row->choices[1]))
            continue;
        struct settings settings = standard;
        union setting_value value = row->standard;
        if (row->type == SETTING_REAL)
            value.r = value.r > 0 && isfinite(value.r) ? value.r / 2 : 0.25;
        else if (row->type == SETTING_BOOL)
            value.b = !value.b;
        else if (row->type == SETTING_CHOICE)
            value.choice = 1;
        else if (row->type == SETTING_TEXT)
            value.text = "another";
        else
            value.i++;
        setting_put(row, &settings, value);
        assert_int_equal(hash_equal(settings_identity(&settings), settings_identity(&standard)), row->unhashed);
    }
}

static void the_longest_settings_fit(void **state)
{
    (void)state;
    struct settings settings;
    struct bytes text = {0};
    settings_defaults(&settings);
    size_t lines = 0, found = 0;
    settings.task.kind = TASK_ACCUMULATOR;
    settings.model.kind = MODEL_TRANSFORMER;
    settings.model.encoding = ENCODING_ROPE;
    settings.train.optimizer = OPTIMIZER_ADAM;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = &settings_table[i];
        if (row->type == SETTING_REAL)
            setting_put(row, &settings, (union setting_value){.r = -1.2345678901234567e-300});
        else if (row->type == SETTING_INT)
            setting_put(row, &settings, (union setting_value){.i = INT64_MIN});
        else if (row->type == SETTING_UINT)
            setting_put(row, &settings, (union setting_value){.u = UINT64_MAX});
    }
    for (size_t i = 0; i < settings_count; i++)
        lines += setting_applies(&settings_table[i], &settings) && !setting_is_default(&settings_table[i], &settings);
    settings_canonical(&settings, &text);
    for (size_t i = 0; i < text.size; i++)
        found += text.data[i] == '\n';
    assert_int_equal(found, lines);
    assert_true(lines > 30);
    bytes_fini(&text);
}

static void remembered_lines_give_the_same_identities(void **state)
{
    (void)state;
    struct arena *arena = arena_create(1 << 16, 0);
    struct settings_lines *lines = settings_lines_create(arena);
    struct settings settings;
    uint64_t random = 7;
    assert_non_null(lines);
    settings_defaults(&settings);
    for (int round = 0; round < 500; round++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        const struct setting *row = &settings_table[(random >> 33) % settings_count];
        union setting_value value = row->standard;
        // Back to the default, to a value that was there before, or to another one.
        if (row->type == SETTING_REAL)
            value.r /= (double)(1 + (random >> 62));
        else if (row->type == SETTING_INT || row->type == SETTING_UINT)
            value.i += (int64_t)(random >> 62);
        else if (row->type == SETTING_BOOL)
            value.b = random >> 63;
        else if (row->type == SETTING_TEXT)
            value.text = random >> 63 ? "one" : "";
        else if (row->choices[1])
            value.choice = (int)(random >> 63);
        setting_put(row, &settings, value);
        assert_true(hash_equal(settings_lines_identity(lines, &settings), settings_identity(&settings)));
    }
    arena_destroy(arena);
}

static void an_identity_is_the_hash_of_all_of_its_text(void **state)
{
    (void)state;
    struct settings settings;
    struct bytes text = {0};
    char long_text[2000];
    settings_defaults(&settings);
    settings.task.kind = TASK_AUTOMATON;
    settings.task.automaton = AUTOMATON_TABLE;
    settings.model.kind = MODEL_RNN;
    settings.task.table = long_text;
    settings.task.outputs = "0 1";
    memset(long_text, 'a', sizeof long_text);
    long_text[1999] = 0;
    for (size_t last = 1998; last > 1900; last -= 14) {
        text.size = 0;
        long_text[last] = 'b';
        settings_canonical(&settings, &text);
        assert_true(text.size > last);
        assert_true(hash_equal(settings_identity(&settings), hash_128(text.data, text.size)));
    }
    text.size = 0;
    settings.task.table = "0 1; 1 0";
    settings_canonical(&settings, &text);
    assert_memory_equal(text.data, "automaton=table\nmodel=rnn\noutputs=0 1\ntable=0 1; 1 0\ntask=automaton\n",
                        text.size);
    settings.task.automaton = AUTOMATON_PARITY;
    const struct hash128 parity = settings_identity(&settings);
    settings.task.table = settings.task.outputs = "";
    assert_true(hash_equal(settings_identity(&settings), parity));
    bytes_fini(&text);
}

static void lines_need_room_in_the_arena(void **state)
{
    (void)state;
    struct arena *arena = arena_create(256, 256);
    assert_non_null(arena);
    assert_null(settings_lines_create(arena));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_are_frozen),
        cmocka_unit_test(canonical_text_is_appended),
        cmocka_unit_test(what_does_not_apply_changes_no_identity),
        cmocka_unit_test(every_other_setting_changes_the_identity),
        cmocka_unit_test(the_longest_settings_fit),
        cmocka_unit_test(remembered_lines_give_the_same_identities),
        cmocka_unit_test(an_identity_is_the_hash_of_all_of_its_text),
        cmocka_unit_test(lines_need_room_in_the_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
