// SPDX-License-Identifier: MIT
#include "run_fixture.h"

#include "nn_model.h"

static const int64_t lengths[] = {5, 40, 160};

static void assert_memory(const struct settings *settings, double share, const char *claim)
{
    double bytes = train_memory(settings, lengths, 3);
    struct run run = run_begin(settings, lengths, 3);
    run_finish(&run, 0);
    double used = (double)arena_used(run.arena);
    if (arena_blocks(run.arena) != 1 || used > bytes || used < share * bytes)
        fail_msg("%s: %g of %g bytes in %zu blocks", claim, used, bytes, arena_blocks(run.arena));
    run_end(&run);
}

static void memory_is_an_upper_bound_and_near(void **state)
{
    for (int row = 0; row < 6; row++) {
        struct settings settings = small_settings();
        settings.model.encoding = row % ENCODING_KINDS;
        settings.train.optimizer = row % OPTIMIZER_KINDS;
        settings.train.steps = 3;
        settings.task.dim = row == 3 ? 100 : 20;
        settings.task.signal_tokens = row == 4 ? 0.5 : 1;
        settings.task.samples = row == 5 ? 3000 : 30;
        assert_memory(&settings, 0.5, "two_layer");
    }
    (void)state;
}

static void memory_of_every_model_and_mode_is_an_upper_bound(void **state)
{
    for (int model = 0; model < MODEL_KINDS; model++)
        for (int row = 0; row < 6; row++) {
            static const char *const names[] = {"full batch", "minibatch", "stream", "tokens", "last token", "classes"};
            struct settings settings = small_settings();
            settings.model.kind = model;
            settings.model.width = 32;
            settings.model.encoding = model == MODEL_TRANSFORMER ? ENCODING_RELATIVE : ENCODING_NONE;
            settings.task.kind = row < 3 || model == MODEL_TWO_LAYER ? TASK_SIGNAL : TASK_ACCUMULATOR;
            settings.task.supervision = row == 4 ? SUPERVISION_FINAL : SUPERVISION_STEPS;
            settings.task.modulus = row == 5 ? 300 : 5;
            settings.task.samples = 500;
            settings.train.batch_size = row == 0 ? 0 : 64;
            settings.train.data = row == 2 ? DATA_STREAM : DATA_FINITE;
            settings.train.optimizer = OPTIMIZER_ADAMW;
            settings.train.steps = 2;
            assert_memory(&settings, 0.3, names[row]);
        }
    (void)state;
}

static void memory_of_mixed_lengths_and_curricula_is_an_upper_bound(void **state)
{
    for (int row = 0; row < 18; row++) {
        struct settings settings = small_settings();
        settings.model.kind = row % 2 ? MODEL_LSTM : MODEL_TRANSFORMER;
        settings.model.width = 32;
        settings.task.kind = TASK_ACCUMULATOR;
        settings.task.begin_token = row % 4 == 1;
        settings.task.samples = 300;
        settings.task.train_length = 40;
        settings.task.length_distribution = LENGTHS_UNIFORM;
        settings.train.curriculum = row % 3;
        settings.train.curriculum_every = 1;
        settings.train.curriculum_threshold = 0;
        settings.train.curriculum_increment = 9;
        settings.train.batch_size = row / 3 % 2 ? 64 : 0;
        settings.train.data = row / 6 == 0 ? DATA_STREAM : DATA_FINITE;
        settings.train.optimizer = OPTIMIZER_ADAMW;
        settings.train.budget = row / 6;
        settings.train.budget_tokens = 20000;
        settings.train.budget_flops = 1e9;
        settings.train.steps = 6;
        assert_memory(&settings, 0.2, "mixed lengths");
    }
    (void)state;
}

