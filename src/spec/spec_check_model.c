// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <inttypes.h>
#include <string.h>

static bool is_transformer(const struct settings *settings)
{
    return settings->model.kind == MODEL_TRANSFORMER;
}

static bool has_attention(const struct settings *settings)
{
    return is_transformer(settings) || settings->model.kind == MODEL_TWO_LAYER;
}

static bool is_on_tokens(const struct settings *settings)
{
    return settings->task.kind != TASK_SIGNAL;
}

static const char *choice_name(const char *name, const struct settings *settings)
{
    const struct setting *row = setting_find(name, strlen(name));
    return row->choices[setting_get(row, settings).choice];
}

static enum status_code check_task(const struct settings *settings, struct status *status)
{
    if (settings->model.kind != MODEL_TWO_LAYER || !is_on_tokens(settings))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "model two_layer reads vectors, but task %s gives tokens; take model transformer, rnn or lstm, "
                      "or task signal",
                      choice_name("task", settings));
}

static enum status_code check_heads(const struct settings *settings, struct status *status)
{
    const int64_t width = settings->model.width, heads = settings->model.heads;
    if (!is_transformer(settings) || width % heads == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "width is %" PRId64 ", which heads = %" PRId64 " do not divide; take a multiple of %" PRId64
                      " as width, or other heads",
                      width, heads, heads);
}

static enum status_code check_rotary_heads(const struct settings *settings, struct status *status)
{
    const int64_t width = settings->model.width, heads = settings->model.heads;
    if (!is_transformer(settings) || settings->model.encoding != ENCODING_ROPE || width % heads != 0 ||
        width / heads % 2 == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "width is %" PRId64 " and heads is %" PRId64 ", so that a head is %" PRId64
                      " wide, but encoding rope turns pairs of coordinates; make width a multiple of %" PRId64,
                      width, heads, width / heads, 2 * heads);
}

static enum status_code check_head_dim(const struct settings *settings, struct status *status)
{
    if (settings->model.kind != MODEL_TWO_LAYER || settings->model.encoding != ENCODING_ROPE ||
        settings->model.head_dim % 2 == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "head_dim is %" PRId64 ", but encoding rope turns pairs of coordinates; make it even",
                      settings->model.head_dim);
}

static enum status_code check_pooling(const struct settings *settings, struct status *status)
{
    const bool everywhere = settings_every_step(settings);
    if (settings->model.kind == MODEL_TWO_LAYER || everywhere == (settings_pooling(settings) == POOLING_PER_POSITION))
        return STATUS_OK;
    if (settings_autoregressive(settings))
        return status_set(
            status, STATUS_INVALID,
            "pooling is %s, but in task %s each position says the next symbol; write pooling: per_position",
            choice_name("pooling", settings), choice_name("task", settings));
    if (is_on_strings(settings) && everywhere)
        return status_set(status, STATUS_INVALID,
                          "pooling is %s, but in task %s each blank has a target; write pooling: per_position",
                          choice_name("pooling", settings), choice_name("task", settings));
    if (everywhere)
        return status_set(status, STATUS_INVALID,
                          "pooling is %s, but under supervision steps each position has a target; write pooling: "
                          "per_position, or supervision: final",
                          choice_name("pooling", settings));
    return status_set(status, STATUS_INVALID,
                      "pooling is per_position, but task %s%s has one target a sequence; write pooling: last or mean",
                      choice_name("task", settings),
                      is_on_tokens(settings) && !is_on_strings(settings) ? " under supervision final" : "");
}

static enum status_code check_tied(const struct settings *settings, struct status *status)
{
    const int64_t symbols = settings_vocabulary(settings), classes = settings_classes(settings);
    if (settings->model.kind == MODEL_TWO_LAYER || !is_on_tokens(settings) || !settings->model.tied ||
        classes <= symbols)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "tied is true, so that a class takes a symbol's vector, but task %s has %" PRId64
                      " classes and %" PRId64 " symbols; write tied: false",
                      choice_name("task", settings), classes, symbols);
}

static enum status_code check_random_positions(const struct settings *settings, struct status *status)
{
    const int64_t positions = settings->model.random_positions,
                  length = settings_tokens(settings, false, settings->task.train_length);
    if (!has_attention(settings) || settings->model.encoding == ENCODING_NONE || positions == 0 || length <= positions)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "random_positions is %" PRId64 ", fewer than the %" PRId64
                      " tokens that need one each; raise it, or write 0 for positions as they are",
                      positions, length);
}

static enum status_code check_train_tokens(const struct settings *settings, struct status *status)
{
    const int64_t length = settings->task.train_length, tokens = settings_tokens(settings, false, length);
    if (!is_transformer(settings) || tokens <= MODEL_LENGTH_LIMIT)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "train_length is %" PRId64 ", so that sequences have %" PRId64
                      " tokens, more than the %d that a transformer takes; lower it",
                      length, tokens, MODEL_LENGTH_LIMIT);
}

static bool uses_t5(const struct settings *settings)
{
    return has_attention(settings) && settings->model.encoding == ENCODING_T5;
}

// Half of the buckets of each direction are for a single distance.
static int64_t t5_unit(const struct settings *settings)
{
    return settings_causal(settings) ? 2 : 4;
}

static enum status_code check_t5_buckets(const struct settings *settings, struct status *status)
{
    const int64_t buckets = settings->model.t5_buckets, unit = t5_unit(settings);
    if (!uses_t5(settings) || buckets % unit == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "t5_buckets is %" PRId64 ", but %s attention shares them out by %" PRId64
                      "; make it a multiple of that",
                      buckets, unit == 2 ? "causal" : "bidirectional", unit);
}

static enum status_code check_t5_distance(const struct settings *settings, struct status *status)
{
    const int64_t exact = settings->model.t5_buckets / t5_unit(settings), distance = settings->model.t5_distance;
    if (!uses_t5(settings) || distance > exact)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "t5_distance is %" PRId64 ", but of t5_buckets = %" PRId64 " the first %" PRId64
                      " are for a single distance each; raise the one or lower the other",
                      distance, settings->model.t5_buckets, exact);
}

static enum status_code check_base_width(const struct settings *settings, struct status *status)
{
    const int64_t base = settings->model.base_width, heads = settings->model.heads;
    if (!is_transformer(settings) || settings->model.parametrization != PARAMETRIZATION_MUP || base % heads == 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "base_width is %" PRId64 ", which heads = %" PRId64
                      " do not divide, as mup needs for the scale of scores; take a multiple of %" PRId64,
                      base, heads, heads);
}

const struct settings_check_row checks_of_model[] = {
    {{"model", "task"}, check_task},
    {{"width", "heads"}, check_heads},
    {{"width", "heads", "encoding"}, check_rotary_heads},
    {{"head_dim", "encoding"}, check_head_dim},
    {{"pooling", "supervision", "task"}, check_pooling},
    {{"tied", "task"}, check_tied},
    {{"random_positions", "train_length"}, check_random_positions},
    {{"train_length"}, check_train_tokens},
    {{"t5_buckets", "encoding"}, check_t5_buckets},
    {{"t5_distance", "t5_buckets", "encoding"}, check_t5_distance},
    {{"base_width", "heads", "parametrization"}, check_base_width},
    {{NULL}, NULL},
};
