// SPDX-License-Identifier: MIT
// Binary numbers of up to NUMBER_BITS bits, one bit an element of an array.
#pragma once
#include <stdint.h>

enum { NUMBER_BITS = 65536 };

// The product of numbers of `first` and `second` bits, the lowest first: first + second bits, at most NUMBER_BITS.
void number_multiply(const int32_t *a, long first, const int32_t *b, long second, int32_t *ret_product);
// The square root rounded down of a number of so many bits, the highest first: (bits + 1) / 2 bits.
void number_root(const int32_t *number, long bits, int32_t *ret_root);
