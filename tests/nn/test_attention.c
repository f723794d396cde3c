// SPDX-License-Identifier: MIT
// Blocks of attention on each instruction set, bit by bit, against the orders that nn_kernels.h defines.
#include "base_isa.h"
#include "base_math.h"
#include "base_random.h"
#include "nn_kernels.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 37, HEAD = 10, VALUE = 21, HEAD_PADDED = 16, VALUE_PADDED = 32, WIDTH = 64, ROWS = LENGTH + 16 };

struct memory {
    float projected[ROWS * WIDTH], gradient[ROWS * WIDTH], votes[LENGTH], vote_gradients[LENGTH];
    float readout[VALUE_PADDED], readout_sum[VALUE_PADDED];
    float columns[HEAD_PADDED * 16], weights[LENGTH * 16], score_gradient[LENGTH * 16];
    float mixed[VALUE_PADDED * 16], mixed_gradient[VALUE_PADDED * 16], mixed_rows[VALUE_PADDED * 16];
};

struct work {
    const struct nn_kernels *kernels;
    struct nn_attention t;
    struct memory m;
};

static void open_work(struct work *w, enum isa isa, long length)
{
    memset(w, 0, sizeof *w);
    w->kernels = nn_kernels(isa);
    for (int row = 0; row < ROWS; row++)
        for (int part = 0; part < 3; part++)
            random_normals(random_key(1, part, "attention"), (uint64_t)row, 0, part < 2 ? HEAD : VALUE,
                           w->m.projected + row * WIDTH + 16 * part);
    random_normals(random_key(1, 3, "attention"), 0, 0, LENGTH, w->m.votes);
    random_normals(random_key(1, 4, "attention"), 0, 0, VALUE, w->m.readout);
    w->t = (struct nn_attention){.length = length,
                                 .keys = length,
                                 .stride = WIDTH,
                                 .head_dim = HEAD,
                                 .value_dim = VALUE,
                                 .query = w->m.projected,
                                 .key = w->m.projected + 16,
                                 .value = w->m.projected + 32,
                                 .votes = w->m.votes,
                                 .query_gradient = w->m.gradient,
                                 .key_gradient = w->m.gradient + 16,
                                 .value_gradient = w->m.gradient + 32,
                                 .vote_gradients = w->m.vote_gradients,
                                 .readout = w->m.readout,
                                 .readout_sum = w->m.readout_sum,
                                 .columns = w->m.columns,
                                 .weights = w->m.weights,
                                 .score_gradient = w->m.score_gradient,
                                 .mixed = w->m.mixed,
                                 .mixed_gradient = w->m.mixed_gradient,
                                 .mixed_rows = w->m.mixed_rows};
}

static long queries_of(const struct work *w)
{
    return w->t.length - w->t.first < 16 ? w->t.length - w->t.first : 16;
}

