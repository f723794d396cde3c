// SPDX-License-Identifier: MIT
// What a result must not depend on: chunks, the number of samples, who computes it. And what must show: divergence.
#include "nn_cases.h"
#include <malloc.h>

static size_t mallocs;
#ifndef LGSWEEP_SANITIZE
void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}
#endif

static struct settings settings_of(struct shape shape, int option)
{
    struct settings settings = case_settings(shape, option / 16, option & 1, option >> 1 & 1, option >> 2 & 1);
    settings.model.random_positions = option & 8 ? 100 : 0;
    return settings;
}

enum { OPTIONS = 16 * ENCODING_KINDS, SAMPLES_MAX = 200 };

static void same_gradients(struct nn_case *a, struct nn_case *b)
{
    for (size_t i = 0; i < nn_tensor_count(a->model); i++) {
        const struct nn_tensor *one = nn_tensor(a->model, i), *other = nn_tensor(b->model, i);
        assert_memory_equal(one->gradient, other->gradient, (size_t)(one->rows * one->stride) * sizeof(real));
    }
}

static void chunks_do_not_change_bits(void **state)
{
    (void)state;
    static const struct shape shapes[] = {{190, 6, 20, 6, 5}, {3, 70, 20, 6, 5}};
    static const long chunks[] = {1, 2, 3, 7, 20};
    for (int shape = 0; shape < 2; shape++)
        for (int option = 0; option < OPTIONS; option++) {
            struct nn_case a = {0}, b = {0};
            struct settings settings = settings_of(shapes[shape], option);
            real one[SAMPLES_MAX], other[SAMPLES_MAX];
            double loss, other_loss;
            case_open(&a, &settings);
            case_open(&b, &settings);
            nn_gradient(a.model, &a.batch, &(struct nn_pass){0}, one, &loss);
            nn_set_chunk(b.model, chunks[option % 5]);
            nn_gradient(b.model, &b.batch, &(struct nn_pass){0}, other, &other_loss);
            assert_true(loss == other_loss);
            assert_memory_equal(one, other, (size_t)a.batch.samples * sizeof *one);
            same_gradients(&a, &b);
            case_close(&a);
            case_close(&b);
        }
}

// Draws nothing that is for training alone.
static const struct nn_pass predicting = {.step = -1};

static void logits_are_prefixes_and_predictions_the_same_bits(void **state)
{
    (void)state;
    static const long lengths[] = {1, 4, 15, 16, 17, 40};
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){25, lengths[option % 6], 18, 6, 7}, option);
        struct nn_case all = {0};
        real want[SAMPLES_MAX], got[SAMPLES_MAX];
        double loss;
        case_open(&all, &settings);
        nn_gradient(all.model, &all.batch, &predicting, want, &loss);
        nn_predict(all.model, &all.batch, &(struct nn_outputs){.logits = got});
        assert_memory_equal(got, want, 25 * sizeof *got);
        for (long samples = 1; samples <= 8; samples++) {
            struct batch some = all.batch;
            some.samples = samples;
            nn_gradient(all.model, &some, &predicting, got, &loss);
            assert_memory_equal(got, want, (size_t)samples * sizeof *got);
            real losses[8];
            double sum = 0;
            nn_losses(&some, got, losses);
            for (long s = 0; s < samples; s++)
                sum += (double)losses[s];
            assert_true(loss == sum / (double)samples);
        }
        case_close(&all);
    }
}

static void repeated_gradients_are_overwritten(void **state)
{
    (void)state;
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){12, option % 2 ? 20 : 7, 18, 6, 7}, option);
        struct nn_case a = {0}, b = {0};
        real logits[SAMPLES_MAX];
        double loss;
        case_open(&a, &settings);
        case_open(&b, &settings);
        struct batch some = a.batch;
        some.samples = 5;
        nn_gradient(a.model, &some, &(struct nn_pass){0}, logits, &loss);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){0}, logits, &loss);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){0}, logits, NULL);
        same_gradients(&a, &b);
        case_close(&a);
        case_close(&b);
    }
}

// Two halves, the second onto the first, are the whole but for rounding.
static void gradients_of_parts_add_up(void **state)
{
    (void)state;
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){12, option % 3 ? 20 : 7, 18, 6, 7}, option);
        struct nn_case a = {0}, b = {0};
        real logits[SAMPLES_MAX];
        case_open(&a, &settings);
        case_open(&b, &settings);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.targets = 12}, logits, NULL);
        struct batch half = b.batch;
        half.samples = 6;
        nn_gradient(b.model, &half, &(struct nn_pass){.targets = 12}, logits, NULL);
        half.first = 6;
        half.vectors += 6 * b.batch.length * b.batch.dim;
        half.targets += 6;
        nn_gradient(b.model, &half, &(struct nn_pass){.targets = 12, .add = true}, logits, NULL);
        for (size_t i = 0; i < nn_tensor_count(a.model); i++) {
            const struct nn_tensor *whole = nn_tensor(a.model, i), *parts = nn_tensor(b.model, i);
            for (long k = 0; k < whole->storage; k++)
                assert_true(fabs((double)(whole->gradient[k] - parts->gradient[k])) <
                            1e-6 + 1e-4 * sqrt(nn_square_norm(whole, true)));
        }
        case_close(&a);
        case_close(&b);
    }
}

