// SPDX-License-Identifier: MIT
#include "base_random_kernel.h"
#include "base_simd.h"

enum { LANES = 16, WORDS = 4, ROUNDS = 10 };

// Philox4x32-10 on counters that differ between lanes; equal to Random123's.
SIMD_INLINE void philox(simd_int counter[WORDS], struct random_key key)
{
#pragma GCC unroll 10
    for (uint32_t round = 0; round < ROUNDS; round++) {
        simd_int key0 = simd_int_set(key.word[0] + round * 0x9e3779b9u);
        simd_int key1 = simd_int_set(key.word[1] + round * 0xbb67ae85u);
        simd_int high0, low0, high2, low2;
        simd_int_multiply(counter[0], simd_int_set(0xd2511f53u), &high0, &low0);
        simd_int_multiply(counter[2], simd_int_set(0xcd9e8d57u), &high2, &low2);
        counter[0] = simd_int_xor(simd_int_xor(high2, counter[1]), key0);
        counter[1] = low2;
        counter[2] = simd_int_xor(simd_int_xor(high0, counter[3]), key1);
        counter[3] = low0;
    }
}

SIMD_INLINE void box_muller(simd_int radius_word, simd_int angle_word, float *ret_first, float *ret_second)
{
    simd cosine, sine, radius = simd_radius(radius_word);
    simd_turn(angle_word, &cosine, &sine);
    simd_store(ret_first, simd_mul(radius, cosine));
    simd_store(ret_second, simd_mul(radius, sine));
}

// word[w][lane] of the blocks first … first + LANES - 1, of which the first `blocks` are needed.
static void draw_words(struct random_key key, const uint32_t counter[WORDS], long blocks, uint32_t word[WORDS][LANES])
{
    static const uint32_t lane_index[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (long lane = 0; lane < blocks; lane += SIMD_WIDTH) {
        simd_int state[WORDS];
        state[0] = simd_int_add(simd_int_set(counter[0]), simd_int_load(lane_index + lane));
        for (int w = 1; w < WORDS; w++)
            state[w] = simd_int_set(counter[w]);
        philox(state, key);
        for (int w = 0; w < WORDS; w++)
            simd_int_store(word[w] + lane, state[w]);
    }
}

static void draw_normals(uint32_t word[WORDS][LANES], long blocks, float *ret_normal)
{
    float value[WORDS][LANES];
    for (int pair = 0; pair < WORDS; pair += 2)
        for (long lane = 0; lane < blocks; lane += SIMD_WIDTH)
            box_muller(simd_int_load(word[pair] + lane), simd_int_load(word[pair + 1] + lane), value[pair] + lane,
                       value[pair + 1] + lane);
    for (long lane = 0; lane < blocks; lane++)
        for (int w = 0; w < WORDS; w++)
            ret_normal[WORDS * lane + w] = value[w][lane];
}

static void normals(struct random_key key, uint64_t sample, uint32_t position, size_t count, float *ret_normal)
{
    uint32_t counter[WORDS] = {0, position, (uint32_t)sample, (uint32_t)(sample >> 32)};
    uint32_t word[WORDS][LANES];
    for (; count >= WORDS * LANES; count -= WORDS * LANES) {
        draw_words(key, counter, LANES, word);
        draw_normals(word, LANES, ret_normal);
        ret_normal += WORDS * LANES;
        counter[0] += LANES;
    }
    if (!count)
        return;
    float last[WORDS * LANES];
    long blocks = (long)(count + WORDS - 1) / WORDS;
    draw_words(key, counter, blocks, word);
    draw_normals(word, blocks, last);
    memcpy(ret_normal, last, count * sizeof *last);
}

const struct random_kernel SIMD_NAME(random_kernel) = {.normals = normals};
