// SPDX-License-Identifier: MIT
// Encodings at a site of several heads, without a model around it: scores, rotations and all gradients against straight
// loops in double.
#include "../../src/nn/nn_encoding.h"
#include "base_isa.h"
#include "base_random.h"
#include "site_reference.h"

enum { HEADS = 3, TENSORS = 16 };

struct shape {
    long samples, length, head_dim;
    bool causal;
    long random_positions;
    int encoding;
};

struct rig {
    struct settings settings;
    struct shape shape;
    struct arena *arena;
    struct nn_tensor tensor[TENSORS];
    struct nn_model model;
    struct nn_site site;
    long stride;
    int32_t *positions; // (samples, length)
    bool consecutive;
    real *query, *key; // (samples * length + 16, stride)
    real *query_gradient, *key_gradient;
    real *slopes; // (samples, heads, queries, keys)
    struct nn_attention block;
};

static real *take(struct rig *rig, long count)
{
    real *x = arena_get(rig->arena, (size_t)count, sizeof *x);
    assert_non_null(x);
    return x;
}

static double draw(uint64_t what, long a, long b)
{
    return 2 * random_uniform(random_key(3, 0, "test/sites"), what, (uint32_t)a, (uint32_t)b) - 1;
}

static void settle(struct rig *rig)
{
    struct settings *s = &rig->settings;
    settings_defaults(s);
    s->task.train_length = rig->shape.length;
    s->model.kind = MODEL_TRANSFORMER;
    s->model.encoding = rig->shape.encoding;
    s->model.relative_clip = 20;
    s->model.t5_buckets = 14;
    s->model.t5_distance = 40;
    s->model.fire_width = 6;
    s->model.fire_threshold = 12.5;
    s->model.random_positions = rig->shape.random_positions;
}

static void build(struct rig *rig)
{
    struct nn_builder builder = {.arena = rig->arena, .structures = rig->arena};
    rig->model = (struct nn_model){.kernels = nn_kernels(isa_current()),
                                   .settings = rig->settings,
                                   .max_length = rig->shape.length,
                                   .max_trained_length = rig->shape.length,
                                   .tensors_limit = TENSORS,
                                   .tensor = rig->tensor};
    rig->site = (struct nn_site){.model = &rig->model,
                                 .prefix = "layers.7.attention.",
                                 .heads = HEADS,
                                 .head_dim = rig->shape.head_dim,
                                 .head_padded = nn_padded(rig->shape.head_dim),
                                 .query_scale = (real)0.4,
                                 .causal = rig->shape.causal,
                                 .init_scale = 0.3};
    nn_site_layout(&rig->site, &builder);
    rig->model.draw = arena_get(rig->arena, (size_t)rig->model.draw_columns + 1, sizeof(float));
    assert_true(!builder.failed && rig->model.draw);
    nn_site_fill(&rig->site);
    for (size_t i = 0; i < rig->model.tensors; i++)
        for (long r = 0; r < rig->tensor[i].rows; r++)
            for (long k = 0; k < rig->tensor[i].columns; k++)
                rig->tensor[i].value[nn_tensor_at(&rig->tensor[i], r, k)] += (real)(0.1 + 0.1 * draw(100 + i, r, k));
}

static real *rows(struct rig *rig, uint64_t what)
{
    const long count = rig->shape.samples * rig->shape.length;
    real *x = take(rig, (count + NN_LANES) * rig->stride);
    for (long r = 0; r < count; r++)
        for (long c = 0; c < HEADS * rig->shape.head_dim; c++)
            x[r * rig->stride + c / rig->shape.head_dim * rig->site.head_padded + c % rig->shape.head_dim] =
                (real)draw(what, r, c);
    return x;
}

