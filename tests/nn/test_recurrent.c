// SPDX-License-Identifier: MIT
// rnn and lstm: against straight loops, and what must not show in the bits. Finite differences are in
// test_recurrent_gradient.c.
#include "base_hash.h"
#include "base_isa.h"
#include "recurrent_back.h"
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

static size_t logits_size(const struct recurrent_case *c)
{
    return (size_t)(c->batch.samples * c->batch.positions * nn_outputs_width(c->model)) * sizeof(real);
}

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
        reference_run(&c, &r, 5);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 5}, c.logits, &loss);
        const double error = reference_error(&c, &r, loss);
        if (!(error <= 2e-5))
            fail_msg("row %d: error %.3g", number, error);
        worst = fmax(worst, error);
        reference_close(&c, &r);
        recurrent_close(&c);
    }
    printf("largest error %.2g\n", worst);
}

static void same_gradients(struct nn_model *a, struct nn_model *b)
{
    for (size_t i = 0; i < nn_tensor_count(a); i++)
        assert_memory_equal(nn_tensor(a, i)->gradient, nn_tensor(b, i)->gradient,
                            (size_t)nn_tensor(a, i)->storage * sizeof(real));
}

// Rows of more samples than a group has.
static struct recurrent_row large_row(int number)
{
    struct recurrent_row row = recurrent_row(number);
    row.samples = 4096 / row.length + 10;
    return row;
}

static void chunks_do_not_change_bits(void **state)
{
    (void)state;
    static const long chunks[] = {1, 3, 7, 50, 1000};
    for (int number = 0; number < RECURRENT_ROWS; number += 5) {
        const struct recurrent_row row = large_row(number);
        struct recurrent_case a = {0}, b = {0};
        double loss, other_loss;
        recurrent_open(&a, &row, row.length);
        recurrent_open(&b, &row, row.length);
        nn_set_chunk(b.model, chunks[number % 4]);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 3}, a.logits, &loss);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 3}, b.logits, &other_loss);
        assert_true(loss == other_loss);
        assert_memory_equal(a.logits, b.logits, logits_size(&a));
        same_gradients(a.model, b.model);
        nn_set_chunk(a.model, chunks[number % 5]);
        nn_predict(a.model, &a.batch, &(struct nn_outputs){.logits = a.logits});
        nn_set_chunk(b.model, 0);
        nn_predict(b.model, &b.batch, &(struct nn_outputs){.logits = b.logits});
        assert_memory_equal(a.logits, b.logits, logits_size(&a));
        recurrent_close(&a);
        recurrent_close(&b);
    }
}

static void passes_overwrite_or_add(void **state)
{
    (void)state;
    for (int number = 0; number < RECURRENT_ROWS; number += 11) {
        const struct recurrent_row row = number % 2 ? recurrent_row(number) : large_row(number);
        struct recurrent_case a = {0}, b = {0};
        recurrent_open(&a, &row, row.length);
        recurrent_open(&b, &row, row.length);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 1}, a.logits, NULL);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 7}, b.logits, NULL);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 1}, b.logits, NULL);
        same_gradients(a.model, b.model);
        a.batch.samples = b.batch.samples = 3;
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 1, .targets = 2}, a.logits, NULL);
        nn_gradient(b.model, &b.batch, &(struct nn_pass){.step = 1, .targets = 1}, b.logits, NULL);
        nn_gradient(a.model, &a.batch, &(struct nn_pass){.step = 1, .targets = 2, .add = true}, a.logits, NULL);
        same_gradients(a.model, b.model);
        recurrent_close(&a);
        recurrent_close(&b);
    }
}

// At lengths below, at and beyond those that a prediction takes at once; without dropout, as training has it.
static void predictions_have_the_bits_of_the_gradient(void **state)
{
    (void)state;
    static const struct {
        long samples, length;
    } sizes[] = {{1, 300}, {3, 150}, {140, 40}, {300, 1}, {129, 16}};
    for (int number = 0; number < RECURRENT_ROWS / 2; number += 5) {
        struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        row.samples = sizes[number % 5].samples;
        row.length = sizes[number % 5].length;
        recurrent_open(&c, &row, row.length);
        real *want = zeroed((long)logits_size(&c), 1);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 1}, want, NULL);
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        assert_memory_equal(c.logits, want, logits_size(&c));
        c.batch.samples = 1;
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        assert_memory_equal(c.logits, want, logits_size(&c));
        free(want);
        recurrent_close(&c);
    }
}

