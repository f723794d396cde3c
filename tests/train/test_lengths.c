// SPDX-License-Identifier: MIT
// Mixed lengths, curricula over length and budgets: what whole runs make of them.
#include "run_fixture.h"

#include "train_batches.h"
#include "train_budget.h"
#include "train_schedule.h"
#include <stdio.h>

enum { N = 12 };
static const int64_t both_lengths[] = {N, 30};

static struct settings length_settings(int distribution, int data)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.modulus = 2;
    settings.task.train_length = N;
    settings.task.samples = 30;
    settings.task.noise_rate = 0.1;
    settings.task.length_distribution = distribution;
    settings.task.lengths = "1 3 3 12";
    settings.task.begin_token = true;
    settings.model.kind = MODEL_LSTM;
    settings.model.layers = 1;
    settings.model.width = 16;
    settings.train.optimizer = OPTIMIZER_ADAMW;
    settings.train.learning_rate = 0.01;
    settings.train.batch_size = 8;
    settings.train.steps = 40;
    settings.train.data = data;
    settings.evaluate.points = 6;
    settings.evaluate.test_samples = settings.evaluate.curve_samples = settings.evaluate.validation_samples = 200;
    return settings;
}

static struct settings curriculum_settings(int curriculum, int distribution, int data)
{
    struct settings settings = length_settings(distribution, data);
    settings.train.curriculum = curriculum;
    settings.train.curriculum_start = 2;
    settings.train.curriculum_share = 0.5;
    settings.train.curriculum_every = 5;
    settings.train.curriculum_threshold = 0.6;
    settings.train.curriculum_increment = 2;
    settings.train.curriculum_keep = 0.25;
    return settings;
}

static struct task_set set_of(const struct settings *settings)
{
    struct task_set set;
    task_set_init(&set, settings, SPLIT_TRAIN, N);
    return set;
}

static size_t last_of(const struct run *run)
{
    return (size_t)training_real(run, FIELD_EVALUATIONS, 0) - 1;
}

static void assert_same_run(const struct run *a, const struct run *b)
{
    assert_same_part(a, b, RECORD_TRAINING, 0);
    assert_same_part(a, b, RECORD_TEST, N);
    assert_same_part(a, b, RECORD_TEST, 30);
}

// Of all samples once (finite), or of the first.
static int64_t tokens_of(const struct settings *settings, long samples)
{
    const struct task_set set = set_of(settings);
    int64_t tokens = 0;
    for (long i = 0; i < samples; i++)
        tokens += task_tokens(&set, i);
    return tokens;
}

// Operations of lstm are linear in tokens, whatever sequences they are in.
static void assert_spent(const struct settings *settings, int64_t passes, int64_t tokens)
{
    struct run run = run_whole(settings, both_lengths, 2);
    struct task_set set = set_of(settings);
    const double one = nn_gradient_flops(settings, &set.shape, 1, 1),
                 two = nn_gradient_flops(settings, &set.shape, 1, 2);
    assert_true(training_real(&run, FIELD_TOKENS_SEEN, last_of(&run)) == (double)tokens);
    assert_true(training_real(&run, FIELD_FLOPS, last_of(&run)) ==
                (double)tokens * (two - one) + (double)passes * (2 * one - two));
    run_end(&run);
}

static void tokens_are_those_of_the_sequences_read(void **state)
{
    for (int distribution = LENGTHS_UNIFORM; distribution <= LENGTHS_LIST; distribution++) {
        struct settings settings = length_settings(distribution, DATA_FINITE);
        const int64_t all = tokens_of(&settings, 30);
        assert_true(all > 60 && all < 300);
        assert_spent(&settings, 40, 10 * all); // 4 batches an epoch
        settings.train.accumulation = 3;
        assert_spent(&settings, 120, 30 * all);
        settings.train.accumulation = 1;
        settings.train.batch_size = 0;
        assert_spent(&settings, 40, 40 * all);
        settings = length_settings(distribution, DATA_STREAM);
        assert_spent(&settings, 40, tokens_of(&settings, 320));
        settings.task.length_mixing = MIXING_BATCHES;
        assert_spent(&settings, 40, tokens_of(&settings, 320));
    }
    (void)state;
}

