// SPDX-License-Identifier: MIT
#include "run_fixture.h"

#include "nn_model.h"
#include "task.h"
#include "train_schedule.h"

static size_t calls; // of malloc and its like

#ifndef LGSWEEP_SANITIZE
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size)
{
    calls++;
    return __libc_realloc(memory, size);
}
#endif

static const int64_t two_lengths[] = {5, 40};

static void learns_a_strong_signal_and_then_its_flips(void **state)
{
    struct settings settings = small_settings();
    settings.train.steps = 1500;
    struct run run = run_whole(&settings, two_lengths, 2);
    size_t last = train_evaluations(12, 1500) - 1;
    assert_int_equal(run.record.status, RECORD_DONE);
    assert_true(fabs(training_real(&run, FIELD_TRAIN_LOSS, 0) - log(2)) < 0.02);
    assert_true(training_real(&run, FIELD_TRAIN_LOSS, last) < 0.1);
    assert_true(training_real(&run, FIELD_TRAIN_ERROR, last) == 0);
    assert_true(training_real(&run, FIELD_FLIPS_FITTED, last) == 1);
    double flips = training_real(&run, FIELD_FLIP_COUNT, 0);
    assert_true(flips > 0 && flips < 15);
    assert_true(fabs(training_real(&run, FIELD_TRAIN_ERROR_CLEAN, last) - flips / 30) < 1e-6);
    double fit = training_real(&run, FIELD_T_FIT, 0), half = training_real(&run, FIELD_T_HALF, 0);
    double all = training_real(&run, FIELD_T_MEM, 0);
    assert_true(fit > 0 && half >= fit && all >= half && all <= 1500);
    assert_true(test_real(&run, 5, FIELD_FINAL_TEST_ERROR, 0) < 0.15);
    assert_true(test_real(&run, 5, FIELD_TEST_ERROR, 0) > 0.3);
    assert_true(training_real(&run, FIELD_SIGNAL_ATTENTION, last) > training_real(&run, FIELD_SIGNAL_ATTENTION, 0));
    assert_true(training_real(&run, FIELD_VALUE_NORM_SIGNAL, last) > training_real(&run, FIELD_VALUE_NORM_NOISE, last));
    run_end(&run);
    (void)state;
}

static void columns_follow_from_the_steps(void **state)
{
    struct settings settings = small_settings();
    struct run run = run_whole(&settings, two_lengths, 2);
    int64_t steps[12];
    struct batch_shape shape;
    task_shape(&settings, &shape);
    train_evaluation_steps(12, 120, steps);
    for (size_t i = 0; i < 12; i++) {
        double step = (double)steps[i];
        assert_true(training_real(&run, FIELD_STEP, i) == step);
        assert_true(training_real(&run, FIELD_TOKENS_SEEN, i) == step * 30 * 5);
        assert_true(training_real(&run, FIELD_FLOPS, i) == step * nn_gradient_flops(&settings, &shape, 30, 5));
        assert_true(fabs(training_real(&run, FIELD_LEARNING_RATE_SUM, i) - 0.1 * step) < 1e-9);
        assert_true(training_real(&run, FIELD_GRADIENT_NORM, i) > 0);
        assert_true(training_real(&run, FIELD_WEIGHT_NORM, i) > 0);
    }
    // 20 × (4 + 4 + 4) weights from N(0, 0.01²).
    assert_true(fabs(training_real(&run, FIELD_WEIGHT_NORM, 0) - 0.01 * sqrt(240)) < 0.02);
    assert_true(training_real(&run, FIELD_EVALUATIONS, 0) == 12);
    assert_true(training_real(&run, FIELD_PARAMETERS, 0) == 240);
    assert_true(fabs(training_real(&run, FIELD_SNR_NORM, 0) - sqrt(64.0 / 20)) < 1e-12);
    assert_true(isnan(training_real(&run, FIELD_DIVERGED_STEP, 0)));
    assert_true(test_real(&run, 40, FIELD_FINAL_TEST_COUNT, 0) == 300);
    assert_true(test_real(&run, 40, FIELD_CURVE_TEST_COUNT, 0) == 200);
    assert_true(test_real(&run, 40, FIELD_CHANCE_ERROR, 0) == 0.5);
    assert_true(test_real(&run, 40, FIELD_BAYES_ERROR, 0) == 0);
    assert_true(training_real(&run, FIELD_TRAIN_SECONDS, 0) > 0 && training_real(&run, FIELD_EVALUATE_SECONDS, 0) > 0);
    run_end(&run);
    (void)state;
}

