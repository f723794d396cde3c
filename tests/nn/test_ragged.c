// SPDX-License-Identifier: MIT
// Batches whose sequences have lengths of their own, through every model that takes them: a sequence sees nothing of
// the others, and the gradient is that of all of them.
#include "ragged_cases.h"
#include <math.h>

#define ENCODINGS(others)                                                                                              \
    {others " encoding=none", true}, {others " encoding=sinusoidal", false}, {others " encoding=absolute", true},      \
        {others " encoding=relative relative_clip=3", false}, {others " encoding=transformer_xl", true},               \
        {others " encoding=t5 t5_buckets=8 t5_distance=16", false}, {others " encoding=alibi", true},                  \
        {others " encoding=rope", false}, {others " encoding=kerple", true},                                           \
    {                                                                                                                  \
        others " encoding=fire fire_width=5 fire_threshold=9", false                                                   \
    }
static const struct row {
    const char *text;
    bool masked;
} rows[] = {
    ENCODINGS("model=transformer task=accumulator"),
    ENCODINGS("model=transformer task=accumulator supervision=final pooling=mean attention_mask=bidirectional"),
    // Longer sequences have consecutive positions, shorter ones random ones.
    ENCODINGS("model=transformer task=accumulator random_positions=30"),
    ENCODINGS("model=transformer task=signal pooling=last random_positions=64"),
    {"model=transformer task=signal encoding=absolute", true},
    {"model=transformer task=accumulator supervision=final pooling=last attention_bias=false norm=rms", true},
    {"model=transformer task=accumulator dropout=0.25 attention_noise=0.5", false},
    {"model=transformer task=accumulator dropout=0.25 encoding=t5 attention_mask=bidirectional random_positions=64",
     true},
    {"model=transformer task=accumulator embeddings=orthonormal snr=4 heads=3 ffn_activation=relu", false},
    {"model=transformer task=accumulator tied=true parametrization=mup base_width=6 attention_bias=false", true},
    {"model=rnn task=accumulator", true},
    {"model=rnn task=accumulator supervision=final pooling=mean dropout=0.25 width=16", true},
    {"model=rnn task=accumulator supervision=final embeddings=orthonormal snr=4", false},
    {"model=rnn task=signal layers=1", false},
    {"model=rnn task=signal pooling=mean dropout=0.25", true},
    {"model=lstm task=accumulator tied=true", true},
    {"model=lstm task=accumulator dropout=0.25 layers=3", false},
    {"model=lstm task=accumulator supervision=final pooling=mean embeddings=orthonormal snr=4", true},
    {"model=lstm task=signal width=16", false},
    {"model=lstm task=signal pooling=mean layers=1 dropout=0.25", true},
    {"model=two_layer task=signal init_scale=0.4", false},
    {"model=two_layer task=signal init_scale=0.4 activation=none encoding=absolute random_positions=30", false},
    {"model=two_layer task=signal init_scale=0.4 encoding=rope random_positions=64", false},
    {"model=two_layer task=signal init_scale=0.4 encoding=fire fire_width=5 readout=trained", false},
};
enum { ROWS = sizeof rows / sizeof *rows };

#define LENGTHS(numbers)                                                                                               \
    (struct ragged_lengths)                                                                                            \
    {                                                                                                                  \
        sizeof numbers / sizeof *numbers, numbers                                                                      \
    }
// Below, at and above a block of queries, alone and beside one another; a chunk ends inside.
static const int64_t mixed[] = {1, 16, 17, 5, 33, 2, 16, 40, 7, 1, 1, 48, 20};
static const int64_t even[] = {19, 19, 19, 19, 19, 19, 19, 19, 19};
static const int64_t beyond[] = {3, 1030, 2, 150, 128, 127, 1, 260};

static size_t size_of(const struct ragged *r, long targets)
{
    return (size_t)(targets * nn_outputs_width(r->model)) * sizeof(real);
}

static void same_gradients(const struct ragged *a, const struct ragged *b, const char *text)
{
    for (size_t i = 0; i < nn_tensor_count(a->model); i++) {
        const struct nn_tensor *one = nn_tensor(a->model, i), *other = nn_tensor(b->model, i);
        if (memcmp(one->gradient, other->gradient, (size_t)one->storage * sizeof(real)) != 0)
            fail_msg("%s: %s differs", text, one->name);
    }
}

struct seen {
    real *logits, *mass, *relevant, *other;
};

static struct seen predict(struct ragged *r, const struct batch *batch)
{
    const struct seen seen = {
        .logits = ragged_take(r, (long)batch_target(batch, batch->samples) * nn_outputs_width(r->model), sizeof(real)),
        .mass = ragged_take(r, batch->samples, sizeof(real)),
        .relevant = ragged_take(r, batch->samples, sizeof(real)),
        .other = ragged_take(r, batch->samples, sizeof(real))};
    nn_predict(r->model, batch,
               &(struct nn_outputs){.logits = seen.logits,
                                    .relevant_mass = seen.mass,
                                    .relevant_value_norm = seen.relevant,
                                    .irrelevant_value_norm = seen.other});
    return seen;
}

