// SPDX-License-Identifier: MIT
// Each instruction set's table against the definitions in nn_kernels.h, bit by bit, with the exact fma of base.
#include "base_isa.h"
#include "base_math.h"
#include "base_random.h"
#include "nn_kernels.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 70, SIZE = LIMIT * LIMIT * 2 };

struct tables {
    size_t count;
    const struct nn_kernels *table[ISA_COUNT];
    float a[SIZE], b[SIZE], got[SIZE], want[SIZE];
};

static int open_tables(void **state)
{
    struct tables *t = calloc(1, sizeof *t);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (isa_supported(isa))
            t->table[t->count++] = nn_kernels(isa);
    random_normals(random_key(1, 0, "kernels/a"), 0, 0, SIZE, t->a);
    random_normals(random_key(1, 0, "kernels/b"), 0, 0, SIZE, t->b);
    *state = t;
    return 0;
}

static int close_tables(void **state)
{
    free(*state);
    return 0;
}

static float start(const struct nn_product *p, const float *c, long i, long j)
{
    const float from = p->from_c ? c[i * p->c_stride + j] : p->residual ? p->residual[i * p->residual_stride + j] : 0;
    return p->bias ? from + p->bias[j] : from;
}

// One fma chain an element, k ascending.
static void chains(const struct nn_product *p, float *c)
{
    for (long i = 0; i < p->rows; i++)
        for (long j = 0; j < p->columns; j++) {
            float sum = start(p, c, i, j);
            for (long k = 0; k < p->depth; k++)
                sum = math_fmaf(p->a[i * p->a_row + k * p->a_depth],
                                p->b[k * p->b_stride + j / 16 * p->b_group + j % 16], sum);
            c[i * p->c_stride + j] = sum;
        }
}

static void check_product(struct tables *t, const struct nn_kernels *kernels, struct nn_product p)
{
    memcpy(t->got, t->b, sizeof t->got);
    memcpy(t->want, t->b, sizeof t->want);
    p.c = t->got;
    kernels->multiply(&p);
    chains(&p, t->want);
    assert_memory_equal(t->got, t->want, sizeof t->got);
}

static void every_remainder_of_a_product_is_the_same_chains(void **state)
{
    struct tables *t = *state;
    for (size_t i = 0; i < t->count; i++)
        for (long rows = 0; rows <= 35; rows += rows < 20 ? 1 : 5)
            for (long columns = 0; columns <= 64; columns += 16)
                for (long depth = 0; depth < 20; depth += depth < 3 ? 1 : 8) {
                    const bool from_c = (rows + depth) % 2;
                    struct nn_product p = {.rows = rows,
                                           .columns = columns,
                                           .depth = depth,
                                           .a = t->a,
                                           .a_row = LIMIT,
                                           .a_depth = 1,
                                           .b = t->b,
                                           .b_stride = 67,
                                           .b_group = 16,
                                           .c_stride = LIMIT,
                                           .from_c = from_c};
                    check_product(t, t->table[i], p);
                    p.a_row = 1;
                    p.a_depth = LIMIT;
                    p.b_stride = 16;
                    p.b_group = 16 * depth;
                    check_product(t, t->table[i], p);
                }
}

// So many that the kernel takes the rows in blocks. Rows of A and of B overlap.
static void long_products_are_the_same_chains(void **state)
{
    struct tables *t = *state;
    for (size_t i = 0; i < t->count; i++)
        for (int start = 0; start < 4; start++) {
            struct nn_product p = {.rows = 70,
                                   .columns = 48,
                                   .depth = 2100,
                                   .a = t->a,
                                   .a_row = 3,
                                   .a_depth = 1,
                                   .b = t->b,
                                   .b_stride = 2,
                                   .b_group = 16,
                                   .c_stride = LIMIT,
                                   .bias = start & 1 ? t->a + 7 : NULL,
                                   .residual = start & 2 ? t->b : NULL,
                                   .residual_stride = 61};
            check_product(t, t->table[i], p);
            p.a_row = 1;
            p.a_depth = 2;
            check_product(t, t->table[i], p);
        }
}

static float tree(const float *x)
{
    float sum[16];
    memcpy(sum, x, sizeof sum);
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sum[i] = sum[i] + sum[i + half];
    return sum[0];
}

static float dot(const float *x, const float *y, long width)
{
    float part[16] = {0};
    for (long c = 0; c < width; c++)
        part[c % 16] = math_fmaf(x[c], y[c], part[c % 16]);
    return tree(part);
}

