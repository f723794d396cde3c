// SPDX-License-Identifier: MIT
// Arithmetic tasks: what follows from their settings, and what they cannot make.
#include "spec_private.h"
#include <inttypes.h>
#include <string.h>

enum { MARKS = 3 }; // operator, equals sign, end

bool has_digits(const struct settings *settings)
{
    return settings->task.kind == TASK_ADDITION || settings->task.kind == TASK_MULTIPLICATION;
}

bool settings_autoregressive(const struct settings *settings)
{
    return has_digits(settings) || settings->task.kind == TASK_MODULAR;
}

static int64_t of_test(bool test, int64_t in_training, int64_t in_testing, int64_t same)
{
    return test && in_testing != same ? in_testing : in_training;
}

int64_t settings_base(const struct settings *settings, bool test)
{
    return of_test(test, settings->task.base, settings->task.test_base, 0);
}

int64_t settings_modulus(const struct settings *settings, bool test)
{
    return of_test(test, settings->task.modulus, settings->task.test_modulus, 0);
}

int64_t settings_numerals(const struct settings *settings)
{
    const bool modular = settings->task.kind == TASK_MODULAR;
    const int64_t train = modular ? settings_modulus(settings, false) : settings_base(settings, false),
                  test = modular ? settings_modulus(settings, true) : settings_base(settings, true);
    return train > test ? train : test;
}

static bool has_offset(const struct settings *settings)
{
    return settings->task.kind == TASK_ADDITION ||
           (settings->task.kind == TASK_MULTIPLICATION && settings->task.multiplier_digits == 0);
}

static int64_t operand_offset(const struct settings *settings, bool test)
{
    if (!has_offset(settings))
        return 0;
    return of_test(test, settings->task.operand_offset, settings->task.test_operand_offset, -1);
}

int64_t settings_second_digits(const struct settings *settings, bool test, int64_t length)
{
    const struct task_settings *task = &settings->task;
    if (task->kind == TASK_MULTIPLICATION && task->multiplier_digits)
        return task->multiplier_digits;
    return length - operand_offset(settings, test);
}

int64_t settings_answer_digits(const struct settings *settings, bool test, int64_t length)
{
    return length + (settings->task.kind == TASK_ADDITION ? 1 : settings_second_digits(settings, test, length));
}

int64_t arithmetic_symbols(const struct settings *settings)
{
    return settings_numerals(settings) + MARKS + (has_digits(settings) ? settings->task.index_hints : 0);
}

int64_t arithmetic_tokens(const struct settings *settings, bool test, int64_t length)
{
    const int64_t second = settings_second_digits(settings, test, length), unseen = 1; // the last symbol
    if (settings->task.kind == TASK_MODULAR)
        return 2 * length - 1 + MARKS - unseen;
    return (length + second + settings_answer_digits(settings, test, length)) * (settings->task.index_hints ? 2 : 1) +
           MARKS - unseen;
}

static const char *offset_name(const struct settings *settings, bool test)
{
    return test && settings->task.test_operand_offset >= 0 ? "test_operand_offset" : "operand_offset";
}

static enum status_code check_offset(const struct settings *settings, bool test, int64_t length, struct status *status)
{
    const int64_t offset = operand_offset(settings, test);
    if (offset < length)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "%s is %" PRId64 ", but numbers of %s = %" PRId64
                      " digits leave none to the second operand then; lower the one or raise the other",
                      offset_name(settings, test), offset, test ? "test_length" : "train_length", length);
}

static enum status_code check_hints(const struct settings *settings, bool test, int64_t length, struct status *status)
{
    const int64_t hints = settings->task.index_hints, digits = settings_answer_digits(settings, test, length);
    if (hints == 0 || hints >= digits)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "index_hints is %" PRId64 ", too few for the %" PRId64 " digits of an answer at %s = %" PRId64
                      "; raise it to at least %" PRId64 ", or write 0 for none",
                      hints, digits, test ? "test_length" : "train_length", length, digits);
}

