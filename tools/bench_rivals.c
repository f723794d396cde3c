// SPDX-License-Identifier: MIT
#include "bench_rivals.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void cblas_sgemm(int order, int a_form, int b_form, int rows, int columns, int depth, float alpha,
                         const float *a, int a_stride, const float *b, int b_stride, float beta, float *c,
                         int c_stride);
typedef int dnnl_sgemm(char a_form, char b_form, int64_t rows, int64_t columns, int64_t depth, float alpha,
                       const float *a, int64_t a_stride, const float *b, int64_t b_stride, float beta, float *c,
                       int64_t c_stride);
typedef void product_function(const float *a, const float *b, float *c, ...);
typedef product_function *xsmm_dispatch(int m, int n, int k, const int *a_stride, const int *b_stride,
                                        const int *c_stride, const float *alpha, const float *beta, const int *flags,
                                        const int *prefetch);
typedef void xsmm_transpose(void *out, const void *in, unsigned size, int rows, int columns, int in_stride,
                            int out_stride);

static long a_stride(const struct shape *shape)
{
    return shape->kind == FIRST_TRANSPOSED ? shape->rows : shape->depth;
}

static long b_stride(const struct shape *shape)
{
    return shape->kind == SECOND_TRANSPOSED ? shape->depth : shape->columns;
}

static void multiply_cblas(const struct contender *self, const struct shape *shape, const float *a, const float *b,
                           float *c)
{
    enum { ROW_MAJOR = 101, AS_STORED = 111, TRANSPOSED = 112 };
    ((cblas_sgemm *)self->function)(ROW_MAJOR, shape->kind == FIRST_TRANSPOSED ? TRANSPOSED : AS_STORED,
                                    shape->kind == SECOND_TRANSPOSED ? TRANSPOSED : AS_STORED, (int)shape->rows,
                                    (int)shape->columns, (int)shape->depth, 1, a, (int)a_stride(shape), b,
                                    (int)b_stride(shape), shape->kind == FIRST_TRANSPOSED, c, (int)shape->columns);
}

static void multiply_dnnl(const struct contender *self, const struct shape *shape, const float *a, const float *b,
                          float *c)
{
    ((dnnl_sgemm *)self->function)(shape->kind == FIRST_TRANSPOSED ? 'T' : 'N',
                                   shape->kind == SECOND_TRANSPOSED ? 'T' : 'N', shape->rows, shape->columns,
                                   shape->depth, 1, a, a_stride(shape), b, b_stride(shape),
                                   shape->kind == FIRST_TRANSPOSED, c, shape->columns);
}

// Its matrices are column-major: row-major C = A B is C' = B' A' there. It generates no code for a first factor that is
// transposed there, which scores would need; their keys are transposed by its own function first.
static void prepare_xsmm(struct contender *self, const struct shape *shape, const float *b)
{
    enum { SECOND_FLAG = 2 };
    const int flags = shape->kind == FIRST_TRANSPOSED ? SECOND_FLAG : 0, prefetch = 0;
    const int first = (int)shape->columns, second = (int)a_stride(shape), out = (int)shape->columns;
    const float one = 1, beta = shape->kind == FIRST_TRANSPOSED;
    (void)b;
    self->generated = ((xsmm_dispatch *)self->function)((int)shape->columns, (int)shape->rows, (int)shape->depth,
                                                        &first, &second, &out, &one, &beta, &flags, &prefetch);
}

static void multiply_xsmm(const struct contender *self, const struct shape *shape, const float *a, const float *b,
                          float *c)
{
    if (!self->generated)
        return;
    if (shape->kind == SECOND_TRANSPOSED) {
        ((xsmm_transpose *)self->transpose)(self->packed, b, sizeof *b, (int)shape->depth, (int)shape->columns,
                                            (int)shape->depth, (int)shape->columns);
        b = self->packed;
    }
    self->generated(b, a, c);
}

static const struct rival {
    const char *name, *library, *symbol;
    void (*multiply)(const struct contender *self, const struct shape *shape, const float *a, const float *b, float *c);
    void (*prepare)(struct contender *self, const struct shape *shape, const float *b);
} rivals[] = {
    {"openblas", "libopenblas.so.0", "cblas_sgemm", multiply_cblas, NULL},
    {"blis", "libblis.so.4", "cblas_sgemm", multiply_cblas, NULL},
    {"onednn", "libdnnl.so.2", "dnnl_sgemm", multiply_dnnl, NULL},
    {"libxsmm", "libxsmm.so", "libxsmm_smmdispatch", multiply_xsmm, prepare_xsmm},
};

bool rival_load(struct contender *contender)
{
    for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
        const struct rival *rival = &rivals[i];
        if (strcmp(rival->name, contender->name) != 0)
            continue;
        void *library = dlopen(rival->library, RTLD_LAZY | RTLD_LOCAL);
        contender->function = library ? dlsym(library, rival->symbol) : NULL;
        contender->transpose = library ? dlsym(library, "libxsmm_otrans") : NULL;
        contender->multiply = rival->multiply;
        contender->prepare = rival->prepare;
        if (!contender->function)
            fprintf(stderr, "%s\n", dlerror());
        return contender->function;
    }
    fprintf(stderr, "no contender %s; there are lgsweep, openblas, blis, onednn and libxsmm\n", contender->name);
    return false;
}
