// SPDX-License-Identifier: MIT
// What a transformer's results must not depend on: chunks, other samples, whether they are predicted or trained,
// instruction sets. And what must show: divergence, noise, memory.
#include "base_hash.h"
#include "base_isa.h"
#include "transformer_cases.h"
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t mallocs;
#ifndef LGSWEEP_SANITIZE
void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}
#endif

static const struct shape rows[] = {
    {.samples = 140, .length = 5, .heads = 2, .head_dim = 5, .head = POOLING_PER_POSITION, .head_bias = true},
    {.samples = 9,
     .length = 33,
     .heads = 3,
     .head_dim = 8,
     .head = POOLING_LAST,
     .norm = NORM_RMS,
     .activation = FFN_RELU},
    {.samples = 11,
     .length = 16,
     .heads = 2,
     .head_dim = 16,
     .head = POOLING_MEAN,
     .mask = MASK_BIDIRECTIONAL,
     .encoding = ENCODING_ABSOLUTE,
     .activation = FFN_GELU_TANH},
    {.samples = 40, .length = 3, .heads = 1, .head_dim = 6, .head = POOLING_PER_POSITION, .tied = true, .masked = true},
    {.samples = 7, .length = 19, .heads = 2, .head_dim = 6, .vectors = true, .encoding = ENCODING_T5},
    {.samples = 3,
     .length = 150,
     .heads = 2,
     .head_dim = 4,
     .head = POOLING_PER_POSITION,
     .encoding = ENCODING_RELATIVE},
    {.samples = 6,
     .length = 21,
     .heads = 2,
     .head_dim = 5,
     .head = POOLING_MEAN,
     .encoding = ENCODING_ALIBI,
     .orthonormal = true},
    {.samples = 12,
     .length = 20,
     .heads = 2,
     .head_dim = 8,
     .head = POOLING_PER_POSITION,
     .encoding = ENCODING_ROPE,
     .dropout = 0.2,
     .noise = 0.3},
    {.samples = 12,
     .length = 7,
     .heads = 2,
     .head_dim = 8,
     .vectors = true,
     .encoding = ENCODING_FIRE,
     .dropout = 0.2,
     .parametrization = PARAMETRIZATION_MUP},
};
enum { ROWS = sizeof rows / sizeof *rows, FIRST_DRAWN = 7 }; // rows from there on draw in training

static void same_gradients(const struct nn_case *a, const struct nn_case *b)
{
    for (size_t i = 0; i < nn_tensor_count(a->model); i++) {
        const struct nn_tensor *one = nn_tensor(a->model, i), *other = nn_tensor(b->model, i);
        if (memcmp(one->gradient, other->gradient, (size_t)one->storage * sizeof(real)) != 0)
            fail_msg("%s differs", one->name);
    }
}

static size_t logits_size(const struct nn_case *c)
{
    return (size_t)case_logits(c) * sizeof *c->logits;
}

static void chunks_do_not_change_bits(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (long samples = 1; samples <= 7; samples += 2) {
            struct nn_case a = {0}, b = {0};
            double loss, other;
            case_open(&a, &rows[i]);
            case_open(&b, &rows[i]);
            nn_set_chunk(b.model, samples);
            nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 2}, a.logits, &loss);
            nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 2}, b.logits, &other);
            assert_true(loss == other);
            assert_memory_equal(a.logits, b.logits, logits_size(&a));
            same_gradients(&a, &b);
            nn_predict(a.model, &a.batch, &(struct nn_outputs){.logits = a.logits});
            nn_predict(b.model, &b.batch, &(struct nn_outputs){.logits = b.logits});
            assert_memory_equal(a.logits, b.logits, logits_size(&a));
            case_close(&a);
            case_close(&b);
        }
}

static void predictions_are_the_logits_of_training(void **state)
{
    (void)state;
    for (int i = 0; i < FIRST_DRAWN; i++) {
        struct nn_case c = {0};
        case_open(&c, &rows[i]);
        real *logits = case_take(case_logits(&c), sizeof *logits);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, NULL);
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = logits});
        assert_memory_equal(logits, c.logits, logits_size(&c));
        free(logits);
        case_close(&c);
    }
}

