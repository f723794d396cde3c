// SPDX-License-Identifier: MIT
// Settings that contradict each other: rows of what is set, what is blamed and what is said.
#pragma once
#include "support.h"

#include "spec_settings.h"
#include <string.h>

enum { SET_LIMIT = 8 };

// `blamed` is NULL where the settings are accepted.
struct combination {
    const char *set[SET_LIMIT][2];
    const char *blamed;
    const char *message;
};

// The same of one test length.
struct length_combination {
    const char *set[SET_LIMIT][2];
    int64_t length;
    const char *blamed, *message;
};

static inline void set(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

static inline struct settings settings_with(const char *const (*pairs)[2])
{
    struct settings settings;
    settings_defaults(&settings);
    for (size_t k = 0; k < SET_LIMIT && pairs[k][0]; k++)
        set(&settings, pairs[k][0], pairs[k][1]);
    return settings;
}

// The first fault is the row's, and it blames settings that its message names and that have an effect.
static inline void check_combination(const struct combination *row)
{
    const struct settings settings = settings_with(row->set);
    struct settings_fault fault;
    struct status status = {0};
    const struct setting *blamed = NULL;
    size_t at = 0;
    assert_int_equal(settings_check(&settings, &blamed, &status), row->blamed ? STATUS_INVALID : STATUS_OK);
    assert_string_equal(status.text, row->message ? row->message : "");
    assert_string_equal(blamed ? blamed->name : "-", row->blamed ? row->blamed : "-");
    if (!settings_next_fault(&settings, &at, &fault))
        return;
    assert_non_null(strstr(fault.why.text, fault.blamed[0]->name));
    for (size_t b = 0; b < FAULT_BLAMED && fault.blamed[b]; b++)
        assert_true(setting_applies(fault.blamed[b], &settings) || b > 0 || settings.train.epochs);
}

static inline void check_length_combination(const struct length_combination *row)
{
    const struct settings settings = settings_with(row->set);
    struct settings_fault fault = {.blamed = {NULL}};
    assert_int_equal(settings_length_fault(&settings, row->length, &fault), row->message != NULL);
    assert_string_equal(fault.why.text, row->message ? row->message : "");
    assert_string_equal(fault.blamed[0] ? fault.blamed[0]->name : "-", row->blamed ? row->blamed : "-");
}
