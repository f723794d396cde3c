// SPDX-License-Identifier: MIT
// Lengths of training sequences.
#include "spec_private.h"
#include <inttypes.h>
#include <stdlib.h>

enum { LENGTH_LIMIT = 65536 }; // of train_length

size_t settings_lengths(const struct settings *settings, int64_t *ret_lengths, size_t limit)
{
    const char *at = settings->task.lengths;
    size_t count = 0;
    while (at && *at) {
        char *end;
        const long long length = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ' ') || length < 1 || length > LENGTH_LIMIT || count == limit)
            return 0;
        ret_lengths[count++] = length;
        for (at = end; *at == ' ';)
            at++;
    }
    return count;
}

static enum status_code check_possible(const struct settings *settings, int64_t length, struct status *status)
{
    const char *blamed[FAULT_BLAMED];
    if (check_length(settings, false, length, status) != STATUS_OK)
        return STATUS_INVALID;
    return check_arithmetic_length(settings, false, length, blamed, status);
}

bool settings_length_possible(const struct settings *settings, int64_t length)
{
    struct status status = {0};
    return check_possible(settings, length, &status) == STATUS_OK;
}

static enum status_code check_min_length(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    const bool drawn = task->length_distribution == LENGTHS_UNIFORM || task->length_distribution == LENGTHS_EXPONENTIAL;
    if (!drawn || task->min_length <= task->train_length)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "min_length is %" PRId64 ", more than train_length = %" PRId64
                      "; lower the one or raise the other",
                      task->min_length, task->train_length);
}

static enum status_code check_list(const struct settings *settings, struct status *status)
{
    int64_t length[LENGTHS_LIMIT], longest = 0;
    if (settings->task.length_distribution != LENGTHS_LIST)
        return STATUS_OK;
    const size_t count = settings_lengths(settings, length, LENGTHS_LIMIT);
    if (count == 0)
        return status_set(status, STATUS_INVALID,
                          "lengths is no list of at most %d integers from 1 to %d, which length_distribution: list "
                          "draws from; write it as in lengths: [1, 2, 3, 3]",
                          LENGTHS_LIMIT, LENGTH_LIMIT);
    for (size_t i = 0; i < count; i++) {
        if (check_possible(settings, length[i], status) != STATUS_OK)
            return status_context(status, "lengths has %" PRId64, length[i]);
        longest = length[i] > longest ? length[i] : longest;
    }
    if (longest == settings->task.train_length)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "the longest of lengths is %" PRId64 ", but train_length is %" PRId64
                      "; write train_length: %" PRId64,
                      longest, settings->task.train_length, longest);
}

// Whether the distribution has a length up to `most` that the task can make.
static bool has_length(const struct settings *settings, int64_t most)
{
    const struct task_settings *task = &settings->task;
    int64_t length[LENGTHS_LIMIT];
    if (task->kind == TASK_FILE)
        return task->file_shortest <= most;
    if (task->length_distribution == LENGTHS_FIXED)
        return settings_length_possible(settings, most);
    if (task->length_distribution != LENGTHS_LIST) {
        for (int64_t l = task->min_length; l <= most; l++)
            if (settings_length_possible(settings, l))
                return true;
        return false;
    }
    const size_t count = settings_lengths(settings, length, LENGTHS_LIMIT);
    for (size_t i = 0; i < count; i++)
        if (length[i] <= most)
            return true;
    return false;
}

static enum status_code check_curriculum(const struct settings *settings, struct status *status)
{
    const int64_t start = settings->train.curriculum_start, length = settings->task.train_length;
    if (settings->train.curriculum == CURRICULUM_NONE)
        return STATUS_OK;
    if (start > length)
        return status_set(status, STATUS_INVALID,
                          "curriculum_start is %" PRId64 ", more than train_length = %" PRId64
                          "; lower the one or raise the other",
                          start, length);
    if (settings->train.data == DATA_FINITE && settings->task.length_distribution == LENGTHS_FIXED &&
        settings->task.kind != TASK_FILE)
        return status_set(status, STATUS_INVALID,
                          "curriculum takes a finite set's short sequences first, but with length_distribution: fixed "
                          "all are of one length; choose another distribution, or data: stream");
    if (has_length(settings, start))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "curriculum_start is %" PRId64
                      ", but there is no training sequence as short as that; raise it to the shortest length",
                      start);
}

static enum status_code check_signal_lengths(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (task->kind != TASK_SIGNAL || !settings_ragged(settings))
        return STATUS_OK;
    int64_t shortest = task->train_length, length[LENGTHS_LIMIT];
    if (task->length_distribution == LENGTHS_UNIFORM || task->length_distribution == LENGTHS_EXPONENTIAL)
        shortest = task->min_length;
    const size_t count =
        task->length_distribution == LENGTHS_LIST ? settings_lengths(settings, length, LENGTHS_LIMIT) : 0;
    for (size_t i = 0; i < count; i++)
        shortest = length[i] < shortest ? length[i] : shortest;
    if (settings->train.curriculum != CURRICULUM_NONE && settings->train.curriculum_start < shortest)
        shortest = settings->train.curriculum_start;
    if (task->signal_tokens < 1)
        return status_set(status, STATUS_INVALID,
                          "signal_tokens is %g of a sequence, but training sequences differ in length; write a count",
                          task->signal_tokens);
    if (task->signal_tokens <= (double)shortest)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "signal_tokens is %.0f, but the shortest training sequence has %" PRId64
                      " tokens; lower the one or raise the other",
                      task->signal_tokens, shortest);
}

static enum status_code check_noise_on(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    const bool keeps_alphabet = task->automaton != AUTOMATON_EVEN_PAIRS && task->automaton != AUTOMATON_FLIP_FLOP &&
                                task->automaton != AUTOMATON_MODULAR_ARITHMETIC;
    if (task->kind == TASK_SIGNAL || task->noise_on != NOISE_CHAIN || task->noise_rate == 0 ||
        task->kind == TASK_ACCUMULATOR || (task->kind == TASK_AUTOMATON && keeps_alphabet))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "noise_on: chain corrupts a state that goes on whatever it is: of the accumulator, and of "
                      "automata but even_pairs, modular_arithmetic and flip_flop; take noise_on: target or final here");
}

const struct settings_check_row checks_of_lengths[] = {
    {{"min_length", "train_length"}, check_min_length},
    {{"lengths", "train_length"}, check_list},
    {{"curriculum_start", "train_length", "min_length"}, check_curriculum},
    {{"signal_tokens", "min_length", "train_length"}, check_signal_lengths},
    {{"noise_on", "automaton", "task"}, check_noise_on},
    {{NULL}, NULL},
};