// Beside other samples, and at other places of the batch.
static void samples_do_not_see_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        case_open(&c, &rows[i]);
        const long samples = c.batch.samples, each = case_logits(&c) / samples;
        real *logits = case_take(each, sizeof *logits);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 1}, c.logits, NULL);
        for (long s = 0; s < samples; s += 1 + samples / 3) {
            struct batch one = c.batch;
            one.samples = 1;
            one.first = s;
            one.tokens = c.batch.tokens ? c.tokens + s * one.length : NULL;
            one.vectors = c.batch.vectors ? c.vectors + s * one.length * CASE_DIM : NULL;
            one.targets += s * one.positions;
            one.mask = one.mask ? one.mask + s * one.positions : NULL;
            nn_gradient(c.model, &one, &(struct nn_pass){.step = 1}, logits, NULL);
            assert_memory_equal(logits, c.logits + s * each, (size_t)each * sizeof *logits);
        }
        free(logits);
        case_close(&c);
    }
}

// Under a causal mask a longer sequence has the logits of its start, however long sequences are gone through.
static void causal_predictions_are_prefixes(void **state)
{
    (void)state;
    struct nn_case c = {0};
    struct shape shape = rows[0];
    const long lengths[] = {1, 5, 16, 127, 128, 129, 1023, 1024, 1100};
    const struct settings settings = case_settings(&shape);
    case_model(&c, &settings, 1100);
    case_batch(&c, 1, 1100, false);
    real *logits = case_take(case_logits(&c), sizeof *logits);
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        c.batch.length = c.batch.positions = lengths[i];
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = logits});
        assert_memory_equal(logits, c.logits, logits_size(&c));
    }
    free(logits);
    case_close(&c);
}

static void gradients_are_overwritten_or_added(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case a = {0}, b = {0};
        case_open(&a, &rows[i]);
        case_open(&b, &rows[i]);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 4}, a.logits, NULL);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){0}, a.logits, NULL);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){0}, b.logits, NULL);
        same_gradients(&a, &b);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.add = true}, a.logits, NULL);
        for (size_t t = 0; t < nn_tensor_count(a.model); t++) {
            struct nn_tensor *tensor = nn_tensor(b.model, t);
            for (long k = 0; k < tensor->storage; k++)
                tensor->gradient[k] += tensor->gradient[k];
        }
        same_gradients(&a, &b);
        case_close(&a);
        case_close(&b);
    }
}

// Sums of 4,096 tokens and of the rest.
static void groups_add_up(void **state)
{
    (void)state;
    struct nn_case all = {0}, part = {0};
    struct shape shape = rows[0];
    shape.samples = 1000;
    case_open(&all, &shape);
    case_open(&part, &shape);
    nn_gradient(all.model, &all.batch, &(struct nn_pass){0}, all.logits, NULL);
    part.batch.samples = 819; // of 5 tokens
    nn_gradient(part.model, &part.batch, &(struct nn_pass){.targets = 5000}, part.logits, NULL);
    part.batch.tokens += 819 * 5;
    part.batch.targets += 819 * 5;
    part.batch.samples = 1000 - 819;
    part.batch.first = 819;
    nn_gradient(part.model, &part.batch, &(struct nn_pass){.add = true, .targets = 5000}, part.logits, NULL);
    same_gradients(&all, &part);
    case_close(&all);
    case_close(&part);
}

static void steps_draw_anew(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        double first, second;
        case_open(&c, &rows[i]);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 1}, c.logits, &first);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 2}, c.logits, &second);
        assert_true((first == second) == (i < FIRST_DRAWN));
        case_close(&c);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        real mass[200], norm[200], other[200];
        case_open(&c, &rows[i]);
        const size_t before = mallocs, blocks = arena_blocks(c.arena);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, NULL);
        nn_predict(c.model, &c.batch, &(struct nn_outputs){c.logits, mass, norm, other});
        assert_true(mallocs == before && arena_blocks(c.arena) == blocks);
        case_close(&c);
    }
}

static void a_nan_in_one_sample_shows_there_and_in_the_loss(void **state)
{
    (void)state;
    const struct shape shape = rows[4];
    for (int bad = 0; bad < 3; bad++) {
        struct nn_case c = {0};
        double loss;
        case_open(&c, &shape);
        c.vectors[(2 * shape.length + 3) * CASE_DIM + 1] = bad == 0 ? NAN : bad == 1 ? INFINITY : -INFINITY;
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        for (long s = 0; s < shape.samples; s++)
            assert_true(isfinite(c.logits[s]) == (s != 2));
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, &loss);
        assert_false(isfinite(loss));
        case_close(&c);
    }
}

