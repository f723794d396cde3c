// SPDX-License-Identifier: MIT
#include "support.h"

#include "nn_model.h"
#include "train_budget.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps of 80 sequences of 8 tokens.
static struct settings budget_settings(int budget)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.train.budget = budget;
    return settings;
}

static double step_flops(const struct settings *settings)
{
    struct batch_shape shape;
    task_shape(settings, &shape);
    return nn_gradient_flops(settings, &shape, 80, 8);
}

static void steps_are_what_the_budget_pays_in_full_length(void **state)
{
    struct settings settings = budget_settings(BUDGET_TOKENS);
    const struct {
        int64_t tokens, steps;
    } rows[] = {{64000, 100}, {64639, 100}, {64640, 101}, {640, 1}, {639, 1}, {1, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        settings.train.budget_tokens = rows[r].tokens;
        assert_int_equal(train_steps(&settings), rows[r].steps);
    }
    settings = budget_settings(BUDGET_FLOPS);
    const struct {
        double share;
        int64_t steps;
    } flops[] = {{100, 100}, {100.9, 100}, {1, 1}, {0.1, 1}, {1e20, STEPS_LIMIT}};
    for (size_t r = 0; r < sizeof flops / sizeof flops[0]; r++) {
        settings.train.budget_flops = flops[r].share * step_flops(&settings);
        assert_int_equal(train_steps(&settings), flops[r].steps);
    }
    settings = budget_settings(BUDGET_STEPS);
    assert_int_equal(train_steps(&settings), 800);
    settings.train.epochs = 3;
    assert_int_equal(train_steps(&settings), 3);
    (void)state;
}

// B = 1000 and b = 300: S = 3.
static void positions_are_those_of_the_formula(void **state)
{
    struct settings settings = budget_settings(BUDGET_TOKENS);
    settings.train.budget_tokens = 1000;
    settings.train.budget_flops = 1000;
    const struct {
        int64_t before, spent, position;
    } rows[] = {{0, 300, 0}, {0, 333, 0}, {0, 334, 1}, {0, 600, 1},  {1, 666, 1},
                {1, 667, 2}, {1, 900, 2}, {2, 999, 2}, {2, 1000, 3}, {2, 1200, 3}};
    for (int budget = BUDGET_TOKENS; budget <= BUDGET_FLOPS; budget++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            settings.train.budget = budget;
            const struct train_spent spent = {.steps = 50,
                                              .position = rows[r].before,
                                              .tokens = budget == BUDGET_TOKENS ? rows[r].spent : 0,
                                              .flops = budget == BUDGET_FLOPS ? (double)rows[r].spent : 0};
            assert_int_equal(train_position(&settings, 3, &spent), rows[r].position);
        }
    settings = budget_settings(BUDGET_STEPS);
    const struct train_spent spent = {.steps = 50, .position = 49, .tokens = 7, .flops = 7};
    assert_int_equal(train_position(&settings, 800, &spent), 50);
    (void)state;
}

// Steps of any size up to b, and budgets whose products need more than 64 bits.
static void a_step_moves_a_position_by_one_at_most_and_the_last_reaches_the_budget(void **state)
{
    const int64_t budgets[] = {1, 77, 640, 12345, 9007199254740991};
    uint64_t random = 1;
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        struct settings settings = budget_settings(BUDGET_TOKENS);
        settings.train.budget_tokens = budgets[b];
        const int64_t most = budgets[b] > 1000000 ? budgets[b] / 900 : 640;
        const int64_t steps = budgets[b] > most ? budgets[b] / most : 1;
        struct train_spent spent = {0};
        while (spent.position < steps) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            assert_true(spent.tokens < budgets[b]);
            spent.tokens += 1 + (int64_t)((random >> 33) % (uint64_t)most);
            const int64_t position = train_position(&settings, steps, &spent);
            assert_in_range(position - spent.position, 0, 1);
            spent.position = position;
        }
        assert_true(spent.tokens >= budgets[b] && spent.tokens < budgets[b] + most);
    }
    (void)state;
}

static struct settings model_settings(int model)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.model.kind = model;
    settings.model.encoding = model == MODEL_TRANSFORMER ? ENCODING_FIRE : ENCODING_NONE;
    settings.model.fire_threshold = 5;
    settings.task.kind = model == MODEL_TWO_LAYER ? TASK_SIGNAL : TASK_ACCUMULATOR;
    settings.task.train_length = 20;
    settings.task.begin_token = true;
    settings.task.length_distribution = LENGTHS_UNIFORM;
    return settings;
}

static void operations_of_a_batch_are_the_models_count(void **state)
{
    for (int model = 0; model < MODEL_KINDS; model++) {
        const struct settings settings = model_settings(model);
        const int64_t offsets[] = {100, 103, 104, 120};
        struct arena *arena = arena_create(1 << 16, 0);
        struct task_set set;
        struct train_flops flops;
        task_set_init(&set, &settings, SPLIT_TRAIN, 20);
        assert_int_equal(train_flops_create(&set, arena, &flops, NULL), STATUS_OK);
        assert_true(arena_used(arena) <= train_flops_bytes(&set));
        double one[3];
        for (long length = 1; length <= set.tokens; length++) {
            const struct batch equal = {.samples = 7, .length = length};
            assert_true(train_flops_of(&flops, &equal) == nn_gradient_flops(&settings, &set.shape, 7, length));
        }
        for (int s = 0; s < 3; s++)
            one[s] = nn_gradient_flops(&settings, &set.shape, 1, (long)(offsets[s + 1] - offsets[s]));
        const struct batch mixed = {.samples = 3, .length = 16, .offsets = offsets};
        assert_true(train_flops_of(&flops, &mixed) == one[0] + one[1] + one[2] - 2 * flops.once);
        assert_true(flops.once == 0 || model >= MODEL_RNN);
        arena_destroy(arena);
    }
    (void)state;
}

static void lack_of_memory_is_an_error(void **state)
{
    const struct settings settings = model_settings(MODEL_RNN);
    struct arena *arena = arena_create(64, 64);
    struct task_set set;
    struct train_flops flops;
    struct status status;
    task_set_init(&set, &settings, SPLIT_TRAIN, 20);
    assert_int_equal(train_flops_create(&set, arena, &flops, &status), STATUS_MEMORY);
    arena_destroy(arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_what_the_budget_pays_in_full_length),
        cmocka_unit_test(positions_are_those_of_the_formula),
        cmocka_unit_test(a_step_moves_a_position_by_one_at_most_and_the_last_reaches_the_budget),
        cmocka_unit_test(operations_of_a_batch_are_the_models_count),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