static void a_step_allocates_nothing_and_leaves_the_batch_alone(void **state)
{
    (void)state;
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){9, 21, 18, 6, 7}, option);
        struct nn_case c = {0};
        real logits[SAMPLES_MAX], mass[SAMPLES_MAX], norm[SAMPLES_MAX], other[SAMPLES_MAX];
        double loss;
        case_open(&c, &settings);
        const size_t size = (size_t)(9 * 21 * 18) * sizeof(float), blocks = arena_blocks(c.arena);
        float *copy = malloc(size);
        memcpy(copy, c.vectors, size);
        const size_t before = mallocs;
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, logits, &loss);
        for (size_t i = 0; i < nn_tensor_count(c.model); i++)
            nn_step_gd(nn_tensor(c.model, i), &(struct nn_step){.learning_rate = 0.1, .scale = 1});
        nn_predict(c.model, &c.batch, &(struct nn_outputs){logits, mass, norm, other});
        nn_losses(&c.batch, logits, other);
        assert_true(mallocs == before && arena_blocks(c.arena) == blocks);
        assert_memory_equal(copy, c.vectors, size);
        free(copy);
        case_close(&c);
    }
}

static void frozen_tensors_keep_their_values(void **state)
{
    (void)state;
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){9, 5, 18, 6, 7}, option);
        struct nn_case trained = {0}, initial = {0};
        real logits[SAMPLES_MAX];
        case_open(&trained, &settings);
        case_open(&initial, &settings);
        for (int step = 0; step < 3; step++) {
            nn_gradient(trained.model, &trained.batch, &(struct nn_pass){0}, logits, NULL);
            for (size_t i = 0; i < nn_tensor_count(trained.model); i++)
                nn_step_gd(nn_tensor(trained.model, i), &(struct nn_step){.learning_rate = 0.5, .scale = 1});
        }
        for (size_t i = 0; i < nn_tensor_count(trained.model); i++) {
            const struct nn_tensor *now = nn_tensor(trained.model, i), *then = nn_tensor(initial.model, i);
            const size_t size = (size_t)(now->rows * now->stride) * sizeof(real);
            const bool same = !memcmp(now->value, then->value, size);
            assert_true(now->frozen ? same : !same || nn_square_norm(now, true) < 1e-12);
        }
        case_close(&trained);
        case_close(&initial);
    }
}

static void a_nan_in_one_sample_shows_there_and_in_the_loss(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){9, option % 3 ? 5 : 18, 18, 6, 7}, option);
        struct nn_case c = {0};
        real logits[SAMPLES_MAX], losses[SAMPLES_MAX];
        double loss;
        case_open(&c, &settings);
        c.vectors[4 * c.batch.length * 18 + 3] = bad[option % 3];
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = logits});
        for (int s = 0; s < 9; s++)
            assert_true(isfinite(logits[s]) == (s != 4));
        nn_losses(&c.batch, logits, losses);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, logits, &loss);
        assert_true(!isfinite(loss) || losses[4] == 0);
        case_close(&c);
    }
}

// Two samples that differ in their label alone cannot both be fitted. A dead ReLU (f = 0) and a frozen linear model
// stay finite, the latter with a huge loss.
static void divergence_shows_in_the_loss_and_stays(void **state)
{
    (void)state;
    for (int option = 0; option < OPTIONS; option++) {
        struct settings settings = settings_of((struct shape){9, option % 2 ? 5 : 18, 18, 6, 7}, option);
        settings.model.random_positions = 0; // which would tell them apart
        struct nn_case c = {0};
        real logits[SAMPLES_MAX];
        double loss = 0;
        case_open(&c, &settings);
        memcpy(c.vectors + c.batch.length * 18, c.vectors, (size_t)(c.batch.length * 18) * sizeof(float));
        c.targets[1] = !c.targets[0];
        for (int step = 0; step < 12; step++) {
            nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, logits, &loss);
            for (size_t i = 0; i < nn_tensor_count(c.model); i++)
                nn_step_gd(nn_tensor(c.model, i), &(struct nn_step){.learning_rate = 1e30, .scale = 1});
        }
        assert_false(loss < 0.999 * 2 * log(2) / 9);
        if (settings.model.activation == ACTIVATION_NONE && !settings.model.freeze_attention)
            assert_false(isfinite(loss));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_do_not_change_bits),
        cmocka_unit_test(logits_are_prefixes_and_predictions_the_same_bits),
        cmocka_unit_test(repeated_gradients_are_overwritten),
        cmocka_unit_test(gradients_of_parts_add_up),
        cmocka_unit_test(a_step_allocates_nothing_and_leaves_the_batch_alone),
        cmocka_unit_test(frozen_tensors_keep_their_values),
        cmocka_unit_test(a_nan_in_one_sample_shows_there_and_in_the_loss),
        cmocka_unit_test(divergence_shows_in_the_loss_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