static void rig_open(struct rig *rig, struct shape shape)
{
    *rig = (struct rig){.shape = shape, .arena = arena_create(1 << 16, 0)};
    const long tokens = shape.samples * shape.length;
    settle(rig);
    build(rig);
    rig->stride = HEADS * rig->site.head_padded;
    rig->positions = arena_get(rig->arena, (size_t)tokens, sizeof *rig->positions);
    const struct batch batch = {.samples = shape.samples, .length = shape.length, .set = "train"};
    rig->consecutive = nn_positions(&rig->model, &batch, 0, shape.samples, 5, rig->positions);
    rig->query = rows(rig, 0);
    rig->key = rows(rig, 1);
    rig->query_gradient = rows(rig, 2);
    rig->key_gradient = rows(rig, 3);
    rig->slopes = take(rig, tokens * HEADS * shape.length);
    for (long i = 0; i < tokens * HEADS; i++)
        for (long j = 0; j < shape.length; j++)
            if (!shape.causal || j <= i % shape.length)
                rig->slopes[i * shape.length + j] = (real)draw(4, i, j);
    rig->block.columns = take(rig, rig->site.head_padded * NN_LANES);
    rig->block.weights = take(rig, shape.length * NN_LANES);
    rig->block.score_gradient = take(rig, shape.length * NN_LANES);
}

static real slope_at(const struct rig *rig, long sample, long head, long i, long j)
{
    const long length = rig->shape.length;
    return i < length ? rig->slopes[((sample * HEADS + head) * length + i) * length + j] : (real)NAN;
}

static struct nn_attention *block_at(struct rig *rig, long sample, long head, long first)
{
    struct nn_attention *b = &rig->block;
    const long length = rig->shape.length, start = sample * length * rig->stride + head * rig->site.head_padded;
    b->length = length;
    b->first = first;
    b->stride = rig->stride;
    b->keys = rig->shape.causal ? nn_least(length, first + NN_LANES) : length;
    b->causal = rig->shape.causal;
    b->head = head;
    b->positions = rig->positions + sample * length;
    b->consecutive = rig->consecutive;
    b->head_dim = rig->shape.head_dim;
    b->query = rig->query + start;
    b->key = rig->key + start;
    b->query_gradient = rig->query_gradient + start;
    b->key_gradient = rig->key_gradient + start;
    for (long j = 0; j < b->keys; j++)
        for (long lane = 0; lane < NN_LANES; lane++) {
            b->weights[j * NN_LANES + lane] = 0;
            b->score_gradient[j * NN_LANES + lane] = slope_at(rig, sample, head, first + lane, j);
        }
    rig->model.kernels->take_queries(b);
    return b;
}

// Both ways through all blocks of a sample in one head. `ret_scores` (queries, keys).
static void run_head(struct rig *rig, long sample, long head, double *ret_scores)
{
    const long length = rig->shape.length;
    for (long first = 0; first < length; first += NN_LANES) {
        struct nn_attention *b = block_at(rig, sample, head, first);
        nn_site_bias(&rig->site, b);
        for (long lane = 0; lane < NN_LANES && first + lane < length; lane++)
            for (long j = 0; j < b->keys; j++) {
                double score = (double)b->weights[j * NN_LANES + lane];
                for (long c = 0; c < rig->shape.head_dim; c++)
                    score += (double)b->columns[c * NN_LANES + lane] * (double)b->key[j * rig->stride + c];
                ret_scores[(first + lane) * length + j] = score;
            }
        nn_site_bias_gradient(&rig->site, b);
    }
}

struct expected {
    struct reference_tensors tensors;
    struct site_reference site;
    double *query, *key, *query_g, *key_g; // (tokens, heads, head_dim)
};

static double *unpadded(const struct rig *rig, const real *x)
{
    const long d = rig->shape.head_dim, count = rig->shape.samples * rig->shape.length * HEADS * d;
    double *ret = zeros(count);
    for (long i = 0; i < count; i++)
        ret[i] = (double)x[i / (HEADS * d) * rig->stride + i / d % HEADS * rig->site.head_padded + i % d];
    return ret;
}

static void expected_open(const struct rig *rig, struct expected *e)
{
    *e = (struct expected){.query = unpadded(rig, rig->query),
                           .key = unpadded(rig, rig->key),
                           .query_g = unpadded(rig, rig->query_gradient),
                           .key_g = unpadded(rig, rig->key_gradient)};
    for (size_t i = 0; i < rig->model.tensors; i++) {
        reference_take(&e->tensors, &rig->tensor[i]);
        e->tensors.tensor[i].name += strlen("layers.7.attention.");
    }
    e->site = (struct site_reference){.settings = &rig->settings,
                                      .tensors = &e->tensors,
                                      .heads = HEADS,
                                      .head_dim = rig->shape.head_dim,
                                      .width = HEADS * rig->shape.head_dim,
                                      .query_scale = (double)rig->site.query_scale,
                                      .causal = rig->shape.causal,
                                      .limit = 1,
                                      .trained = 1};
}

