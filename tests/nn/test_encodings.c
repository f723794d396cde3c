// SPDX-License-Identifier: MIT
// What each encoding must and must not see.
#include "nn_cases.h"

static const struct shape shape = {8, 9, 20, 6, 7};

static void logits_of(struct nn_case *c, real *ret_logits)
{
    nn_predict(c->model, &c->batch, &(struct nn_outputs){.logits = ret_logits});
}

static void reverse_tokens(struct nn_case *c)
{
    const long length = c->batch.length, dim = c->batch.dim;
    for (long s = 0; s < c->batch.samples; s++)
        for (long l = 0; l < length / 2; l++)
            for (long k = 0; k < dim; k++) {
                float *a = c->vectors + (s * length + l) * dim + k;
                float *b = c->vectors + (s * length + length - 1 - l) * dim + k, kept = *a;
                *a = *b;
                *b = kept;
            }
}

static double difference(const real *a, const real *b, long count)
{
    double worst = 0;
    for (long i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)(a[i] - b[i])));
    return worst;
}

static void only_symmetric_encodings_are_blind_to_reversal(void **state)
{
    (void)state;
    for (int kind = 0; kind < ENCODING_KINDS; kind++) {
        struct settings settings = case_settings(shape, kind, ACTIVATION_RELU, 0, false);
        struct nn_case c = {0};
        real there[8], back[8];
        case_open(&c, &settings);
        logits_of(&c, there);
        reverse_tokens(&c);
        logits_of(&c, back);
        if (kind == ENCODING_NONE || kind == ENCODING_ALIBI)
            assert_true(difference(there, back, 8) < 1e-5);
        else
            assert_true(difference(there, back, 8) > 1e-3);
        case_close(&c);
    }
}

static void every_encoding_but_none_changes_the_output(void **state)
{
    (void)state;
    real plain[8], got[8];
    for (int kind = 0; kind < ENCODING_KINDS; kind++) {
        struct settings settings = case_settings(shape, kind, 0, 0, false);
        struct nn_case c = {0};
        case_open(&c, &settings);
        logits_of(&c, kind == ENCODING_NONE ? plain : got);
        if (kind != ENCODING_NONE)
            assert_true(difference(plain, got, 8) > 1e-3);
        case_close(&c);
    }
}

static void reversing_relative_vectors_undoes_the_reversal_of_tokens(void **state)
{
    (void)state;
    struct settings settings = case_settings(shape, ENCODING_RELATIVE, ACTIVATION_RELU, 0, false);
    struct nn_case c = {0};
    real there[8], back[8];
    case_open(&c, &settings);
    logits_of(&c, there);
    reverse_tokens(&c);
    struct nn_tensor *relative = case_tensor(&c, "relative");
    for (long r = 0; r < relative->rows / 2; r++)
        for (long k = 0; k < relative->columns; k++) {
            real *a = relative->value + r * relative->stride + k;
            real *b = relative->value + (relative->rows - 1 - r) * relative->stride + k, kept = *a;
            *a = *b;
            *b = kept;
        }
    logits_of(&c, back);
    assert_true(difference(there, back, 8) < 1e-5);
    case_close(&c);
}

// With one token there are no distances: encodings of distance are as none.
static void one_token_has_no_distance(void **state)
{
    (void)state;
    static const int kinds[] = {ENCODING_NONE, ENCODING_RELATIVE, ENCODING_ALIBI, ENCODING_ROPE};
    real first[8], got[8];
    for (int i = 0; i < 4; i++) {
        struct settings settings = case_settings((struct shape){8, 1, 20, 6, 7}, kinds[i], ACTIVATION_RELU, 0, false);
        struct nn_case c = {0};
        case_open(&c, &settings);
        logits_of(&c, i == 0 ? first : got);
        if (i > 0)
            assert_memory_equal(first, got, sizeof first);
        case_close(&c);
    }
}

static void tables_are_prefixes_of_longer_ones(void **state)
{
    (void)state;
    for (int option = 0; option < 2 * ENCODING_KINDS; option++) {
        struct settings settings = case_settings(shape, option / 2, option & 1, 0, false);
        struct nn_case near = {0}, far = {0};
        real one[8], other[8];
        case_model(&near, &settings, 30);
        case_batch(&near, 8, 30);
        case_model(&far, &settings, 500);
        far.batch = near.batch;
        logits_of(&near, one);
        logits_of(&far, other);
        assert_memory_equal(one, other, sizeof one);
        case_close(&near);
        case_close(&far);
    }
}

static void alibi_with_a_huge_slope_attends_to_itself(void **state)
{
    (void)state;
    struct settings settings = case_settings(shape, ENCODING_ALIBI, ACTIVATION_NONE, 0, false);
    settings.model.alibi_slope = 1e4;
    struct nn_case c = {0};
    real mass[8];
    case_open(&c, &settings);
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.relevant_mass = mass});
    for (int s = 0; s < 8; s++)
        assert_true(fabs((double)mass[s] - 1.0 / 9) < 1e-6);
    case_close(&c);
}

static void distances_beyond_the_clip_share_one_vector(void **state)
{
    (void)state;
    struct settings settings = case_settings(shape, ENCODING_RELATIVE, ACTIVATION_NONE, 0, false);
    struct nn_case clipped = {0}, whole = {0};
    real one[8], other[8];
    settings.model.relative_clip = 2;
    case_open(&clipped, &settings);
    settings.model.relative_clip = 20;
    case_open(&whole, &settings);
    struct nn_tensor *few = case_tensor(&clipped, "relative"), *many = case_tensor(&whole, "relative");
    for (long distance = -20; distance <= 20; distance++) {
        const long row = (distance < -2 ? -2 : distance > 2 ? 2 : distance) + 2;
        memcpy(many->value + (distance + 20) * many->stride, few->value + row * few->stride,
               (size_t)few->stride * sizeof(real));
    }
    logits_of(&clipped, one);
    logits_of(&whole, other);
    assert_memory_equal(one, other, sizeof one);
    case_close(&clipped);
    case_close(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_symmetric_encodings_are_blind_to_reversal),
        cmocka_unit_test(every_encoding_but_none_changes_the_output),
        cmocka_unit_test(reversing_relative_vectors_undoes_the_reversal_of_tokens),
        cmocka_unit_test(one_token_has_no_distance),
        cmocka_unit_test(tables_are_prefixes_of_longer_ones),
        cmocka_unit_test(alibi_with_a_huge_slope_attends_to_itself),
        cmocka_unit_test(distances_beyond_the_clip_share_one_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
