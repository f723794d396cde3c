// SPDX-License-Identifier: MIT
// What tasks on strings share: the rest of the suite of Delétang et al. 2023. A sequence is the input, `length`
// symbols, and as many blanks behind it as the answer has symbols (settings_answer_tokens). The target at a blank is
// the answer's symbol there; where answers differ in length an end follows, and the blanks behind it do not count, nor
// does the input. An answer of one symbol is the only target, at the one blank.
//
// Draws of a sample: the symbol at place t of the input at (t, coordinate 0), what it is made of once a sequence at 0.
#pragma once
#include "task_tokens.h"

struct strings_rule {
    struct random_key symbol, place; // of a symbol at its place, and of a place in the string
    uint32_t alphabet, modulus;
};

// Writes one input, and its answer without the blanks that do not count, whose number it returns. `answer` has room for
// settings_answer_tokens.
typedef long strings_write(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input,
                           int32_t *answer);

enum status_code strings_make(const struct task_set *set, long first, long count, strings_write *write,
                              struct arena *arena, struct batch *ret_batch, struct status *status) MUST_CHECK;

// Of inputs of uniform letters that the answer copies, a letter for each blank: the place in the input that the letter
// at blank k comes from, which is what is relevant there.
typedef long strings_source(long length, long k);
enum status_code strings_make_copies(const struct task_set *set, long first, long count, strings_source *source,
                                     struct arena *arena, struct batch *ret_batch, struct status *status) MUST_CHECK;
void strings_init_copies(struct task_set *set); // of task_kind_row

// Uniform symbols of the alphabet.
void strings_letters(const struct strings_rule *rule, uint64_t sample, long length, int32_t *ret_input);
// A number of so many bits, uniform on those but 0, its symbols drawn at the places from `first` on: all anew at the
// next coordinate while all are 0. A number of one bit is 1.
void strings_number(const struct strings_rule *rule, uint64_t sample, long first, long bits, int32_t *ret_bits);

// Two numbers in binary, the lowest bit first, with a sign (symbol 2) between them: the first has 1 to length - 2 bits,
// all equally likely, and the second the rest. Returns the bits of the first.
long strings_numbers(const struct strings_rule *rule, uint64_t sample, long length, int32_t *ret_input);

// Symbols of letters (a, b, … and numbers from the 27th on); and of others, of which the first are numbers and
// `signs` stand behind them.
void strings_letter(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE]);
void strings_sign(int32_t token, int32_t numerals, const char *const *signs, char ret_text[TASK_SYMBOL_SIZE]);
// Classes of binary numbers.
void strings_bit(const struct settings *settings, int32_t class, char ret_text[TASK_SYMBOL_SIZE]);

// Of answers that are uniform letters whatever their place, and of such residues.
double strings_letters_chance(const struct settings *settings, long length);
double strings_residue_chance(const struct settings *settings, long length);

// Of answers in bits with an end behind: of each row how likely its bit is 1, and how likely the answer ends there.
struct strings_odds {
    double right, counted, present;
};
// Starts with {0, 0, 1} and takes the rows from the first on, each standing for `weight` of its kind.
void strings_odds_row(struct strings_odds *odds, double one, double end, double weight);
