// SPDX-License-Identifier: MIT
// Compiled in double with all of nn (NN_DOUBLE): every gradient of the transformer against central differences of its
// own loss, with what training draws.
#include "differences.h"
#include "transformer_cases.h"

// Options that go round at different speeds, so that pairs of them meet.
static struct shape shape_of(int i)
{
    static const long head_dims[] = {5, 8, 16, 6}, lengths[] = {1, 7, 16, 33, 19};
    const int encoding = i % ENCODING_KINDS;
    const bool vectors = i % 4 == 3;
    struct shape shape = {.samples = 2,
                          .length = lengths[i % 5],
                          .heads = 1 + i % 2,
                          .head_dim = head_dims[i / 2 % 4],
                          .vectors = vectors,
                          .norm = i / 3 % 2,
                          .activation = i / 2 % FFN_KINDS,
                          .head = POOLING_PER_POSITION + i / 4 % 3,
                          .mask = i / 5 % 2 ? MASK_CAUSAL : MASK_BIDIRECTIONAL,
                          .encoding = encoding,
                          .parametrization = i / 7 % 3,
                          .tied = !vectors && i % 3 == 0,
                          .head_bias = i / 2 % 2,
                          .masked = i % 5 == 0 && i / 4 % 3 == 0,
                          .orthonormal = i % 6 == 5,
                          .dropout = i / 3 % 3 == 1 ? 0.25 : 0,
                          .noise = i / 5 % 3 == 1 ? 0.5 : 0};
    if (encoding == ENCODING_ROPE && shape.head_dim % 2)
        shape.head_dim++;
    return shape;
}
enum { SHAPES = 40 };

static bool draws(const struct nn_case *c)
{
    return c->settings.model.dropout > 0 || c->settings.model.attention_noise > 0;
}

// Of the pass that is differentiated, which draws the same each time; where nothing is drawn, by prediction.
static double loss_of(void *of)
{
    struct nn_case *c = of;
    const long targets = c->batch.samples * c->batch.positions;
    double loss = 0;
    if (draws(c)) {
        nn_gradient(c->model, &c->batch, &(struct nn_pass){.step = 3}, c->logits, &loss);
        return loss;
    }
    real *losses = case_take(targets, sizeof *losses);
    nn_predict(c->model, &c->batch, &(struct nn_outputs){.logits = c->logits});
    nn_losses(&c->batch, c->logits, losses);
    for (long t = 0; t < targets; t++)
        loss += losses[t] / (double)nn_targets(&c->batch);
    free(losses);
    return loss;
}

static double check(const struct shape *shape, const char **ret_name)
{
    struct nn_case c = {0};
    double worst = -1;
    case_open(&c, shape);
    case_stir(&c);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        struct nn_tensor *tensor = nn_tensor(c.model, i);
        if (i == 0 || draws(&c))
            nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 3}, c.logits, NULL);
        if (tensor->frozen)
            continue;
        const double error = differences_error(tensor, i, loss_of, &c);
        if (error > worst) {
            worst = error;
            *ret_name = tensor->name;
        }
    }
    case_close(&c);
    return worst;
}

static void equals_finite_differences(void **state)
{
    (void)state;
    double largest = 0;
    for (int i = 0; i < SHAPES; i++) {
        const struct shape shape = shape_of(i);
        const char *name = "";
        const double error = check(&shape, &name);
        largest = fmax(largest, error);
        if (!(error <= 1e-6))
            fail_msg("shape %d: error %.3g at %s", i, error, name);
    }
    printf("largest relative difference %.2g\n", largest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
