// SPDX-License-Identifier: MIT
// Compiled in double with all of nn (NN_DOUBLE): gradients of batches whose sequences have lengths of their own against
// central differences of their loss, with what training draws.
#include "differences.h"
#include "ragged_cases.h"

// FIRE takes a seed with which no unit of its network turns within a step.
static const struct row {
    const char *text;
    bool masked;
} rows[] = {
    {"model=transformer task=accumulator encoding=none attention_bias=false", true},
    {"model=transformer task=accumulator encoding=absolute random_positions=20", true},
    {"model=transformer task=signal encoding=relative relative_clip=3", false},
    {"model=transformer task=signal encoding=transformer_xl pooling=last random_positions=16", true},
    {"model=transformer task=accumulator encoding=t5 t5_buckets=8 t5_distance=16 supervision=final pooling=mean "
     "attention_mask=bidirectional random_positions=64",
     false},
    {"model=transformer task=accumulator encoding=rope dropout=0.25 attention_noise=0.5", false},
    {"model=transformer task=accumulator encoding=kerple supervision=final pooling=last", true},
    {"model=transformer task=accumulator encoding=fire fire_width=5 fire_threshold=9.5 seed=2 random_positions=20",
     true},
    {"model=transformer task=accumulator encoding=fire fire_width=5 fire_threshold=9.5 seed=2 "
     "attention_mask=bidirectional",
     false},
    {"model=rnn task=accumulator dropout=0.25", true},
    {"model=rnn task=accumulator supervision=final pooling=mean embeddings=orthonormal snr=4 layers=1", false},
    {"model=rnn task=signal pooling=last", true},
    {"model=lstm task=accumulator tied=true", true},
    {"model=lstm task=accumulator supervision=final pooling=last dropout=0.25 layers=3", false},
    {"model=lstm task=signal pooling=mean layers=1", true},
    {"model=two_layer task=signal init_scale=0.4 encoding=absolute readout=trained", false},
    {"model=two_layer task=signal init_scale=0.4 activation=none encoding=fire random_positions=16", false},
};
enum { ROWS = sizeof rows / sizeof *rows };

// Of the pass that is differentiated, which draws the same each time.
static double loss_of(void *of)
{
    struct ragged *r = of;
    double loss;
    nn_gradient(r->model, &r->batch, &(struct nn_pass){.step = 3}, r->logits, &loss);
    return loss;
}

static void equals_finite_differences(void **state)
{
    static const int64_t lengths[] = {5, 1, 18, 2};
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, (struct ragged_lengths){sizeof lengths / sizeof *lengths, lengths},
                    rows[i].masked);
        for (size_t t = 0; t < nn_tensor_count(r.model); t++) {
            struct nn_tensor *tensor = nn_tensor(r.model, t);
            loss_of(&r);
            const double error = tensor->frozen ? 0 : differences_error(tensor, t, loss_of, &r);
            if (!(error <= 1e-6))
                fail_msg("%s: error %.3g at %s", rows[i].text, error, tensor->name);
        }
        ragged_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_finite_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
