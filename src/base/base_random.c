// SPDX-License-Identifier: MIT
#include "base_random.h"
#include "base_hash.h"
#include "base_isa.h"
#include "base_random_kernel.h"
#include <Random123/philox.h>
#include <string.h>

struct random_key random_key(uint64_t seed, int64_t replicate, const char *stream)
{
    uint64_t parts[3] = {seed, (uint64_t)replicate, hash_64(stream, strlen(stream))};
    unsigned char bytes[sizeof parts];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(parts[i / 8] >> 8 * (i % 8)); // little-endian everywhere
    uint64_t hash = hash_64(bytes, sizeof bytes);
    return (struct random_key){{(uint32_t)hash, (uint32_t)(hash >> 32)}};
}

void random_block(struct random_key key, uint64_t sample, uint32_t position, uint32_t block, uint32_t ret_word[4])
{
    philox4x32_ctr_t counter = {{block, position, (uint32_t)sample, (uint32_t)(sample >> 32)}};
    philox4x32_key_t words = {{key.word[0], key.word[1]}};
    philox4x32_ctr_t drawn = philox4x32(counter, words);
    memcpy(ret_word, drawn.v, sizeof drawn.v);
}

static uint64_t draw_64(struct random_key key, uint64_t sample, uint32_t position, uint32_t coordinate)
{
    uint32_t word[4];
    random_block(key, sample, position, coordinate, word);
    return (uint64_t)word[1] << 32 | word[0];
}

double random_uniform(struct random_key key, uint64_t sample, uint32_t position, uint32_t coordinate)
{
    return (double)(draw_64(key, sample, position, coordinate) >> 11) * 0x1p-53;
}

// The upper 64 bits of the 96-bit product, shifted once more: floor(draw * bound / 2^64).
uint32_t random_below(struct random_key key, uint64_t sample, uint32_t position, uint32_t coordinate, uint32_t bound)
{
    uint64_t draw = draw_64(key, sample, position, coordinate);
    uint64_t low = (draw & UINT32_MAX) * bound, high = (draw >> 32) * bound;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

void random_normals(struct random_key key, uint64_t sample, uint32_t position, size_t count, float *ret_normal)
{
    static const struct random_kernel *const kernels[ISA_COUNT] = ISA_VARIANTS(random_kernel);
    kernels[isa_current()]->normals(key, sample, position, count, ret_normal);
}
