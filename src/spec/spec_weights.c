// SPDX-License-Identifier: MIT
// Which trial's weights a trial starts from, and where weights lie.
#include "spec_sweep.h"
#include <inttypes.h>
#include <stdio.h>

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
    *ret_step = init->step == STEP_LAST ? settings_steps(&source) : init->step;
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
    hash_text(identity, name);
    return snprintf(ret_path, WEIGHTS_PATH_SIZE, "%s.weights/%s-%" PRId64 ".safetensors", store_path, name, step) <
           WEIGHTS_PATH_SIZE;
}
