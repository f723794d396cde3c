// SPDX-License-Identifier: MIT
#include "support.h"

#include "task.h"
#include "train_optimizer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct settings small_settings(int optimizer, bool frozen)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.dim = 5;
    settings.model.head_dim = 3;
    settings.model.freeze_attention = frozen;
    settings.train.optimizer = optimizer;
    settings.train.learning_rate = 0.25;
    settings.train.momentum = 0.5;
    return settings;
}

static struct batch_shape shape_of(const struct settings *settings)
{
    struct batch_shape shape;
    task_shape(settings, &shape);
    return shape;
}

// Three steps along gradients of 1, 2 and 4 everywhere.
static void steps_are_those_of_the_formula(void **state)
{
    const struct {
        int optimizer;
        double moved; // in all, as a multiple of -learning_rate
    } rows[] = {{OPTIMIZER_GD, 1 + 2 + 4}, {OPTIMIZER_MOMENTUM, 1 + 2.5 + 5.25}};
    for (size_t r = 0; r < 2; r++) {
        struct settings settings = small_settings(rows[r].optimizer, true);
        struct batch_shape shape = shape_of(&settings);
        struct arena *arena = arena_create(1 << 14, 0);
        struct train_state items;
        struct nn_model *model;
        struct train_optimizer *optimizer;
        struct status status;
        real start[8];
        assert_int_equal(nn_model_create(&settings, &shape, 8, arena, &model, &status), STATUS_OK);
        assert_int_equal(train_state_init(&items, 8, arena, &status), STATUS_OK);
        assert_int_equal(train_optimizer_create(&settings, model, arena, &items, &optimizer, &status), STATUS_OK);
        assert_int_equal(items.count, rows[r].optimizer == OPTIMIZER_MOMENTUM);
        for (size_t i = 0; i < nn_tensor_count(model); i++)
            start[i] = nn_tensor(model, i)->value[1];
        for (real gradient = 1; gradient < 8; gradient *= 2) {
            for (size_t i = 0; i < nn_tensor_count(model); i++)
                nn_tensor(model, i)->gradient[1] = gradient;
            train_optimizer_step(optimizer);
        }
        for (size_t i = 0; i < nn_tensor_count(model); i++) {
            const struct nn_tensor *tensor = nn_tensor(model, i);
            double moved = tensor->frozen ? 0 : rows[r].moved;
            assert_true(fabs((double)(tensor->value[1] - start[i]) + 0.25 * moved) < 1e-6);
        }
        arena_destroy(arena);
    }
    (void)state;
}

static void only_trained_tensors_have_buffers(void **state)
{
    for (int frozen = 0; frozen < 2; frozen++) {
        struct settings settings = small_settings(OPTIMIZER_MOMENTUM, frozen);
        struct batch_shape shape = shape_of(&settings);
        struct arena *arena = arena_create(1 << 14, 0);
        struct train_state items;
        struct nn_model *model;
        struct train_optimizer *optimizer;
        struct status status;
        size_t used, trained = 0;
        assert_int_equal(nn_model_create(&settings, &shape, 8, arena, &model, &status), STATUS_OK);
        assert_int_equal(train_state_init(&items, 8, arena, &status), STATUS_OK);
        used = arena_used(arena);
        assert_int_equal(train_optimizer_create(&settings, model, arena, &items, &optimizer, &status), STATUS_OK);
        used = arena_used(arena) - used;
        for (size_t i = 0; i < nn_tensor_count(model); i++)
            trained += !nn_tensor(model, i)->frozen;
        assert_int_equal(items.count, trained);
        assert_string_equal(items.items[trained - 1].name, "velocity/value");
        assert_true(used <= train_optimizer_bytes(&settings, nn_model_bytes(&settings, &shape, 8)) + 256);
        arena_destroy(arena);
    }
    (void)state;
}

static void lack_of_memory_is_an_error(void **state)
{
    struct settings settings = small_settings(OPTIMIZER_MOMENTUM, false);
    struct batch_shape shape = shape_of(&settings);
    struct arena *arena = arena_create(1 << 14, 0), *small = arena_create(1 << 8, 1 << 8);
    struct train_state items;
    struct nn_model *model;
    struct train_optimizer *optimizer = NULL;
    struct status status;
    assert_int_equal(nn_model_create(&settings, &shape, 8, arena, &model, &status), STATUS_OK);
    assert_int_equal(train_state_init(&items, 8, arena, &status), STATUS_OK);
    assert_int_equal(train_optimizer_create(&settings, model, small, &items, &optimizer, &status), STATUS_MEMORY);
    assert_null(optimizer);
    arena_destroy(small);
    arena_destroy(arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_formula),
        cmocka_unit_test(only_trained_tensors_have_buffers),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