static void the_clock_does_not_change_the_result(void **state)
{
    struct settings settings = small_settings();
    struct run whole = run_whole(&settings, two_lengths, 2), sliced = run_begin(&settings, two_lengths, 2);
    run_finish(&sliced, 1e-9);
    assert_same_part(&whole, &sliced, RECORD_TRAINING, 0);
    assert_same_part(&whole, &sliced, RECORD_TEST, 5);
    assert_same_part(&whole, &sliced, RECORD_TEST, 40);
    run_end(&whole);
    run_end(&sliced);
    (void)state;
}

static void other_test_lengths_change_nothing(void **state)
{
    for (int encoding = 0; encoding < ENCODING_KINDS; encoding++) {
        struct settings settings = small_settings();
        settings.model.encoding = encoding;
        settings.train.steps = 20;
        struct run both = run_whole(&settings, two_lengths, 2), one = run_whole(&settings, two_lengths, 1);
        assert_same_part(&both, &one, RECORD_TRAINING, 0);
        assert_same_part(&both, &one, RECORD_TEST, 5);
        run_end(&both);
        run_end(&one);
    }
    (void)state;
}

static void the_curve_uses_the_first_test_sequences(void **state)
{
    struct settings settings = small_settings(), all = settings;
    all.evaluate.curve_samples = 300;
    struct run some = run_whole(&settings, two_lengths, 2), whole = run_whole(&all, two_lengths, 2);
    for (size_t l = 0; l < 2; l++) {
        double final = test_real(&some, two_lengths[l], FIELD_FINAL_TEST_ERROR, 0);
        assert_true(test_real(&whole, two_lengths[l], FIELD_FINAL_TEST_ERROR, 0) == final);
        assert_true(test_real(&whole, two_lengths[l], FIELD_TEST_ERROR, 11) == final);
        assert_true(test_real(&whole, two_lengths[l], FIELD_TEST_LOSS, 11) ==
                    test_real(&some, two_lengths[l], FIELD_FINAL_TEST_LOSS, 0));
    }
    run_end(&some);
    run_end(&whole);
    (void)state;
}

static void a_level_has_the_error_of_a_run_that_ends_there(void **state)
{
    struct settings settings = small_settings();
    settings.train.steps = 600;
    struct run run = run_whole(&settings, two_lengths, 2);
    double before = -1;
    int reached = 0;
    for (size_t level = 0; level < RECORD_LOSS_LEVELS; level++) {
        double step = training_real(&run, FIELD_LOSS_LEVEL_STEP, level);
        assert_true(training_real(&run, FIELD_LOSS_LEVEL, level) == (double)record_loss_levels[level]);
        if (isnan(step)) {
            assert_true(isnan(test_real(&run, 40, FIELD_LOSS_LEVEL_TEST_ERROR, level)));
            continue;
        }
        reached++;
        assert_true(step >= before);
        before = step;
        struct settings shorter = settings;
        shorter.train.steps = (int64_t)step;
        struct run ended = run_whole(&shorter, two_lengths, 2);
        size_t last = train_evaluations(12, (int64_t)step) - 1;
        assert_true(training_real(&ended, FIELD_TRAIN_LOSS, last) <= (double)record_loss_levels[level]);
        assert_true(last == 0 || training_real(&ended, FIELD_TRAIN_LOSS, last - 1) > (double)record_loss_levels[level]);
        for (size_t l = 0; l < 2; l++)
            assert_true(test_real(&ended, two_lengths[l], FIELD_FINAL_TEST_ERROR, 0) ==
                        test_real(&run, two_lengths[l], FIELD_LOSS_LEVEL_TEST_ERROR, level));
        run_end(&ended);
    }
    assert_in_range(reached, 2, 5);
    run_end(&run);
    (void)state;
}

