// SPDX-License-Identifier: MIT
// Compiled in double with all of nn (NN_DOUBLE): rnn and lstm against straight loops and finite differences.
#include "recurrent_back.h"

enum { STEP = 12 };

static const struct nn_pass pass = {.step = STEP};

static void equals_straight_loops(void **state)
{
    (void)state;
    double worst = 0;
    for (int number = 0; number < RECURRENT_ROWS; number++) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        struct recurrent_reference r;
        double loss;
        recurrent_open(&c, &row, row.length);
        reference_open(&c, &r);
        reference_run(&c, &r, STEP);
        nn_gradient(c.model, &c.batch, &pass, c.logits, &loss);
        const double error = reference_error(&c, &r, loss);
        if (!(error <= 1e-10))
            fail_msg("row %d: error %.3g", number, error);
        worst = fmax(worst, error);
        reference_close(&c, &r);
        recurrent_close(&c);
    }
    printf("largest error %.2g\n", worst);
}

// The slope of the loss along one number.
static double slope_at(struct recurrent_case *c, struct nn_tensor *tensor, long at)
{
    const double step = 1e-5;
    double up, down;
    tensor->value[at] += (real)step;
    nn_gradient(c->model, &c->batch, &pass, c->logits, &up);
    tensor->value[at] -= (real)(2 * step);
    nn_gradient(c->model, &c->batch, &pass, c->logits, &down);
    tensor->value[at] += (real)step;
    return (up - down) / (2 * step);
}

// A few numbers of each tensor.
static double difference_error(struct recurrent_case *c)
{
    enum { SOME = 2 };
    const struct random_key key = random_key(1, 0, "test/numbers");
    double worst = 0;
    for (size_t i = 0; i < nn_tensor_count(c->model); i++) {
        struct nn_tensor *tensor = nn_tensor(c->model, i);
        for (uint32_t k = 0; k < SOME && !tensor->frozen; k++) {
            const long row = random_below(key, i, k, 0, (uint32_t)tensor->rows);
            const long at = nn_tensor_at(tensor, row, random_below(key, i, k, 1, (uint32_t)tensor->columns));
            const double slope = slope_at(c, tensor, at);
            nn_gradient(c->model, &c->batch, &pass, c->logits, NULL);
            worst = fmax(worst, fabs(slope - (double)tensor->gradient[at]));
        }
    }
    return worst;
}

// Every seventh row meets every value of every option.
static void equals_finite_differences(void **state)
{
    (void)state;
    double worst = 0;
    for (int number = 0; number < RECURRENT_ROWS; number += 7) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        recurrent_open(&c, &row, row.length);
        const double error = difference_error(&c);
        if (!(error <= 1e-8))
            fail_msg("row %d: error %.3g", number, error);
        worst = fmax(worst, error);
        recurrent_close(&c);
    }
    printf("largest difference %.2g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_straight_loops),
        cmocka_unit_test(equals_finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
