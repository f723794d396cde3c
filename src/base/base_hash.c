// SPDX-License-Identifier: MIT
#include "base_hash.h"
#define XXH_INLINE_ALL // so that the size of its state is known
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(struct hash_stream), "a stream has room for the state");
_Static_assert(_Alignof(XXH3_state_t) <= _Alignof(struct hash_stream), "a stream is aligned like the state");

static XXH3_state_t *state_of(struct hash_stream *stream)
{
    return (XXH3_state_t *)(void *)stream->state;
}

void hash_begin(struct hash_stream *stream)
{
    XXH3_INITSTATE(state_of(stream));
    XXH3_128bits_reset(state_of(stream));
}

void hash_more(struct hash_stream *stream, const void *data, size_t size)
{
    XXH3_128bits_update(state_of(stream), data, size);
}

struct hash128 hash_end(const struct hash_stream *stream)
{
    XXH128_hash_t hash = XXH3_128bits_digest((const XXH3_state_t *)(const void *)stream->state);
    return (struct hash128){.high = hash.high64, .low = hash.low64};
}

struct hash128 hash_128(const void *data, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(data, size);
    return (struct hash128){.high = hash.high64, .low = hash.low64};
}

uint64_t hash_64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

bool hash_equal(struct hash128 a, struct hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

int hash_compare(const void *a, const void *b)
{
    const struct hash128 *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->low == y->low ? 0 : x->low < y->low ? -1 : 1;
}

static void half_text(uint64_t half, char *ret_text)
{
    for (int i = 0; i < 16; i++)
        ret_text[i] = "0123456789abcdef"[half >> (60 - 4 * i) & 15];
}

void hash_text(struct hash128 hash, char ret_text[HASH_TEXT_SIZE])
{
    half_text(hash.high, ret_text);
    half_text(hash.low, ret_text + 16);
    ret_text[32] = 0;
}

static bool half_parse(const char *text, uint64_t *ret_half)
{
    uint64_t half = 0;
    for (int i = 0; i < 16; i++) {
        char c = text[i];
        if (c >= '0' && c <= '9')
            half = half << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            half = half << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *ret_half = half;
    return true;
}

bool hash_parse(const char *text, size_t length, struct hash128 *ret_hash)
{
    struct hash128 hash;
    if (length != HASH_TEXT_SIZE - 1 || !half_parse(text, &hash.high) || !half_parse(text + 16, &hash.low))
        return false;
    *ret_hash = hash;
    return true;
}
