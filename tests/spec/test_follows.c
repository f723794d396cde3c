// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"

static void steps_follow_from_epochs_and_batches(void **state)
{
    (void)state;
    const struct {
        int64_t samples, batch_size, accumulation, epochs;
        int data;
        int64_t batch, steps;
    } rows[] = {
        {80, 0, 1, 0, DATA_FINITE, 80, 800}, {80, 0, 1, 3, DATA_FINITE, 80, 3},
        {80, 32, 1, 3, DATA_FINITE, 32, 9},  {80, 32, 2, 3, DATA_FINITE, 32, 5},
        {80, 100, 1, 3, DATA_FINITE, 80, 3}, {80, 100, 1, 0, DATA_STREAM, 100, 800},
        {80, 0, 1, 0, DATA_STREAM, 80, 800}, {80, 32, 1, 3, DATA_STREAM, 32, 800},
        {81, 9, 4, 10, DATA_FINITE, 9, 23},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        settings_defaults(&settings);
        settings.task.samples = rows[i].samples;
        settings.train.batch_size = rows[i].batch_size;
        settings.train.accumulation = rows[i].accumulation;
        settings.train.epochs = rows[i].epochs;
        settings.train.data = rows[i].data;
        assert_int_equal(settings_batch_size(&settings), rows[i].batch);
        assert_int_equal(settings_steps(&settings), rows[i].steps);
    }
}

static void auto_takes_the_mask_and_head_of_task_and_model(void **state)
{
    (void)state;
    const struct {
        int task, model, supervision, mask, head;
        bool causal;
        int resolved;
    } rows[] = {
        {TASK_SIGNAL, MODEL_TRANSFORMER, SUPERVISION_STEPS, MASK_AUTO, POOLING_AUTO, false, POOLING_MEAN},
        {TASK_SIGNAL, MODEL_TRANSFORMER, SUPERVISION_STEPS, MASK_CAUSAL, POOLING_LAST, true, POOLING_LAST},
        {TASK_SIGNAL, MODEL_TWO_LAYER, SUPERVISION_STEPS, MASK_CAUSAL, POOLING_LAST, false, POOLING_MEAN},
        {TASK_ACCUMULATOR, MODEL_TRANSFORMER, SUPERVISION_STEPS, MASK_AUTO, POOLING_AUTO, true, POOLING_PER_POSITION},
        {TASK_ACCUMULATOR, MODEL_TRANSFORMER, SUPERVISION_FINAL, MASK_BIDIRECTIONAL, POOLING_AUTO, false, POOLING_LAST},
        {TASK_ACCUMULATOR, MODEL_LSTM, SUPERVISION_FINAL, MASK_AUTO, POOLING_MEAN, true, POOLING_MEAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        settings_defaults(&settings);
        settings.task.kind = rows[i].task;
        settings.task.supervision = rows[i].supervision;
        settings.model.kind = rows[i].model;
        settings.model.attention_mask = rows[i].mask;
        settings.model.pooling = rows[i].head;
        assert_int_equal(settings_causal(&settings), rows[i].causal);
        assert_int_equal(settings_pooling(&settings), rows[i].resolved);
    }
}

static void seeds_default_to_the_replicate(void **state)
{
    (void)state;
    struct settings settings;
    settings_defaults(&settings);
    settings.replicate = 5;
    assert_int_equal(settings_data_seed(&settings), 5);
    assert_int_equal(settings_init_seed(&settings), 5);
    settings.data_seed = 0;
    assert_int_equal(settings_data_seed(&settings), 0);
    assert_int_equal(settings_init_seed(&settings), 5);
    settings.init_seed = 9;
    assert_int_equal(settings_data_seed(&settings), 0);
    assert_int_equal(settings_init_seed(&settings), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_follow_from_epochs_and_batches),
        cmocka_unit_test(auto_takes_the_mask_and_head_of_task_and_model),
        cmocka_unit_test(seeds_default_to_the_replicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
