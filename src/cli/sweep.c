// SPDX-License-Identifier: MIT
#include "analyse.h"
#include "base_text.h"
#include "cli_sweep.h"
#include "record_fields.h"
#include "store.h"
#include "sweep_file.h"
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

enum status_code cli_sweep_expand(struct cli_sweep *sweep, size_t limit, struct status *status)
{
    struct bytes warnings = {0};
    enum status_code code = grid_expand(&sweep->sweep, limit, &sweep->grid, status);
    if (code == STATUS_OK)
        code = sweep_file_check(sweep, status);
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

// One "name=value" of --select.
struct pair {
    const char *name, *value;
    size_t name_length, value_length;
    bool used;
};

enum { PAIRS = 32 };

struct selection {
    struct pair pair[PAIRS];
    size_t count;
};

static void trim(const char **text, size_t *length)
{
    for (; *length && (*text)[0] == ' '; ++*text)
        --*length;
    while (*length && (*text)[*length - 1] == ' ')
        --*length;
}

static enum status_code split(const char *text, struct selection *ret, struct status *status)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ","), name = strcspn(at, "=");
        if (name >= length)
            return status_set(status, STATUS_INVALID, "--select: '%.*s' is not NAME=VALUE", (int)length, at);
        if (ret->count == PAIRS)
            return status_set(status, STATUS_INVALID, "--select: more than %d pairs", PAIRS);
        struct pair *pair = &ret->pair[ret->count++];
        *pair = (struct pair){at, at + name + 1, name, length - name - 1, false};
        trim(&pair->name, &pair->name_length);
        trim(&pair->value, &pair->value_length);
        at += length + (at[length] == ',');
    }
    return STATUS_OK;
}

static struct pair *find_pair(struct selection *selection, const char *name)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct pair *pair = &selection->pair[i];
        if (pair->name_length == strlen(name) && memcmp(pair->name, name, pair->name_length) == 0) {
            pair->used = true;
            return pair;
        }
    }
    return NULL;
}

static enum status_code integer_pair(struct selection *selection, const char *name, int64_t *value,
                                     struct status *status)
{
    bool overflow;
    const struct pair *pair = find_pair(selection, name);
    if (!pair || text_to_int(pair->value, pair->value_length, value, &overflow))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID, "--select: %s takes a whole number, not '%.*s'", name,
                      (int)pair->value_length, pair->value);
}

// The trial's test length that is named in tokens or as a multiple of the train length, "4x"; 0 where none is.
static enum status_code choose_length(struct selection *selection, const struct grid_trial *trial, int64_t *ret_length,
                                      struct status *status)
{
    const struct pair *pair = find_pair(selection, "test_length");
    struct test_length length = {0};
    if (!pair) {
        *ret_length = 0;
        return STATUS_OK;
    }
    length.relative = pair->value_length && pair->value[pair->value_length - 1] == 'x';
    if (!text_to_real(pair->value, pair->value_length - length.relative, &length.value))
        return status_set(status, STATUS_INVALID,
                          "--select: test_length takes a number of tokens, or a multiple of the train length such as "
                          "4x, not '%.*s'",
                          (int)pair->value_length, pair->value);
    int64_t tokens = test_length_tokens(length, trial->settings.task.train_length);
    for (size_t i = 0; i < trial->lengths_count; i++)
        if (trial->lengths[i] == tokens) {
            *ret_length = tokens;
            return STATUS_OK;
        }
    return status_set(status, STATUS_INVALID, "--select: test length %.*s is not asked for here",
                      (int)pair->value_length, pair->value);
}

static enum status_code list_values(const struct axis_column *column, size_t count, const char *why,
                                    struct status *status)
{
    char text[SETTING_TEXT_SIZE], list[512] = "";
    for (size_t i = 0; i < count && strlen(list) < sizeof list - SETTING_TEXT_SIZE - 8; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 setting_brief(column->setting, column->values[i], text));
    return status_set(status, STATUS_INVALID, "--select: %s; %s is one of %s", why, column->setting->name, list);
}

