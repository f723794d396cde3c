// SPDX-License-Identifier: MIT
// How a transformer starts, and how its width enters.
#include "transformer_cases.h"

static const struct shape plain = {
    .samples = 3, .length = 6, .heads = 2, .head_dim = 8, .head = POOLING_PER_POSITION, .head_bias = true};

static double largest(const struct nn_tensor *tensor)
{
    double most = 0;
    for (long k = 0; k < tensor->storage; k++)
        most = fmax(most, fabs((double)tensor->value[k]));
    return most;
}

static void open_with(struct nn_case *c, struct settings settings)
{
    case_model(c, &settings, settings.task.train_length);
    case_batch(c, settings.task.samples, settings.task.train_length, false);
}

static void linear_layers_start_uniform_within_their_inputs_root(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double inputs;
    } expected[] = {
        {"layers.0.attention.query", 16}, {"layers.1.attention.value.bias", 16}, {"layers.1.ffn.in", 16},
        {"layers.0.ffn.out", 32},         {"layers.0.ffn.out.bias", 32},         {"head", 16},
    };
    struct nn_case c = {0};
    case_open(&c, &plain);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const double bound = 1 / sqrt(expected[i].inputs), most = largest(case_tensor(&c, expected[i].name));
        if (!(most <= bound && most > 0.7 * bound))
            fail_msg("%s reaches %g of %g", expected[i].name, most, bound);
    }
    assert_true(case_tensor(&c, "layers.0.norm1.gain")->value[15] == 1);
    assert_true(largest(case_tensor(&c, "norm.bias")) == 0);
    case_close(&c);
}

static void gains_are_factors_on_matrices(void **state)
{
    (void)state;
    struct nn_case c = {0}, scaled = {0};
    struct settings settings = case_settings(&plain);
    open_with(&c, settings);
    settings.model.init_gain = 0.5;
    settings.model.value_gain = 0.25;
    open_with(&scaled, settings);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        const struct nn_tensor *one = nn_tensor(c.model, i), *other = nn_tensor(scaled.model, i);
        const bool value = strstr(one->name, "value") && one->matrix;
        const double factor = value ? 0.125 : one->matrix ? 0.5 : 1;
        for (long k = 0; k < one->storage; k++)
            assert_true((double)other->value[k] == factor * (double)one->value[k]);
    }
    case_close(&c);
    case_close(&scaled);
}

// The biases of queries, keys, values and attention's output alone are not there; the rest starts as it does.
static void attention_without_biases_is_that_of_zero_ones(void **state)
{
    (void)state;
    struct nn_case c = {0}, without = {0};
    struct settings settings = case_settings(&plain);
    size_t cleared = 0;
    open_with(&c, settings);
    settings.model.attention_bias = false;
    open_with(&without, settings);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        struct nn_tensor *tensor = nn_tensor(c.model, i);
        const struct nn_tensor *other = case_tensor(&without, tensor->name);
        const bool bias = strstr(tensor->name, ".attention.") && strstr(tensor->name, "bias");
        assert_true((other == NULL) == bias);
        if (bias)
            memset(tensor->value, 0, (size_t)tensor->storage * sizeof(real));
        else
            assert_memory_equal(tensor->value, other->value, (size_t)tensor->storage * sizeof(real));
        cleared += bias;
    }
    assert_int_equal(cleared, 4 * CASE_LAYERS);
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
    nn_predict(without.model, &c.batch, &(struct nn_outputs){.logits = without.logits});
    assert_memory_equal(c.logits, without.logits, (size_t)case_logits(&c) * sizeof(real));
    case_close(&c);
    case_close(&without);
}

static void frozen_embeddings_are_orthonormal_up_to_the_width(void **state)
{
    (void)state;
    for (long head_dim = 2; head_dim <= 8; head_dim += 3) { // width 4, less than the vocabulary, and 10, 16
        struct shape shape = plain;
        struct nn_case c = {0};
        shape.head_dim = head_dim;
        shape.orthonormal = true;
        case_open(&c, &shape);
        const struct nn_tensor *table = case_tensor(&c, "embedding");
        assert_true(table->frozen);
        for (long a = 0; a < table->rows; a++)
            for (long b = 0; b <= a; b++) {
                double product = 0;
                for (long k = 0; k < table->columns; k++)
                    product += (double)table->value[nn_tensor_at(table, a, k)] *
                               (double)table->value[nn_tensor_at(table, b, k)];
                if (a == b || table->rows <= table->columns)
                    assert_true(fabs(product - (a == b)) < 1e-5);
                else
                    assert_true(fabs(product) < 0.9999);
            }
        case_close(&c);
    }
}