// Samples from … to - 1 of what was predicted of all beside what is predicted of them alone.
static void compare_part(struct ragged *r, const struct seen *all, long from, long to, bool without, const char *text)
{
    const struct batch part = ragged_part(r, from, to, without);
    const struct seen own = predict(r, &part);
    const real *logits = all->logits + batch_target(&r->batch, from) * nn_outputs_width(r->model);
    const size_t each = (size_t)(to - from) * sizeof(real);
    if (memcmp(own.logits, logits, size_of(r, (long)batch_target(&part, part.samples))) != 0 ||
        memcmp(own.mass, all->mass + from, each) != 0 || memcmp(own.relevant, all->relevant + from, each) != 0 ||
        memcmp(own.other, all->other + from, each) != 0)
        fail_msg("%s: samples %ld to %ld differ", text, from, to - 1);
}

static void predictions_are_those_of_a_sequence_alone(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        const struct seen all = predict(&r, &r.batch);
        for (long s = 0; s < r.batch.samples; s++)
            compare_part(&r, &all, s, s + 1, s % 2, rows[i].text);
        ragged_close(&r);
    }
}

// The batch's offsets do not begin at 0 then.
static void predictions_are_those_of_a_part(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        const struct seen all = predict(&r, &r.batch);
        compare_part(&r, &all, 2, 9, false, rows[i].text);
        ragged_close(&r);
    }
}

// Of row t of a sequence none, or a position that is at most as far.
static void name_each(struct ragged *r)
{
    int32_t *lists = ragged_take(r, r->targets, sizeof *lists);
    for (long s = 0; s < r->batch.samples; s++)
        for (long t = 0; t < batch_length(&r->batch, s); t++)
            lists[batch_row(&r->batch, s) + t] = t % 3 == 1 ? -1 : (int32_t)(t / 2);
    r->batch.relevant = lists;
    r->batch.relevant_each = true;
}

static void attention_of_each_target_is_that_of_a_sequence_alone(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        if (r.batch.positions != 1) {
            name_each(&r);
            const struct seen all = predict(&r, &r.batch);
            for (long s = 0; s < r.batch.samples; s++)
                compare_part(&r, &all, s, s + 1, s % 2, rows[i].text);
            compare_part(&r, &all, 2, 9, false, rows[i].text);
        }
        ragged_close(&r);
    }
}

static void long_sequences_are_predicted_beside_short_ones(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i += 7) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(beyond), rows[i].masked);
        const struct seen all = predict(&r, &r.batch);
        for (long s = 0; s < r.batch.samples; s++)
            compare_part(&r, &all, s, s + 1, s % 2, rows[i].text);
        ragged_close(&r);
    }
}

static void training_draws_for_a_sequence_what_it_draws_alone(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        real *own = ragged_take(&r, r.targets * nn_outputs_width(r.model), sizeof *own);
        nn_gradient(r.model, &r.batch, &(struct nn_pass){.step = 4}, r.logits, NULL);
        for (long s = 0; s < r.batch.samples; s++) {
            const struct batch one = ragged_part(&r, s, s + 1, s % 2);
            nn_gradient(r.model, &one, &(struct nn_pass){.step = 4, .targets = 1}, own, NULL);
            const real *logits = r.logits + batch_target(&r.batch, s) * nn_outputs_width(r.model);
            if (memcmp(own, logits, size_of(&r, batch_targets(&r.batch, s))) != 0)
                fail_msg("%s: sample %ld differs", rows[i].text, s);
        }
        ragged_close(&r);
    }
}

static void equal_lengths_are_a_batch_without_offsets(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged a, b;
        double loss, other;
        ragged_open(&a, rows[i].text, LENGTHS(even), rows[i].masked);
        ragged_open(&b, rows[i].text, LENGTHS(even), rows[i].masked);
        b.batch.offsets = NULL;
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 2}, a.logits, &loss);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 2}, b.logits, &other);
        assert_true(loss == other);
        assert_memory_equal(a.logits, b.logits, size_of(&a, a.targets));
        same_gradients(&a, &b, rows[i].text);
        ragged_close(&a);
        ragged_close(&b);
    }
}

static void chunks_do_not_change_bits(void **state)
{
    (void)state;
    static const long chunks[] = {1, 2, 7};
    for (int i = 0; i < ROWS * 3; i++) {
        struct ragged a, b;
        double loss, other;
        const struct row *row = &rows[i / 3];
        ragged_open(&a, row->text, LENGTHS(mixed), row->masked);
        ragged_open(&b, row->text, LENGTHS(mixed), row->masked);
        nn_set_chunk(b.model, chunks[i % 3]);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 2}, a.logits, &loss);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 2}, b.logits, &other);
        assert_true(loss == other);
        assert_memory_equal(a.logits, b.logits, size_of(&a, a.targets));
        same_gradients(&a, &b, row->text);
        const struct seen one = predict(&a, &a.batch), two = predict(&b, &b.batch);
        assert_memory_equal(one.logits, two.logits, size_of(&a, a.targets));
        ragged_close(&a);
        ragged_close(&b);
    }
}