static void expected_close(struct expected *e)
{
    double *all[] = {e->query, e->key, e->query_g, e->key_g};
    for (int i = 0; i < 4; i++)
        free(all[i]);
    reference_drop(&e->tensors);
}

// Scores of a head, and its gradients.
static void expect_head(const struct rig *rig, struct expected *e, long sample, long head, double *ret_scores)
{
    const long length = rig->shape.length, d = rig->shape.head_dim;
    const int32_t *positions = rig->positions + sample * length;
    for (long i = 0; i < length; i++)
        for (long j = 0; j < (rig->shape.causal ? i + 1 : length); j++) {
            const long qi = ((sample * length + i) * HEADS + head) * d, kj = ((sample * length + j) * HEADS + head) * d;
            const struct pair pair = {.head = head,
                                      .pi = positions[i],
                                      .pj = positions[j],
                                      .q = e->query + qi,
                                      .k = e->key + kj,
                                      .slope = (double)slope_at(rig, sample, head, i, j),
                                      .q_g = e->query_g + qi,
                                      .k_g = e->key_g + kj};
            ret_scores[i * length + j] = pair_bias(&e->site, &pair);
            for (long c = 0; c < d; c++)
                ret_scores[i * length + j] += pair.q[c] * pair.k[c];
        }
}

static void near(const char *what, const struct rig *rig, const double *got, const double *want, long count)
{
    double difference = 0, norm = 0;
    for (long i = 0; i < count; i++) {
        difference += (got[i] - want[i]) * (got[i] - want[i]);
        norm += want[i] * want[i];
    }
    if (!(sqrt(difference) <= 1e-5 * sqrt(norm)))
        fail_msg("%s: off by %g of %g; encoding %d, length %ld, head_dim %ld, causal %d, random positions %ld", what,
                 sqrt(difference), sqrt(norm), rig->shape.encoding, rig->shape.length, rig->shape.head_dim,
                 rig->shape.causal, rig->shape.random_positions);
}

static void compare_gradients(const struct rig *rig, const struct expected *e)
{
    const long count = rig->shape.samples * rig->shape.length * HEADS * rig->shape.head_dim;
    double *query = unpadded(rig, rig->query_gradient), *key = unpadded(rig, rig->key_gradient);
    near("gradient of queries", rig, query, e->query_g, count);
    near("gradient of keys", rig, key, e->key_g, count);
    free(query);
    free(key);
    const double floor = 1e-2 * reference_norm(&e->tensors);
    for (size_t i = 0; i < rig->model.tensors; i++) {
        const double error = gradient_error(&rig->tensor[i], e->tensors.tensor[i].gradient, floor);
        if (!(error <= 1e-5))
            fail_msg("gradient of %s: off by %g; length %ld, head_dim %ld, causal %d, random positions %ld",
                     rig->tensor[i].name, error, rig->shape.length, rig->shape.head_dim, rig->shape.causal,
                     rig->shape.random_positions);
    }
}

static void check(struct shape shape)
{
    struct rig rig;
    struct expected e;
    rig_open(&rig, shape);
    expected_open(&rig, &e);
    double *got = zeros(shape.length * shape.length), *want = zeros(shape.length * shape.length);
    nn_site_begin(&rig.site, shape.length, true);
    for (long sample = 0; sample < shape.samples; sample++)
        for (long head = 0; head < HEADS; head++) {
            run_head(&rig, sample, head, got);
            expect_head(&rig, &e, sample, head, want);
            for (long i = 0; shape.causal && i < shape.length; i++)
                for (long j = i + 1; j < shape.length; j++)
                    got[i * shape.length + j] = want[i * shape.length + j] = 0;
            near("scores", &rig, got, want, shape.length * shape.length);
        }
    nn_site_end(&rig.site, shape.length);
    compare_gradients(&rig, &e);
    free(got);
    free(want);
    expected_close(&e);
    arena_destroy(rig.arena);
}