static void predicts_beyond_the_train_length_and_without_dropout(void **state)
{
    (void)state;
    for (int number = 0; number < RECURRENT_ROWS; number += 7) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        struct recurrent_reference r;
        recurrent_open(&c, &row, 3 * row.length + 1);
        reference_open(&c, &r);
        reference_run(&c, &r, -1);
        real mass[8], norm[8], other[8];
        nn_predict(c.model, &c.batch, &(struct nn_outputs){c.logits, mass, norm, other});
        for (long i = 0; i < c.batch.samples * c.batch.positions * r.outputs; i++)
            assert_true(fabs((double)c.logits[i] - r.logits[i]) <= 2e-5);
        for (long s = 0; s < c.batch.samples; s++)
            assert_true(isnan(mass[s]) && isnan(norm[s]) && isnan(other[s]));
        reference_close(&c, &r);
        recurrent_close(&c);
    }
}

// The hash of logits and weights after some steps of every kind of row.
static struct hash128 hash_of_training(void)
{
    struct hash128 hash[RECURRENT_ROWS / 13 + 1][2] = {0};
    for (int number = 0; number < RECURRENT_ROWS; number += 13) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        recurrent_open(&c, &row, row.length);
        for (int step = 0; step < 4; step++) {
            nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = step}, c.logits, NULL);
            for (size_t i = 0; i < nn_tensor_count(c.model); i++)
                nn_step_gd(nn_tensor(c.model, i), &(struct nn_step){.learning_rate = 0.1, .scale = 1});
        }
        const struct nn_tensor *tensor = recurrent_tensor(&c, "layers.%ld.recurrent", 0);
        hash[number / 13][0] = hash_128(c.logits, logits_size(&c));
        hash[number / 13][1] = hash_128(tensor->value, (size_t)tensor->storage * sizeof(real));
        recurrent_close(&c);
    }
    return hash_128(hash, sizeof hash);
}

// In a process of its own, since the choice of an instruction set is made once.
static struct hash128 hash_under(enum isa isa)
{
    int ends[2], code;
    struct hash128 hash = {0};
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("LGSWEEP_ISA", isa_name(isa), 1);
        if (isa_current() == isa)
            hash = hash_of_training();
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &hash, sizeof hash), sizeof hash);
    close(ends[0]);
    assert_true(waitpid(child, &code, 0) == child && code == 0);
    return hash;
}

static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
    const struct hash128 plain = hash_under(ISA_PLAIN), none = {0};
    assert_memory_not_equal(&plain, &none, sizeof plain);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (isa_supported(isa)) {
            const struct hash128 other = hash_under(isa);
            assert_memory_equal(&other, &plain, sizeof plain);
        }
}

static void a_nan_in_one_sample_shows_there_and_in_the_loss(void **state)
{
    (void)state;
    for (int kind = MODEL_RNN; kind <= MODEL_LSTM; kind++) {
        const struct recurrent_row row = {
            .kind = kind, .layers = 2, .width = 19, .length = 9, .samples = 6, .head = POOLING_LAST};
        struct recurrent_case c = {0};
        double loss;
        recurrent_open(&c, &row, row.length);
        ((float *)c.batch.vectors)[(4 * 9 + 2) * DIM + 1] = NAN;
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        for (long i = 0; i < 6 * CLASSES; i++)
            assert_true(isnan(c.logits[i]) == (i / CLASSES == 4));
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, &loss);
        assert_true(isnan(loss));
        recurrent_close(&c);
    }
}

static void a_nan_weight_shows_in_the_loss(void **state)
{
    (void)state;
    static const char *const names[] = {"embedding", "layers.0.input", "layers.1.recurrent", "layers.0.recurrent.bias"};
    for (int kind = MODEL_RNN; kind <= MODEL_LSTM; kind++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const struct recurrent_row row = {
                .kind = kind, .layers = 2, .width = 5, .length = 9, .samples = 6, .head = POOLING_MEAN, .tokens = true};
            struct recurrent_case c = {0};
            double loss;
            recurrent_open(&c, &row, row.length);
            recurrent_tensor(&c, names[i], 0)->value[2] = NAN;
            nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, c.logits, &loss);
            assert_true(isnan(loss));
            recurrent_close(&c);
        }
}

