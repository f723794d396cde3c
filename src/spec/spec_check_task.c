// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <inttypes.h>

static enum status_code check_signal_tokens(const struct settings *settings, struct status *status)
{
    double tokens = settings->task.signal_tokens;
    if (settings->task.kind != TASK_SIGNAL)
        return STATUS_OK;
    if (check_count_or_share("signal_tokens", tokens, status) != STATUS_OK)
        return STATUS_INVALID;
    if (tokens > (double)settings->task.train_length)
        return status_set(status, STATUS_INVALID,
                          "signal_tokens is %.0f, but sequences have train_length = %" PRId64
                          " tokens; lower the one or raise the other",
                          tokens, settings->task.train_length);
    return STATUS_OK;
}

// Of the other tasks the ranges of their settings, or checks of their own, see to it.
static enum status_code check_vocabulary(const struct settings *settings, struct status *status)
{
    const int64_t begin = settings_begin_tokens(settings), query = settings_query_tokens(settings);
    const int64_t symbols = settings_vocabulary(settings);
    if (settings->task.kind != TASK_ACCUMULATOR || symbols <= VOCABULARY_LIMIT)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "modulus is %" PRId64 ", so that the vocabulary has %" PRId64
                      " symbols%s%s%s%s, more than %d; lower it to at most %" PRId64,
                      settings->task.modulus, symbols, begin || query ? " with " : "", begin ? "begin_token" : "",
                      begin && query ? " and " : "", query ? "query_token" : "", VOCABULARY_LIMIT,
                      (VOCABULARY_LIMIT - begin - query) / 2);
}

static enum status_code check_automaton_length(const struct settings *settings, const char *name, int64_t length,
                                               struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (task->automaton == AUTOMATON_TABLE)
        return check_table_length(settings, name, length, status);
    if (task->automaton == AUTOMATON_EVEN_PAIRS && length < 2)
        return status_set(status, STATUS_INVALID,
                          "%s is %" PRId64 ", but even_pairs compares the first symbol with the last; take at least 2",
                          name, length);
    if (task->automaton == AUTOMATON_MODULAR_ARITHMETIC && task->supervision == SUPERVISION_FINAL && length % 2 == 0)
        return status_set(status, STATUS_INVALID,
                          "%s is %" PRId64 ", but an expression of modular_arithmetic has numbers in odd places and "
                          "operators between them; take an odd length, or supervision: steps",
                          name, length);
    return STATUS_OK;
}

enum status_code check_length(const struct settings *settings, bool test, int64_t length, struct status *status)
{
    const struct task_settings *task = &settings->task;
    const char *name = test ? "test_length" : "train_length";
    if (task->kind == TASK_AUTOMATON)
        return check_automaton_length(settings, name, length, status);
    if (is_on_strings(settings))
        return check_string_length(settings, name, length, status);
    const int64_t depth = test && task->test_depth ? task->test_depth : task->depth;
    if (task->kind != TASK_BRACKETS || depth > 1 || task->supervision != SUPERVISION_FINAL || length % 2 != 0)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "%s is %" PRId64 ", but with %s = 1 no bracket is open after an even number of symbols, so that "
                      "every answer is the same; take an odd length, more depth, or supervision: steps",
                      name, length, test && task->test_depth ? "test_depth" : "depth");
}

static enum status_code check_train_length(const struct settings *settings, struct status *status)
{
    return check_length(settings, false, settings->task.train_length, status);
}

static enum status_code check_order(const struct settings *settings, struct status *status)
{
    const int64_t order = settings->task.order;
    if (settings->task.kind != TASK_AUTOMATON)
        return STATUS_OK;
    if (settings->task.automaton == AUTOMATON_SYMMETRIC && (order < 3 || order > 5))
        return status_set(status, STATUS_INVALID,
                          "order is %" PRId64 ", but the symmetric group is there for 3 to 5 points; take one of these",
                          order);
    if (settings->task.automaton == AUTOMATON_DIHEDRAL && order < 3)
        return status_set(
            status, STATUS_INVALID,
            "order is %" PRId64 ", but a dihedral group turns and mirrors at least 3 corners; take 3 or more", order);
    return STATUS_OK;
}

static enum status_code check_curve_samples(const struct settings *settings, struct status *status)
{
    if (settings->evaluate.curve_samples <= settings->evaluate.test_samples)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "curve_samples is %" PRId64 ", but the curve uses the first of test_samples = %" PRId64
                      " sequences; lower the one or raise the other",
                      settings->evaluate.curve_samples, settings->evaluate.test_samples);
}

const struct settings_check_row checks_of_task[] = {
    {{"signal_tokens", "train_length"}, check_signal_tokens},
    {{"modulus", "begin_token", "query_token"}, check_vocabulary},
    {{"train_length", "supervision", "automaton"}, check_train_length},
    {{"order", "automaton"}, check_order},
    {{"table", "automaton"}, check_table},
    {{"start", "table"}, check_start},
    {{"outputs", "table"}, check_outputs},
    {{"curve_samples", "test_samples"}, check_curve_samples},
    {{NULL}, NULL},
};