static void lack_of_memory_is_an_error_at_any_point(void **state)
{
    struct settings settings = small_settings();
    size_t bytes = (size_t)train_memory(&settings, lengths, 3);
    for (size_t part = 1; part < 32; part++) {
        struct arena *arena = arena_create(bytes * part / 64, bytes * part / 64);
        struct train_run *run = NULL;
        struct status status;
        assert_int_equal(train_create(&settings, lengths, 3, arena, &run, &status), STATUS_MEMORY);
        assert_null(run);
        assert_true(strlen(status.text) > 0);
        arena_destroy(arena);
    }
    (void)state;
}

static void estimates_of_enormous_trials_stay_finite(void **state)
{
    const int64_t longest[] = {1 << 24};
    struct settings settings = small_settings();
    settings.task.samples = settings.evaluate.curve_samples = settings.evaluate.test_samples = 10000000;
    settings.task.dim = settings.task.train_length = 65536;
    assert_true(train_memory(&settings, longest, 1) > 1e17);
    assert_true(isfinite(train_memory(&settings, longest, 1)) && isfinite(train_cost(&settings, longest, 1)));
    (void)state;
}

// Of 131 GB: minibatches have their samples made when they are wanted.
static void a_large_set_need_not_be_in_memory(void **state)
{
    struct settings settings = small_settings();
    settings.task.samples = 1000000;
    settings.task.dim = 512;
    settings.task.train_length = 64;
    assert_true(train_memory(&settings, lengths, 1) > 1e11);
    settings.train.batch_size = 64;
    assert_true(train_memory(&settings, lengths, 1) < 3e8);
    settings.train.data = DATA_STREAM;
    assert_true(train_memory(&settings, lengths, 1) < 3e8);
    (void)state;
}

static void cost_grows_with_all_that_takes_time(void **state)
{
    const struct settings base = small_settings();
    double cost = train_cost(&base, lengths, 3);
    struct settings more[11] = {base, base, base, base, base, base, base, base, base, base, base};
    more[0].train.steps *= 10;
    more[1].task.samples *= 10;
    more[2].task.dim *= 3;
    more[3].evaluate.points *= 3;
    more[4].evaluate.test_samples *= 3;
    more[5].evaluate.validation_samples *= 10;
    more[6].model.head_dim *= 4;
    more[7].train.optimizer = OPTIMIZER_ADAMW;
    more[7].train.clip = 1;
    more[8].train.data = DATA_STREAM;
    more[8].train.accumulation = 3;
    more[9].train.batch_size = 15; // evaluations of the training set come on top
    more[9].train.steps *= 2;
    more[10].train.epochs = 300;
    for (int i = 0; i < 11; i++)
        if (train_cost(&more[i], lengths, 3) < 1.0005 * cost)
            fail_msg("change %d makes %g of %g", i, train_cost(&more[i], lengths, 3), cost);
    assert_true(train_cost(&base, lengths, 2) < cost);
    (void)state;
}

static void assert_between(double share, double least, double most, const char *claim)
{
    if (!(share > least && share < most))
        fail_msg("%s: the cost is %g times that of one length", claim, share);
}