static void rows_are_summed_in_the_defined_order(void **state)
{
    struct tables *t = *state;
    for (size_t i = 0; i < t->count; i++)
        for (long count = 0; count < 11; count++)
            for (long width = 16; width <= 96; width += 16) {
                const long stride = width + count;
                t->table[i]->dots(t->a, stride, count, width, t->b, t->got);
                t->table[i]->norms(t->a, stride, count, width, t->got + 20);
                for (long r = 0; r < count; r++) {
                    assert_true(t->got[r] == dot(t->a + r * stride, t->b, width));
                    assert_true(t->got[20 + r] == sqrtf(dot(t->a + r * stride, t->a + r * stride, width)));
                }
                memcpy(t->got, t->b, sizeof t->got);
                t->table[i]->combine(t->a, stride, count, width, t->b + 100, t->got);
                for (long c = 0; c < width; c++) {
                    float sum = t->b[c];
                    for (long r = 0; r < count; r++)
                        sum = math_fmaf(t->b[100 + r], t->a[r * stride + c], sum);
                    assert_true(t->got[c] == sum);
                }
                assert_memory_equal(t->got + width, t->b + width, sizeof(float) * 100);
            }
}

static void flat_loops_round_once(void **state)
{
    struct tables *t = *state;
    for (size_t i = 0; i < t->count; i++) {
        memcpy(t->got, t->b, sizeof t->got);
        t->table[i]->add_scaled(t->got, t->a, 0.3f, 64);
        t->table[i]->decay_add(t->got + 64, t->a, 0.3f, 64);
        t->table[i]->scale(t->got + 128, 0.3f, 64);
        for (int k = 0; k < 64; k++) {
            assert_true(t->got[k] == math_fmaf(0.3f, t->a[k], t->b[k]));
            assert_true(t->got[64 + k] == math_fmaf(0.3f, t->b[64 + k], t->a[k]));
            assert_true(t->got[128 + k] == 0.3f * t->b[128 + k]);
        }
        assert_memory_equal(t->got + 192, t->b + 192, sizeof(float) * 64);
    }
}

// In single precision the ones would be lost.
static void squares_are_summed_in_double(void **state)
{
    struct tables *t = *state;
    for (int k = 0; k < 64; k++)
        t->want[k] = k % 16 == 3 && k < 32 ? 16384 : 1;
    for (size_t i = 0; i < t->count; i++)
        assert_true(t->table[i]->square_norm(t->want, 64) == 2 * 0x1p28 + 62);
}

static void rotations_turn_pairs_and_back(void **state)
{
    static const int32_t positions[] = {0, 2, 2, 1, 0, 2, 1};
    struct tables *t = *state;
    for (size_t i = 0; i < t->count; i++)
        for (long columns = 2; columns <= 66; columns += 2) {
            const long half = columns / 2, length = 3;
            for (long p = 0; p < length; p++)
                for (long c = 0; c < half; c++) {
                    t->want[p * columns + c] = cosf((float)(p * c));
                    t->want[p * columns + half + c] = sinf((float)(p * c));
                }
            memcpy(t->got, t->a, sizeof t->got);
            t->table[i]->rotate(t->got, 70, 7, columns, positions, t->want, false);
            for (long r = 0; r < 7; r++)
                for (long c = 0; c < half; c++) {
                    const float x = t->a[r * 70 + c], y = t->a[r * 70 + half + c];
                    const float cosine = t->want[positions[r] * columns + c],
                                sine = t->want[positions[r] * columns + half + c];
                    assert_true(t->got[r * 70 + c] == x * cosine - y * sine);
                    assert_true(t->got[r * 70 + half + c] == x * sine + y * cosine);
                }
            t->table[i]->rotate(t->got, 70, 7, columns, positions, t->want, true);
            for (long k = 0; k < 490; k++)
                assert_true(fabsf(t->got[k] - t->a[k]) < 1e-6f);
        }
}

static void losses_and_slopes_are_accurate_and_pass_nan(void **state)
{
    struct tables *t = *state;
    const float special[] = {0, -0.0f, 1e-30f, 88, -88, 200, -200, 1e30f, -1e30f, INFINITY, -INFINITY};
    enum { COUNT = 77 };
    float x[COUNT], first[COUNT];
    for (int k = 0; k < COUNT; k++)
        x[k] = k < 11 ? special[k] : 9 * t->a[k];
    for (size_t i = 0; i < t->count; i++) {
        t->table[i]->losses(x, COUNT, t->got);
        for (int k = 0; k < COUNT; k++) {
            const double e = exp(-fabs((double)x[k])), loss = fmax(x[k], 0) + log1p(e);
            const double slope = x[k] > 0 ? 1 / (1 + e) : e / (1 + e);
            assert_true(t->got[k] == loss || fabs(t->got[k] - loss) < 3e-7 * loss + 1e-37);
            assert_true(fabs(t->table[i]->loss_slope(x[k]) - slope) < 3e-7 * slope + 1e-37);
        }
        if (i == 0)
            memcpy(first, t->got, sizeof first);
        assert_memory_equal(first, t->got, sizeof first);
        const float nan = NAN;
        t->table[i]->losses(&nan, 1, t->got);
        assert_true(isnan(t->got[0]) && isnan(t->table[i]->loss_slope(nan)));
    }
}

