// SPDX-License-Identifier: MIT
// Which trial's weights a trial starts from, and where weights lie.
#include "spec_sweep.h"
#include <inttypes.h>
#include <stdio.h>

int64_t settings_last_step(const struct settings *settings)
{
    return settings->train.budget == BUDGET_STEPS ? settings_steps(settings) : STEP_LAST;
}

bool sweep_source(const struct sweep *sweep, const struct settings *settings, struct hash128 *ret_identity,
                  int64_t *ret_step)
{
    const struct sweep_init *init = &sweep->init;
    struct settings source = *settings;
    if (!init->from)
        return false;
    source.init_source = 0;
    for (size_t i = 0; i < init->count; i++)
        setting_put(init->with[i].setting, &source, init->with[i].value);
    *ret_identity = settings_identity(&source);
    *ret_step = init->step == STEP_LAST ? settings_last_step(&source) : init->step;
    return true;
}

void sweep_set_source(const struct sweep *sweep, struct settings *settings)
{
    struct hash128 identity;
    int64_t step;
    if (!sweep_source(sweep, settings, &identity, &step))
        return;
    char name[HASH_TEXT_SIZE], line[HASH_TEXT_SIZE + 32];
    hash_text(identity, name);
    const int length = snprintf(line, sizeof line, "%s-%" PRId64, name, step);
    settings->init_source = hash_64(line, (size_t)length) | 1; // never 0
}

void settings_plain(const struct settings *settings, struct bytes *ret_text)
{
    struct settings plain = *settings;
    plain.init_source = 0;
    settings_canonical(&plain, ret_text);
}

bool weights_folder(const char *store_path, char ret_path[WEIGHTS_PATH_SIZE])
{
    return snprintf(ret_path, WEIGHTS_PATH_SIZE, "%s.weights", store_path) < WEIGHTS_PATH_SIZE;
}

bool weights_path(const char *store_path, struct hash128 identity, int64_t step, char ret_path[WEIGHTS_PATH_SIZE])
{
    char name[HASH_TEXT_SIZE];
    char number[24] = "last";
    hash_text(identity, name);
    if (step != STEP_LAST)
        snprintf(number, sizeof number, "%" PRId64, step);
    return snprintf(ret_path, WEIGHTS_PATH_SIZE, "%s.weights/%s-%s.safetensors", store_path, name, number) <
           WEIGHTS_PATH_SIZE;
}