enum status_code check_arithmetic_length(const struct settings *settings, bool test, int64_t length,
                                         const char *ret_blamed[FAULT_BLAMED], struct status *status)
{
    const char *const of_hints[FAULT_BLAMED] = {"index_hints", "multiplier_digits", "test_operand_offset"},
                      *const of_offset[FAULT_BLAMED] = {offset_name(settings, test)};
    if (!has_digits(settings))
        return STATUS_OK;
    if (check_offset(settings, test, length, status) != STATUS_OK) {
        memcpy(ret_blamed, of_offset, sizeof of_offset);
        return STATUS_INVALID;
    }
    if (check_hints(settings, test, length, status) != STATUS_OK) {
        memcpy(ret_blamed, of_hints, sizeof of_hints);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}

static enum status_code check_train_offset(const struct settings *settings, struct status *status)
{
    return has_digits(settings) ? check_offset(settings, false, settings->task.train_length, status) : STATUS_OK;
}

static enum status_code check_train_hints(const struct settings *settings, struct status *status)
{
    const int64_t length = settings->task.train_length;
    if (!has_digits(settings) || operand_offset(settings, false) >= length)
        return STATUS_OK;
    return check_hints(settings, false, length, status);
}

// The numerals are too many, by the setting `name` of `value`.
static enum status_code check_symbols(const struct settings *settings, const char *name, int64_t value,
                                      struct status *status)
{
    const int64_t numerals = settings_numerals(settings), symbols = arithmetic_symbols(settings);
    if (value != numerals || symbols <= VOCABULARY_LIMIT || symbols - numerals >= VOCABULARY_LIMIT / 2)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "%s is %" PRId64 ", so that the vocabulary has %" PRId64
                      " symbols with signs and hints, more than %d; lower it to at most %" PRId64,
                      name, numerals, symbols, VOCABULARY_LIMIT, VOCABULARY_LIMIT - (symbols - numerals));
}

static enum status_code check_base(const struct settings *settings, struct status *status)
{
    return has_digits(settings) ? check_symbols(settings, "base", settings->task.base, status) : STATUS_OK;
}

static enum status_code check_test_base(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (!has_digits(settings))
        return STATUS_OK;
    if (task->test_base == 1)
        return status_set(status, STATUS_INVALID,
                          "test_base is 1, but a base has at least the digits 0 and 1; take 2 or more, or 0 for base");
    return task->test_base > task->base ? check_symbols(settings, "test_base", task->test_base, status) : STATUS_OK;
}

static enum status_code check_modulus(const struct settings *settings, struct status *status)
{
    if (settings->task.kind != TASK_MODULAR)
        return STATUS_OK;
    return check_symbols(settings, "modulus", settings->task.modulus, status);
}

static enum status_code check_test_modulus(const struct settings *settings, struct status *status)
{
    const struct task_settings *task = &settings->task;
    if (task->kind != TASK_MODULAR)
        return STATUS_OK;
    if (task->test_modulus == 1)
        return status_set(status, STATUS_INVALID,
                          "test_modulus is 1, so that every sum is 0; take 2 or more, or 0 for modulus");
    if (task->test_modulus <= task->modulus)
        return STATUS_OK;
    return check_symbols(settings, "test_modulus", task->test_modulus, status);
}

static enum status_code check_many_hints(const struct settings *settings, struct status *status)
{
    const int64_t symbols = arithmetic_symbols(settings), hints = settings->task.index_hints;
    if (!has_digits(settings) || symbols <= VOCABULARY_LIMIT || hints + MARKS < VOCABULARY_LIMIT / 2)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "index_hints is %" PRId64 ", so that the vocabulary has %" PRId64
                      " symbols with signs and digits, more than %d; lower it to at most %" PRId64,
                      hints, symbols, VOCABULARY_LIMIT,
                      symbols - hints < VOCABULARY_LIMIT ? VOCABULARY_LIMIT - (symbols - hints) : 0);
}

static enum status_code check_attention(const struct settings *settings, struct status *status)
{
    if (!settings_autoregressive(settings) || settings->model.kind != MODEL_TRANSFORMER || settings_causal(settings))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "attention_mask is bidirectional, but then a model that writes the next symbol has already seen "
                      "it; write attention_mask: causal");
}

const struct settings_check_row checks_of_digits[] = {
    {{"operand_offset", "train_length"}, check_train_offset},
    {{"index_hints", "train_length", "multiplier_digits"}, check_train_hints},
    {{"base", "index_hints"}, check_base},
    {{"test_base", "index_hints"}, check_test_base},
    {{"modulus"}, check_modulus},
    {{"test_modulus"}, check_test_modulus},
    {{"index_hints", "base", "test_base"}, check_many_hints},
    {{"attention_mask", "task"}, check_attention},
    {{NULL}, NULL},
};
