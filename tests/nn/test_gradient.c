// SPDX-License-Identifier: MIT
// Compiled in double with all of nn (NN_DOUBLE): every gradient against central finite differences of the loss.
#include "nn_cases.h"
#include "site_reference.h"
#include <stdio.h>

// One block of queries, several, and one token; widths off the vectors'.
static const struct shape shapes[] = {
    {3, 4, 5, 4, 3}, {2, 19, 4, 2, 2}, {2, 1, 6, 4, 5}, {1, 35, 3, 2, 3}, {5, 16, 3, 6, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double loss_of(struct nn_case *c, real *logits, real *losses)
{
    double sum = 0;
    nn_predict(c->model, &c->batch, &(struct nn_outputs){.logits = logits});
    nn_losses(&c->batch, logits, losses);
    for (long s = 0; s < c->batch.samples; s++)
        sum += losses[s];
    return sum / (double)c->batch.samples;
}

static void slopes_of(struct nn_case *c, struct nn_tensor *tensor, double *ret_slope)
{
    const double step = 2e-5;
    real logits[16], losses[16];
    for (long r = 0; r < tensor->rows; r++)
        for (long k = 0; k < tensor->columns; k++) {
            real *weight = &tensor->value[r * tensor->stride + k], kept = *weight;
            *weight = kept + step;
            double up = loss_of(c, logits, losses);
            *weight = kept - step;
            ret_slope[r * tensor->columns + k] = (up - loss_of(c, logits, losses)) / (2 * step);
            *weight = kept;
        }
}

// Slopes of a tensor, against those of all: some vanish but for rounding (a bias of all scores alike).
static double check(const struct settings *settings)
{
    struct nn_case c = {0};
    struct reference_tensors expected = {0};
    real logits[16];
    double worst = 0, loss;
    case_open(&c, settings);
    case_stir(&c);
    nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = -1}, logits, &loss);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        reference_take(&expected, nn_tensor(c.model, i));
        if (!nn_tensor(c.model, i)->frozen)
            slopes_of(&c, nn_tensor(c.model, i), expected.tensor[i].gradient);
    }
    const double floor = 1e-2 * reference_norm(&expected);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++)
        if (!nn_tensor(c.model, i)->frozen)
            worst = fmax(worst, gradient_error(nn_tensor(c.model, i), expected.tensor[i].gradient, floor));
    reference_drop(&expected);
    case_close(&c);
    return worst;
}

static void equals_finite_differences(void **state)
{
    (void)state;
    double worst = 0;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int option = 0; option < 16 * ENCODING_KINDS; option++) {
            struct settings settings =
                case_settings(shapes[shape], option / 16, option & 1, option >> 1 & 1, option >> 2 & 1);
            settings.model.random_positions = option & 8 ? 50 : 0;
            const double error = check(&settings);
            worst = fmax(worst, error);
            if (!(error <= 1e-7))
                fail_msg("error %.3g: encoding %d, activation %d, readout %d, freeze %d, n %ld, random positions %ld",
                         error, settings.model.encoding, settings.model.activation, settings.model.readout,
                         settings.model.freeze_attention, (long)settings.task.train_length,
                         (long)settings.model.random_positions);
        }
    printf("largest relative difference %.2g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