// Whether a pair's value is this text, whatever white space divides its words.
static bool is_text(const struct pair *pair, const char *text)
{
    for (size_t i = 0; i < pair->value_length; i++) {
        if (pair->value[i] == ' ' && i && pair->value[i - 1] == ' ')
            continue;
        if (*text++ != pair->value[i])
            return false;
    }
    return !*text;
}

static enum status_code compare_pair(const struct axis_column *column, size_t index, const struct pair *pair,
                                     bool *ret_same, struct status *status)
{
    const struct setting *setting = column->setting;
    union setting_value value;
    if (setting->type == SETTING_TEXT) {
        *ret_same = is_text(pair, column->values[index].text);
        return STATUS_OK;
    }
    if (setting_parse(setting, pair->value, pair->value_length, &value, status))
        return status_context(status, "--select");
    *ret_same = setting_compare(setting, value, column->values[index]) == 0;
    return STATUS_OK;
}

// The place on one axis: the first that agrees with every column that was named.
static enum status_code choose(const struct axis *axis, struct selection *selection, size_t *ret_index,
                               struct status *status)
{
    size_t named = 0;
    bool fits[2] = {false, false};
    for (size_t i = 0; i < axis->count && !fits[0]; i++) {
        fits[1] = true;
        named = 0;
        for (size_t c = 0; c < axis->columns_count; c++) {
            const struct axis_column *column = &axis->columns[c];
            const struct pair *pair = find_pair(selection, column->setting->name);
            bool same;
            if (!pair)
                continue;
            named++;
            enum status_code code = compare_pair(column, i, pair, &same, status);
            if (code)
                return code;
            fits[1] = fits[1] && same;
        }
        fits[0] = fits[1];
        *ret_index = i;
    }
    char why[128];
    snprintf(why, sizeof why, named ? "no such value on axis %s" : "axis %s is open", axis->name);
    if (!fits[0] || (!named && axis->count > 1))
        return list_values(&axis->columns[0], axis->count, why, status);
    return STATUS_OK;
}

static enum status_code refuse_unused(const struct selection *selection, struct status *status)
{
    for (size_t i = 0; i < selection->count; i++) {
        const struct pair *pair = &selection->pair[i];
        if (!pair->used)
            return status_set(status, STATUS_INVALID,
                              "--select: '%.*s' is no axis of this sweep; `lgsweep plan` lists its axes",
                              (int)pair->name_length, pair->name);
    }
    return STATUS_OK;
}

enum status_code cli_select(const struct cli_sweep *sweep, const char *select, const struct grid_trial **ret_trial,
                            int64_t *ret_length, struct status *status)
{
    struct selection selection = {0};
    int64_t replicate = 0;
    size_t cell = 0;
    enum status_code code = split(select, &selection, status);
    for (size_t a = 0; code == STATUS_OK && a < sweep->sweep.axes_count; a++) {
        size_t index = 0;
        code = choose(&sweep->sweep.axes[a], &selection, &index, status);
        cell = cell * sweep->sweep.axes[a].count + index;
    }
    if (code == STATUS_OK)
        code = integer_pair(&selection, "replicate", &replicate, status);
    find_pair(&selection, "test_length"); // for later: it depends on the trial
    if (code == STATUS_OK)
        code = refuse_unused(&selection, status);
    if (code)
        return code;
    if (replicate < 0 || replicate >= sweep->sweep.replicates)
        return status_set(status, STATUS_INVALID, "--select: replicate is from 0 to %lld",
                          (long long)sweep->sweep.replicates - 1);
    ptrdiff_t index = grid_cell_trial(sweep->grid, cell * (size_t)sweep->sweep.replicates + (size_t)replicate);
    if (index < 0)
        return status_set(status, STATUS_INVALID, "--select: the sweep excludes this setting");
    const struct grid_trial *trial = grid_trial(sweep->grid, (size_t)index);
    code = choose_length(&selection, trial, ret_length, status);
    if (code == STATUS_OK)
        *ret_trial = trial;
    return code;
}

enum status_code cli_check_length(const struct settings *settings, int64_t length, struct status *status)
{
    struct settings_fault fault;
    if (!settings_length_fault(settings, length, &fault))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID, "--length: %s", fault.why.text);
}
