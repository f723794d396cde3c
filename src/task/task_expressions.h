// SPDX-License-Identifier: MIT
// Expressions of exactly so many symbols: numbers below a modulus, operators between two that brackets enclose.
//
//   length 1 to 4    d, -d, (d), (-d) with a number d, uniform
//   longer           ( left operator right ), left of 1 to length - 4 symbols, all equally likely, right the rest; both
//                    are expressions, and the operator is uniform
//
// Numbers and operators are drawn at their places, the length of a left part at that of the bracket which opens it.
#pragma once
#include "task_strings.h"

enum { EXPRESSION_LIMIT = 65536 }; // symbols
// Numbers of symbols behind those of the numbers. Where products are there they have that of the next.
enum { EXPRESSION_PLUS, EXPRESSION_MINUS, EXPRESSION_OPEN, EXPRESSION_CLOSE, EXPRESSION_SIGNS };
enum { EXPRESSION_TIMES = EXPRESSION_SIGNS };

void expression_write(const struct strings_rule *rule, uint64_t sample, long length, bool products,
                      int32_t *ret_tokens);
// Its value modulo `modulus`.
int32_t expression_value(const int32_t *tokens, long length, uint32_t modulus);