// 4 partial sums of a[k] * b[k], strides given.
static float partials(const float *a, long a_step, const float *b, long b_step, long count)
{
    float sum[4] = {0};
    for (long k = 0; k < count; k++)
        sum[k % 4] = math_fmaf(a[k * a_step], b[k * b_step], sum[k % 4]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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

static float score(const struct work *w, long l, long j, float start)
{
    float sum = start;
    for (long c = 0; c < HEAD; c++)
        sum = math_fmaf(w->t.key[j * WIDTH + c], w->t.query[(w->t.first + l) * WIDTH + c], sum);
    return sum;
}

// Ratios of weights are exponentials of differences of scores; their sum is in 4 partial sums.
static void check_weights(const struct work *w, float bias)
{
    static const float one = 1;
    for (long l = 0; l < queries_of(w); l++) {
        float largest = -INFINITY;
        for (long j = 0; j < w->t.length; j++)
            largest = fmaxf(largest, score(w, l, j, bias * (float)j));
        for (long j = 0; j < w->t.length; j++) {
            const float x = score(w, l, j, bias * (float)j) - largest;
            assert_true(fabs(w->m.weights[j * 16 + l] / exp(fmaxf(x, -64)) - 1) < 2e-7);
        }
        assert_true(w->t.inverse[l] == 1 / partials(w->m.weights + l, 16, &one, 0, w->t.length));
    }
}

static void attend(struct work *w, float bias)
{
    for (long j = 0; j < w->t.length; j++)
        for (int lane = 0; lane < 16; lane++)
            w->m.weights[j * 16 + lane] = bias * (float)j;
    w->kernels->take_queries(&w->t);
    w->kernels->attend(&w->t, bias != 0);
    check_weights(w, bias);
}

static void check_total(const struct work *w, const float *before)
{
    float lanes[16];
    for (int l = 0; l < 16; l++)
        lanes[l] = l < queries_of(w) ? before[l] + w->t.output[l] : before[l];
    assert_memory_equal(w->t.total, lanes, sizeof lanes);
    assert_true(w->kernels->total(&w->t) == tree(lanes));
}

static void votes_block(struct work *w)
{
    float before[16], sums[LENGTH];
    memcpy(before, w->t.total, sizeof before);
    memcpy(sums, w->m.vote_gradients, sizeof sums);
    w->kernels->read_votes(&w->t);
    for (long l = 0; l < queries_of(w); l++)
        assert_true(w->t.output[l] == partials(w->m.weights + l, 16, w->m.votes, 1, w->t.length) * w->t.inverse[l]);
    check_total(w, before);
    w->kernels->votes_gradient(&w->t, 0.3f);
    for (long j = 0; j < w->t.length; j++) {
        float paid[16] = {0};
        for (long l = 0; l < queries_of(w); l++) {
            paid[l] = w->m.weights[j * 16 + l] * (0.3f * w->t.inverse[l]);
            assert_true(w->m.score_gradient[j * 16 + l] == paid[l] * (w->m.votes[j] - w->t.output[l]));
        }
        assert_true(w->m.vote_gradients[j] == sums[j] + tree(paid));
    }
}

static void check_activations(const struct work *w, float active[16][VALUE])
{
    for (long l = 0; l < queries_of(w); l++) {
        for (long c = 0; c < VALUE; c++) {
            float sum = 0;
            for (long j = 0; j < w->t.length; j++)
                sum = math_fmaf(w->t.value[j * WIDTH + c], w->m.weights[j * 16 + l], sum);
            sum *= w->t.inverse[l];
            active[l][c] = sum > 0 ? sum : 0;
        }
        assert_true(w->t.output[l] == partials(active[l], 1, w->m.readout, 1, VALUE));
    }
}

static void check_value_gradient(const struct work *w, float active[16][VALUE], const float *before, const float *sums)
{
    for (long c = 0; c < VALUE; c++) {
        float slope[16], sum = sums[c];
        for (long l = 0; l < queries_of(w); l++) {
            sum += active[l][c];
            slope[l] = active[l][c] > 0 ? w->m.readout[c] * (0.3f * w->t.inverse[l]) : 0;
        }
        assert_true(w->m.readout_sum[c] == sum);
        for (long j = 0; j < w->t.length; j++) {
            float chain = w->t.first > 0 ? before[j * WIDTH + 32 + c] : 0;
            for (long l = 0; l < queries_of(w); l++)
                chain = math_fmaf(w->m.weights[j * 16 + l], slope[l], chain);
            assert_true(w->m.gradient[j * WIDTH + 32 + c] == chain);
        }
    }
}

static void check_softmax_gradient(const struct work *w, float active[16][VALUE])
{
    for (long l = 0; l < queries_of(w); l++) {
        float slope[LENGTH];
        for (long j = 0; j < w->t.length; j++) {
            slope[j] = 0;
            for (long c = 0; c < VALUE; c++)
                slope[j] = math_fmaf(w->t.value[j * WIDTH + c],
                                     active[l][c] > 0 ? w->m.readout[c] * (0.3f * w->t.inverse[l]) : 0, slope[j]);
        }
        const float mean = partials(w->m.weights + l, 16, slope, 1, w->t.length) * w->t.inverse[l];
        for (long j = 0; j < w->t.length; j++)
            assert_true(w->m.score_gradient[j * 16 + l] == w->m.weights[j * 16 + l] * (slope[j] - mean));
    }
}

static void values_block(struct work *w)
{
    float before[16], active[16][VALUE], sums[VALUE_PADDED];
    static float gradient[ROWS * WIDTH];
    memcpy(before, w->t.total, sizeof before);
    memcpy(sums, w->m.readout_sum, sizeof sums);
    memcpy(gradient, w->m.gradient, sizeof gradient);
    w->kernels->read_values(&w->t);
    check_activations(w, active);
    check_total(w, before);
    w->kernels->values_gradient(&w->t, 0.3f, true);
    check_value_gradient(w, active, gradient, sums);
    check_softmax_gradient(w, active);
}

static void scores_block(struct work *w)
{
    static float before[ROWS * WIDTH];
    memcpy(before, w->m.gradient, sizeof before);
    w->kernels->scores_gradient(&w->t);
    const float *slope = w->m.score_gradient;
    for (long c = 0; c < HEAD_PADDED; c++) {
        for (long l = 0; l < queries_of(w); l++) {
            float chain = 0;
            for (long j = 0; j < w->t.length; j++)
                chain = math_fmaf(slope[j * 16 + l], w->t.key[j * WIDTH + c], chain);
            assert_true(w->t.query_gradient[(w->t.first + l) * WIDTH + c] == chain);
        }
        for (long j = 0; j < w->t.length; j++) {
            float chain = w->t.first > 0 ? before[j * WIDTH + 16 + c] : 0;
            for (long l = 0; l < queries_of(w); l++)
                chain = math_fmaf(slope[j * 16 + l], w->t.query[(w->t.first + l) * WIDTH + c], chain);
            assert_true(w->t.key_gradient[j * WIDTH + c] == chain);
        }
    }
}

static void attention_block(struct work *w)
{
    static const int32_t keys[] = {0, 1};
    const long count = w->t.length > 1 ? 2 : 1;
    float mass[16];
    w->kernels->attention_on(&w->t, keys, count, mass);
    for (long l = 0; l < 16; l++) {
        float sum = 0;
        for (long r = 0; r < count; r++)
            sum += w->m.weights[keys[r] * 16 + l];
        assert_true(mass[l] == (l < queries_of(w) ? sum * w->t.inverse[l] : 0));
    }
}

static void blocks_follow_their_definitions(void **state)
{
    static struct work w;
    static const long lengths[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 37};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        open_work(&w, (enum isa)(intptr_t)*state, lengths[i / 2]);
        for (w.t.first = 0; w.t.first < w.t.length; w.t.first += 16) {
            attend(&w, i % 2 ? -0.07f : 0);
            attention_block(&w);
            if (i % 4 < 2)
                votes_block(&w);
            else
                values_block(&w);
            scores_block(&w);
        }
    }
}

static void nan_reaches_the_output_of_its_queries(void **state)
{
    static struct work w;
    for (int part = 0; part < 3; part++) {
        open_work(&w, (enum isa)(intptr_t)*state, 9);
        w.m.projected[4 * WIDTH + 16 * part + 3] = NAN;
        w.kernels->take_queries(&w.t);
        w.kernels->attend(&w.t, false);
        w.kernels->read_values(&w.t);
        for (long l = 0; l < 9; l++)
            assert_true(isnan(w.t.output[l]) == (part > 0 || l == 4));
        assert_true(isnan(w.kernels->total(&w.t)));
    }
}

int main(void)
{
    static const struct CMUnitTest claims[] = {
        cmocka_unit_test(blocks_follow_their_definitions),
        cmocka_unit_test(nan_reaches_the_output_of_its_queries),
    };
    static char name[2 * ISA_COUNT][80];
    struct CMUnitTest tests[2 * ISA_COUNT];
    size_t count = 0;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 0; i < 2 && isa_supported(isa); i++, count++) {
            snprintf(name[count], sizeof name[count], "%s %s", isa_name(isa), claims[i].name);
            tests[count] = claims[i];
            tests[count].name = name[count];
            tests[count].initial_state = (void *)(intptr_t)isa;
        }
    return _cmocka_run_group_tests("attention", tests, count, NULL, NULL);
}