// Head dimension 1 and queries of 1: the keys are the scores.
static void attend_to(struct tables *t, const struct nn_kernels *kernels, const float *scores, long count,
                      struct nn_attention *attention)
{
    static float columns[16 * 16], queries[32 * 16];
    for (int row = 0; row < 32; row++)
        queries[row * 16] = 1;
    for (long k = 0; k < count; k++)
        t->got[k * 16] = scores[k];
    *attention = (struct nn_attention){.length = count,
                                       .stride = 16,
                                       .keys = count,
                                       .head_dim = 1,
                                       .key = t->got,
                                       .query = queries,
                                       .columns = columns,
                                       .weights = t->want};
    kernels->take_queries(attention);
    kernels->attend(attention, false);
}

static void weights_are_exponentials_within_an_ulp(void **state)
{
    struct tables *t = *state;
    enum { COUNT = 401 };
    float score[COUNT] = {0};
    for (int k = 1; k < COUNT; k++)
        score[k] = k < 300 ? -0.29f * (float)k : k < 400 ? -fabsf(t->a[k]) : -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        struct nn_attention attention;
        double sum = 0;
        attend_to(t, t->table[i], score, COUNT, &attention);
        for (int k = 0; k < COUNT; k++) {
            const double want = exp(fmax(score[k], -64));
            assert_true(fabs(attention.weights[k * 16] - want) <= 1.1 * 0x1p-23 * want);
            sum += want;
        }
        assert_true(fabs(attention.inverse[0] * sum - 1) < 1e-6);
        score[7] = nanf("5");
        attend_to(t, t->table[i], score, COUNT, &attention);
        assert_true(isnan(attention.weights[7 * 16]) && isnan(attention.inverse[0]));
        score[7] = -0.29f * 7;
    }
}

// Small whole numbers, so that sums are exact in any order.
static void biases_are_slices_of_a_table_and_gradients_go_back_there(void **state)
{
    struct tables *t = *state;
    enum { LENGTH = 53, BEFORE = 80, PLACES = 160 };
    float values[PLACES], sums[PLACES], want[PLACES];
    for (int k = 0; k < PLACES; k++)
        values[k] = (float)k;
    for (size_t i = 0; i < t->count; i++)
        for (long first = 0; first < LENGTH; first += 16) {
            struct nn_attention block = {.length = LENGTH, .keys = LENGTH, .first = first, .weights = t->got};
            memset(sums, 0, sizeof sums);
            memset(want, 0, sizeof want);
            block.score_gradient = t->want;
            t->table[i]->bias_slices(&block, values + BEFORE);
            for (long j = 0; j < LENGTH; j++)
                for (long lane = 0; lane < 16; lane++) {
                    const long place = BEFORE + first + lane - j;
                    const bool exists = first + lane < LENGTH;
                    assert_true(t->got[j * 16 + lane] == values[place]);
                    t->want[j * 16 + lane] = exists ? (float)((3 * j + 7 * lane) % 11) : NAN;
                    want[place] += exists ? t->want[j * 16 + lane] : 0;
                }
            t->table[i]->bias_slices_gradient(&block, sums + BEFORE);
            assert_memory_equal(sums, want, sizeof sums);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_remainder_of_a_product_is_the_same_chains),
        cmocka_unit_test(long_products_are_the_same_chains),
        cmocka_unit_test(rows_are_summed_in_the_defined_order),
        cmocka_unit_test(flat_loops_round_once),
        cmocka_unit_test(squares_are_summed_in_double),
        cmocka_unit_test(rotations_turn_pairs_and_back),
        cmocka_unit_test(losses_and_slopes_are_accurate_and_pass_nan),
        cmocka_unit_test(weights_are_exponentials_within_an_ulp),
        cmocka_unit_test(biases_are_slices_of_a_table_and_gradients_go_back_there),
    };
    return cmocka_run_group_tests(tests, open_tables, close_tables);
}
