// SPDX-License-Identifier: MIT
// Tasks that read a string and write an answer into the blanks behind it: symbols, lengths, and what they cannot make.
#include "spec_private.h"
#include <inttypes.h>
#include <string.h>

enum { FIRST = TASK_STACK_MANIPULATION, LAST = TASK_BUCKET_SORT, LONGEST = 65536, MODULUS_LIMIT = 1024 };
enum numerals { BITS, LETTERS, RESIDUES };

// An answer to `length` symbols has (halves * length + more) / 2.
static const struct {
    enum numerals numerals;
    int64_t signs; // symbols behind the numerals, the blank among them
    int64_t ends;  // classes behind the numerals
    int64_t halves, more;
    int64_t least; // shortest input
    const char *why;
} rows[] = {
    [TASK_STACK_MANIPULATION - FIRST] = {BITS, 4, 1, 2, 2, 1, NULL},
    [TASK_REVERSE_STRING - FIRST] = {LETTERS, 1, 0, 2, 0, 1, NULL},
    [TASK_MODULAR_ARITHMETIC_BRACKETS - FIRST] = {RESIDUES, 6, 0, 0, 2, 1, NULL},
    [TASK_SOLVE_EQUATION - FIRST] = {RESIDUES, 7, 0, 0, 2, 3, "has at least an unknown, = and a number"},
    [TASK_DUPLICATE_STRING - FIRST] = {LETTERS, 1, 0, 4, 0, 1, NULL},
    [TASK_MISSING_DUPLICATE_STRING - FIRST] = {LETTERS, 3, 0, 0, 2, 2, "has a string twice"},
    [TASK_ODDS_FIRST - FIRST] = {LETTERS, 1, 0, 2, 0, 1, NULL},
    [TASK_BINARY_ADDITION - FIRST] = {BITS, 2, 1, 2, 2, 4, "has the same sum of 1 and 1 in any shorter input"},
    [TASK_BINARY_MULTIPLICATION -
        FIRST] = {BITS, 2, 1, 2, 0, 4, "has the same product of 1 and 1 in any shorter input"},
    [TASK_COMPUTE_SQRT - FIRST] = {BITS, 1, 0, 1, 1, 3, "has 1 as the root of any shorter number"},
    [TASK_BUCKET_SORT - FIRST] = {LETTERS, 1, 0, 2, 0, 1, NULL},
};
_Static_assert(sizeof rows / sizeof rows[0] == LAST - FIRST + 1, "every task on strings needs a row here");

static const char *task_name(const struct settings *settings)
{
    return setting_find("task", strlen("task"))->choices[settings->task.kind];
}

bool is_on_strings(const struct settings *settings)
{
    return settings->task.kind >= FIRST && settings->task.kind <= LAST;
}

bool has_letters(const struct settings *settings)
{
    return is_on_strings(settings) && rows[settings->task.kind - FIRST].numerals == LETTERS;
}

bool has_residues(const struct settings *settings)
{
    return is_on_strings(settings) && rows[settings->task.kind - FIRST].numerals == RESIDUES;
}

static int64_t numerals(const struct settings *settings)
{
    return has_letters(settings) ? settings->task.alphabet : has_residues(settings) ? settings->task.modulus : 2;
}

int64_t string_symbols(const struct settings *settings)
{
    return numerals(settings) + rows[settings->task.kind - FIRST].signs;
}

int64_t string_classes(const struct settings *settings)
{
    return numerals(settings) + rows[settings->task.kind - FIRST].ends;
}

int64_t settings_answer_tokens(const struct settings *settings, int64_t length)
{
    if (!is_on_strings(settings))
        return 0;
    return (rows[settings->task.kind - FIRST].halves * length + rows[settings->task.kind - FIRST].more) / 2;
}

bool fills_blanks(const struct settings *settings)
{
    return is_on_strings(settings) && rows[settings->task.kind - FIRST].halves > 0;
}

enum status_code check_string_length(const struct settings *settings, const char *name, int64_t length,
                                     struct status *status)
{
    const int row = settings->task.kind - FIRST;
    if (length < rows[row].least)
        return status_set(status, STATUS_INVALID, "%s is %" PRId64 ", but %s %s; take at least %" PRId64, name, length,
                          task_name(settings), rows[row].why, rows[row].least);
    if (length > LONGEST)
        return status_set(status, STATUS_INVALID, "%s is %" PRId64 ", but %s goes to %d symbols; take at most as many",
                          name, length, task_name(settings), LONGEST);
    return STATUS_OK;
}

static enum status_code check_modulus(const struct settings *settings, struct status *status)
{
    const int64_t modulus = settings->task.modulus;
    const bool brackets = settings->task.kind == TASK_MODULAR_ARITHMETIC_BRACKETS;
    const int64_t most = brackets ? MODULUS_LIMIT : VOCABULARY_LIMIT - rows[TASK_SOLVE_EQUATION - FIRST].signs;
    if (!has_residues(settings) || modulus <= most)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "modulus is %" PRId64 ", but %s counts modulo at most %" PRId64 "; lower it to that", modulus,
                      task_name(settings), most);
}

const struct settings_check_row checks_of_strings[] = {
    {{"modulus", "task"}, check_modulus},
    {{NULL}, NULL},
};