// The noise is the set's and the sample's: it stays over passes, and another set or snr has another.
static void embedding_noise_belongs_to_the_sample(void **state)
{
    (void)state;
    struct shape shape = plain;
    struct nn_case c = {0}, clean = {0};
    shape.orthonormal = true;
    struct settings settings = case_settings(&shape);
    open_with(&c, settings);
    settings.task.snr = INFINITY;
    open_with(&clean, settings);
    real *again = case_take(case_logits(&c), sizeof *again);
    const size_t size = (size_t)case_logits(&c) * sizeof *again;
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
    nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 5}, again, NULL);
    assert_memory_equal(again, c.logits, size);
    c.batch.set = "validation";
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = again});
    assert_true(memcmp(again, c.logits, size) != 0);
    nn_predict(clean.model, &clean.batch, &(struct nn_outputs){.logits = again});
    assert_true(memcmp(again, c.logits, size) != 0);
    clean.batch.set = "validation";
    nn_predict(clean.model, &clean.batch, &(struct nn_outputs){.logits = clean.logits});
    assert_memory_equal(again, clean.logits, size);
    free(again);
    case_close(&c);
    case_close(&clean);
}

static void at_the_base_width_all_parametrizations_are_standard(void **state)
{
    (void)state;
    struct nn_case standard = {0};
    struct settings settings = case_settings(&plain);
    settings.model.base_width = settings.model.width;
    open_with(&standard, settings);
    nn_gradient(standard.model, &standard.batch, &(struct nn_pass){0}, standard.logits, NULL);
    for (int kind = PARAMETRIZATION_NTK; kind <= PARAMETRIZATION_MUP; kind++) {
        struct nn_case c = {0};
        settings.model.parametrization = kind;
        open_with(&c, settings);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, NULL);
        assert_memory_equal(c.logits, standard.logits, (size_t)case_logits(&c) * sizeof *c.logits);
        for (size_t i = 0; i < nn_tensor_count(c.model); i++)
            assert_true(nn_tensor(c.model, i)->rate == 1);
        case_close(&c);
    }
    case_close(&standard);
}

// ntk: other numbers, the same function at the start.
static void ntk_starts_as_the_standard_function(void **state)
{
    (void)state;
    struct nn_case standard = {0}, ntk = {0};
    struct settings settings = case_settings(&plain);
    settings.model.base_width = 4; // a ratio of 4, whose root is exact
    open_with(&standard, settings);
    settings.model.parametrization = PARAMETRIZATION_NTK;
    open_with(&ntk, settings);
    nn_predict(standard.model, &standard.batch, &(struct nn_outputs){.logits = standard.logits});
    nn_predict(ntk.model, &ntk.batch, &(struct nn_outputs){.logits = ntk.logits});
    for (long k = 0; k < case_logits(&ntk); k++)
        assert_true(fabs((double)(ntk.logits[k] - standard.logits[k])) < 1e-5);
    assert_true(largest(case_tensor(&ntk, "layers.0.ffn.in")) ==
                2 * largest(case_tensor(&standard, "layers.0.ffn.in")));
    case_close(&standard);
    case_close(&ntk);
}

static void mup_sets_learning_rates_by_role_and_optimizer(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double adam, gd;
    } expected[] = {
        {"embedding", 1, 4},  {"layers.0.norm1.gain", 1, 4}, {"layers.1.attention.key", 0.25, 1},
        {"head", 0.25, 0.25}, {"layers.1.ffn.out", 0.25, 1}, {"layers.0.ffn.in.bias", 1, 4},
        {"head.bias", 1, 1},
    };
    for (int adam = 0; adam < 2; adam++) {
        struct nn_case c = {0};
        struct settings settings = case_settings(&plain);
        settings.model.base_width = 4;
        settings.model.parametrization = PARAMETRIZATION_MUP;
        settings.train.optimizer = adam ? OPTIMIZER_ADAMW : OPTIMIZER_GD;
        open_with(&c, settings);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            assert_true(case_tensor(&c, expected[i].name)->rate == (adam ? expected[i].adam : expected[i].gd));
        const double head = largest(case_tensor(&c, "head"));
        assert_true(head <= 0.125 && head > 0.09); // half of 1 / sqrt(16)
        case_close(&c);
    }
}

// Four times the base width, under adamw or gd.
static struct settings encoded(int encoding, bool adam)
{
    struct settings settings = case_settings(&plain);
    settings.model.encoding = encoding;
    settings.model.base_width = 4;
    settings.model.parametrization = PARAMETRIZATION_MUP;
    settings.train.optimizer = adam ? OPTIMIZER_ADAMW : OPTIMIZER_GD;
    return settings;
}