static const int biases[] = {ENCODING_RELATIVE, ENCODING_ALIBI,  ENCODING_TRANSFORMER_XL,
                             ENCODING_T5,       ENCODING_KERPLE, ENCODING_FIRE};
enum { BIASES = sizeof biases / sizeof *biases };

// One block and several, partial tiles, more keys than a strip of distances has.
static void biases_and_their_gradients_are_those_of_pairs(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{2, 1, 8}, {2, 16, 5}, {2, 21, 8}, {1, 70, 5}, {1, 300, 8}};
    for (int kind = 0; kind < BIASES; kind++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int causal = 0; causal < 2; causal++) {
                struct shape shape = shapes[i];
                shape.encoding = biases[kind];
                shape.causal = causal;
                check(shape);
                shape.random_positions = 90;
                if (shape.length < 90)
                    check(shape);
            }
}

static void rotations_are_those_of_rows(void **state)
{
    (void)state;
    static const long dims[] = {2, 6, 8, 18};
    for (int option = 0; option < 16; option++) {
        const bool back = option & 1;
        struct rig rig;
        struct expected e;
        rig_open(&rig, (struct shape){2, 19, dims[option / 4], option & 2, option & 2 ? 64 : 0, ENCODING_ROPE});
        expected_open(&rig, &e);
        nn_site_begin(&rig.site, 19, true);
        nn_site_rotate(&rig.site, rig.query, rig.stride, 38, rig.positions, back);
        for (long r = 0; r < 38 * HEADS; r++)
            rope_turn(&e.site, e.query + r * rig.shape.head_dim, rig.positions[r / HEADS], back);
        double *got = unpadded(&rig, rig.query);
        near("rotation", &rig, got, e.query, 38 * HEADS * rig.shape.head_dim);
        free(got);
        expected_close(&e);
        arena_destroy(rig.arena);
    }
}

static void run_all(struct rig *rig, bool heads_outside)
{
    const long samples = rig->shape.samples, length = rig->shape.length;
    double *scores = zeros(length * length);
    nn_site_begin(&rig->site, length, true);
    for (long i = 0; i < samples * HEADS; i++)
        if (heads_outside)
            run_head(rig, i % samples, i / samples, scores);
        else
            run_head(rig, i / HEADS, i % HEADS, scores);
    nn_site_end(&rig->site, length);
    free(scores);
}

static void the_order_of_heads_does_not_show(void **state)
{
    (void)state;
    for (int option = 0; option < 4 * BIASES; option++) {
        const struct shape shape = {3, 21, 8, option & 1, option & 2 ? 60 : 0, biases[option / 4]};
        struct rig one, other;
        rig_open(&one, shape);
        rig_open(&other, shape);
        run_all(&one, false);
        run_all(&other, true);
        for (size_t i = 0; i < one.model.tensors; i++)
            assert_memory_equal(one.tensor[i].gradient, other.tensor[i].gradient,
                                (size_t)one.tensor[i].storage * sizeof(real));
        arena_destroy(one.arena);
        arena_destroy(other.arena);
    }
}

static void tensors_carry_the_prefix_and_frozen_ones_no_gradient(void **state)
{
    (void)state;
    for (int kind = 0; kind < BIASES; kind++) {
        struct rig rig;
        rig_open(&rig, (struct shape){2, 18, 8, false, 0, biases[kind]});
        for (size_t i = 0; i < rig.model.tensors; i++)
            assert_memory_equal(rig.tensor[i].name, "layers.7.attention.", strlen("layers.7.attention."));
        rig.site.frozen = true;
        run_all(&rig, false);
        for (size_t i = 0; i < rig.model.tensors; i++)
            assert_true(nn_square_norm(&rig.tensor[i], true) == 0);
        arena_destroy(rig.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(biases_and_their_gradients_are_those_of_pairs),
        cmocka_unit_test(rotations_are_those_of_rows),
        cmocka_unit_test(the_order_of_heads_does_not_show),
        cmocka_unit_test(tensors_carry_the_prefix_and_frozen_ones_no_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