static void divergence_is_a_result_with_its_step(void **state)
{
    struct settings settings = small_settings();
    settings.model.readout = READOUT_TRAINED;
    settings.train.learning_rate = 1000;
    struct run run = run_whole(&settings, two_lengths, 2);
    assert_int_equal(run.record.status, RECORD_DIVERGED);
    double step = training_real(&run, FIELD_DIVERGED_STEP, 0), reached = training_real(&run, FIELD_EVALUATIONS, 0);
    assert_true(step >= 1 && step < 120 && reached >= 1 && reached < 12);
    for (size_t i = 0; i < 12; i++) {
        bool there = (double)i < reached;
        assert_int_equal(training_real(&run, FIELD_STEP, i) < step, there);
        assert_int_equal(!isnan(training_real(&run, FIELD_TRAIN_LOSS, i)), there);
        assert_int_equal(!isnan(test_real(&run, 40, FIELD_TEST_ERROR, i)), there);
    }
    assert_true(isnan(test_real(&run, 40, FIELD_FINAL_TEST_ERROR, 0)));
    assert_true(test_real(&run, 40, FIELD_CHANCE_ERROR, 0) == 0.5);
    run_end(&run);
    (void)state;
}

static void without_flips_there_is_nothing_to_memorise(void **state)
{
    struct settings settings = small_settings();
    settings.task.noise_rate = 0;
    struct run run = run_whole(&settings, two_lengths, 2);
    assert_true(training_real(&run, FIELD_FLIP_COUNT, 0) == 0);
    assert_true(isnan(training_real(&run, FIELD_FLIPS_FITTED, 11)));
    assert_true(isnan(training_real(&run, FIELD_T_HALF, 0)) && isnan(training_real(&run, FIELD_T_MEM, 0)));
    assert_true(training_real(&run, FIELD_T_FIT, 0) > 0);
    for (size_t i = 0; i < 12; i++)
        assert_true(training_real(&run, FIELD_TRAIN_ERROR, i) == training_real(&run, FIELD_TRAIN_ERROR_CLEAN, i));
    run_end(&run);
    (void)state;
}

static void no_steps_are_one_evaluation(void **state)
{
    struct settings settings = small_settings();
    settings.train.steps = 0;
    struct run run = run_whole(&settings, two_lengths, 2);
    assert_true(training_real(&run, FIELD_EVALUATIONS, 0) == 1);
    assert_true(training_real(&run, FIELD_TOKENS_SEEN, 0) == 0);
    assert_false(isnan(test_real(&run, 40, FIELD_FINAL_TEST_ERROR, 0)));
    run_end(&run);
    (void)state;
}

static void frozen_attention_trains_less_and_momentum_otherwise(void **state)
{
    struct settings settings = small_settings(), frozen = settings, momentum = settings;
    frozen.model.freeze_attention = true;
    momentum.train.optimizer = OPTIMIZER_MOMENTUM;
    struct run plain = run_whole(&settings, two_lengths, 2), less = run_whole(&frozen, two_lengths, 2);
    struct run other = run_whole(&momentum, two_lengths, 2);
    assert_true(training_real(&less, FIELD_PARAMETERS, 0) == 80);
    assert_true(fabs(training_real(&less, FIELD_SIGNAL_ATTENTION, 11) - 0.2) < 0.02); // uniform: one token in five
    assert_true(training_real(&other, FIELD_TRAIN_LOSS, 11) < training_real(&plain, FIELD_TRAIN_LOSS, 11));
    run_end(&plain);
    run_end(&less);
    run_end(&other);
    (void)state;
}

