// SPDX-License-Identifier: MIT
// What arithmetic on digits shares: how the numbers of a sequence lie, their draws, and the guesses that see no input.
//
// A sequence is
//   first operand, operator, second operand, =, answer, end
// of which the tokens are all but the last symbol, and the target at a row is the next one. Those behind the equals
// sign count. Symbols: the numerals 0, 1, …, then operator, equals sign, end and the hints. Numbers are written from
// the highest digit, or reversed. With H hints a hint stands before every digit: hint s + i before the digit worth
// base^i of any of the three numbers, s uniform on {0, …, H - digits of the answer}. Without padding an operand's
// highest digit is not 0, unless it is the only one; the answer is written without leading zeros, and ends, which do
// not count, follow the end that does, so that all sequences of a length are as long.
//
// Digit i of an operand is drawn at (sample, position i, coordinate 0 or 1), whatever its length, format or base.
#pragma once
#include "task_tokens.h"

enum digits_number { NUMBER_FIRST, NUMBER_SECOND, NUMBER_ANSWER, NUMBERS };

// How sequences of one length lie.
struct digits_format {
    long digits[NUMBERS], at[NUMBERS]; // of each number, and the place of its first symbol
    long step;                         // symbols a digit: 2 with hints
    long end;                          // place of the last end; answers without padding may have one before it
    bool reversed, padded;
    uint32_t base;
    int32_t marks;   // number of the operator's symbol; equals sign, end and hints follow
    uint32_t starts; // of hints: how many s there are; 0: no hints
};
struct digits_format digits_format(const struct settings *settings, bool test, long length);
// Place of the digit worth base^i.
static inline long digits_place(const struct digits_format *format, enum digits_number number, long i)
{
    const long written = format->reversed ? i : format->digits[number] - 1 - i;
    return format->at[number] + format->step * written + format->step - 1;
}
// Smallest and one more than the largest value that digit i of an operand can have.
void digits_range(const struct digits_format *format, enum digits_number number, long i, uint32_t *ret_from,
                  uint32_t *ret_to);

// Writes the answer's digits from those of the operands, each at its place, leading zeros among them.
typedef void digits_answer(const struct digits_format *format, int32_t *tokens);
// The positions that digit i of the answer depends on, ascending; `format` has the digits that are written, and behind
// the last position ret_relevant holds -1.
typedef void digits_relevant(const struct digits_format *format, long i, int32_t *ret_relevant);
struct digits_operation {
    digits_answer *answer;
    digits_relevant *relevant; // NULL where the set has none
};

void digits_shape(const struct settings *settings, struct batch_shape *ret_shape); // of task_kind_row
enum status_code digits_make(const struct task_set *set, long first, long count, struct digits_operation operation,
                             struct arena *arena, struct batch *ret_batch, struct status *status) MUST_CHECK;

// Names of symbols, of an arithmetic task with this operator.
void digits_symbol(const struct settings *settings, int32_t token, const char *sign, char ret_text[TASK_SYMBOL_SIZE]);

// What a guess that sees no input can have right of an answer, row by row behind the equals sign, hints aside: the row
// of the k-th digit as it is written says the likeliest digit with probability digit[k], and the end with end[k]. Each
// stands for `weight` digits of the answer, since long numbers are all alike in their middle.
enum { DIGITS_SHOWN = 64, ODDS_LIMIT = 2 * DIGITS_SHOWN + 2 };
struct digits_odds {
    long digits; // <= ODDS_LIMIT - 1
    double digit[ODDS_LIMIT], end[ODDS_LIMIT], weight[ODDS_LIMIT];
};
double digits_chance_error(const struct digits_format *format, const struct digits_odds *odds);
