// SPDX-License-Identifier: MIT
#include "support.h"

#include "task.h"
#include "train_optimizer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS = 4, NUMBERS = 64, STEPS = 20 };

struct fixture {
    struct arena *arena;
    struct settings settings;
    struct batch_shape shape;
    struct nn_model *model;
    struct train_state state;
    struct train_optimizer *optimizer;
};

static struct settings small_settings(int optimizer)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.dim = 5;
    settings.model.head_dim = 3;
    settings.model.value_dim = 4;
    settings.model.init_scale = 0.5;
    settings.train.optimizer = optimizer;
    settings.train.momentum = 0.75;
    settings.train.beta1 = 0.8;
    settings.train.beta2 = 0.95;
    return settings;
}

static void build(struct fixture *fixture, const struct settings *settings)
{
    struct status status;
    *fixture = (struct fixture){.arena = arena_create(1 << 14, 0), .settings = *settings};
    task_shape(settings, &fixture->shape);
    assert_int_equal(nn_model_create(settings, &fixture->shape, 8, fixture->arena, &fixture->model, &status),
                     STATUS_OK);
    assert_int_equal(train_state_init(&fixture->state, 16, fixture->arena, &status), STATUS_OK);
    assert_int_equal(train_optimizer_create(&fixture->settings, fixture->model, fixture->arena, &fixture->state,
                                            &fixture->optimizer, &status),
                     STATUS_OK);
    assert_int_equal(nn_tensor_count(fixture->model), TENSORS);
}

// What a step does, written out element by element in double precision.
struct reference {
    double value[TENSORS][NUMBERS], first[TENSORS][NUMBERS], second[TENSORS][NUMBERS];
    double steps;
};

static double norm_of(double gradient[TENSORS][NUMBERS], const struct fixture *fixture)
{
    double sum = 0;
    for (size_t t = 0; t < TENSORS; t++)
        for (long i = 0; i < NUMBERS && !nn_tensor(fixture->model, t)->frozen; i++)
            sum += gradient[t][i] * gradient[t][i];
    return sqrt(sum);
}

static void reference_element(struct reference *reference, const struct train_settings *train, size_t t, long i,
                              double g, double rate)
{
    double *w = &reference->value[t][i], *first = &reference->first[t][i], *second = &reference->second[t][i];
    if (train->optimizer == OPTIMIZER_ADAMW)
        *w -= rate * train->weight_decay * *w;
    else
        g += train->weight_decay * *w;
    switch (train->optimizer) {
    case OPTIMIZER_GD:
        *w -= rate * g;
        return;
    case OPTIMIZER_MOMENTUM:
        *first = train->momentum * *first + g;
        *w -= rate * *first;
        return;
    default:
        *first = train->beta1 * *first + (1 - train->beta1) * g;
        *second = train->beta2 * *second + (1 - train->beta2) * g * g;
        *w -= rate * (*first / (1 - pow(train->beta1, reference->steps))) /
              (sqrt(*second / (1 - pow(train->beta2, reference->steps))) + train->epsilon);
    }
}

static void reference_step(struct reference *reference, const struct fixture *fixture,
                           double gradient[TENSORS][NUMBERS], double rate)
{
    const struct train_settings *train = &fixture->settings.train;
    double factor = train->clip / (norm_of(gradient, fixture) + 1e-6);
    reference->steps++;
    for (size_t t = 0; t < TENSORS; t++) {
        const struct nn_tensor *tensor = nn_tensor(fixture->model, t);
        for (long i = 0; i < NUMBERS && !tensor->frozen; i++)
            reference_element(reference, train, t, i, gradient[t][i] * (factor < 1 ? factor : 1),
                              rate * (tensor->rate > 0 ? tensor->rate : 1));
    }
}

// Walks the elements of a tensor that are none of its padding, NUMBERS of them at most.
static void each(struct nn_tensor *tensor, real *array, double numbers[NUMBERS], bool write)
{
    long n = 0;
    for (long r = 0; r < tensor->rows; r++)
        for (long c = 0; c < tensor->columns; c++, n++) {
            real *element = &array[nn_tensor_at(tensor, r, c)];
            assert_true(n < NUMBERS);
            if (write)
                *element = (real)numbers[n];
            else
                numbers[n] = (double)*element;
        }
}

static void compare(struct fixture *fixture, const struct reference *reference, const char *claim)
{
    for (size_t t = 0; t < TENSORS; t++) {
        struct nn_tensor *tensor = nn_tensor(fixture->model, t);
        double value[NUMBERS] = {0};
        each(tensor, tensor->value, value, false);
        for (long i = 0; i < tensor->rows * tensor->columns; i++)
            if (!(fabs(value[i] - reference->value[t][i]) < 2e-5))
                fail_msg("%s: %s[%ld] is %g, not %g", claim, tensor->name, i, value[i], reference->value[t][i]);
    }
}

// The gradient is handed over at a quarter, as accumulation does, with `scale` making up for it.
static void run_against_reference(const struct settings *settings, bool rates, const char *claim)
{
    struct fixture fixture;
    struct reference reference = {0};
    srand(5);
    build(&fixture, settings);
    for (size_t t = 0; t < TENSORS; t++) {
        struct nn_tensor *tensor = nn_tensor(fixture.model, t);
        tensor->rate = rates ? 0.5 * (double)(t + 1) : 0;
        each(tensor, tensor->value, reference.value[t], false);
    }
    for (int step = 0; step < STEPS; step++) {
        double gradient[TENSORS][NUMBERS] = {0}, rate = 0.05 / (1 + step);
        for (size_t t = 0; t < TENSORS; t++) {
            struct nn_tensor *tensor = nn_tensor(fixture.model, t);
            double quarter[NUMBERS];
            for (long i = 0; i < tensor->rows * tensor->columns; i++) {
                gradient[t][i] = 4 * (double)(float)(rand() / (double)RAND_MAX - 0.4);
                quarter[i] = gradient[t][i] / 4;
            }
            each(tensor, tensor->gradient, quarter, true);
        }
        assert_true(fabs(4 * train_norm(fixture.model, true) - norm_of(gradient, &fixture)) < 1e-5);
        train_optimizer_step(fixture.optimizer, rate, 4);
        reference_step(&reference, &fixture, gradient, rate);
    }
    compare(&fixture, &reference, claim);
    arena_destroy(fixture.arena);
}