static void packed_batches_in_parts_are_one_batch(void **state)
{
    for (int model = MODEL_TWO_LAYER; model < MODEL_KINDS; model++)
        for (int data = DATA_FINITE; data <= DATA_STREAM; data++) {
            struct settings one = length_settings(LENGTHS_UNIFORM, data), parts;
            one.model.kind = model;
            one.model.heads = 2;
            one.task.kind = model == MODEL_TWO_LAYER ? TASK_SIGNAL : TASK_ACCUMULATOR;
            one.task.samples = one.train.batch_size = 24;
            one.train.optimizer = OPTIMIZER_GD;
            one.train.steps = 10;
            parts = one;
            parts.train.batch_size = 8;
            parts.train.accumulation = 3;
            struct run a = run_whole(&one, both_lengths, 2), b = run_whole(&parts, both_lengths, 2);
            for (size_t i = 0; i <= last_of(&a); i++) {
                assert_true(fabs(training_real(&a, FIELD_TRAIN_LOSS, i) - training_real(&b, FIELD_TRAIN_LOSS, i)) <
                            1e-5);
                assert_true(fabs(training_real(&a, FIELD_GRADIENT_NORM, i) / training_real(&b, FIELD_GRADIENT_NORM, i) -
                                 1) < 1e-4);
                assert_true(training_real(&a, FIELD_TRAIN_ERROR, i) == training_real(&b, FIELD_TRAIN_ERROR, i) ||
                            data == DATA_STREAM);
            }
            run_end(&a);
            run_end(&b);
        }
    (void)state;
}

static void a_packed_set_is_evaluated_whole(void **state)
{
    static const enum record_field_id counted[] = {FIELD_TRAIN_ERROR, FIELD_TRAIN_ERROR_CLEAN, FIELD_FLIP_COUNT};
    struct settings full = length_settings(LENGTHS_UNIFORM, DATA_FINITE), batches = full;
    full.train.batch_size = 0;
    full.train.steps = batches.train.steps = 0;
    struct run a = run_whole(&full, both_lengths, 2), b = run_whole(&batches, both_lengths, 2);
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        assert_true(training_real(&a, counted[i], 0) == training_real(&b, counted[i], 0));
    assert_true(training_real(&a, FIELD_FLIP_COUNT, 0) > 0);
    run_end(&a);
    run_end(&b);
    (void)state;
}

// Arms with different lengths read as many tokens, or take as many operations, but for less than a batch.
static void arms_of_one_budget_end_together(void **state)
{
    for (int budget = BUDGET_TOKENS; budget <= BUDGET_FLOPS; budget++)
        for (int row = 0; row < 12; row++) {
            struct settings settings = curriculum_settings(row / 4, row % 4, DATA_STREAM);
            settings.train.accumulation = 2;
            settings.train.budget = budget;
            settings.train.budget_tokens = 6000;
            struct task_set set = set_of(&settings);
            const double step = 2 * nn_gradient_flops(&settings, &set.shape, 8, N + 1);
            settings.train.budget_flops = 28.7 * step;
            struct run run = run_whole(&settings, both_lengths, 2);
            const size_t last = last_of(&run);
            const double tokens = training_real(&run, FIELD_TOKENS_SEEN, last);
            const double flops = training_real(&run, FIELD_FLOPS, last);
            assert_int_equal(last, 5);
            if (budget == BUDGET_TOKENS)
                assert_true(tokens >= 6000 && tokens < 6000 + 2 * 8 * (N + 1));
            else
                assert_true(flops >= settings.train.budget_flops && flops < settings.train.budget_flops + step);
            const double steps = training_real(&run, FIELD_STEP, last);
            assert_int_equal(train_steps(&settings), 28);
            assert_true(row > 0 ? steps > 29 : steps == 29); // all of full length: one more than they pay whole
            for (size_t i = 0; i < last; i++)
                assert_true(training_real(&run, FIELD_STEP, i) < training_real(&run, FIELD_STEP, i + 1));
            assert_false(isnan(test_real(&run, 30, FIELD_FINAL_TEST_ERROR, 0)));
            run_end(&run);
        }
    (void)state;
}

