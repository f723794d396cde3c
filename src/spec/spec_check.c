// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum status_code check_count_or_share(const char *name, double value, struct status *status)
{
    if (value < 1 || value == floor(value))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "%s is %g, neither a count nor a share; write an integer from 1, or a share below 1", name,
                      value);
}

static void name_blamed(const char *const names[FAULT_BLAMED], struct settings_fault *fault)
{
    for (size_t i = 0; i < FAULT_BLAMED; i++)
        fault->blamed[i] = names[i] ? setting_find(names[i], strlen(names[i])) : NULL;
}

bool settings_next_fault(const struct settings *settings, size_t *at, struct settings_fault *ret_fault)
{
    static const struct settings_check_row *const lists[] = {checks_of_task,    checks_of_lengths, checks_of_digits,
                                                             checks_of_strings, checks_of_file,    checks_of_model,
                                                             checks_of_train};
    size_t number = 0;
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++)
        for (const struct settings_check_row *row = lists[list]; row->check; row++) {
            if (number++ < *at || row->check(settings, &ret_fault->why) == STATUS_OK)
                continue;
            name_blamed(row->blamed, ret_fault);
            *at = number;
            return true;
        }
    *at = number;
    return false;
}

enum status_code settings_check(const struct settings *settings, const struct setting **ret_setting,
                                struct status *status)
{
    struct settings_fault fault;
    size_t at = 0;
    if (!settings_next_fault(settings, &at, &fault))
        return STATUS_OK;
    *ret_setting = fault.blamed[0];
    return status_set(status, STATUS_INVALID, "%s", fault.why.text);
}

bool settings_length_fault(const struct settings *settings, int64_t test_length, struct settings_fault *ret_fault)
{
    const struct model_settings *model = &settings->model;
    const int64_t tokens = settings_tokens(settings, true, test_length);
    static const char *const limit[FAULT_BLAMED] = {NULL}, *const positions[FAULT_BLAMED] = {"random_positions"};
    const char *task[FAULT_BLAMED] = {"supervision", "automaton", "test_depth"};
    if (check_length(settings, true, test_length, &ret_fault->why) != STATUS_OK ||
        check_arithmetic_length(settings, true, test_length, task, &ret_fault->why) != STATUS_OK) {
        name_blamed(is_on_strings(settings) ? limit : task, ret_fault);
        return true;
    }
    if (model->kind == MODEL_TRANSFORMER && tokens > MODEL_LENGTH_LIMIT) {
        name_blamed(limit, ret_fault);
        status_set(&ret_fault->why, STATUS_INVALID,
                   "test sequences of %" PRId64 " tokens are longer than the %d that a transformer takes; test at "
                   "shorter ones",
                   tokens, MODEL_LENGTH_LIMIT);
        return true;
    }
    if (!model->random_positions || tokens <= model->random_positions ||
        !setting_applies(setting_find(positions[0], strlen(positions[0])), settings))
        return false;
    name_blamed(positions, ret_fault);
    status_set(&ret_fault->why, STATUS_INVALID,
               "test sequences of %" PRId64 " tokens have more positions than random_positions = %" PRId64
               "; raise it to at least the longest test length",
               tokens, model->random_positions);
    return true;
}
