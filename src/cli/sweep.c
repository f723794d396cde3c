// SPDX-License-Identifier: MIT
#include "analyse.h"
#include "base_text.h"
#include "cli_sweep.h"
#include "record_fields.h"
#include "store.h"
#include "sweep_file.h"
#include "trial.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_derived(const char *name)
{
    struct record_derived variable;
    for (size_t i = 0; analyse_variable(i, &variable); i++)
        if (strcmp(variable.name, name) == 0)
            return true;
    return false;
}

// A zip block's name becomes a dimension of the store, where variables have names too.
static enum status_code check_axis_names(const struct sweep *sweep, struct status *status)
{
    for (size_t a = 0; a < sweep->axes_count; a++) {
        const struct axis *axis = &sweep->axes[a];
        bool plain = axis->columns_count == 1 && strcmp(axis->name, axis->columns[0].setting->name) == 0;
        if (plain || (!record_field_by_name(axis->name) && !is_derived(axis->name) && !store_uses_name(axis->name)))
            continue;
        struct bytes text = {0};
        char message[160];
        snprintf(message, sizeof message, "'%s' is the name of a variable of the store; call the zip block otherwise",
                 axis->name);
        sweep_describe(sweep, axis->place, message, &text);
        status_set(status, STATUS_INVALID, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
        bytes_fini(&text);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

// Steps of `save` that no trial gets to.
static void warn_saves(const struct cli_sweep *loaded, struct bytes *ret_warnings)
{
    const struct sweep *sweep = &loaded->sweep;
    int64_t most = 0;
    for (size_t i = 0; sweep->saves_count > 0 && i < grid_trials(loaded->grid); i++) {
        const struct settings *settings = &grid_trial(loaded->grid, i)->settings;
        const int64_t last = settings_last_step(settings), steps = last == STEP_LAST ? INT64_MAX : last;
        most = steps > most ? steps : most;
    }
    for (size_t i = 0; i < sweep->saves_count; i++) {
        char message[120];
        snprintf(message, sizeof message, "warning: 'save' names step %" PRId64 ", but training ends at step %" PRId64,
                 sweep->saves[i], most);
        if (sweep->saves[i] > most)
            sweep_describe(sweep, sweep->saves_place, message, ret_warnings);
    }
}

// With the line to blame and the trial that it is about.
static enum status_code describe_fault(const struct sweep *sweep, const struct settings *settings, const char *blamed,
                                       struct status *status)
{
    struct bytes name = {0}, text = {0};
    const struct setting *row = setting_find(blamed, strlen(blamed));
    char message[1024];
    cli_trial_text(sweep, settings, &name);
    snprintf(message, sizeof message, "%.512s (at %.*s)", status->text, (int)name.size,
             name.data ? (const char *)name.data : "");
    sweep_describe(sweep, sweep->places[setting_index(row)], message, &text);
    status_set(status, STATUS_INVALID, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
    bytes_fini(&name);
    bytes_fini(&text);
    return STATUS_INVALID;
}

// What the grid cannot see in settings, since the model's operations tell it.
static enum status_code check_trials(const struct cli_sweep *sweep, struct status *status)
{
    for (size_t i = 0; i < grid_trials(sweep->grid); i++) {
        const struct settings *settings = &grid_trial(sweep->grid, i)->settings;
        if (trial_check(settings, status) != STATUS_OK)
            return describe_fault(&sweep->sweep, settings, "warmup", status);
    }
    return STATUS_OK;
}

enum status_code cli_sweep_expand(struct cli_sweep *sweep, size_t limit, struct status *status)
{
    struct bytes warnings = {0};
    enum status_code code = grid_expand(&sweep->sweep, limit, &sweep->grid, status);
    if (code == STATUS_OK)
        code = sweep_file_check(sweep, status);
    if (code == STATUS_OK)
        code = check_trials(sweep, status);
    if (code == STATUS_OK) {
        grid_warn_idle(sweep->grid, &warnings);
        warn_saves(sweep, &warnings);
    }
    cli_print_lines(&warnings);
    bytes_fini(&warnings);
    return code;
}

enum status_code cli_sweep_load(const char *path, size_t limit, struct cli_sweep *ret_sweep, struct status *status)
{
    struct bytes warnings = {0};
    *ret_sweep = (struct cli_sweep){.arena = arena_create(1 << 16, 0)};
    if (!ret_sweep->arena)
        return status_set(status, STATUS_MEMORY, "out of memory while reading %s", path);
    enum status_code code = config_load(path, ret_sweep->arena, &ret_sweep->sweep, &warnings, status);
    cli_print_lines(&warnings);
    bytes_fini(&warnings);
    if (code == STATUS_OK)
        code = check_axis_names(&ret_sweep->sweep, status);
    if (code == STATUS_OK)
        code = sweep_file_resolve(ret_sweep, status);
    if (code == STATUS_OK && limit)
        code = cli_sweep_expand(ret_sweep, limit, status);
    return code;
}

enum status_code cli_sweep_parse(const char *path, const char *text, size_t size, struct cli_sweep *ret_sweep,
                                 struct status *status)
{
    *ret_sweep = (struct cli_sweep){.arena = arena_create(1 << 16, 0)};
    if (!ret_sweep->arena)
        return status_set(status, STATUS_MEMORY, "out of memory for the sweep of %s", path);
    enum status_code code = config_parse(path, text, size, ret_sweep->arena, &ret_sweep->sweep, NULL, status);
    return code ? code : grid_expand(&ret_sweep->sweep, CLI_GRID_LIMIT, &ret_sweep->grid, status);
}

void cli_sweep_fini(struct cli_sweep *sweep)
{
    grid_destroy(sweep->grid);
    arena_destroy(sweep->arena);
    *sweep = (struct cli_sweep){0};
}

static void put_setting(const struct setting *setting, const struct settings *settings, struct bytes *ret_text)
{
    char value[SETTING_TEXT_SIZE];
    setting_brief(setting, setting_get(setting, settings), value);
    bytes_raw(ret_text, setting->name, strlen(setting->name));
    bytes_u8(ret_text, '=');
    bytes_raw(ret_text, value, strlen(value));
    bytes_u8(ret_text, ' ');
}

void cli_trial_text(const struct sweep *sweep, const struct settings *settings, struct bytes *ret_text)
{
    struct settings rest = *settings;
    char replicate[TEXT_NUMBER_SIZE + 16];
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++) {
            const struct setting *setting = sweep->axes[a].columns[c].setting;
            put_setting(setting, settings, ret_text);
            setting_put(setting, &rest, setting_get(setting, &sweep->base));
        }
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        if (!setting->assigned &&
            setting_compare(setting, setting_get(setting, &rest), setting_get(setting, &sweep->base)) != 0)
            put_setting(setting, settings, ret_text);
    }
    snprintf(replicate, sizeof replicate, "replicate=%lld", (long long)settings->replicate);
    bytes_raw(ret_text, replicate, strlen(replicate));
}

void cli_settings_text(const struct sweep *sweep, const struct settings *settings, struct bytes *ret_text)
{
    struct settings other = *settings;
    struct hash128 identity;
    int64_t step = 0;
    char line[HASH_TEXT_SIZE + 80] = "starts from saved weights\n", name[HASH_TEXT_SIZE];
    settings_plain(settings, ret_text);
    if (!settings->init_source)
        return;
    sweep_set_source(sweep, &other);
    if (other.init_source == settings->init_source && sweep_source(sweep, settings, &identity, &step)) {
        hash_text(identity, name);
        if (step == STEP_LAST)
            snprintf(line, sizeof line, "starts from the weights of trial %s after its last step\n", name);
        else
            snprintf(line, sizeof line, "starts from the weights of trial %s after step %lld\n", name, (long long)step);
    }
    bytes_raw(ret_text, line, strlen(line));
}

enum status_code cli_check_length(const struct settings *settings, int64_t length, struct status *status)
{
    struct settings_fault fault;
    if (!settings_length_fault(settings, length, &fault))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID, "--length: %s", fault.why.text);
}
