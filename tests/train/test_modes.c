// SPDX-License-Identifier: MIT
// Minibatches, accumulation, streams, and tasks on tokens: what whole runs make of them.
#include "run_fixture.h"

#include "train_schedule.h"

static const int64_t short_lengths[] = {5, 20};

static struct settings batch_settings(int64_t batch_size, int64_t accumulation, int data)
{
    struct settings settings = small_settings();
    settings.train.batch_size = batch_size;
    settings.train.accumulation = accumulation;
    settings.train.data = data;
    return settings;
}

static struct settings token_settings(int model)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.modulus = 2;
    settings.task.train_length = 5;
    settings.task.samples = 64;
    settings.task.noise_rate = 0;
    settings.model.kind = model;
    settings.model.layers = 1;
    settings.model.width = 16;
    settings.model.heads = 2;
    settings.train.optimizer = OPTIMIZER_ADAMW;
    settings.train.learning_rate = 0.01;
    settings.train.batch_size = 16;
    settings.train.steps = 120;
    settings.evaluate.points = 8;
    settings.evaluate.test_samples = settings.evaluate.curve_samples = settings.evaluate.validation_samples = 200;
    return settings;
}

static void assert_near(const struct run *a, const struct run *b, enum record_field_id id, double tolerance)
{
    const size_t count = (size_t)training_real(a, FIELD_EVALUATIONS, 0);
    for (size_t i = 0; i < count; i++) {
        double x = training_real(a, id, i), y = training_real(b, id, i);
        if (!(fabs(x - y) <= tolerance * (1 + fabs(y))))
            fail_msg("field %d: %g and %g at evaluation %zu", (int)id, x, y, i);
    }
}

static void assert_same_run(const struct run *a, const struct run *b)
{
    assert_same_part(a, b, RECORD_TRAINING, 0);
    assert_same_part(a, b, RECORD_TEST, 5);
    assert_same_part(a, b, RECORD_TEST, 20);
}

static void a_batch_of_all_samples_is_the_full_batch(void **state)
{
    struct settings full = batch_settings(0, 1, DATA_FINITE), all = batch_settings(30, 1, DATA_FINITE);
    struct settings more = batch_settings(31, 1, DATA_FINITE);
    struct run a = run_whole(&full, short_lengths, 2), b = run_whole(&all, short_lengths, 2);
    struct run c = run_whole(&more, short_lengths, 2);
    assert_same_run(&a, &b);
    assert_same_run(&a, &c);
    run_end(&a);
    run_end(&b);
    run_end(&c);
    (void)state;
}

static void accumulated_batches_are_one_batch(void **state)
{
    for (int data = DATA_FINITE; data <= DATA_STREAM; data++)
        for (int64_t parts = 2; parts <= 6; parts += 4) {
            struct settings one = batch_settings(12, 1, data), many = batch_settings(12 / parts, parts, data);
            one.task.samples = many.task.samples = 36;
            one.train.clip = many.train.clip = 0.05;
            struct run a = run_whole(&one, short_lengths, 2), b = run_whole(&many, short_lengths, 2);
            assert_near(&a, &b, FIELD_TRAIN_LOSS, 1e-5);
            assert_near(&a, &b, FIELD_VALIDATION_LOSS, 1e-5);
            assert_near(&a, &b, FIELD_GRADIENT_NORM, 1e-4);
            assert_near(&a, &b, FIELD_WEIGHT_NORM, 1e-5);
            assert_near(&a, &b, FIELD_TOKENS_SEEN, 0);
            assert_true(training_real(&a, FIELD_TRAIN_LOSS, 11) < 0.99 * training_real(&a, FIELD_TRAIN_LOSS, 0));
            run_end(&a);
            run_end(&b);
        }
    (void)state;
}

// A batch of an epoch's rest weighs as its samples do.
static void accumulated_batches_weigh_by_their_targets(void **state)
{
    struct settings full = batch_settings(0, 1, DATA_FINITE), parts = batch_settings(4, 8, DATA_FINITE);
    full.train.steps = parts.train.steps = 30;
    struct run a = run_whole(&full, short_lengths, 2), b = run_whole(&parts, short_lengths, 2);
    assert_near(&a, &b, FIELD_TRAIN_LOSS, 1e-5);
    assert_near(&a, &b, FIELD_GRADIENT_NORM, 1e-4);
    assert_near(&a, &b, FIELD_TOKENS_SEEN, 0);
    run_end(&a);
    run_end(&b);
    (void)state;
}