static const struct {
    int encoding;
    const char *name;
    double adam, gd;
} encoding_rates[] = {
    {ENCODING_ABSOLUTE, "position", 1, 4},
    {ENCODING_RELATIVE, "layers.0.attention.relative", 1, 4},
    {ENCODING_TRANSFORMER_XL, "layers.0.attention.xl.weight", 0.25, 1},
    {ENCODING_TRANSFORMER_XL, "layers.0.attention.xl.content_bias", 1, 4},
    {ENCODING_TRANSFORMER_XL, "layers.1.attention.xl.position_bias", 1, 4},
    {ENCODING_T5, "layers.0.attention.t5.bias", 1, 1},
    {ENCODING_KERPLE, "layers.0.attention.kerple.scale", 1, 1},
    {ENCODING_KERPLE, "layers.1.attention.kerple.rate", 1, 1},
    {ENCODING_FIRE, "layers.0.attention.fire.scale", 1, 1},
    {ENCODING_FIRE, "layers.0.attention.fire.threshold", 1, 1},
    {ENCODING_FIRE, "layers.0.attention.fire.in", 1, 1},
    {ENCODING_FIRE, "layers.0.attention.fire.in.bias", 1, 1},
    {ENCODING_FIRE, "layers.1.attention.fire.out", 1, 1},
    {ENCODING_FIRE, "layers.1.attention.fire.out.bias", 1, 1},
};

// The rates of the encoding's tensors: all of them are listed, and `side`, a size of theirs, enters none.
static void check_encoding_rates(int encoding, long side, bool adam)
{
    enum { ROWS = sizeof encoding_rates / sizeof *encoding_rates };
    struct nn_case c = {0}, bare = {0};
    struct settings settings = encoded(encoding, adam);
    settings.task.train_length = side;
    settings.model.relative_clip = side / 2;
    settings.model.t5_buckets = side;
    settings.model.fire_width = side;
    open_with(&c, settings);
    open_with(&bare, encoded(ENCODING_NONE, adam));
    size_t listed = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (encoding_rates[i].encoding != encoding)
            continue;
        const double rate = case_tensor(&c, encoding_rates[i].name)->rate;
        if (rate != (adam ? encoding_rates[i].adam : encoding_rates[i].gd))
            fail_msg("%s at side %ld learns at %g", encoding_rates[i].name, side, rate);
        listed++;
    }
    const size_t added = nn_tensor_count(c.model) - nn_tensor_count(bare.model);
    assert_int_equal(encoding == ENCODING_ABSOLUTE ? listed : CASE_LAYERS * listed, added);
    case_close(&c);
    case_close(&bare);
}

static void rates_of_encodings_ignore_coincidences_of_size(void **state)
{
    (void)state;
    // Of no meaning, the width, head_dim, and one less of these: relative has an odd number of rows.
    static const long sides[] = {12, 16, 8, 15, 7};
    static const int encodings[] = {ENCODING_ABSOLUTE, ENCODING_RELATIVE, ENCODING_TRANSFORMER_XL,
                                    ENCODING_T5,       ENCODING_KERPLE,   ENCODING_FIRE};
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++)
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
            for (int adam = 0; adam < 2; adam++)
                check_encoding_rates(encodings[e], sides[i], adam);
}

// Heads as many as a head is wide: what has a number for each head is no vector of head_dim.
static void rates_of_heads_numbers_ignore_head_dim(void **state)
{
    (void)state;
    static const char *const names[] = {"layers.0.attention.kerple.scale", "layers.1.attention.kerple.rate"};
    struct nn_case c = {0};
    struct settings settings = encoded(ENCODING_KERPLE, false);
    settings.model.heads = 4;
    open_with(&c, settings);
    for (int i = 0; i < 2; i++)
        assert_true(case_tensor(&c, names[i])->rate == 1);
    case_close(&c);
}

static void counts_grow_as_the_work_does(void **state)
{
    (void)state;
    const struct settings settings = case_settings(&plain);
    const struct batch_shape shape = {.vocabulary = CASE_VOCABULARY, .classes = CASE_CLASSES};
    const double one = nn_gradient_flops(&settings, &shape, 1, 6), ten = nn_gradient_flops(&settings, &shape, 10, 6);
    assert_true(fabs(ten - 10 * one) < 1e-6 * ten);
    const double forward = nn_predict_flops(&settings, &shape, 10, 6);
    assert_true(forward > ten / 4 && forward < ten / 2);
    // 2 layers of 8 width^2 weights, a head of 16 x 5, and 3.5 keys a query on average, twice.
    assert_true(forward == 60 * (2 * 2 * 8 * 256 + 2 * 16 * 5 + 2 * 2 * 2 * 3.5 * 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_layers_start_uniform_within_their_inputs_root),
        cmocka_unit_test(gains_are_factors_on_matrices),
        cmocka_unit_test(attention_without_biases_is_that_of_zero_ones),
        cmocka_unit_test(frozen_embeddings_are_orthonormal_up_to_the_width),
        cmocka_unit_test(embedding_noise_belongs_to_the_sample),
        cmocka_unit_test(at_the_base_width_all_parametrizations_are_standard),
        cmocka_unit_test(ntk_starts_as_the_standard_function),
        cmocka_unit_test(mup_sets_learning_rates_by_role_and_optimizer),
        cmocka_unit_test(rates_of_encodings_ignore_coincidences_of_size),
        cmocka_unit_test(rates_of_heads_numbers_ignore_head_dim),
        cmocka_unit_test(counts_grow_as_the_work_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
