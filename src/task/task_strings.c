// SPDX-License-Identifier: MIT
#include "task_strings.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ATTEMPTS = 64, LETTERS = 26 };

struct strings_set {
    struct strings_rule rule;
    const struct settings *settings;
    strings_write *write;
    strings_source *source; // in place of `write`
    int32_t blank;
};

static void write_copies(const struct strings_set *set, uint64_t sample, long blanks, struct token_sequence *sequence,
                         int32_t *answer)
{
    const long length = sequence->length, stride = sequence->relevant_stride;
    strings_letters(&set->rule, sample, length, sequence->tokens);
    for (long k = 0; k < blanks; k++) {
        const long source = set->source(length, k);
        answer[k] = sequence->tokens[source];
        sequence->relevant[(length + k) * stride] = (int32_t)source;
    }
}

static void write_sequence(const void *rule_of_set, uint64_t sample, struct token_sequence *sequence)
{
    const struct strings_set *set = rule_of_set;
    const long length = sequence->length, blanks = (long)settings_answer_tokens(set->settings, length);
    int32_t *answer = sequence->targets + sequence->stride * length;
    long counted = blanks;
    if (set->source)
        write_copies(set, sample, blanks, sequence, answer);
    else
        counted = set->write(&set->rule, sample, length, sequence->tokens, answer);
    for (long k = 0; k < blanks; k++)
        sequence->tokens[length + k] = set->blank;
    if (!sequence->mask)
        return;
    memset(sequence->targets, 0, (size_t)length * sizeof *sequence->targets);
    memset(answer + counted, 0, (size_t)(blanks - counted) * sizeof *answer);
    memset(sequence->mask, 0, (size_t)length);
    memset(sequence->mask + length + counted, 0, (size_t)(blanks - counted));
}

static struct strings_set strings_set(const struct task_set *set)
{
    const struct task_settings *task = &set->settings->task;
    return (struct strings_set){.rule = {.symbol = task_key(set, "symbol"),
                                         .place = task_key(set, "place"),
                                         .alphabet = (uint32_t)task->alphabet,
                                         .modulus = (uint32_t)task->modulus},
                                .settings = set->settings,
                                .blank = (int32_t)set->shape.vocabulary - 1};
}

enum status_code strings_make(const struct task_set *set, long first, long count, strings_write *write,
                              struct arena *arena, struct batch *ret_batch, struct status *status)
{
    struct strings_set strings = strings_set(set);
    strings.write = write;
    return token_make(set, first, count, (struct token_rule){write_sequence, &strings}, arena, ret_batch, status);
}

enum status_code strings_make_copies(const struct task_set *set, long first, long count, strings_source *source,
                                     struct arena *arena, struct batch *ret_batch, struct status *status)
{
    struct strings_set strings = strings_set(set);
    strings.source = source;
    return token_make(set, first, count, (struct token_rule){write_sequence, &strings}, arena, ret_batch, status);
}

void strings_init_copies(struct task_set *set)
{
    token_init(set);
    set->relevant_count = 1;
    set->relevant_each = true;
}

void strings_letters(const struct strings_rule *rule, uint64_t sample, long length, int32_t *ret_input)
{
    for (long t = 0; t < length; t++)
        ret_input[t] = (int32_t)random_below(rule->symbol, sample, (uint32_t)t, 0, rule->alphabet);
}

void strings_number(const struct strings_rule *rule, uint64_t sample, long first, long bits, int32_t *ret_bits)
{
    int32_t any = bits == 1;
    ret_bits[0] = 1;
    for (uint32_t attempt = 0; !any && attempt < ATTEMPTS; attempt++)
        for (long i = 0; i < bits; i++) {
            ret_bits[i] = (int32_t)random_below(rule->symbol, sample, (uint32_t)(first + i), attempt, 2);
            any |= ret_bits[i];
        }
}

long strings_numbers(const struct strings_rule *rule, uint64_t sample, long length, int32_t *ret_input)
{
    const long bits = 1 + (long)random_below(rule->place, sample, 0, 0, (uint32_t)(length > 2 ? length - 2 : 1));
    strings_number(rule, sample, 0, bits, ret_input);
    ret_input[bits] = 2;
    strings_number(rule, sample, bits + 1, length - 1 - bits, ret_input + bits + 1);
    return bits;
}

void strings_sign(int32_t token, int32_t numerals, const char *const *signs, char ret_text[TASK_SYMBOL_SIZE])
{
    if (token < numerals)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%" PRId32, token);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%s", signs[token - numerals]);
}

void strings_letter(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    if (token == settings_vocabulary(settings) - 1)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "_");
    else if (token < LETTERS)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%c", "abcdefghijklmnopqrstuvwxyz"[token]);
    else
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%" PRId32, token);
}

void strings_bit(const struct settings *settings, int32_t class, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const end[] = {"end"};
    (void)settings;
    strings_sign(class, 2, end, ret_text);
}

double strings_letters_chance(const struct settings *settings, long length)
{
    (void)length;
    return 1 - 1 / (double)settings->task.alphabet;
}

double strings_residue_chance(const struct settings *settings, long length)
{
    (void)length;
    return 1 - 1 / (double)settings->task.modulus;
}

void strings_odds_row(struct strings_odds *odds, double one, double end, double weight)
{
    const double zero = odds->present - end - one, digit = zero > one ? zero : one;
    odds->counted += weight * odds->present;
    odds->right += weight * (digit > end ? digit : end);
    odds->present -= end;
}
