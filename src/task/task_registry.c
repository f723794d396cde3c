// SPDX-License-Identifier: MIT
// Before this: grid (the settings of a trial). After it: train, which passes the batches made here to nn.
#include "task_kind.h"
#include "task_source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct task_kind_row *const kinds[] = {
    [TASK_SIGNAL] = &task_signal,
    [TASK_ACCUMULATOR] = &task_accumulator,
    [TASK_AUTOMATON] = &task_automaton,
    [TASK_BRACKETS] = &task_brackets,
    [TASK_ADDITION] = &task_addition,
    [TASK_MULTIPLICATION] = &task_multiplication,
    [TASK_MODULAR] = &task_modular,
    [TASK_FILE] = &task_file,
    [TASK_STACK_MANIPULATION] = &task_stack_manipulation,
    [TASK_REVERSE_STRING] = &task_reverse_string,
    [TASK_MODULAR_ARITHMETIC_BRACKETS] = &task_modular_arithmetic_brackets,
    [TASK_SOLVE_EQUATION] = &task_solve_equation,
    [TASK_DUPLICATE_STRING] = &task_duplicate_string,
    [TASK_MISSING_DUPLICATE_STRING] = &task_missing_duplicate_string,
    [TASK_ODDS_FIRST] = &task_odds_first,
    [TASK_BINARY_ADDITION] = &task_binary_addition,
    [TASK_BINARY_MULTIPLICATION] = &task_binary_multiplication,
    [TASK_COMPUTE_SQRT] = &task_compute_sqrt,
    [TASK_BUCKET_SORT] = &task_bucket_sort,
};
_Static_assert(sizeof kinds / sizeof kinds[0] == TASK_KINDS, "every task of spec needs a row here");

static const char *const split_names[] = {
    [SPLIT_TRAIN] = "train", [SPLIT_VALIDATION] = "validation", [SPLIT_TEST] = "test"};

bool task_split_named(const char *name, enum task_split *ret_split)
{
    for (enum task_split split = SPLIT_TRAIN; split <= SPLIT_TEST; split++)
        if (strcmp(name, split_names[split]) == 0) {
            *ret_split = split;
            return true;
        }
    return false;
}

static const struct task_kind_row *row(const struct settings *settings)
{
    return kinds[settings->task.kind];
}

void task_set_init(struct task_set *set, const struct settings *settings, enum task_split split, long length)
{
    *set = (struct task_set){.settings = settings, .split = split, .length = length};
    set->samples = (long)(split == SPLIT_TRAIN        ? settings->task.samples
                          : split == SPLIT_VALIDATION ? settings->evaluate.validation_samples
                                                      : settings->evaluate.test_samples);
    if (split == SPLIT_TEST)
        snprintf(set->name, sizeof set->name, "%s/%ld", split_names[split], length);
    else
        snprintf(set->name, sizeof set->name, "%s", split_names[split]);
    set->longest = length;
    set->tokens = (long)settings_tokens(settings, split == SPLIT_TEST, length);
    set->ragged = split == SPLIT_TRAIN && settings_ragged(settings);
    set->masked = settings_masked(settings);
    if (set->ragged)
        task_find_lengths(set);
    task_shape(settings, &set->shape);
    row(settings)->init(set);
}

void task_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    row(settings)->shape(settings, ret_shape);
}

struct random_key task_key(const struct task_set *set, const char *purpose)
{
    char name[2 * TASK_SET_NAME];
    snprintf(name, sizeof name, "%s/%s", set->name, purpose);
    return random_key(set->settings->seed, settings_data_seed(set->settings), name);
}

enum status_code task_make(const struct task_set *set, long first, long count, struct arena *arena,
                           struct batch *ret_batch, struct status *status)
{
    return row(set->settings)->make(set, first, count, arena, ret_batch, status);
}

size_t task_sample_bytes(const struct task_set *set)
{
    return row(set->settings)->sample_bytes(set);
}

size_t task_make_bytes(const struct task_set *set, long count)
{
    return row(set->settings)->make_bytes(set, count);
}

double task_sample_flops(const struct task_set *set)
{
    return row(set->settings)->sample_flops(set);
}

double task_chance_error(const struct settings *settings, long length)
{
    return row(settings)->chance_error(settings, length);
}

double task_set_chance_error(const struct task_set *set)
{
    return set->source ? set->source->chance_error : task_chance_error(set->settings, set->length);
}

double task_bayes_error(const struct settings *settings, long length)
{
    return row(settings)->bayes_error(settings, length);
}

double task_bayes_flops(const struct settings *settings, long length)
{
    return row(settings)->bayes_flops(settings, length);
}

static char *name(void (*hook)(const struct settings *, int32_t, char *), const struct settings *settings,
                  int32_t number, char ret_text[TASK_SYMBOL_SIZE])
{
    if (hook)
        hook(settings, number, ret_text);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%" PRId32, number);
    return ret_text;
}

char *task_symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    const int64_t query = settings_query_tokens(settings), own = settings_vocabulary(settings) - query;
    if (token >= own - settings_begin_tokens(settings))
        return snprintf(ret_text, TASK_SYMBOL_SIZE, token >= own ? "?" : "^"), ret_text;
    return name(row(settings)->symbol, settings, token, ret_text);
}

char *task_class(const struct settings *settings, int32_t class, char ret_text[TASK_SYMBOL_SIZE])
{
    return name(row(settings)->class, settings, class, ret_text);
}