static void evaluations_of_minibatches_are_of_the_whole_set(void **state)
{
    static const enum record_field_id counted[] = {FIELD_TRAIN_ERROR, FIELD_TRAIN_ERROR_CLEAN,
                                                   FIELD_TRAIN_ERROR_UNFLIPPED, FIELD_FLIPS_FITTED};
    struct settings full = batch_settings(0, 1, DATA_FINITE), batches = batch_settings(7, 1, DATA_FINITE);
    full.train.steps = batches.train.steps = 0;
    struct run a = run_whole(&full, short_lengths, 2), b = run_whole(&batches, short_lengths, 2);
    assert_near(&a, &b, FIELD_TRAIN_LOSS, 1e-6);
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        assert_true(training_real(&a, counted[i], 0) == training_real(&b, counted[i], 0));
    assert_true(training_real(&a, FIELD_FLIP_COUNT, 0) == training_real(&b, FIELD_FLIP_COUNT, 0));
    run_end(&a);
    run_end(&b);
    (void)state;
}

static void events_of_minibatches_are_at_evaluations(void **state)
{
    static const enum record_field_id events[] = {FIELD_T_FIT, FIELD_T_HALF, FIELD_T_MEM};
    struct settings settings = batch_settings(6, 1, DATA_FINITE);
    settings.train.steps = 800;
    struct run run = run_whole(&settings, short_lengths, 2);
    double least = 0;
    assert_true(training_real(&run, FIELD_FLIPS_FITTED, 11) == 1);
    for (size_t e = 0; e < 3; e++) {
        double step = training_real(&run, events[e], 0);
        bool evaluated = false;
        for (size_t i = 0; i < 12; i++)
            evaluated |= training_real(&run, FIELD_STEP, i) == step;
        assert_true(evaluated && step >= least);
        least = step;
    }
    for (size_t level = 0; level < RECORD_LOSS_LEVELS; level++) {
        double step = training_real(&run, FIELD_LOSS_LEVEL_STEP, level);
        for (size_t i = 0; i < 12 && !isnan(step); i++)
            assert_int_equal(training_real(&run, FIELD_TRAIN_LOSS, i) > training_real(&run, FIELD_LOSS_LEVEL, level),
                             training_real(&run, FIELD_STEP, i) < step);
    }
    run_end(&run);
    (void)state;
}

static void what_epochs_come_to_is_seen(void **state)
{
    struct settings settings = batch_settings(8, 1, DATA_FINITE);
    settings.train.epochs = 3; // of 4 batches
    struct run run = run_whole(&settings, short_lengths, 2);
    const size_t last = (size_t)training_real(&run, FIELD_EVALUATIONS, 0) - 1;
    assert_true(training_real(&run, FIELD_STEP, last) == 12);
    assert_true(training_real(&run, FIELD_TOKENS_SEEN, last) == 3 * 30 * 5);
    run_end(&run);
    (void)state;
}

static void rates_add_up(void **state)
{
    struct settings settings = batch_settings(6, 1, DATA_FINITE);
    settings.train.schedule = SCHEDULE_COSINE;
    settings.train.warmup = 0.1;
    struct run run = run_whole(&settings, short_lengths, 2);
    double sum = 0;
    for (int64_t step = 0, at = 0; step <= 120; step++) {
        if (training_real(&run, FIELD_STEP, (size_t)at) == (double)step)
            assert_true(training_real(&run, FIELD_LEARNING_RATE_SUM, (size_t)at++) == sum);
        sum += train_learning_rate(&settings, 120, step);
    }
    run_end(&run);
    (void)state;
}

static void a_stream_has_nothing_to_memorise(void **state)
{
    struct settings settings = batch_settings(40, 2, DATA_STREAM);
    settings.train.learning_rate = 0.5;
    settings.train.steps = 300;
    settings.task.noise_rate = 0.05;
    struct run run = run_whole(&settings, short_lengths, 2);
    assert_true(training_real(&run, FIELD_FLIP_COUNT, 0) == 0);
    assert_true(isnan(training_real(&run, FIELD_T_HALF, 0)) && isnan(training_real(&run, FIELD_T_MEM, 0)));
    assert_true(training_real(&run, FIELD_T_FIT, 0) > 0);
    assert_true(training_real(&run, FIELD_TOKENS_SEEN, 11) == 300 * 80 * 5);
    assert_true(training_real(&run, FIELD_VALIDATION_ERROR, 11) < 0.05);
    assert_true(training_real(&run, FIELD_TRAIN_ERROR_CLEAN, 11) <= training_real(&run, FIELD_TRAIN_ERROR, 11));
    assert_true(training_real(&run, FIELD_TRAIN_LOSS, 11) < training_real(&run, FIELD_TRAIN_LOSS, 0));
    run_end(&run);
    (void)state;
}

