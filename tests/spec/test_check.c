// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <string.h>

static void set(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

static const struct combination {
    const char *set[3][2];
    const char *blamed; // NULL: accepted
    const char *message;
} combinations[] = {
    {{{NULL}}, NULL, NULL},
    {{{"encoding", "rope"}}, NULL, NULL},
    {{{"encoding", "rope"}, {"head_dim", "15"}},
     "head_dim",
     "head_dim is 15, but encoding rope turns pairs of coordinates; make it even"},
    {{{"encoding", "alibi"}, {"head_dim", "15"}}, NULL, NULL},
    {{{"signal_tokens", "8"}}, NULL, NULL},
    {{{"signal_tokens", "0.3"}}, NULL, NULL},
    {{{"signal_tokens", "9"}},
     "signal_tokens",
     "signal_tokens is 9, but sequences have train_length = 8 tokens; lower the one or raise the other"},
    {{{"signal_tokens", "9"}, {"train_length", "9"}}, NULL, NULL},
    {{{"signal_tokens", "1.5"}},
     "signal_tokens",
     "signal_tokens is 1.5, neither a count nor a share; write an integer from 1, or a share below 1"},
    {{{"test_samples", "300"}, {"curve_samples", "300"}}, NULL, NULL},
    {{{"test_samples", "300"}, {"curve_samples", "301"}},
     "curve_samples",
     "curve_samples is 301, but the curve uses the first of test_samples = 300 sequences; lower the one or raise the "
     "other"},
};

static void blames_the_setting_that_contradicts_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++) {
        const struct combination *row = &combinations[i];
        struct settings settings;
        struct status status = {0};
        const struct setting *blamed = NULL;
        settings_defaults(&settings);
        for (size_t k = 0; k < 3 && row->set[k][0]; k++)
            set(&settings, row->set[k][0], row->set[k][1]);
        enum status_code code = settings_check(&settings, &blamed, &status);
        assert_int_equal(code, row->blamed ? STATUS_INVALID : STATUS_OK);
        assert_string_equal(blamed ? blamed->name : "-", row->blamed ? row->blamed : "-");
        assert_string_equal(status.text, row->message ? row->message : "");
    }
}

static void settings_apply_where_they_have_an_effect(void **state)
{
    (void)state;
    const struct {
        const char *name, *where[2];
    } rows[] = {
        {"momentum", {"optimizer", "momentum"}},          {"relative_clip", {"encoding", "relative"}},
        {"alibi_slope", {"encoding", "alibi"}},           {"rope_base", {"encoding", "rope"}},
        {"sinusoidal_scale", {"encoding", "sinusoidal"}},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    size_t conditional = 0;
    for (size_t i = 0; i < settings_count; i++)
        conditional += settings_table[i].applies != NULL;
    assert_int_equal(conditional, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        struct settings settings;
        settings_defaults(&settings);
        const struct setting *row = setting_find(rows[i].name, strlen(rows[i].name));
        assert_false(setting_applies(row, &settings));
        set(&settings, rows[i].where[0], rows[i].where[1]);
        assert_true(setting_applies(row, &settings));
        for (size_t k = 0; k < ROWS; k++)
            assert_int_equal(setting_applies(setting_find(rows[k].name, strlen(rows[k].name)), &settings), k == i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_the_setting_that_contradicts_another),
        cmocka_unit_test(settings_apply_where_they_have_an_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
