// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "spec_private.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

union setting_value setting_get(const struct setting *setting, const struct settings *settings)
{
    const char *at = (const char *)settings + setting->offset;
    union setting_value value = {0};
    switch (setting->type) {
    case SETTING_INT:
        value.i = *(const int64_t *)(const void *)at;
        break;
    case SETTING_UINT:
        value.u = *(const uint64_t *)(const void *)at;
        break;
    case SETTING_REAL:
        value.r = *(const double *)(const void *)at;
        break;
    case SETTING_CHOICE:
        value.choice = *(const int *)(const void *)at;
        break;
    case SETTING_BOOL:
        value.b = *(const bool *)(const void *)at;
        break;
    case SETTING_TEXT:
        value.text = *(const char *const *)(const void *)at;
        value.text = value.text ? value.text : ""; // of zeroed settings
        break;
    }
    return value;
}

void setting_put(const struct setting *setting, struct settings *settings, union setting_value value)
{
    char *at = (char *)settings + setting->offset;
    switch (setting->type) {
    case SETTING_INT:
        *(int64_t *)(void *)at = value.i;
        break;
    case SETTING_UINT:
        *(uint64_t *)(void *)at = value.u;
        break;
    case SETTING_REAL:
        *(double *)(void *)at = value.r;
        break;
    case SETTING_CHOICE:
        *(int *)(void *)at = value.choice;
        break;
    case SETTING_BOOL:
        *(bool *)(void *)at = value.b;
        break;
    case SETTING_TEXT:
        *(const char **)(void *)at = value.text;
        break;
    }
}

const char *setting_text(const struct setting *setting, union setting_value value, char ret_text[SETTING_TEXT_SIZE])
{
    switch (setting->type) {
    case SETTING_INT:
        snprintf(ret_text, SETTING_TEXT_SIZE, "%" PRId64, value.i);
        break;
    case SETTING_UINT:
        snprintf(ret_text, SETTING_TEXT_SIZE, "%" PRIu64, value.u);
        break;
    case SETTING_REAL:
        text_real(value.r == 0 ? 0 : value.r, ret_text);
        break;
    case SETTING_CHOICE:
        snprintf(ret_text, SETTING_TEXT_SIZE, "%s", setting->choices[value.choice]);
        break;
    case SETTING_BOOL:
        snprintf(ret_text, SETTING_TEXT_SIZE, "%s", value.b ? "true" : "false");
        break;
    case SETTING_TEXT:
        return value.text;
    }
    return ret_text;
}

char *setting_brief(const struct setting *setting, union setting_value value, char ret_text[SETTING_TEXT_SIZE])
{
    static const char ellipsis[] = "…";
    const char *text = setting_text(setting, value, ret_text);
    size_t shown = strlen(text);
    if (text == ret_text)
        return ret_text;
    if (shown >= SETTING_TEXT_SIZE)
        for (shown = SETTING_TEXT_SIZE - sizeof ellipsis; shown && ((unsigned char)text[shown] & 0xC0) == 0x80;)
            shown--; // to the beginning of a character
    memcpy(ret_text, text, shown);
    strcpy(ret_text + shown, text[shown] ? ellipsis : "");
    return ret_text;
}

int setting_compare(const struct setting *setting, union setting_value a, union setting_value b)
{
    switch (setting->type) {
    case SETTING_INT:
        return (a.i > b.i) - (a.i < b.i);
    case SETTING_UINT:
        return (a.u > b.u) - (a.u < b.u);
    case SETTING_REAL:
        return (a.r > b.r) - (a.r < b.r);
    case SETTING_CHOICE:
        return (a.choice > b.choice) - (a.choice < b.choice);
    case SETTING_BOOL:
        return (int)a.b - (int)b.b;
    case SETTING_TEXT:
        return strcmp(a.text, b.text);
    }
    return 0;
}

double setting_real(const struct setting *setting, union setting_value value)
{
    switch (setting->type) {
    case SETTING_INT:
        return (double)value.i;
    case SETTING_UINT:
        return (double)value.u;
    case SETTING_REAL:
        return value.r;
    case SETTING_CHOICE:
        return value.choice;
    case SETTING_BOOL:
        return value.b;
    case SETTING_TEXT:
        return NAN;
    }
    return 0;
}

bool setting_applies(const struct setting *setting, const struct settings *settings)
{
    return !setting->applies || setting->applies(settings);
}

bool setting_is_default(const struct setting *setting, const struct settings *settings)
{
    return setting_compare(setting, setting_get(setting, settings), setting->standard) == 0;
}

void settings_defaults(struct settings *ret_settings)
{
    // Padding is zeroed too, so that copies of equal settings are equal bytes.
    memset(ret_settings, 0, sizeof *ret_settings);
    for (size_t i = 0; i < settings_count; i++)
        setting_put(&settings_table[i], ret_settings, settings_table[i].standard);
}

const struct setting *settings_differ(const struct settings *a, const struct settings *b)
{
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        if (setting_compare(setting, setting_get(setting, a), setting_get(setting, b)) != 0)
            return setting;
    }
    return NULL;
}

bool settings_keep(struct settings *settings, struct arena *arena)
{
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *setting = &settings_table[i];
        union setting_value value = setting_get(setting, settings);
        if (setting->type != SETTING_TEXT || !*value.text)
            continue;
        value.text = arena_text(arena, value.text, strlen(value.text));
        if (!value.text)
            return false;
        setting_put(setting, settings, value);
    }
    return true;
}

int64_t settings_data_seed(const struct settings *settings)
{
    return settings->data_seed >= 0 ? settings->data_seed : settings->replicate;
}

int64_t settings_init_seed(const struct settings *settings)
{
    return settings->init_seed >= 0 ? settings->init_seed : settings->replicate;
}

// Batches of an epoch: the last may be shorter.
static int64_t batches(const struct settings *settings)
{
    const int64_t size = settings_batch_size(settings);
    return (settings->task.samples + size - 1) / size;
}

int64_t settings_steps(const struct settings *settings)
{
    const struct train_settings *train = &settings->train;
    if (train->budget == BUDGET_TOKENS) {
        const int64_t each = train->accumulation * settings_batch_size(settings) *
                             settings_tokens(settings, false, settings->task.train_length);
        return train->budget_tokens > each ? train->budget_tokens / each : 1;
    }
    if (train->epochs == 0 || train->data != DATA_FINITE)
        return train->steps;
    return (train->epochs * batches(settings) + train->accumulation - 1) / train->accumulation;
}

int64_t settings_batch_size(const struct settings *settings)
{
    const int64_t samples = settings->task.samples, size = settings->train.batch_size;
    if (size == 0 || (settings->train.data == DATA_FINITE && size > samples))
        return samples;
    return size;
}

bool settings_causal(const struct settings *settings)
{
    const int mask = settings->model.attention_mask;
    if (settings->model.kind == MODEL_TWO_LAYER)
        return false;
    return mask == MASK_CAUSAL || (mask == MASK_AUTO && settings->task.kind != TASK_SIGNAL);
}

enum pooling_kind settings_pooling(const struct settings *settings)
{
    if (settings->model.kind == MODEL_TWO_LAYER)
        return POOLING_MEAN;
    if (settings->model.pooling != POOLING_AUTO)
        return settings->model.pooling;
    if (settings->task.kind == TASK_SIGNAL)
        return POOLING_MEAN;
    return settings_every_step(settings) ? POOLING_PER_POSITION : POOLING_LAST;
}
