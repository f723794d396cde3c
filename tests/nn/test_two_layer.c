// SPDX-License-Identifier: MIT
#include "nn_reference.h"
#include <stdio.h>

// Widths off the multiples of 16, one block and several, one sample and a remainder of any tile.
static const struct shape shapes[] = {
    {5, 8, 64, 16, 8},   {3, 16, 64, 64, 64}, {7, 4, 40, 6, 3},     {2, 1, 3, 2, 1},     {130, 3, 19, 4, 5},
    {2, 33, 20, 10, 18}, {1, 50, 33, 34, 33}, {21, 17, 16, 48, 20}, {9, 15, 100, 12, 7},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double worst;

static void bound(const char *what, const struct settings *s, double error, double limit)
{
    if (error > worst)
        worst = error;
    if (!(error <= limit))
        fail_msg(
            "%s differs by %.3g: encoding %d activation %d readout %d freeze %d, n %ld d %ld d_h %ld d_v %ld N %ld",
            what, error, s->model.encoding, s->model.activation, s->model.readout, s->model.freeze_attention,
            (long)s->task.train_length, (long)s->task.dim, (long)s->model.head_dim, (long)s->model.value_dim,
            (long)s->task.samples);
}

static double logits_error(const real *got, const double *want, long count)
{
    double difference = 0, norm = 0;
    for (long i = 0; i < count; i++) {
        difference += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
        norm += want[i] * want[i];
    }
    return sqrt(difference / fmax(norm, 1e-200));
}

static void compare(const struct settings *settings)
{
    struct nn_case c = {0};
    struct reference r;
    case_open(&c, settings);
    case_stir(&c);
    real *logits = malloc((size_t)c.batch.samples * sizeof *logits);
    double loss;
    nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 3}, logits, &loss);
    reference_run(&c, 3, &r, true);
    const double floor = 1e-2 * reference_norm(&r.tensors);
    bound("logits", settings, logits_error(logits, r.logits, c.batch.samples), 1e-4);
    bound("loss", settings, fabs(loss - r.loss) / r.loss, 1e-4);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        const struct nn_tensor *tensor = nn_tensor(c.model, i);
        if (!tensor->frozen)
            bound(tensor->name, settings, gradient_error(tensor, reference_gradient(&r, tensor->name), floor), 1e-4);
    }
    reference_close(&r);
    free(logits);
    case_close(&c);
}

// Positions as they are, and random ones.
static void agrees_with_straight_loops_in_double(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int option = 0; option < 16 * ENCODING_KINDS; option++) {
            struct settings settings =
                case_settings(shapes[shape], option / 16, option & 1, option >> 1 & 1, option >> 2 & 1);
            settings.model.random_positions = option & 8 ? 60 : 0;
            compare(&settings);
        }
    printf("largest relative difference %.2g\n", worst);
}

// Longer than training: rows of absolute from n on are at their initial values, after the others have moved.
static void predicts_longer_sequences_as_straight_loops_do(void **state)
{
    (void)state;
    static const long lengths[] = {1, 6, 31, 120, 1500};
    for (int option = 0; option < 2 * ENCODING_KINDS; option++)
        for (int i = 0; i < (option % 3 ? 4 : 5); i++) {
            const long samples = lengths[i] > 1000 ? 1 : 6;
            struct settings settings = case_settings((struct shape){6, 6, 20, 6, 7}, option / 2, option & 1, 0, false);
            struct nn_case c = {0};
            struct reference r;
            real logits[6];
            settings.model.random_positions = i == 2 ? 64 : 0;
            settings.model.rope_scaling = (option + i) % 4;
            case_model(&c, &settings, lengths[i]);
            case_stir(&c);
            case_batch(&c, 6, 6);
            for (int step = 0; step < 3; step++) {
                nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, logits, NULL);
                for (size_t k = 0; k < nn_tensor_count(c.model); k++)
                    nn_step_gd(nn_tensor(c.model, k), &(struct nn_step){.learning_rate = 0.5, .scale = 1});
            }
            case_drop_batch(&c);
            case_batch(&c, samples, lengths[i]);
            nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = logits});
            reference_run(&c, -1, &r, false);
            bound("prediction", &settings, logits_error(logits, r.logits, samples), 1e-4);
            reference_close(&r);
            case_close(&c);
        }
}

static double norm_of_value(const struct reference *r, long p)
{
    double square = 0;
    for (long e = 0; e < r->v; e++)
        square += r->values[p * r->v + e] * r->values[p * r->v + e];
    return sqrt(square);
}

static void check_outputs(struct nn_case *c, const struct nn_outputs *outputs)
{
    struct reference r;
    reference_open(c, -1, &r);
    for (long s = 0; s < c->batch.samples; s++) {
        const int32_t *keys = c->batch.relevant + 2 * s;
        double norm[2] = {0, 0}, mass = 0;
        reference_forward(&r, s);
        for (long p = 0; p < r.n; p++) {
            norm[p == keys[0] || p == keys[1]] += norm_of_value(&r, p);
            mass += (r.score[p * r.n + keys[0]] + r.score[p * r.n + keys[1]]) / (double)r.n;
        }
        bound("mass", &c->settings, fabs(outputs->relevant_mass[s] - mass), 1e-5);
        bound("relevant norm", &c->settings, fabs(outputs->relevant_value_norm[s] - norm[1] / 2), 1e-5);
        bound("norm", &c->settings, fabs(outputs->irrelevant_value_norm[s] - norm[0] / (double)(r.n - 2)), 1e-5);
    }
    reference_close(&r);
}

static void attention_and_value_norms_are_those_of_the_relevant_tokens(void **state)
{
    (void)state;
    int32_t relevant[20];
    real mass[10], norm[10], other[10];
    const struct nn_outputs outputs = {
        .relevant_mass = mass, .relevant_value_norm = norm, .irrelevant_value_norm = other};
    for (int option = 0; option < 2 * ENCODING_KINDS; option++) {
        const long length = option % 3 ? 23 : 7;
        struct settings settings =
            case_settings((struct shape){10, length, 20, 6, 7}, option / 2, option & 1, 0, false);
        struct nn_case c = {0};
        case_open(&c, &settings);
        for (int s = 0; s < 10; s++) {
            relevant[2 * s] = (int32_t)(s % (length - 1));
            relevant[2 * s + 1] = (int32_t)(length - 1);
        }
        c.batch.relevant = relevant;
        c.batch.relevant_count = 2;
        nn_predict(c.model, &c.batch, &outputs);
        check_outputs(&c, &outputs);
        c.batch.relevant_count = 0;
        nn_predict(c.model, &c.batch, &outputs);
        assert_true(mass[3] == 0 && isnan(norm[3]) && other[3] > 0);
        case_close(&c);
    }
}

static void a_sample_of_relevant_tokens_alone_has_no_other_norm(void **state)
{
    (void)state;
    struct settings settings = case_settings((struct shape){3, 1, 20, 6, 7}, ENCODING_NONE, 0, 0, false);
    struct nn_case c = {0};
    real mass[3], norm[3], other[3];
    case_open(&c, &settings);
    nn_predict(c.model, &c.batch, &(struct nn_outputs){NULL, mass, norm, other});
    assert_true(mass[0] == 1 && norm[0] > 0 && isnan(other[0]));
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_straight_loops_in_double),
        cmocka_unit_test(predicts_longer_sequences_as_straight_loops_do),
        cmocka_unit_test(attention_and_value_norms_are_those_of_the_relevant_tokens),
        cmocka_unit_test(a_sample_of_relevant_tokens_alone_has_no_other_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
