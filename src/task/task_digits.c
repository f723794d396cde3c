// SPDX-License-Identifier: MIT
#include "task_digits.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OPERATOR, EQUALS, END, HINT }; // behind the numerals

struct digits_format digits_format(const struct settings *settings, bool test, long length)
{
    const struct task_settings *task = &settings->task;
    const long second = (long)settings_second_digits(settings, test, length),
               answer = (long)settings_answer_digits(settings, test, length), step = task->index_hints ? 2 : 1;
    return (struct digits_format){
        .digits = {length, second, answer},
        .at = {0, step * length + 1, step * (length + second) + 2},
        .step = step,
        .end = step * (length + second + answer) + 2,
        .reversed = task->digit_order == DIGITS_REVERSED,
        .padded = task->zero_padding,
        .base = (uint32_t)settings_base(settings, test),
        .marks = (int32_t)settings_numerals(settings),
        .starts = task->index_hints ? (uint32_t)(task->index_hints - answer) + 1 : 0,
    };
}

void digits_range(const struct digits_format *format, enum digits_number number, long i, uint32_t *ret_from,
                  uint32_t *ret_to)
{
    const long digits = format->digits[number];
    *ret_from = !format->padded && digits > 1 && i == digits - 1;
    *ret_to = format->base;
}

struct digits_rule {
    struct random_key digit, hint;
    const struct settings *settings;
    bool test;
    struct digits_operation operation;
};

static void draw_operand(const struct digits_rule *rule, const struct digits_format *format, enum digits_number number,
                         uint64_t sample, int32_t *tokens)
{
    for (long i = 0; i < format->digits[number]; i++) {
        uint32_t from, to;
        digits_range(format, number, i, &from, &to);
        const uint32_t digit = from + random_below(rule->digit, sample, (uint32_t)i, (uint32_t)number, to - from);
        tokens[digits_place(format, number, i)] = (int32_t)digit;
    }
}

// Moves the answer to its place without its leading zeros, and returns how many digits are left.
static long drop_zeros(const struct digits_format *format, int32_t *tokens)
{
    const long digits = format->digits[NUMBER_ANSWER];
    long left = digits;
    while (left > 1 && tokens[digits_place(format, NUMBER_ANSWER, left - 1)] == 0)
        left--;
    int32_t *answer = tokens + format->at[NUMBER_ANSWER] + format->step - 1;
    for (long k = 0; k < left && !format->reversed; k++)
        answer[format->step * k] = answer[format->step * (digits - left + k)];
    return left;
}

static void write_hints(const struct digits_format *format, long answer, int32_t first, int32_t *tokens)
{
    for (int number = 0; number < NUMBERS; number++) {
        const long digits = number == NUMBER_ANSWER ? answer : format->digits[number];
        for (long k = 0; k < digits; k++)
            tokens[format->at[number] + 2 * k] = first + (int32_t)(format->reversed ? k : digits - 1 - k);
    }
}

static void write_relevant(const struct digits_rule *rule, const struct digits_format *format,
                           struct token_sequence *sequence)
{
    if (!sequence->relevant)
        return;
    for (long i = 0; i < format->digits[NUMBER_ANSWER]; i++) {
        const long row = digits_place(format, NUMBER_ANSWER, i) - 1; // what is read there asks for the digit
        rule->operation.relevant(format, i, sequence->relevant + row * sequence->relevant_stride);
    }
}

static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct digits_rule *rule = rule_of_set;
    struct digits_format format = digits_format(rule->settings, rule->test, sequence->length);
    const long equals = format.at[NUMBER_ANSWER] - 1;
    int32_t *tokens = sequence->tokens;
    draw_operand(rule, &format, NUMBER_FIRST, sample, tokens);
    draw_operand(rule, &format, NUMBER_SECOND, sample, tokens);
    tokens[format.at[NUMBER_SECOND] - 1] = format.marks + OPERATOR;
    tokens[equals] = format.marks + EQUALS;
    rule->operation.answer(&format, tokens);
    const long digits = format.padded ? format.digits[NUMBER_ANSWER] : drop_zeros(&format, tokens);
    if (format.starts) {
        const int32_t start = (int32_t)random_below(rule->hint, sample, 0, 0, format.starts);
        write_hints(&format, digits, format.marks + HINT + start, tokens);
    }
    const long end = format.at[NUMBER_ANSWER] + format.step * digits;
    for (long t = end; t < format.end; t++)
        tokens[t] = format.marks + END;
    memcpy(sequence->targets, tokens + 1, (size_t)(format.end - 1) * sizeof *tokens);
    sequence->targets[format.end - 1] = format.marks + END;
    for (long t = 0; t < format.end; t++)
        sequence->mask[t] = t >= equals && t < end;
    format.digits[NUMBER_ANSWER] = digits;
    write_relevant(rule, &format, sequence);
}

void digits_shape(const struct settings *settings, struct batch_shape *ret_shape)
{
    token_shape(settings, ret_shape);
    ret_shape->autoregressive = true;
}

enum status_code digits_make(const struct task_set *set, long first, long count, struct digits_operation operation,
                             struct arena *arena, struct batch *ret_batch, struct status *status)
{
    const struct digits_rule rule = {.digit = task_key(set, "digit"),
                                     .hint = task_key(set, "hint"),
                                     .settings = set->settings,
                                     .test = set->split == SPLIT_TEST,
                                     .operation = operation};
    return token_make(set, first, count, (struct token_rule){write_sequence, &rule}, arena, ret_batch, status);
}

void digits_symbol(const struct settings *settings, int32_t token, const char *sign, char ret_text[TASK_SYMBOL_SIZE])
{
    const char *const marks[] = {[OPERATOR] = sign, [EQUALS] = "=", [END] = "end"};
    const int32_t numerals = (int32_t)settings_numerals(settings), mark = token - numerals;
    if (mark < 0)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%" PRId32, token);
    else if (mark < HINT)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%s", marks[mark]);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "i%" PRId32, mark - HINT);
}

// How likely the best guess of the k-th hint is right: of a reversed number it is start + k, of a plain one with d
// digits start + d - 1 - k, so that lengths whose hints overlap add up.
static double hint_odds(const struct digits_format *format, const struct digits_odds *odds, long k, double present)
{
    const double starts = format->starts;
    if (format->reversed)
        return present / starts;
    double most = 0;
    for (long from = k + 1; from <= odds->digits; from++) {
        double sum = 0, apart = 0; // of numbers with `from` digits on
        for (long d = from; d <= odds->digits && apart < starts; d++) {
            sum += odds->end[d];
            apart += d < odds->digits ? odds->weight[d] : 0;
        }
        most = sum > most ? sum : most;
    }
    return most / starts;
}

double digits_chance_error(const struct digits_format *format, const struct digits_odds *odds)
{
    double present = 1, counted = 1, right = 0; // the end that counts is certain to come
    for (long k = 0; k <= odds->digits; k++) {
        const double end = odds->end[k];
        present -= end; // P(more than k digits)
        if (k == odds->digits) {
            right += end;
            break;
        }
        counted += odds->weight[k] * (double)format->step * present;
        const double digit = odds->digit[k];
        const double first = format->starts ? hint_odds(format, odds, k, present) : digit;
        right += odds->weight[k] * (first > end ? first : end);
        right += format->starts ? odds->weight[k] * digit : 0;
    }
    return 1 - right / counted;
}