static void costs_follow_lengths_and_budgets(void **state)
{
    const int64_t length = 64;
    struct settings base;
    settings_defaults(&base);
    base.task.kind = TASK_ACCUMULATOR;
    base.task.train_length = length;
    base.model.kind = MODEL_LSTM;
    base.train.data = DATA_STREAM;
    base.train.batch_size = 32;
    base.train.steps = 2000;
    base.evaluate.points = 1;
    base.evaluate.test_samples = base.evaluate.validation_samples = 200;
    const double cost = train_cost(&base, &length, 1);
    struct settings settings = base;
    settings.task.length_distribution = LENGTHS_UNIFORM;
    assert_between(train_cost(&settings, &length, 1) / cost, 0.4, 0.65, "uniform");
    settings.task.length_mixing = MIXING_BATCHES;
    assert_between(train_cost(&settings, &length, 1) / cost, 0.4, 0.65, "uniform, mixed by batches");
    settings = base;
    settings.train.curriculum = CURRICULUM_SCHEDULE;
    settings.train.curriculum_share = 1;
    assert_between(train_cost(&settings, &length, 1) / cost, 0.45, 0.6, "schedule");
    settings.train.curriculum = CURRICULUM_VALIDATION;
    settings.train.curriculum_every = 5;
    assert_between(train_cost(&settings, &length, 1) / cost, 0.65, 0.8, "looks");
    // As many tokens cost as much, however long their sequences are.
    for (int row = 0; row < 6; row++) {
        settings = base;
        settings.train.budget = BUDGET_TOKENS + row % 2;
        settings.train.budget_tokens = 2000 * 32 * length;
        settings.train.budget_flops =
            2000 * nn_gradient_flops(&base, &(struct batch_shape){.vocabulary = 10, .classes = 5}, 32, (long)length);
        settings.task.length_distribution = row / 2 == 0 ? LENGTHS_FIXED : LENGTHS_EXPONENTIAL;
        settings.train.curriculum = row / 2 == 2 ? CURRICULUM_SCHEDULE : CURRICULUM_NONE;
        assert_between(train_cost(&settings, &length, 1) / cost, 0.9, 1.3, "budget");
    }
    (void)state;
}

// Times were measured, in seconds of one core.
static void costs_are_to_each_other_as_times(void **state)
{
    const struct {
        const char *claim;
        int64_t dim, head, train_length, samples, steps, points, test_length;
        double signal_tokens; // noisy ones, if not 0
        double seconds;
    } rows[] = {
        {"usual", 64, 16, 8, 80, 200, 8, 8, 0, 0.0093},
        {"wide", 512, 16, 8, 80, 100, 8, 8, 0, 0.035},
        {"long", 64, 16, 64, 80, 100, 8, 64, 0, 0.06},
        {"tiny, tested on long ones", 3, 1, 8, 80, 1, 1, 2048, 0, 0.19},
        {"tiny", 3, 1, 8, 80, 2000, 8, 8, 0, 0.03},
        {"tiny, of one token", 3, 1, 1, 80, 2000, 8, 1, 0, 0.0156},
        {"tiny, of one token beyond the lanes", 3, 1, 17, 80, 2000, 8, 1, 0, 0.0725},
        {"tiny, of one sequence", 3, 1, 8, 1, 2000, 8, 8, 0, 0.0015},
        {"tiny, often evaluated", 3, 1, 8, 80, 2000, 2000, 8, 0, 0.119},
        {"Bayes error, one token", 8, 16, 8, 80, 1, 1, 8, 1, 0.0501},
        {"Bayes error, three tokens", 8, 16, 8, 80, 1, 1, 8, 3, 0.287},
        {"Bayes error, eight of many", 8, 16, 128, 80, 1, 1, 512, 8, 0.37},
    };
    double usual = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings;
        settings_defaults(&settings);
        settings.task.dim = rows[r].dim;
        settings.model.head_dim = rows[r].head;
        settings.model.value_dim = rows[r].head > 1 ? 8 : 1;
        settings.task.train_length = rows[r].train_length;
        settings.task.samples = rows[r].samples;
        settings.train.steps = rows[r].steps;
        settings.evaluate.points = rows[r].points;
        settings.evaluate.test_samples = settings.evaluate.validation_samples = 200;
        settings.task.signal_noise = rows[r].signal_tokens > 0;
        settings.task.project_noise = !settings.task.signal_noise;
        settings.task.signal_tokens = settings.task.signal_noise ? rows[r].signal_tokens : 1;
        double rate = train_cost(&settings, &rows[r].test_length, 1) / rows[r].seconds;
        usual = r ? usual : rate;
        if (!(rate < 3 * usual && 3 * rate > usual))
            fail_msg("%s: the cost is %g times what it should be", rows[r].claim, rate / usual);
    }
    (void)state;
}

