// SPDX-License-Identifier: MIT
// What each encoding must and must not see.
#include "../../src/nn/nn_bias.h"
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
        case_stir(&c);
        logits_of(&c, there);
        reverse_tokens(&c);
        logits_of(&c, back);
        if (kind == ENCODING_NONE || kind == ENCODING_ALIBI || kind == ENCODING_KERPLE)
            assert_true(difference(there, back, 8) < 1e-5);
        else
            assert_true(difference(there, back, 8) > 1e-4);
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
        if (kind == ENCODING_T5) // starts at zero
            case_tensor(&c, "t5.bias")->value[1] = 2;
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
    static const int kinds[] = {ENCODING_NONE,           ENCODING_RELATIVE, ENCODING_ALIBI,  ENCODING_ROPE,
                                ENCODING_TRANSFORMER_XL, ENCODING_T5,       ENCODING_KERPLE, ENCODING_FIRE};
    real first[8], got[8];
    for (int i = 0; i < 8; i++) {
        struct settings settings = case_settings((struct shape){8, 1, 20, 6, 7}, kinds[i], ACTIVATION_RELU, 0, false);
        struct nn_case c = {0};
        case_open(&c, &settings);
        logits_of(&c, i == 0 ? first : got);
        if (i > 0)
            assert_memory_equal(first, got, sizeof first);
        case_close(&c);
    }
}

static void without_positions_the_order_of_tokens_does_not_matter(void **state)
{
    (void)state;
    struct settings settings = case_settings((struct shape){8, 37, 20, 6, 7}, ENCODING_NONE, ACTIVATION_RELU, 0, false);
    struct nn_case c = {0};
    real there[8], back[8];
    case_open(&c, &settings);
    logits_of(&c, there);
    for (long s = 0; s < 8; s++)
        for (long l = 36; l > 0; l--) {
            const long other = (7 * l + s) % (l + 1);
            for (long k = 0; k < 20; k++) {
                float *a = c.vectors + (s * 37 + l) * 20 + k, *b = c.vectors + (s * 37 + other) * 20 + k, kept = *a;
                *a = *b;
                *b = kept;
            }
        }
    logits_of(&c, back);
    assert_true(difference(there, back, 8) < 1e-5);
    case_close(&c);
}

// A bias of the given block, as a site of one head gives it to tokens at `positions`; sum over all scores, each with a
// weight of its own.
static double fingerprint(struct nn_case *c, struct nn_site *site, const int32_t *positions, const real *rows)
{
    enum { LENGTH = 9 };
    real query[(LENGTH + 16) * 16] = {0}, key[(LENGTH + 16) * 16] = {0}, columns[256], weights[LENGTH * 16] = {0};
    memcpy(query, rows, LENGTH * 16 * sizeof *rows);
    memcpy(key, rows, LENGTH * 16 * sizeof *rows);
    nn_site_rotate(site, query, 16, LENGTH, positions, false);
    nn_site_rotate(site, key, 16, LENGTH, positions, false);
    struct nn_attention block = {.length = LENGTH,
                                 .keys = LENGTH,
                                 .stride = 16,
                                 .positions = positions,
                                 .head_dim = 6,
                                 .query = query,
                                 .key = key,
                                 .columns = columns,
                                 .weights = weights};
    double sum = 0;
    c->model->kernels->take_queries(&block);
    nn_site_bias(site, &block);
    for (long j = 0; j < LENGTH; j++)
        for (long i = 0; i < LENGTH; i++) {
            double score = (double)weights[j * 16 + i];
            for (long k = 0; k < 6; k++)
                score += (double)columns[k * 16 + i] * (double)key[j * 16 + k];
            sum += (double)(1 + i + 10 * j) * score;
        }
    return sum;
}

static void relative_encodings_do_not_see_a_shift_of_all_positions(void **state)
{
    (void)state;
    static const int kinds[] = {ENCODING_RELATIVE, ENCODING_ALIBI,  ENCODING_ROPE, ENCODING_TRANSFORMER_XL,
                                ENCODING_T5,       ENCODING_KERPLE, ENCODING_FIRE};
    static const int32_t here[] = {0, 1, 4, 6, 7, 8, 12, 30, 31}, there[] = {50, 51, 54, 56, 57, 58, 62, 80, 81};
    real rows[9 * 16] = {0};
    for (long i = 0; i < 9 * 16; i++)
        rows[i] = i % 16 < 6 ? (real)random_uniform(random_key(2, 0, "test/shift"), 0, 0, (uint32_t)i) : 0;
    for (int i = 0; i < 7; i++) {
        struct settings settings = case_settings(shape, kinds[i], 0, 0, false);
        struct nn_case c = {0};
        settings.model.random_positions = 100;
        settings.model.fire_threshold = 90.5;
        case_model(&c, &settings, 9);
        case_stir(&c);
        struct nn_builder builder = {.arena = c.arena, .structures = c.arena};
        struct nn_site site = {.model = c.model, .prefix = "more.", .heads = 1, .head_dim = 6};
        c.model->tensor = arena_get(c.arena, 32, sizeof *c.model->tensor);
        c.model->tensors = 0;
        c.model->tensors_limit = 32;
        site.head_padded = 16;
        site.query_scale = 1;
        site.init_scale = 0.5;
        nn_site_layout(&site, &builder);
        c.model->draw = arena_get(c.arena, 256, sizeof(float));
        nn_site_fill(&site);
        nn_site_begin(&site, 9, false);
        const double one = fingerprint(&c, &site, here, rows), other = fingerprint(&c, &site, there, rows);
        assert_true(fabs(one - other) < 1e-5 * fabs(one));
        if (kinds[i] != ENCODING_T5) { // still zero
            const int32_t apart[] = {0, 1, 4, 6, 7, 8, 12, 15, 40};
            assert_true(fabs(one - fingerprint(&c, &site, apart, rows)) > 1e-5 * fabs(one));
        }
        case_close(&c);
    }
}

