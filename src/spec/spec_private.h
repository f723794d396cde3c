// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "spec_settings.h"

// Bounds for buffers on the stack; the table asserts the first, a test the second.
enum { SETTINGS_LIMIT = 160, SETTING_NAME_LIMIT = 32 };

// Checks across settings, one list a section; the last row of a list has no check.
struct settings_check_row {
    const char *blamed[FAULT_BLAMED];
    enum status_code (*check)(const struct settings *settings, struct status *status);
};
extern const struct settings_check_row checks_of_task[], checks_of_lengths[], checks_of_digits[], checks_of_strings[],
    checks_of_file[], checks_of_model[], checks_of_train[];
// Whether the task can make training or test sequences of so many its units whose answers are not all the same.
enum status_code check_length(const struct settings *settings, bool test, int64_t length, struct status *status);
// The same of the arithmetic tasks, and which settings are to blame; `ret_blamed` is untouched where none is.
enum status_code check_arithmetic_length(const struct settings *settings, bool test, int64_t length,
                                         const char *ret_blamed[FAULT_BLAMED], struct status *status);
bool has_digits(const struct settings *settings); // the task writes numbers by their digits
// Of the arithmetic tasks: settings_vocabulary and settings_tokens.
int64_t arithmetic_symbols(const struct settings *settings);
int64_t arithmetic_tokens(const struct settings *settings, bool test, int64_t length);
// spec_strings.c: whether the task is on strings, and on such of letters or of numbers below modulus; whether its
// answer has many symbols; its symbols and classes; and what lengths it has.
bool is_on_strings(const struct settings *settings);
bool has_letters(const struct settings *settings);
bool has_residues(const struct settings *settings);
bool fills_blanks(const struct settings *settings);
int64_t string_symbols(const struct settings *settings);
int64_t string_classes(const struct settings *settings);
enum status_code check_string_length(const struct settings *settings, const char *name, int64_t length,
                                     struct status *status);
// Of `name`: a count has to be whole; below 1 it is a share.
enum status_code check_count_or_share(const char *name, double value, struct status *status);
// spec_automaton.c: symbols and classes of a table, whatever is wrong with it; and what may be wrong.
int64_t table_symbols(const struct settings *settings);
int64_t table_classes(const struct settings *settings);
enum status_code check_table(const struct settings *settings, struct status *status);
enum status_code check_start(const struct settings *settings, struct status *status);
enum status_code check_outputs(const struct settings *settings, struct status *status);
enum status_code check_table_length(const struct settings *settings, const char *name, int64_t length,
                                    struct status *status);
bool has_table(const struct settings *settings);
// settings_lengths_possible where it has one.
void table_lengths_possible(const struct settings *settings, int64_t most, uint64_t *ret_possible);
