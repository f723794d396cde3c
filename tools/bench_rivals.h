// SPDX-License-Identifier: MIT
// Libraries of matrix products that lgsweep could have used, loaded at run time, so that none is needed to build.
#pragma once
#include <stdbool.h>

// C (rows x columns) = A B, row-major without gaps. FIRST_TRANSPOSED: A is stored transposed, and the product is added
// to C (gradients of weights). SECOND_TRANSPOSED: B is stored transposed (scores).
enum product_kind { PLAIN, FIRST_TRANSPOSED, SECOND_TRANSPOSED };

struct shape {
    const char *size, *name;
    enum product_kind kind;
    long rows, columns, depth;
};

struct contender {
    const char *name;
    void (*multiply)(const struct contender *self, const struct shape *shape, const float *a, const float *b, float *c);
    void (*prepare)(struct contender *self, const struct shape *shape, const float *b); // untimed; may be NULL
    void *transpose;                                                                    // libxsmm
    void *function;                                                                     // of the library
    void (*generated)(const float *a, const float *b, float *c, ...);                   // libxsmm: for one shape
    float *packed;                                                                      // lgsweep: B in groups
};

// Fills in what `name` (openblas, blis, onednn or libxsmm) needs. False, after a message with the reason, where the
// library cannot be loaded. It stays loaded.
bool rival_load(struct contender *contender);
