// SPDX-License-Identifier: MIT
// The transformer against an independent one in straight loops, for logits, loss and every gradient: those of the
// reference are differences of its loss.
#include "transformer_reference.h"

static const struct shape rows[] = {
    {.samples = 3, .length = 7, .heads = 2, .head_dim = 5, .head = POOLING_PER_POSITION, .head_bias = true},
    {.samples = 2,
     .length = 19,
     .heads = 1,
     .head_dim = 8,
     .head = POOLING_LAST,
     .norm = NORM_RMS,
     .activation = FFN_RELU},
    {.samples = 5,
     .length = 4,
     .heads = 3,
     .head_dim = 3,
     .head = POOLING_MEAN,
     .activation = FFN_GELU_TANH,
     .mask = MASK_BIDIRECTIONAL,
     .encoding = ENCODING_ABSOLUTE},
    {.samples = 4, .length = 1, .heads = 1, .head_dim = 16, .head = POOLING_PER_POSITION, .tied = true},
    {.samples = 3,
     .length = 17,
     .heads = 2,
     .head_dim = 6,
     .head = POOLING_PER_POSITION,
     .tied = true,
     .masked = true,
     .head_bias = true,
     .activation = FFN_GELU_TANH},
    {.samples = 4, .length = 6, .heads = 2, .head_dim = 4, .vectors = true, .head_bias = true},
    {.samples = 2,
     .length = 33,
     .heads = 1,
     .head_dim = 7,
     .vectors = true,
     .norm = NORM_RMS,
     .mask = MASK_CAUSAL,
     .encoding = ENCODING_ABSOLUTE},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void logits_and_loss_are_those_of_the_formulas(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        struct reference r;
        double loss, want[3 * 19 * CASE_CLASSES];
        case_open(&c, &rows[i]);
        case_stir(&c);
        reference_open(&r, &c);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, &loss);
        const double want_loss = reference_loss(&r, want);
        assert_true(case_logits(&c) <= (long)(sizeof want / sizeof *want));
        for (long k = 0; k < case_logits(&c); k++)
            if (!(fabs((double)c.logits[k] - want[k]) <= 2e-5 * (1 + fabs(want[k]))))
                fail_msg("row %d: logit %ld is %g, not %g", i, k, (double)c.logits[k], want[k]);
        if (!(fabs(loss - want_loss) <= 1e-5 * want_loss))
            fail_msg("row %d: loss %g, not %g", i, loss, want_loss);
        reference_close(&r);
        case_close(&c);
    }
}

// Elements enough to see each tensor's groups, each row and each column of small ones.
static double gradient_error(struct reference *r, const struct nn_tensor *tensor, double *weight, double *ret_norm)
{
    const double step = 1e-5;
    const long every = 1 + tensor->rows * tensor->columns / 40;
    double difference = 0, norm = 0;
    for (long i = 0; i < tensor->rows * tensor->columns; i += every) {
        const double kept = weight[i],
                     got = (double)tensor->gradient[nn_tensor_at(tensor, i / tensor->columns, i % tensor->columns)];
        weight[i] = kept + step;
        double want = reference_loss(r, NULL);
        weight[i] = kept - step;
        want = (want - reference_loss(r, NULL)) / (2 * step);
        weight[i] = kept;
        difference += (got - want) * (got - want);
        norm += want * want;
    }
    *ret_norm = sqrt(norm);
    return sqrt(difference);
}

static void gradients_are_differences_of_the_loss(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        struct reference r;
        case_open(&c, &rows[i]);
        case_stir(&c);
        reference_open(&r, &c);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, NULL);
        for (size_t t = 0; t < nn_tensor_count(c.model); t++) {
            const struct nn_tensor *tensor = nn_tensor(c.model, t);
            double norm;
            const double error = gradient_error(&r, tensor, r.weight[t], &norm);
            // A bias of keys moves all of a query's scores alike.
            if (!(error <= 1e-4 * norm + 2e-7))
                fail_msg("row %d: gradient of %s is off by %g of %g", i, tensor->name, error, norm);
        }
        reference_close(&r);
        case_close(&c);
    }
}

static void near(real got, double want)
{
    if (!(fabs((double)got - want) <= 1e-5 * (1 + want)))
        fail_msg("%g, not %g", (double)got, want);
}

static void measures_are_means_over_queries_heads_and_layers(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        struct reference r;
        real mass[8], relevant[8], other[8];
        case_open(&c, &rows[i]);
        reference_open(&r, &c);
        reference_loss(&r, NULL);
        nn_predict(c.model, &c.batch, &(struct nn_outputs){NULL, mass, relevant, other});
        const double places = (double)(CASE_LAYERS * rows[i].heads), length = (double)rows[i].length;
        const double count = (double)c.batch.relevant_count;
        for (long s = 0; s < rows[i].samples; s++) {
            near(mass[s], r.mass[s] / (places * length));
            near(relevant[s], r.relevant_norm[s] / (places * count));
            if (length > count)
                near(other[s], r.other_norm[s] / (places * (length - count)));
            else
                assert_true(isnan(other[s]));
        }
        c.batch.relevant_count = 0;
        nn_predict(c.model, &c.batch, &(struct nn_outputs){NULL, mass, relevant, other});
        assert_true(isnan(mass[0]) && isnan(relevant[0]) && other[0] > 0);
        reference_close(&r);
        case_close(&c);
    }
}

enum { EACH = 3 };

// Of target `t` of a sequence: none, one in each third place, or up to three, the last of which may be behind it.
static void name_each(long t, long length, int32_t ret_relevant[EACH])
{
    const long places[EACH] = {t / 2, t / 2 + 1, t + 2};
    for (long k = 0, used = 0; k < EACH; k++) {
        ret_relevant[k] = -1;
        if (t % 4 != 1 && (t % 4 != 2 || k == 1) && places[k] < length)
            ret_relevant[used++] = (int32_t)places[k];
    }
}

static void targets_that_name_positions_measure_attention_on_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct nn_case c = {0};
        struct reference r;
        real mass[8], relevant[8], other[8];
        const long length = rows[i].length;
        case_open(&c, &rows[i]);
        int32_t *lists = case_take(rows[i].samples * length * EACH, sizeof *lists);
        for (long t = 0; t < rows[i].samples * length; t++)
            name_each(t % length, length, lists + t * EACH);
        for (long k = 0; k < length * EACH; k++)
            lists[k] = -1; // the first sample names none
        c.batch.relevant = lists;
        c.batch.relevant_count = EACH;
        c.batch.relevant_each = true;
        reference_open(&r, &c);
        reference_loss(&r, NULL);
        if (c.batch.positions == length) {
            const double places = (double)(CASE_LAYERS * rows[i].heads);
            nn_predict(c.model, &c.batch, &(struct nn_outputs){NULL, mass, relevant, other});
            assert_true(isnan(mass[0]));
            for (long s = 0; s < rows[i].samples; s++)
                assert_true(isnan(relevant[s]) && isnan(other[s]));
            for (long s = 1; s < rows[i].samples; s++)
                near(mass[s], r.mass[s] / (places * (double)batch_naming(&c.batch, s)));
        }
        reference_close(&r);
        free(lists);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_and_loss_are_those_of_the_formulas),
        cmocka_unit_test(measures_are_means_over_queries_heads_and_layers),
        cmocka_unit_test(targets_that_name_positions_measure_attention_on_their_own),
        cmocka_unit_test(gradients_are_differences_of_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