static void batches_diverge_too(void **state)
{
    for (int data = DATA_FINITE; data <= DATA_STREAM; data++) {
        struct settings settings = batch_settings(5, 2, data);
        settings.model.readout = READOUT_TRAINED;
        settings.train.learning_rate = 1000;
        struct run run = run_whole(&settings, short_lengths, 2);
        double step = training_real(&run, FIELD_DIVERGED_STEP, 0), reached = training_real(&run, FIELD_EVALUATIONS, 0);
        assert_int_equal(run.record.status, RECORD_DIVERGED);
        assert_true(step >= 1 && step <= 120 && reached < 12);
        assert_true(isnan(training_real(&run, FIELD_TRAIN_LOSS, (size_t)reached)));
        assert_true(isnan(test_real(&run, 20, FIELD_FINAL_TEST_ERROR, 0)));
        run_end(&run);
    }
    (void)state;
}

static void slices_change_no_mode(void **state)
{
    for (int row = 0; row < 6; row++) {
        struct settings settings = row < 2   ? batch_settings(7, 2, row)
                                   : row < 4 ? token_settings(MODEL_TRANSFORMER)
                                             : token_settings(MODEL_LSTM);
        settings.train.steps = 25;
        settings.train.data = row % 2 ? DATA_STREAM : DATA_FINITE;
        settings.model.dropout = 0.1;
        struct run whole = run_whole(&settings, short_lengths, 2), sliced = run_begin(&settings, short_lengths, 2);
        run_finish(&sliced, 1e-9);
        assert_same_run(&whole, &sliced);
        run_end(&whole);
        run_end(&sliced);
    }
    (void)state;
}

static void every_model_learns_tokens(void **state)
{
    const struct {
        int model;
        double error;
    } rows[] = {{MODEL_TRANSFORMER, 0.25}, {MODEL_RNN, 0.1}, {MODEL_LSTM, 0.05}};
    for (size_t m = 0; m < 3; m++) {
        struct settings settings = token_settings(rows[m].model);
        settings.train.data = DATA_STREAM;
        settings.train.steps = 400;
        struct run run = run_whole(&settings, short_lengths, 2);
        assert_int_equal(run.record.status, RECORD_DONE);
        assert_true(fabs(training_real(&run, FIELD_TRAIN_LOSS, 0) - log(2)) < 0.6);
        assert_true(test_real(&run, 5, FIELD_TEST_ERROR, 0) > 0.2);
        assert_true(test_real(&run, 5, FIELD_FINAL_TEST_ERROR, 0) < rows[m].error);
        for (size_t l = 0; l < 2; l++) {
            double error = test_real(&run, short_lengths[l], FIELD_FINAL_TEST_ERROR, 0);
            double sequences = test_real(&run, short_lengths[l], FIELD_FINAL_TEST_SEQUENCE_ERROR, 0);
            assert_true(error <= sequences && sequences <= (double)short_lengths[l] * error + 1e-6);
            assert_true(isnan(test_real(&run, short_lengths[l], FIELD_TEST_SIGNAL_ATTENTION, 0)));
        }
        assert_true(isnan(training_real(&run, FIELD_SIGNAL_ATTENTION, 0)));
        assert_true(isnan(training_real(&run, FIELD_SNR_NORM, 0)));
        run_end(&run);
    }
    (void)state;
}

static void snr_norm_is_infinite_without_noise_and_none_with_trained_embeddings(void **state)
{
    (void)state;
    static const struct {
        int embeddings;
        double snr, norm;
    } rows[] = {
        {EMBEDDINGS_ORTHONORMAL, INFINITY, INFINITY}, {EMBEDDINGS_ORTHONORMAL, 64, 2}, {EMBEDDINGS_TRAINED, 64, NAN}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = token_settings(MODEL_LSTM);
        settings.model.embeddings = rows[r].embeddings;
        settings.model.width = 16;
        settings.task.snr = rows[r].snr;
        settings.train.steps = 1;
        struct run run = run_whole(&settings, short_lengths, 2);
        const double norm = training_real(&run, FIELD_SNR_NORM, 0);
        assert_true(isnan(rows[r].norm) ? isnan(norm) : norm == rows[r].norm);
        run_end(&run);
    }
}

