// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "cli_sweep.h"
#include <stdio.h>
#include <string.h>

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

// Up to a comma that is not within brackets.
static size_t pair_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (depth > 0 || text[length] != ','); length++)
        depth += (text[length] == '[') - (text[length] == ']');
    return length;
}

static const struct setting *text_setting(const struct pair *pair)
{
    const struct setting *setting = setting_find(pair->name, pair->name_length);
    return setting && setting->type == SETTING_TEXT && setting->levels ? setting : NULL;
}

static enum status_code split(const char *text, struct selection *ret, struct status *status)
{
    for (const char *at = text; *at;) {
        size_t length = pair_length(at), name = strcspn(at, "=");
        const bool of_list = name >= length && ret->count && text_setting(&ret->pair[ret->count - 1]);
        if (name >= length)
            return status_set(status, STATUS_INVALID, "--select: '%.*s' is not NAME=VALUE%s", (int)length, at,
                              of_list ? "; integers of a list stand one space apart, or within brackets" : "");
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

// The text that a list in brackets stands for, of one level or two; false where it is none.
static bool put_brackets(const struct pair *pair, struct bytes *ret_text)
{
    const bool rows = pair->value_length > 1 && memchr(pair->value + 1, '[', pair->value_length - 1);
    int depth = 0;
    for (size_t i = 0; i < pair->value_length; i++) {
        const char c = pair->value[i];
        depth += (c == '[') - (c == ']');
        if (depth > 1 + rows || depth < 0 || (depth == 0 && c != ']' && c != ' '))
            return false;
        if (rows && depth == 1 && !strchr("[], ", c))
            return false;
        bytes_u8(ret_text, c == ',' && rows && depth == 1 ? ';' : strchr("[],", c) ? ' ' : (unsigned char)c);
    }
    return depth == 0;
}

static enum status_code read_list(const struct setting *setting, struct arena *arena, struct pair *pair,
                                  struct status *status)
{
    struct bytes plain = {0}, text = {0};
    enum status_code code = STATUS_INVALID;
    const bool brackets = pair->value_length && *pair->value == '[';
    if (!brackets)
        bytes_raw(&plain, pair->value, pair->value_length);
    if (!brackets || put_brackets(pair, &plain))
        code = setting_rows(setting, (const char *)plain.data, plain.size, &text, NULL);
    const char *copy = plain.failed || text.failed ? NULL : arena_text(arena, (const char *)text.data, text.size);
    if (code != STATUS_OK)
        status_set(status, code, "--select: '%.*s' is no list of %s; write %s=%s", (int)pair->value_length, pair->value,
                   setting->levels == 1 ? "integers" : "rows of integers", setting->name,
                   setting->levels == 1 ? "0 1 or [0, 1]" : "0 1; 1 0 or [[0, 1], [1, 0]]");
    else if (!copy)
        code = status_set(status, STATUS_MEMORY, "out of memory for --select");
    if (code == STATUS_OK) {
        pair->value = copy;
        pair->value_length = text.size;
    }
    bytes_fini(&plain);
    bytes_fini(&text);
    return code;
}

static enum status_code refuse_block(const struct axis *axis, struct status *status)
{
    char list[256];
    size_t used = 0;
    for (size_t c = 0; c < axis->columns_count && used < sizeof list; c++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", c ? ", " : "", axis->columns[c].setting->name);
    return status_set(status, STATUS_INVALID, "--select: '%s' is a zip block, which is chosen by its settings: %s",
                      axis->name, list);
}

// Lists as the axes have them; no pair names a zip block.
static enum status_code read_pairs(const struct cli_sweep *sweep, struct selection *selection, struct status *status)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < selection->count && code == STATUS_OK; i++) {
        struct pair *pair = &selection->pair[i];
        const struct setting *setting = setting_find(pair->name, pair->name_length), *list = text_setting(pair);
        if (list)
            code = read_list(list, sweep->arena, pair, status);
        for (size_t a = 0; !setting && a < sweep->sweep.axes_count; a++) {
            const struct axis *axis = &sweep->sweep.axes[a];
            if (strlen(axis->name) == pair->name_length && memcmp(axis->name, pair->name, pair->name_length) == 0)
                return refuse_block(axis, status);
        }
    }
    return code;
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

static enum status_code compare_pair(const struct axis_column *column, size_t index, const struct pair *pair,
                                     bool *ret_same, struct status *status)
{
    const struct setting *setting = column->setting;
    union setting_value value;
    if (setting->type == SETTING_TEXT) {
        const char *text = column->values[index].text;
        *ret_same = strlen(text) == pair->value_length && memcmp(text, pair->value, pair->value_length) == 0;
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
            bool same = false;
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
    if (code == STATUS_OK)
        code = read_pairs(sweep, &selection, status);
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