static void twenty_steps_are_those_of_the_formulas(void **state)
{
    const struct {
        const char *claim;
        double decay, clip;
        bool rates, frozen;
    } rows[] = {
        {"plain", 0, INFINITY, false, false},      {"weight decay", 0.3, INFINITY, false, false},
        {"clipped", 0, 2, false, false},           {"hardly clipped", 0, 8, false, false},
        {"rates of tensors", 0.2, 3, true, false}, {"frozen tensors", 0.2, 3, true, true},
    };
    for (int optimizer = 0; optimizer < OPTIMIZER_KINDS; optimizer++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            struct settings settings = small_settings(optimizer);
            settings.train.weight_decay = rows[r].decay;
            settings.train.clip = rows[r].clip;
            settings.model.freeze_attention = rows[r].frozen;
            settings.model.readout = READOUT_TRAINED;
            run_against_reference(&settings, rows[r].rates, rows[r].claim);
        }
    (void)state;
}

static void a_short_gradient_is_not_clipped(void **state)
{
    double moved[2];
    for (int clipped = 0; clipped < 2; clipped++) {
        struct settings settings = small_settings(OPTIMIZER_GD);
        struct fixture fixture;
        settings.train.clip = clipped ? 1 : INFINITY;
        build(&fixture, &settings);
        struct nn_tensor *tensor = nn_tensor(fixture.model, 0);
        tensor->gradient[0] = (real)0.999;
        train_optimizer_step(fixture.optimizer, 0.5, 1);
        moved[clipped] = (double)tensor->value[0];
        arena_destroy(fixture.arena);
    }
    assert_true(moved[0] == moved[1]);
    (void)state;
}

// After a gradient that is not finite no weight is: the loss of the next step tells.
static void a_gradient_that_is_not_finite_is_never_hidden(void **state)
{
    for (int optimizer = 0; optimizer < OPTIMIZER_KINDS; optimizer++)
        for (int infinite = 0; infinite < 2; infinite++) {
            struct settings settings = small_settings(optimizer);
            struct fixture fixture;
            settings.train.clip = 1;
            build(&fixture, &settings);
            nn_tensor(fixture.model, 1)->gradient[0] = infinite ? (real)INFINITY : (real)NAN;
            train_optimizer_step(fixture.optimizer, 0.1, 1);
            assert_false(isfinite(nn_tensor(fixture.model, 1)->value[0]));
            arena_destroy(fixture.arena);
        }
    (void)state;
}

static void only_trained_tensors_have_buffers(void **state)
{
    const size_t buffers[OPTIMIZER_KINDS] = {0, 1, 2, 2};
    for (int optimizer = 0; optimizer < OPTIMIZER_KINDS; optimizer++)
        for (int frozen = 0; frozen < 2; frozen++) {
            struct settings settings = small_settings(optimizer);
            struct fixture fixture;
            size_t trained = 0;
            settings.model.freeze_attention = frozen;
            build(&fixture, &settings);
            for (size_t i = 0; i < TENSORS; i++)
                trained += !nn_tensor(fixture.model, i)->frozen;
            assert_int_equal(trained, frozen ? 1 : 3);
            assert_int_equal(fixture.state.count, 1 + trained * buffers[optimizer]);
            assert_true(fixture.state.count <= train_optimizer_items(&settings, TENSORS));
            assert_string_equal(fixture.state.items[0].name, "optimizer/steps");
            struct arena *arena = arena_create(1 << 14, 0);
            struct train_optimizer *other;
            struct status status;
            fixture.state.count = 0;
            assert_int_equal(train_optimizer_create(&settings, fixture.model, arena, &fixture.state, &other, &status),
                             STATUS_OK);
            struct nn_sketch model = nn_sketch(&settings, &fixture.shape, 8);
            assert_int_equal(model.tensors, TENSORS);
            assert_true(arena_used(arena) <= train_optimizer_bytes(&settings, model.trained_bytes, TENSORS));
            nn_sketch_fini(&model);
            arena_destroy(arena);
            arena_destroy(fixture.arena);
        }
    (void)state;
}

static void lack_of_memory_is_an_error(void **state)
{
    struct settings settings = small_settings(OPTIMIZER_ADAM);
    struct fixture fixture;
    build(&fixture, &settings);
    for (size_t limit = 64; limit <= 1024; limit *= 4) {
        struct arena *small = arena_create(limit, limit);
        struct train_optimizer *optimizer = NULL;
        struct status status;
        fixture.state.count = 0;
        assert_int_equal(train_optimizer_create(&settings, fixture.model, small, &fixture.state, &optimizer, &status),
                         STATUS_MEMORY);
        assert_null(optimizer);
        arena_destroy(small);
    }
    arena_destroy(fixture.arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_steps_are_those_of_the_formulas),
        cmocka_unit_test(a_short_gradient_is_not_clipped),
        cmocka_unit_test(a_gradient_that_is_not_finite_is_never_hidden),
        cmocka_unit_test(only_trained_tensors_have_buffers),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