// From the formula by hand: 32 buckets up to 128, both directions (16 a side) and one (32).
static void t5_buckets_are_those_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        long apart, two_sided, causal;
    } rows[] = {{0, 0, 0},     {1, 1, 1},     {7, 7, 7},     {8, 8, 8},     {11, 8, 11},    {12, 9, 12},  {15, 9, 15},
                {16, 10, 16},  {18, 10, 16},  {19, 10, 17},  {22, 10, 18},  {23, 11, 18},   {31, 11, 21}, {32, 12, 21},
                {45, 12, 23},  {46, 13, 24},  {63, 13, 26},  {64, 14, 26},  {90, 14, 29},   {91, 15, 29}, {112, 15, 30},
                {113, 15, 31}, {127, 15, 31}, {128, 15, 31}, {129, 15, 31}, {65535, 15, 31}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(nn_t5_bucket(rows[i].apart, 16, 128), rows[i].two_sided);
        assert_int_equal(nn_t5_bucket(rows[i].apart, 32, 128), rows[i].causal);
    }
    for (long buckets = 2; buckets < 40; buckets++)
        for (long apart = 1; apart < 300; apart++) {
            const long step = nn_t5_bucket(apart, buckets, 90) - nn_t5_bucket(apart - 1, buckets, 90);
            assert_true(step >= 0 && nn_t5_bucket(apart, buckets, 90) < buckets);
        }
}

// Beyond the train length: each scaling gives angles of its own, none up to there.
static void rope_scaling_acts_beyond_the_train_length_alone(void **state)
{
    (void)state;
    real plain[2][8], scaled[8], other[8];
    for (int scaling = 0; scaling < 4; scaling++) {
        struct settings settings = case_settings(shape, ENCODING_ROPE, 0, 0, false);
        struct nn_case c = {0};
        settings.model.rope_scaling = scaling;
        case_model(&c, &settings, 36);
        for (int far = 0; far < 2; far++) {
            case_batch(&c, 8, far ? 36 : 9);
            logits_of(&c, scaling ? scaled : plain[far]);
            if (scaling && !far)
                assert_memory_equal(scaled, plain[far], sizeof scaled);
            if (scaling && far)
                assert_true(difference(scaled, plain[far], 8) > 1e-4);
            case_drop_batch(&c);
        }
        // Back to short sequences, and again to long ones.
        case_batch(&c, 8, 9);
        logits_of(&c, other);
        assert_memory_equal(other, plain[0], sizeof other);
        case_drop_batch(&c);
        case_batch(&c, 8, 36);
        logits_of(&c, other);
        assert_memory_equal(other, scaling ? scaled : plain[1], sizeof other);
        case_close(&c);
    }
}

// Positions that were drawn from as many as a longer sequence has are no longer than those of training.
static void random_positions_of_training_need_no_scaling(void **state)
{
    (void)state;
    real got[2][8];
    for (int scaling = 0; scaling < 2; scaling++) {
        struct settings settings = case_settings(shape, ENCODING_ROPE, 0, 0, false);
        struct nn_case c = {0};
        settings.model.random_positions = 36;
        settings.model.rope_scaling = scaling ? ROPE_SCALING_YARN : ROPE_SCALING_NONE;
        case_model(&c, &settings, 36);
        case_batch(&c, 8, 20);
        logits_of(&c, got[scaling]);
        case_close(&c);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

static void kerple_stays_positive(void **state)
{
    (void)state;
    struct settings settings = case_settings(shape, ENCODING_KERPLE, ACTIVATION_RELU, 0, false);
    struct nn_case c = {0};
    real logits[8];
    case_open(&c, &settings);
    struct nn_tensor *scale = case_tensor(&c, "kerple.scale"), *rate = case_tensor(&c, "kerple.rate");
    assert_true(scale->value[0] >= (real)0.01 && scale->value[0] < 2);
    assert_true(rate->value[0] >= (real)0.01 && rate->value[0] < 1);
    scale->value[0] = -3;
    rate->value[0] = 0;
    logits_of(&c, logits);
    assert_true(scale->value[0] == (real)0.01 && rate->value[0] == (real)0.01);
    scale->value[0] = NAN;
    logits_of(&c, logits);
    assert_true(isnan(logits[0]));
    case_close(&c);
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
        cmocka_unit_test(without_positions_the_order_of_tokens_does_not_matter),
        cmocka_unit_test(relative_encodings_do_not_see_a_shift_of_all_positions),
        cmocka_unit_test(t5_buckets_are_those_of_the_paper),
        cmocka_unit_test(rope_scaling_acts_beyond_the_train_length_alone),
        cmocka_unit_test(random_positions_of_training_need_no_scaling),
        cmocka_unit_test(kerple_stays_positive),
        cmocka_unit_test(tables_are_prefixes_of_longer_ones),
        cmocka_unit_test(alibi_with_a_huge_slope_attends_to_itself),
        cmocka_unit_test(distances_beyond_the_clip_share_one_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