// On the machine of the times above, where its usual trial took 0.0099 s.
static void costs_of_other_models_are_as_times_too(void **state)
{
    const struct {
        const char *claim;
        int model, task;
        int64_t width, layers, train_length, samples, batch_size, steps, test_length;
        double dropout, seconds;
    } rows[] = {
        {"transformer on vectors", MODEL_TRANSFORMER, TASK_SIGNAL, 64, 2, 8, 80, 0, 50, 8, 0, 0.136},
        {"narrow transformer", MODEL_TRANSFORMER, TASK_SIGNAL, 32, 1, 8, 80, 0, 50, 8, 0, 0.0235},
        {"transformer on tokens", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 64, 2, 16, 64, 16, 50, 16, 0, 0.0583},
        {"wide transformer", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 128, 4, 64, 64, 16, 10, 64, 0, 0.6526},
        {"small batches", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 64, 2, 16, 4, 1, 500, 16, 0, 0.0677},
        {"large weights", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 256, 4, 8, 4, 1, 30, 8, 0, 0.4056},
        {"dropout", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 64, 2, 16, 64, 16, 50, 16, 0.1, 0.11},
        {"dropout on long sequences", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 32, 2, 256, 8, 8, 10, 256, 0.1, 0.403},
        {"tested on long ones", MODEL_TRANSFORMER, TASK_ACCUMULATOR, 32, 2, 8, 8, 8, 1, 4096, 0, 5.77},
        {"rnn", MODEL_RNN, TASK_ACCUMULATOR, 64, 2, 16, 64, 16, 50, 16, 0, 0.0089},
        {"lstm", MODEL_LSTM, TASK_ACCUMULATOR, 64, 2, 16, 64, 16, 50, 16, 0, 0.0304},
        {"wide lstm", MODEL_LSTM, TASK_ACCUMULATOR, 128, 2, 64, 64, 64, 10, 64, 0, 0.389},
        {"narrow lstm", MODEL_LSTM, TASK_ACCUMULATOR, 16, 1, 16, 64, 4, 200, 16, 0, 0.0042},
    };
    struct settings usual;
    settings_defaults(&usual);
    usual.train.steps = 200;
    usual.evaluate.points = 8;
    usual.evaluate.test_samples = usual.evaluate.validation_samples = 200;
    const double rate = train_cost(&usual, &usual.task.train_length, 1) / 0.0099;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = usual;
        settings.model.kind = rows[r].model;
        settings.model.width = rows[r].width;
        settings.model.layers = rows[r].layers;
        settings.model.dropout = rows[r].dropout;
        settings.task.kind = rows[r].task;
        settings.task.train_length = rows[r].train_length;
        settings.task.samples = rows[r].samples;
        settings.train.batch_size = rows[r].batch_size;
        settings.train.steps = rows[r].steps;
        settings.train.optimizer = OPTIMIZER_ADAMW;
        settings.evaluate.points = 1;
        double share = train_cost(&settings, &rows[r].test_length, 1) / rows[r].seconds / rate;
        if (!(share < 3 && 3 * share > 1))
            fail_msg("%s: the cost is %g times what it should be", rows[r].claim, share);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_an_upper_bound_and_near),
        cmocka_unit_test(memory_of_every_model_and_mode_is_an_upper_bound),
        cmocka_unit_test(memory_of_mixed_lengths_and_curricula_is_an_upper_bound),
        cmocka_unit_test(lack_of_memory_is_an_error_at_any_point),
        cmocka_unit_test(estimates_of_enormous_trials_stay_finite),
        cmocka_unit_test(a_large_set_need_not_be_in_memory),
        cmocka_unit_test(cost_grows_with_all_that_takes_time),
        cmocka_unit_test(costs_follow_lengths_and_budgets),
        cmocka_unit_test(costs_are_to_each_other_as_times),
        cmocka_unit_test(costs_of_other_models_are_as_times_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