static void errors_are_those_of_sequences_where_each_has_one_target(void **state)
{
    struct settings settings = token_settings(MODEL_LSTM);
    settings.task.supervision = SUPERVISION_FINAL;
    struct run run = run_whole(&settings, short_lengths, 2);
    for (size_t i = 0; i < 8; i++) {
        assert_true(training_real(&run, FIELD_VALIDATION_ERROR, i) ==
                    training_real(&run, FIELD_VALIDATION_SEQUENCE_ERROR, i));
        assert_true(test_real(&run, 20, FIELD_TEST_ERROR, i) == test_real(&run, 20, FIELD_TEST_SEQUENCE_ERROR, i));
    }
    run_end(&run);
    (void)state;
}

static void flips_are_counted_over_targets(void **state)
{
    struct settings settings = token_settings(MODEL_RNN);
    settings.task.noise_rate = 0.25;
    struct run run = run_whole(&settings, short_lengths, 2);
    double flips = training_real(&run, FIELD_FLIP_COUNT, 0); // of 320
    assert_true(flips > 50 && flips < 110);
    double clean = training_real(&run, FIELD_TRAIN_ERROR_CLEAN, 7), given = training_real(&run, FIELD_TRAIN_ERROR, 7);
    double fitted = training_real(&run, FIELD_FLIPS_FITTED, 7);
    double kept = training_real(&run, FIELD_TRAIN_ERROR_UNFLIPPED, 7);
    // Of two classes a flip is fitted iff the clean target is missed.
    assert_true(fabs(320 * clean - (fitted * flips + kept * (320 - flips))) < 1e-3);
    assert_true(fabs(320 * given - ((1 - fitted) * flips + kept * (320 - flips))) < 1e-3);
    run_end(&run);
    (void)state;
}

// What is dropped in training is not at evaluations, and the events wait for these.
static void dropout_is_for_steps_alone(void **state)
{
    for (int dropped = 0; dropped < 2; dropped++) {
        struct settings settings = token_settings(MODEL_TRANSFORMER), other = settings;
        settings.train.batch_size = other.train.batch_size = 0;
        settings.train.steps = other.train.steps = 2;
        (dropped ? &other.model.dropout : &other.model.attention_noise)[0] = 0.5;
        struct run a = run_whole(&settings, short_lengths, 2), b = run_whole(&other, short_lengths, 2);
        assert_true(fabs(training_real(&a, FIELD_TRAIN_LOSS, 0) - training_real(&b, FIELD_TRAIN_LOSS, 0)) < 1e-6);
        assert_true(training_real(&a, FIELD_TRAIN_ERROR, 0) == training_real(&b, FIELD_TRAIN_ERROR, 0));
        assert_true(training_real(&a, FIELD_GRADIENT_NORM, 0) != training_real(&b, FIELD_GRADIENT_NORM, 0));
        assert_true(training_real(&a, FIELD_TRAIN_LOSS, 2) != training_real(&b, FIELD_TRAIN_LOSS, 2));
        run_end(&a);
        run_end(&b);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_all_samples_is_the_full_batch),
        cmocka_unit_test(accumulated_batches_are_one_batch),
        cmocka_unit_test(accumulated_batches_weigh_by_their_targets),
        cmocka_unit_test(evaluations_of_minibatches_are_of_the_whole_set),
        cmocka_unit_test(events_of_minibatches_are_at_evaluations),
        cmocka_unit_test(what_epochs_come_to_is_seen),
        cmocka_unit_test(rates_add_up),
        cmocka_unit_test(a_stream_has_nothing_to_memorise),
        cmocka_unit_test(batches_diverge_too),
        cmocka_unit_test(slices_change_no_mode),
        cmocka_unit_test(every_model_learns_tokens),
        cmocka_unit_test(snr_norm_is_infinite_without_noise_and_none_with_trained_embeddings),
        cmocka_unit_test(errors_are_those_of_sequences_where_each_has_one_target),
        cmocka_unit_test(flips_are_counted_over_targets),
        cmocka_unit_test(dropout_is_for_steps_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
