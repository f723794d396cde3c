// SPDX-License-Identifier: MIT
#include "task_numbers.h"
#include <string.h>

enum { WORD = 32, WORDS = NUMBER_BITS / WORD };

static long pack(const int32_t *bits, long count, uint32_t *ret_words)
{
    const long words = (count + WORD - 1) / WORD;
    memset(ret_words, 0, (size_t)words * sizeof *ret_words);
    for (long i = 0; i < count; i++)
        ret_words[i / WORD] |= (uint32_t)bits[i] << (i % WORD);
    return words;
}

void number_multiply(const int32_t *a, long first, const int32_t *b, long second, int32_t *ret_product)
{
    uint32_t x[WORDS], y[WORDS], product[WORDS + 2] = {0};
    const long n = pack(a, first, x), m = pack(b, second, y);
    for (long i = 0; i < n; i++) {
        uint64_t carry = 0;
        for (long j = 0; j < m; j++) {
            carry += (uint64_t)x[i] * y[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= WORD;
        }
        product[i + m] = (uint32_t)carry;
    }
    for (long i = 0; i < first + second; i++)
        ret_product[i] = (int32_t)(product[i / WORD] >> (i % WORD) & 1);
}

static void shift(uint64_t *words, long count, int by)
{
    uint64_t in = 0;
    for (long i = 0; i < count; i++) {
        const uint64_t out = words[i] >> (64 - by);
        words[i] = words[i] << by | in;
        in = out;
    }
}

// Subtracts b from a unless that would go below 0; whether it did.
static int subtracted(uint64_t *a, const uint64_t *b, long count)
{
    long top = count - 1;
    uint64_t borrow = 0;
    while (top > 0 && a[top] == b[top])
        top--;
    if (a[top] < b[top])
        return 0;
    for (long i = 0; i < count; i++) {
        const uint64_t less = b[i] + borrow, before = a[i];
        a[i] = before - less;
        borrow = less < borrow || before < less;
    }
    return 1;
}

// Two bits of the number give one of the root r: the rest is R = N - r^2, and the next bit is 1 where 4R + two bits has
// 4r + 1 in it. `twice` holds 2r.
void number_root(const int32_t *number, long bits, int32_t *ret_root)
{
    uint64_t rest[NUMBER_BITS / 128 + 1] = {0}, twice[NUMBER_BITS / 128 + 1] = {0};
    const long odd = bits % 2;
    for (long i = 0; i < (bits + 1) / 2; i++) {
        const long words = (i + 3) / 64 + 1, at = 2 * i - odd;
        shift(rest, words, 2);
        rest[0] |= (uint64_t)((at < 0 ? 0 : 2 * number[at]) + number[at + 1]);
        shift(twice, words, 1);
        twice[0] |= 1;
        ret_root[i] = subtracted(rest, twice, words);
        twice[0] = (twice[0] & ~UINT64_C(1)) | (uint64_t)ret_root[i] << 1;
    }
}
