// SPDX-License-Identifier: MIT
// Lengths of training sequences.
#include "base_text.h"
#include "spec_private.h"
#include <inttypes.h>
#include <string.h>

enum { SHOWN = 24 }; // bytes of an entry

// The next entry of a list, from *at on, which moves behind it; of no size at its end.
static size_t next_entry(const char **at, const char **ret_entry)
{
    while (**at == ' ')
        ++*at;
    const size_t size = strcspn(*at, " ");
    *ret_entry = *at;
    *at += size;
    return size;
}

static bool is_length(const char *entry, size_t size, int64_t *ret_length)
{
    bool overflow = false;
    return text_to_int(entry, size, ret_length, &overflow) && *ret_length >= 1 && *ret_length <= TRAIN_LENGTH_LIMIT;
}

size_t settings_lengths(const struct settings *settings, int64_t *ret_lengths, size_t limit)
{
    const char *at = settings->task.lengths ? settings->task.lengths : "", *entry;
    size_t count = 0, size;
    for (; (size = next_entry(&at, &entry)); count++)
        if (count == limit || !is_length(entry, size, &ret_lengths[count]))
            return 0;
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
    return check_possible(settings, length, NULL) == STATUS_OK;
}

void settings_lengths_possible(const struct settings *settings, int64_t most, uint64_t ret_possible[LENGTH_WORDS])
{
    memset(ret_possible, 0, LENGTH_WORDS * sizeof *ret_possible);
    if (has_table(settings)) {
        table_lengths_possible(settings, most, ret_possible);
        return;
    }
    for (int64_t l = 1; l <= most; l++)
        ret_possible[l / 64] |= (uint64_t)settings_length_possible(settings, l) << l % 64;
}

static bool is_between(const struct settings *settings)
{
    const int distribution = settings->task.length_distribution;
    return distribution == LENGTHS_UNIFORM || distribution == LENGTHS_EXPONENTIAL;
}

static int64_t shortest_listed(const struct settings *settings)
{
    int64_t length[LENGTHS_LIMIT], shortest = 0;
    const size_t count = settings_lengths(settings, length, LENGTHS_LIMIT);
    for (size_t i = 0; i < count; i++)
        shortest = i == 0 || length[i] < shortest ? length[i] : shortest;
    return shortest;
}

int64_t settings_shortest_length(const struct settings *settings)
{
    const struct task_settings *task = &settings->task;
    uint64_t possible[LENGTH_WORDS];
    if (task->kind == TASK_FILE)
        return task->file_shortest;
    if (task->length_distribution == LENGTHS_LIST)
        return shortest_listed(settings);
    settings_lengths_possible(settings, task->train_length, possible);
    for (int64_t l = is_between(settings) ? task->min_length : 1; l <= task->train_length; l++)
        if (length_is_in(possible, l))
            return l;
    return 0;
}

static enum status_code check_min_length(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (!is_between(settings) || task->min_length <= task->train_length)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "min_length is %" PRId64 ", more than train_length = %" PRId64
                      "; lower the one or raise the other",
                      task->min_length, task->train_length);
}

static enum status_code refuse_entry(const char *entry, size_t size, struct status *status)
{
    const char *what = "no integer";
    int64_t length = 1;
    bool overflow = false;
    if (text_to_int(entry, size, &length, &overflow) || overflow)
        what = overflow || length >= 1 ? "too long" : "below 1";
    return status_set(status, STATUS_INVALID, "lengths has %.*s%s, which is %s; write integers from 1 to %d",
                      size < SHOWN ? (int)size : SHOWN, entry, size > SHOWN ? "..." : "", what, TRAIN_LENGTH_LIMIT);
}

// The entries of the list alone, in the order in which they stand.
static enum status_code check_entries(const struct settings *settings, struct status *status)
{
    static const char remedy[] = "write it as in lengths: [1, 2, 3, 3]";
    const char *at = settings->task.lengths ? settings->task.lengths : "", *entry;
    int64_t length;
    size_t count = 0, size;
    if (strchr(at, ';'))
        return status_set(status, STATUS_INVALID, "lengths has lists within the list, but it is one list; %s", remedy);
    for (; (size = next_entry(&at, &entry)); count++)
        if (!is_length(entry, size, &length))
            return refuse_entry(entry, size, status);
    if (count == 0)
        return status_set(status, STATUS_INVALID, "lengths is empty, but length_distribution: list draws from it; %s",
                          remedy);
    if (count > LENGTHS_LIMIT)
        return status_set(status, STATUS_INVALID, "lengths has %zu entries, more than %d; leave some out", count,
                          LENGTHS_LIMIT);
    return STATUS_OK;
}

static enum status_code check_list(const struct settings *settings, struct status *status)
{
    int64_t length[LENGTHS_LIMIT], longest = 0;
    if (settings->task.length_distribution != LENGTHS_LIST)
        return STATUS_OK;
    if (check_entries(settings, status) != STATUS_OK)
        return STATUS_INVALID;
    const size_t count = settings_lengths(settings, length, LENGTHS_LIMIT);
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

static enum status_code check_curriculum(const struct settings *settings, struct status *status)
{
    if (settings->train.curriculum == CURRICULUM_NONE || settings->train.data != DATA_FINITE ||
        settings->task.length_distribution != LENGTHS_FIXED || settings->task.kind == TASK_FILE)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "curriculum takes a finite set's short sequences first, but with length_distribution: fixed "
                      "all are of one length; choose another distribution, or data: stream");
}

static enum status_code check_curriculum_start(const struct settings *settings, struct status *status)
{
    const int64_t start = settings->train.curriculum_start, length = settings->task.train_length;
    if (settings->train.curriculum == CURRICULUM_NONE)
        return STATUS_OK;
    if (start > length)
        return status_set(status, STATUS_INVALID,
                          "curriculum_start is %" PRId64 ", more than train_length = %" PRId64
                          "; lower the one or raise the other",
                          start, length);
    const int64_t shortest = settings_shortest_length(settings);
    if (shortest <= start)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "curriculum_start is %" PRId64 ", but the shortest training sequence has length %" PRId64
                      "; raise it to at least that",
                      start, shortest);
}

static enum status_code check_signal_lengths(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (task->kind != TASK_SIGNAL || !settings_ragged(settings))
        return STATUS_OK;
    const bool fixed = task->length_distribution == LENGTHS_FIXED;
    int64_t shortest = fixed ? task->train_length : settings_shortest_length(settings);
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
    {{"curriculum", "length_distribution", "data"}, check_curriculum},
    {{"curriculum_start", "curriculum", "train_length", "min_length"}, check_curriculum_start},
    {{"signal_tokens", "min_length", "train_length"}, check_signal_lengths},
    {{"noise_on", "automaton", "task"}, check_noise_on},
    {{NULL}, NULL},
};