static void a_nan_in_any_weight_shows_in_the_loss(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        double loss;
        case_open(&c, &rows[i]);
        for (size_t t = 0; t < nn_tensor_count(c.model); t++) {
            struct nn_tensor *tensor = nn_tensor(c.model, t);
            const bool encoding = strstr(tensor->name, "t5") || strstr(tensor->name, "relative");
            const long at = nn_tensor_at(tensor, tensor->rows / 2, 0);
            const real kept = tensor->value[at];
            tensor->value[at] = NAN;
            nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, &loss);
            tensor->value[at] = kept;
            if (!encoding && !isnan(loss))
                fail_msg("row %d: NaN in %s is not seen", i, tensor->name);
        }
        case_close(&c);
    }
}

static void memory_is_announced_and_grows_with_the_length(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const struct settings settings = case_settings(&rows[i]);
        struct nn_case c = {0};
        case_model(&c, &settings, 1000);
        const size_t announced = nn_model_bytes(&settings, &c.shape, 1000), used = arena_used(c.arena);
        assert_true(used <= announced && announced <= used + used / 8);
        const size_t twice = nn_model_bytes(&settings, &c.shape, 2000),
                     four = nn_model_bytes(&settings, &c.shape, 4000);
        assert_true(four - twice <= 2 * (twice - announced) + 65536);
        arena_destroy(c.arena);
    }
}

static void too_little_memory_is_refused(void **state)
{
    (void)state;
    const struct settings settings = case_settings(&rows[0]);
    const struct batch_shape shape = {.vocabulary = CASE_VOCABULARY, .classes = CASE_CLASSES};
    struct nn_model *model = NULL;
    struct status status = {0};
    struct arena *arena = arena_create(1 << 12, nn_model_bytes(&settings, &shape, 100) / 2);
    assert_int_equal(nn_model_create(&settings, &shape, 100, arena, &model, &status), STATUS_MEMORY);
    assert_null(model);
    arena_destroy(arena);
}

static uint64_t hash_of_all(void)
{
    uint64_t hash = 0;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        case_open(&c, &rows[i]);
        for (int step = 0; step < 3; step++) {
            nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = step}, c.logits, NULL);
            for (size_t t = 0; t < nn_tensor_count(c.model); t++)
                nn_step_gd(nn_tensor(c.model, t), &(struct nn_step){.learning_rate = 0.1, .scale = 1});
        }
        hash = hash * 31 + hash_64(c.logits, logits_size(&c));
        for (size_t t = 0; t < nn_tensor_count(c.model); t++) {
            const struct nn_tensor *tensor = nn_tensor(c.model, t);
            hash = hash * 31 + hash_64(tensor->value, (size_t)tensor->storage * sizeof(real));
        }
        case_close(&c);
    }
    return hash;
}

// A process of its own, since the instruction set is chosen once in each.
static uint64_t hash_with(enum isa isa)
{
    int ends[2], code;
    uint64_t hash = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LGSWEEP_ISA", isa_name(isa), 1);
        hash = isa_current() == isa ? hash_of_all() : 0;
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
    }
    close(ends[1]);
    assert_true(read(ends[0], &hash, sizeof hash) == sizeof hash);
    close(ends[0]);
    assert_true(waitpid(child, &code, 0) == child && code == 0);
    return hash;
}

// First of all tests: a child inherits the choice of a parent that has made one.
static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    const uint64_t plain = hash_with(ISA_PLAIN);
    for (enum isa isa = ISA_PLAIN + 1; isa < ISA_COUNT; isa++)
        if (isa_supported(isa) && hash_with(isa) != plain)
            fail_msg("%s differs from plain C", isa_name(isa));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(chunks_do_not_change_bits),
        cmocka_unit_test(predictions_are_the_logits_of_training),
        cmocka_unit_test(samples_do_not_see_each_other),
        cmocka_unit_test(causal_predictions_are_prefixes),
        cmocka_unit_test(gradients_are_overwritten_or_added),
        cmocka_unit_test(groups_add_up),
        cmocka_unit_test(steps_draw_anew),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(a_nan_in_one_sample_shows_there_and_in_the_loss),
        cmocka_unit_test(a_nan_in_any_weight_shows_in_the_loss),
        cmocka_unit_test(memory_is_announced_and_grows_with_the_length),
        cmocka_unit_test(too_little_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