static void memory_is_what_was_announced_and_refused_beyond(void **state)
{
    (void)state;
    for (int number = 0; number < RECURRENT_ROWS; number += 5) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        recurrent_open(&c, &row, row.length + 1000);
        const size_t announced = nn_model_bytes(&c.settings, &c.shape, row.length + 1000);
        assert_true(arena_used(c.arena) <= announced && announced <= arena_used(c.arena) + 4096);
        assert_int_equal(announced, nn_model_bytes(&c.settings, &c.shape, row.length + 100000));
        struct status status = {0};
        struct nn_model *model = NULL;
        struct arena *small = arena_create(1 << 12, announced / 2);
        assert_int_equal(nn_model_create(&c.settings, &c.shape, row.length, small, &model, &status), STATUS_MEMORY);
        assert_null(model);
        arena_destroy(small);
        recurrent_close(&c);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    for (int number = 0; number < RECURRENT_ROWS; number += 17) {
        const struct recurrent_row row = recurrent_row(number);
        struct recurrent_case c = {0};
        double loss;
        recurrent_open(&c, &row, row.length);
        const size_t before = mallocs, blocks = arena_blocks(c.arena);
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = 1}, c.logits, &loss);
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        assert_true(mallocs == before && arena_blocks(c.arena) == blocks);
        recurrent_close(&c);
    }
}

static void weights_start_uniform_within_their_bound(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double gain;
    } rows[] = {{"layers.1.input", 1.5},
                {"layers.0.recurrent", 1.5},
                {"layers.1.input.bias", 1},
                {"layers.0.recurrent.bias", 1}};
    const struct recurrent_row row = {
        .kind = MODEL_LSTM, .layers = 2, .width = 50, .length = 3, .samples = 1, .head = POOLING_LAST, .tokens = true};
    struct recurrent_case c = {0};
    recurrent_open(&c, &row, row.length);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct nn_tensor *tensor = recurrent_tensor(&c, rows[i].name, 0);
        const double bound = rows[i].gain / sqrt(50), count = (double)(tensor->rows * tensor->columns);
        double square = 0, most = 0;
        for (long r = 0; r < tensor->rows; r++)
            for (long k = 0; k < tensor->columns; k++) {
                const double x = (double)tensor->value[nn_tensor_at(tensor, r, k)];
                square += x * x / count;
                most = fmax(most, fabs(x));
            }
        assert_true(most <= bound && most > 0.95 * bound);
        assert_true(fabs(square / (bound * bound) - 1 / 3.0) < 0.06);
    }
    recurrent_close(&c);
}

// The first symbol, asked for at the end.
static void learns_to_remember(void **state)
{
    (void)state;
    for (int kind = MODEL_RNN; kind <= MODEL_LSTM; kind++) {
        const struct recurrent_row row = {.kind = kind,
                                          .layers = 1,
                                          .width = 19,
                                          .length = 5,
                                          .samples = 60,
                                          .head = POOLING_LAST,
                                          .tokens = true,
                                          .tied = true};
        struct recurrent_case c = {0};
        double loss = 0;
        recurrent_open(&c, &row, row.length);
        for (long s = 0; s < row.samples; s++)
            ((int32_t *)c.batch.targets)[s] = c.batch.tokens[s * row.length];
        for (int step = 0; step < 300; step++) {
            nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = step}, c.logits, &loss);
            for (size_t i = 0; i < nn_tensor_count(c.model); i++)
                nn_step_gd(nn_tensor(c.model, i), &(struct nn_step){.learning_rate = 0.3, .scale = 1});
        }
        if (!(loss < 0.1))
            fail_msg("%s: loss %g", kind == MODEL_RNN ? "rnn" : "lstm", loss);
        recurrent_close(&c);
    }
}

static void operations_are_counted(void **state)
{
    (void)state;
    const struct recurrent_row row = {
        .kind = MODEL_LSTM, .layers = 2, .width = 64, .length = 9, .samples = 4, .head = POOLING_LAST, .tokens = true};
    struct recurrent_case c = {0};
    recurrent_open(&c, &row, row.length);
    const double products = 3 * 2.0 * (4 * 64) * 64, tokens = 40 * 100;
    const double forward = nn_predict_flops(&c.settings, &c.shape, 40, 100);
    assert_true(forward > products * tokens && forward < 1.5 * products * tokens);
    assert_true(nn_gradient_flops(&c.settings, &c.shape, 40, 100) == 3 * forward);
    recurrent_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_give_the_same_bits), // first, while the choice is still open
        cmocka_unit_test(equals_straight_loops),
        cmocka_unit_test(chunks_do_not_change_bits),
        cmocka_unit_test(passes_overwrite_or_add),
        cmocka_unit_test(predictions_have_the_bits_of_the_gradient),
        cmocka_unit_test(predicts_beyond_the_train_length_and_without_dropout),
        cmocka_unit_test(a_nan_in_one_sample_shows_there_and_in_the_loss),
        cmocka_unit_test(a_nan_weight_shows_in_the_loss),
        cmocka_unit_test(memory_is_what_was_announced_and_refused_beyond),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(weights_start_uniform_within_their_bound),
        cmocka_unit_test(learns_to_remember),
        cmocka_unit_test(operations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