// Followed step by step from the lengths of the samples.
static void rates_and_evaluations_go_by_the_position(void **state)
{
    struct settings settings = length_settings(LENGTHS_EXPONENTIAL, DATA_STREAM);
    settings.train.budget = BUDGET_TOKENS;
    settings.train.budget_tokens = 5000;
    settings.train.schedule = SCHEDULE_COSINE;
    settings.train.warmup = 0.2;
    struct run run = run_whole(&settings, both_lengths, 2);
    const struct task_set set = set_of(&settings);
    const int64_t steps = 5000 / (8 * (N + 1));
    struct train_spent spent = {0};
    int64_t planned[6];
    double sum = 0;
    size_t at = 0;
    train_evaluation_steps(6, steps, planned);
    for (; at < 6; spent.steps++) {
        if (spent.position == planned[at]) {
            assert_true(training_real(&run, FIELD_STEP, at) == (double)spent.steps);
            assert_true(training_real(&run, FIELD_TOKENS_SEEN, at) == (double)spent.tokens);
            assert_true(training_real(&run, FIELD_LEARNING_RATE_SUM, at++) == sum);
        }
        sum += train_learning_rate(&settings, steps, spent.position);
        for (long i = 0; i < 8; i++)
            spent.tokens += task_tokens(&set, (long)spent.steps * 8 + i);
        spent.position = steps * spent.tokens / 5000;
    }
    run_end(&run);
    (void)state;
}

static void a_schedule_sets_the_length(void **state)
{
    for (int data = DATA_FINITE; data <= DATA_STREAM; data++) {
        struct settings settings = curriculum_settings(CURRICULUM_SCHEDULE, LENGTHS_UNIFORM, data);
        settings.evaluate.points = 41;
        struct run run = run_whole(&settings, both_lengths, 2);
        for (size_t i = 0; i <= 40; i++) {
            const int64_t length = 2 + (int64_t)i / 2;
            assert_true(training_real(&run, FIELD_CURRICULUM_LENGTH, i) == (double)(length < N ? length : N));
        }
        run_end(&run);
    }
    struct settings plain = length_settings(LENGTHS_UNIFORM, DATA_STREAM);
    struct run run = run_whole(&plain, both_lengths, 2);
    assert_null(record_find(record_find_part(&run.record, RECORD_TRAINING, 0), FIELD_CURRICULUM_LENGTH));
    run_end(&run);
    (void)state;
}

static void validation_lengthens_sequences_that_are_learnt(void **state)
{
    const double thresholds[] = {0, 1};
    for (int t = 0; t < 2; t++) {
        struct settings settings = curriculum_settings(CURRICULUM_VALIDATION, LENGTHS_FIXED, DATA_STREAM);
        settings.train.curriculum_threshold = thresholds[t];
        settings.train.steps = 30;
        settings.evaluate.points = 31;
        struct run run = run_whole(&settings, both_lengths, 2);
        for (size_t i = 0; i <= 30; i++) {
            const int64_t length = t == 0 ? 2 + 2 * ((int64_t)i / 5) : 2;
            assert_true(training_real(&run, FIELD_CURRICULUM_LENGTH, i) == (double)(length < N ? length : N));
        }
        run_end(&run);
    }
    (void)state;
}