// Relative to the tensor's own size, with some room for those that nearly cancel.
static double difference(const struct nn_tensor *one, const struct nn_tensor *other)
{
    double apart = 0, size = 0;
    for (long k = 0; k < one->storage; k++) {
        const double a = (double)one->gradient[k], b = (double)other->gradient[k];
        apart += (a - b) * (a - b);
        size += b * b;
    }
    return sqrt(apart) / (sqrt(size) + 1e-3);
}

static void gradients_add_up(const char *text, struct ragged_lengths lengths, bool masked)
{
    struct ragged a, b;
    double loss, sum = 0, part;
    ragged_open(&a, text, lengths, masked);
    ragged_open(&b, text, lengths, masked);
    nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 3}, a.logits, &loss);
    for (long s = 0; s < b.batch.samples; s++) {
        const struct batch one = ragged_part(&b, s, s + 1, s % 2);
        const struct nn_pass pass = {.step = 3, .add = s > 0, .targets = (double)nn_targets(&b.batch)};
        nn_gradient(b.model, &one, &pass, b.logits, &part);
        sum += part;
    }
    if (!(fabs(loss - sum) <= 1e-6 * loss))
        fail_msg("%s: loss %g, in parts %g", text, loss, sum);
    for (size_t i = 0; i < nn_tensor_count(a.model); i++) {
        const double apart = difference(nn_tensor(a.model, i), nn_tensor(b.model, i));
        if (!(apart <= 1e-5))
            fail_msg("%s: %s is %.2g apart", text, nn_tensor(a.model, i)->name, apart);
    }
    ragged_close(&a);
    ragged_close(&b);
}

static void gradients_are_sums_over_sequences(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        gradients_add_up(rows[i].text, LENGTHS(mixed), rows[i].masked);
}

// More rows than a group of sums has.
static void gradients_of_many_sequences_are_sums_too(void **state)
{
    (void)state;
    enum { MANY = 240 };
    int64_t lengths[MANY];
    for (int s = 0; s < MANY; s++)
        lengths[s] = 1 + s * 7 % RAGGED_TRAINED;
    for (int i = 3; i < ROWS; i += 8)
        gradients_add_up(rows[i].text, LENGTHS(lengths), rows[i].masked);
}

// Vectors that are no numbers reach the logits of their own sequence alone.
static void sequences_do_not_leak(void **state)
{
    (void)state;
    enum { SICK = 4 };
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        const struct seen all = predict(&r, &r.batch);
        for (long row = (long)r.offsets[SICK]; r.shape.dim && row < r.offsets[SICK + 1]; row++)
            r.vectors[row * RAGGED_DIM] = NAN;
        const struct seen sick = predict(&r, &r.batch);
        const long outputs = nn_outputs_width(r.model);
        for (long t = 0; t < r.targets; t++) {
            const bool own = t >= batch_target(&r.batch, SICK) && t < batch_target(&r.batch, SICK + 1);
            if (own && r.shape.dim)
                assert_true(isnan(sick.logits[t * outputs]));
            else
                assert_memory_equal(sick.logits + t * outputs, all.logits + t * outputs, size_of(&r, 1));
        }
        ragged_close(&r);
    }
}

static void losses_and_classes_have_a_place_for_each_target(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        struct ragged r;
        double loss, sum = 0;
        ragged_open(&r, rows[i].text, LENGTHS(mixed), rows[i].masked);
        real *losses = ragged_take(&r, r.targets, sizeof *losses);
        int32_t *classes = ragged_take(&r, r.targets, sizeof *classes);
        memset(classes, 0x7f, (size_t)r.targets * sizeof *classes);
        nn_gradient(r.model, &r.batch, &(struct nn_pass){.step = 1}, r.logits, &loss);
        nn_losses(&r.batch, r.logits, losses);
        nn_classes(&r.batch, r.logits, classes);
        long count = 0;
        for (long t = 0; t < r.targets; t++) {
            const bool counts = !r.batch.mask || r.batch.mask[t];
            assert_true(counts ? losses[t] > 0 : losses[t] == 0);
            assert_in_range(classes[t], 0, r.shape.classes - 1);
            count += counts;
            sum += (double)losses[t];
        }
        assert_int_equal(nn_targets(&r.batch), count);
        assert_true(loss == sum / (double)count);
        ragged_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_a_sequence_alone),
        cmocka_unit_test(predictions_are_those_of_a_part),
        cmocka_unit_test(attention_of_each_target_is_that_of_a_sequence_alone),
        cmocka_unit_test(long_sequences_are_predicted_beside_short_ones),
        cmocka_unit_test(training_draws_for_a_sequence_what_it_draws_alone),
        cmocka_unit_test(equal_lengths_are_a_batch_without_offsets),
        cmocka_unit_test(chunks_do_not_change_bits),
        cmocka_unit_test(gradients_are_sums_over_sequences),
        cmocka_unit_test(gradients_of_many_sequences_are_sums_too),
        cmocka_unit_test(sequences_do_not_leak),
        cmocka_unit_test(losses_and_classes_have_a_place_for_each_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
