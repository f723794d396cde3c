// SPDX-License-Identifier: MIT
#include "nn_cases.h"
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
    real *logits = malloc((size_t)c.batch.samples * sizeof *logits);
    double loss;
    nn_gradient(c.model, &c.batch, logits, &loss);
    reference_run(&c, &r, true);
    bound("logits", settings, logits_error(logits, r.logits, c.batch.samples), 1e-4);
    bound("loss", settings, fabs(loss - r.loss) / r.loss, 1e-4);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        const struct nn_tensor *tensor = nn_tensor(c.model, i);
        if (!tensor->frozen)
            bound(tensor->name, settings, gradient_error(tensor, reference_gradient(&r, tensor->name)), 1e-4);
    }
    reference_close(&r);
    free(logits);
    case_close(&c);
}

static void agrees_with_straight_loops_in_double(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int option = 0; option < 8 * ENCODING_KINDS; option++) {
            struct settings settings =
                case_settings(shapes[shape], option / 8, option & 1, option >> 1 & 1, option >> 2 & 1);
            compare(&settings);
        }
    printf("largest relative difference %.2g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_straight_loops_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