// At step 5 the model's accuracy on its set of 200 sequences of two symbols is what decides.
static void the_threshold_is_the_accuracy_on_validation_sequences_of_that_length(void **state)
{
    struct settings settings = curriculum_settings(CURRICULUM_VALIDATION, LENGTHS_UNIFORM, DATA_STREAM);
    const int64_t stop = 5;
    struct run run = run_begin(&settings, both_lengths, 2);
    struct train_data data = {0};
    struct train_tally tally = {0};
    struct train_progress progress;
    struct status status;
    bool evaluated, done;
    settings.train.steps = 8;
    train_set_stops(run.run, &stop, 1);
    do {
        assert_int_equal(train_advance(run.run, 0, &evaluated, &done, &status), STATUS_OK);
        train_progress(run.run, &progress);
    } while (progress.step < 5);
    task_set_init(&data.set, &settings, SPLIT_VALIDATION, 2);
    snprintf(data.set.name, sizeof data.set.name, "validation/2");
    assert_int_equal(train_tally(train_model(run.run), &data, 0, 200, run.arena, &tally, &status), STATUS_OK);
    run_end(&run);
    const double accuracy = (double)(400 - tally.fit.wrong_given) / 400;
    assert_true(tally.fit.targets == 400 && accuracy > 0.1 && accuracy < 1);
    for (int above = 0; above < 2; above++) {
        settings.train.curriculum_threshold = accuracy + 0.001 * above;
        run = run_whole(&settings, both_lengths, 2);
        assert_true(training_real(&run, FIELD_CURRICULUM_LENGTH, last_of(&run)) == (above ? 2 : 4));
        run_end(&run);
    }
    (void)state;
}

static void slices_change_no_curriculum_and_no_budget(void **state)
{
    for (int row = 0; row < 18; row++) {
        struct settings settings = curriculum_settings(row % 3, LENGTHS_EXPONENTIAL, row / 3 % 2);
        settings.train.budget = row / 6;
        settings.train.budget_tokens = 3000;
        settings.train.budget_flops = 2e7;
        struct run whole = run_whole(&settings, both_lengths, 2), sliced = run_begin(&settings, both_lengths, 2);
        run_finish(&sliced, 1e-9);
        assert_same_run(&whole, &sliced);
        run_end(&whole);
        run_end(&sliced);
    }
    (void)state;
}

static void a_divergence_leaves_steps_ascending(void **state)
{
    struct settings settings = length_settings(LENGTHS_UNIFORM, DATA_STREAM);
    settings.task.kind = TASK_SIGNAL;
    settings.model.kind = MODEL_TWO_LAYER;
    settings.model.readout = READOUT_TRAINED;
    settings.train.optimizer = OPTIMIZER_GD;
    settings.train.learning_rate = 1e4;
    settings.train.budget = BUDGET_TOKENS;
    settings.train.budget_tokens = 1 << 16;
    settings.evaluate.points = 40;
    struct run run = run_whole(&settings, both_lengths, 2);
    assert_int_equal(run.record.status, RECORD_DIVERGED);
    const double step = training_real(&run, FIELD_DIVERGED_STEP, 0);
    for (size_t i = 0; i < 39; i++)
        assert_true(training_real(&run, FIELD_STEP, i) < training_real(&run, FIELD_STEP, i + 1));
    for (size_t i = 0; i < 40; i++)
        assert_true(i > last_of(&run) || training_real(&run, FIELD_STEP, i) < step);
    run_end(&run);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_those_of_the_sequences_read),
        cmocka_unit_test(packed_batches_in_parts_are_one_batch),
        cmocka_unit_test(a_packed_set_is_evaluated_whole),
        cmocka_unit_test(arms_of_one_budget_end_together),
        cmocka_unit_test(rates_and_evaluations_go_by_the_position),
        cmocka_unit_test(a_schedule_sets_the_length),
        cmocka_unit_test(validation_lengthens_sequences_that_are_learnt),
        cmocka_unit_test(the_threshold_is_the_accuracy_on_validation_sequences_of_that_length),
        cmocka_unit_test(slices_change_no_curriculum_and_no_budget),
        cmocka_unit_test(a_divergence_leaves_steps_ascending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