static void steps_allocate_nothing(void **state)
{
    const struct {
        int model, task, optimizer, data;
        int64_t batch_size, accumulation;
        double dropout;
        int distribution, curriculum, budget;
    } rows[] = {
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_MOMENTUM, DATA_FINITE, 0, 1, 0},
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_ADAM, DATA_FINITE, 7, 2, 0},
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_GD, DATA_STREAM, 7, 2, 0},
        {MODEL_TRANSFORMER, TASK_SIGNAL, OPTIMIZER_ADAMW, DATA_FINITE, 8, 1, 0.1},
        {MODEL_TRANSFORMER, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_STREAM, 8, 2, 0},
        {MODEL_RNN, TASK_ACCUMULATOR, OPTIMIZER_ADAM, DATA_FINITE, 8, 1, 0},
        {MODEL_LSTM, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_FINITE, 0, 1, 0.1},
        {MODEL_TRANSFORMER, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_FINITE, 0, 1, 0, LENGTHS_UNIFORM},
        {MODEL_RNN, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_FINITE, 8, 2, 0, LENGTHS_UNIFORM, 0, BUDGET_FLOPS},
        {MODEL_LSTM, TASK_ACCUMULATOR, OPTIMIZER_ADAM, DATA_FINITE, 8, 1, 0, LENGTHS_UNIFORM, CURRICULUM_VALIDATION},
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_GD, DATA_STREAM, 8, 2, 0, LENGTHS_EXPONENTIAL, CURRICULUM_SCHEDULE,
         BUDGET_TOKENS},
        {MODEL_LSTM, TASK_ACCUMULATOR, OPTIMIZER_GD, DATA_STREAM, 8, 1, 0, LENGTHS_FIXED, CURRICULUM_VALIDATION},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = small_settings();
        settings.model.kind = rows[r].model;
        settings.model.width = 32;
        settings.model.dropout = rows[r].dropout;
        settings.task.kind = rows[r].task;
        settings.train.optimizer = rows[r].optimizer;
        settings.train.data = rows[r].data;
        settings.train.batch_size = rows[r].batch_size;
        settings.train.accumulation = rows[r].accumulation;
        settings.train.clip = 1;
        settings.train.steps = 12;
        settings.task.length_distribution = rows[r].distribution;
        settings.train.curriculum = rows[r].curriculum;
        settings.train.curriculum_every = 2;
        settings.train.curriculum_threshold = 0.2;
        settings.train.budget = rows[r].budget;
        settings.train.budget_tokens = 500;
        settings.train.budget_flops = 1e6;
        struct run run = run_begin(&settings, two_lengths, 2);
        struct status status;
        bool done = false, evaluated;
        size_t blocks = arena_blocks(run.arena), used = arena_used(run.arena), before = calls;
        while (!done)
            assert_int_equal(train_advance(run.run, 0, &evaluated, &done, &status), STATUS_OK);
        assert_int_equal(blocks, 1);
        assert_int_equal(arena_blocks(run.arena), blocks);
        assert_int_equal(arena_used(run.arena), used);
        if (calls != before)
            fail_msg("row %zu: %zu allocations", r, calls - before);
        run_end(&run);
    }
    (void)state;
}

static void progress_is_that_of_the_last_evaluation(void **state)
{
    struct settings settings = small_settings();
    struct run run = run_begin(&settings, two_lengths, 2);
    struct train_progress progress;
    struct status status;
    bool done = false, evaluated;
    train_progress(run.run, &progress);
    assert_true(progress.step == 0 && isnan(progress.train_loss) && isnan(progress.test_error[1]));
    assert_int_equal(train_advance(run.run, 0, &evaluated, &done, &status), STATUS_OK);
    train_progress(run.run, &progress);
    assert_true(evaluated && !done && progress.step == 1 && progress.evaluation_step == 0 && progress.train_loss > 0.6);
    run_finish(&run, 0);
    train_progress(run.run, &progress);
    assert_int_equal(progress.step, 120);
    assert_int_equal(progress.evaluation_step, 120);
    assert_true((float)progress.train_loss == (float)training_real(&run, FIELD_TRAIN_LOSS, 11));
    assert_true((float)progress.validation_error == (float)training_real(&run, FIELD_VALIDATION_ERROR, 11));
    assert_true((float)progress.test_error[1] == (float)test_real(&run, 40, FIELD_TEST_ERROR, 11));
    run_end(&run);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_a_strong_signal_and_then_its_flips),
        cmocka_unit_test(columns_follow_from_the_steps),
        cmocka_unit_test(the_clock_does_not_change_the_result),
        cmocka_unit_test(other_test_lengths_change_nothing),
        cmocka_unit_test(the_curve_uses_the_first_test_sequences),
        cmocka_unit_test(a_level_has_the_error_of_a_run_that_ends_there),
        cmocka_unit_test(divergence_is_a_result_with_its_step),
        cmocka_unit_test(without_flips_there_is_nothing_to_memorise),
        cmocka_unit_test(no_steps_are_one_evaluation),
        cmocka_unit_test(frozen_attention_trains_less_and_momentum_otherwise),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(progress_is_that_of_the_last_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
