// SPDX-License-Identifier: MIT
// Counter-based random numbers (Philox4x32-10 of Random123; Salmon et al., SC'11). A draw is addressed, never counted:
// its value depends on (seed, replicate, stream) and on (sample, position, coordinate) alone, so that changing the
// number of samples, the length or the width gives prefixes of the same draws.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct random_key {
    uint32_t word[2];
};

// `stream` names the purpose and whatever else sets draws apart: "train/noise", "test/512/label", "weight/query".
struct random_key random_key(uint64_t seed, int64_t replicate, const char *stream);

// One block of four 32-bit words at counter (block, position, sample low, sample high).
void random_block(struct random_key key, uint64_t sample, uint32_t position, uint32_t block, uint32_t ret_word[4]);

// Uniform on [0, 1), a multiple of 2^-53, at (sample, position, coordinate): words 0 and 1 of block `coordinate`.
double random_uniform(struct random_key key, uint64_t sample, uint32_t position, uint32_t coordinate);

// Uniform on {0, …, bound - 1}, from the same 64 bits by multiplication; bound >= 1.
uint32_t random_below(struct random_key key, uint64_t sample, uint32_t position, uint32_t coordinate, uint32_t bound);

// Standard normals at coordinates 0 … count-1 of (sample, position) into `ret_normal`. Coordinate c comes from word
// pair (a, b), number (c mod 4) / 2, of block c / 4 by Box and Muller's method, with the functions of base_simd.h:
// sqrt(-2 ln((a + 1/2) / 2^32)) times the cosine (even c) or sine (odd c) of 2 pi (b + 1/2) / 2^32. So fewer are a
// prefix of more. Error < 3 ulp of single precision; never infinite or NaN, magnitudes 10^-14 … 6.77, and as many below
// 0 as above. Runs with the instruction set that isa_current() names; every set gives the same bits.
void random_normals(struct random_key key, uint64_t sample, uint32_t position, size_t count, float *ret_normal);
