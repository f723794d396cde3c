// SPDX-License-Identifier: MIT
#include "trial_fixture.h"

static void a_trial_runs_from_create_to_record(void **state)
{
    struct settings settings = small_settings();
    struct trial *trial = create(&settings);
    struct trial_progress progress;
    struct record record = {0};
    struct status status;
    static const int64_t steps[] = {0, 1, 2, 4, 8, 15, 30, 60};
    size_t evaluations = 0;
    bool done = false;
    while (!done) {
        assert_int_equal(trial_advance(trial, 0, &done, &status), STATUS_OK);
        trial_progress(trial, &progress);
        assert_true(progress.evaluated && progress.step == steps[evaluations] && progress.steps == 60);
        assert_true(progress.train_loss > 0 && progress.validation_error >= 0);
        assert_true(progress.lengths_count == 2 && progress.lengths[1] == 24 && progress.test_error[1] >= 0);
        evaluations++;
    }
    assert_int_equal(evaluations, 8);
    assert_int_equal(trial_record(trial, &record, &status), STATUS_OK);
    assert_int_equal(record.status, RECORD_DONE);
    assert_true(hash_equal(record.identity, settings_identity(&settings)));
    assert_int_equal(record.numerics, NUMERICS);
    const struct record_part *training = record_find_part(&record, RECORD_TRAINING, 0);
    assert_non_null(record_find(training, FIELD_PHASE_END));
    assert_non_null(record_find(training, FIELD_T_BEST));
    assert_non_null(record_find(training, FIELD_INTERPOLATED));
    record_fini(&record);
    trial_destroy(trial);
    (void)state;
}

// The table promises a value for each of its rows; that of the curriculum where there is one.
static void a_record_has_every_field_of_the_table(void **state)
{
    struct settings settings = small_settings();
    settings.train.data = DATA_STREAM;
    settings.train.curriculum = CURRICULUM_SCHEDULE;
    struct record record = run_to_record(&settings);
    for (size_t f = 0; f < record_fields_count; f++) {
        const struct record_field *field = &record_fields[f];
        const struct record_part *part = record_find_part(&record, field->part, field->part == RECORD_TEST ? 24 : 0);
        if (!record_find(part, field->id))
            fail_msg("%s is missing", field->name);
    }
    record_fini(&record);
    (void)state;
}

static void a_slice_ends_between_evaluations(void **state)
{
    struct settings settings = small_settings();
    struct trial *trial = create(&settings);
    struct trial_progress progress;
    struct status status;
    bool done = false, between = false;
    while (!done) {
        assert_int_equal(trial_advance(trial, 1e-9, &done, &status), STATUS_OK);
        trial_progress(trial, &progress);
        between |= !progress.evaluated;
    }
    assert_true(between);
    assert_int_equal(progress.step, 60);
    trial_destroy(trial);
    (void)state;
}

// Of a budget of tokens: by what was read so far.
static void steps_in_all_are_told_as_far_as_they_are_known(void **state)
{
    struct settings settings = small_settings();
    struct trial_progress progress;
    struct status status;
    bool done = false;
    settings.train.data = DATA_STREAM;
    settings.train.batch_size = 10;
    settings.task.length_distribution = LENGTHS_UNIFORM;
    settings.train.budget = BUDGET_TOKENS;
    settings.train.budget_tokens = 6000;
    assert_int_equal(trial_steps(&settings), 100);
    struct trial *trial = create(&settings);
    trial_progress(trial, &progress);
    assert_true(progress.step == 0 && progress.steps == 100);
    while (!done) {
        assert_int_equal(trial_advance(trial, 1e-9, &done, &status), STATUS_OK);
        trial_progress(trial, &progress);
        assert_true(progress.steps >= progress.step);
        assert_true(progress.step < 60 || (progress.steps > 150 && progress.steps < 190)); // of 3.5 tokens
    }
    assert_true(progress.step == progress.steps && trial_step(trial) == progress.step);
    trial_destroy(trial);
    (void)state;
}

static void texts_among_the_settings_are_copied(void **state)
{
    char text[] = "2 3 6";
    struct settings settings = small_settings();
    struct record record = {0};
    struct status status;
    bool done = false;
    settings.task.length_distribution = LENGTHS_LIST;
    settings.task.lengths = text;
    const struct hash128 identity = settings_identity(&settings);
    struct trial *trial = create(&settings);
    memset(text, '9', sizeof text - 1);
    while (!done)
        assert_int_equal(trial_advance(trial, 0, &done, &status), STATUS_OK);
    assert_int_equal(trial_record(trial, &record, &status), STATUS_OK);
    trial_destroy(trial);
    assert_true(hash_equal(record.identity, identity));
    assert_string_equal(record.settings.task.lengths, "2 3 6");
    record_fini(&record);
    (void)state;
}

static void bad_input_is_refused_with_a_reason(void **state)
{
    const struct {
        int64_t lengths[2];
        size_t count;
        double signal_tokens;
        const char *reason;
    } rows[] = {
        {{6, 24}, 0, 1, "at least one test length"},
        {{24, 6}, 2, 1, "ascending"},
        {{6, 6}, 2, 1, "distinct"},
        {{0, 6}, 2, 1, "test length 0"},
        {{-4, 6}, 2, 1, "from 1"},
        {{6, 1 << 25}, 2, 1, "from 1"},
        {{6, 24}, 2, 7, "signal_tokens"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = small_settings();
        struct trial *trial = NULL;
        struct status status;
        settings.task.signal_tokens = rows[r].signal_tokens;
        assert_int_equal(trial_create(&settings, rows[r].lengths, rows[r].count, &trial, &status), STATUS_INVALID);
        assert_null(trial);
        assert_non_null(strstr(status.text, rows[r].reason));
    }
    trial_destroy(NULL);
    (void)state;
}

static void a_warm_up_beyond_a_budget_of_operations_is_refused(void **state)
{
    (void)state;
    struct settings settings = small_settings();
    struct trial *trial = NULL;
    struct status status = {0};
    settings.train.budget = BUDGET_FLOPS;
    settings.train.budget_flops = 1e7;
    const int64_t steps = trial_steps(&settings);
    assert_true(steps > 2);
    settings.train.warmup = (double)steps;
    assert_int_equal(trial_check(&settings, &status), STATUS_OK);
    settings.train.warmup = (double)steps + 1;
    assert_int_equal(trial_create(&settings, lengths, 1, &trial, &status), STATUS_INVALID);
    assert_null(trial);
    assert_non_null(strstr(status.text, "budget_flops = 1e+07 are"));
    settings.train.warmup = 0.99;
    assert_int_equal(trial_check(&settings, &status), STATUS_OK);
    settings.train.budget = BUDGET_STEPS;
    settings.train.warmup = 1e9;
    assert_int_equal(trial_check(&settings, &status), STATUS_OK); // settings_check has it
}

static void a_trial_that_is_not_over_has_no_record(void **state)
{
    struct settings settings = small_settings();
    struct trial *trial = create(&settings);
    struct record record = {.attempts = 9};
    struct status status;
    assert_int_equal(trial_record(trial, &record, &status), STATUS_INTERNAL);
    assert_int_equal(record.attempts, 9);
    trial_destroy(trial);
    (void)state;
}

// Sanitizers end a process that asks for so much.
static void more_memory_than_any_machine_has_is_an_error(void **state)
{
    const int64_t longest[] = {1 << 24};
    struct settings settings = small_settings();
    struct trial *trial = NULL;
    struct status status;
    settings.task.samples = 10000000;
    settings.task.dim = settings.task.train_length = 65536;
    assert_true(trial_memory(&settings, longest, 1) > 1e17);
#ifdef LGSWEEP_SANITIZE
    skip();
#endif
    assert_int_equal(trial_create(&settings, longest, 1, &trial, &status), STATUS_MEMORY);
    assert_null(trial);
    assert_non_null(strstr(status.text, "lower samples"));
    (void)state;
}

static void estimates_are_those_of_the_run(void **state)
{
    struct settings settings = small_settings();
    assert_true(trial_cost(&settings, lengths, 2) > trial_cost(&settings, lengths, 1));
    assert_true(trial_memory(&settings, lengths, 2) > trial_memory(&settings, lengths, 1));
    assert_in_range((uint64_t)trial_memory(&settings, lengths, 2), 100000, 20000000);
    (void)state;
}

static void append_curve(const struct record *record, enum record_field_id id, int64_t length, struct bytes *bytes)
{
    const struct record_part *part = record_find_part(record, length ? RECORD_TEST : RECORD_TRAINING, length);
    const struct record_value *value = record_find(part, id);
    assert_int_equal(value->type, RECORD_F32);
    bytes_raw(bytes, value->data, record_size(value) * sizeof(float));
}

// Curves that the bits of everything before them go into. A change that moves them has to raise NUMERICS.
static const struct golden {
    int model, task, encoding, optimizer, data;
    int64_t batch_size; // where not 0 with clipping, decay and a schedule
    const char *hash;
} golden[] = {
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_NONE, OPTIMIZER_GD, DATA_FINITE, 0, "733b8c0e7882971ff5563c0f167d988a"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_SINUSOIDAL, OPTIMIZER_MOMENTUM, DATA_FINITE, 0,
     "3e187f026cdf1451fd4524956a4a64d5"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_ABSOLUTE, OPTIMIZER_GD, DATA_FINITE, 0, "142e0fbda030e87d307dca5cd4160e2d"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_RELATIVE, OPTIMIZER_MOMENTUM, DATA_FINITE, 0,
     "d298f08d0dd9c5424b052f399ec47183"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_ALIBI, OPTIMIZER_GD, DATA_FINITE, 0, "916bb736d4bb5dccca024a3210cc728b"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_ROPE, OPTIMIZER_MOMENTUM, DATA_FINITE, 0,
     "ca71c2b71d0459557506c5bd19b0af88"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_NONE, OPTIMIZER_ADAM, DATA_FINITE, 7, "557d139d08d19ff3e2b9954d588175f1"},
    {MODEL_TWO_LAYER, TASK_SIGNAL, ENCODING_NONE, OPTIMIZER_ADAMW, DATA_STREAM, 7, "f7ee94aa4598f9e538262de02fd80a80"},
    {MODEL_TRANSFORMER, TASK_SIGNAL, ENCODING_ROPE, OPTIMIZER_ADAMW, DATA_FINITE, 7,
     "72558f5786444d49984f3d35c09fd4e7"},
    {MODEL_TRANSFORMER, TASK_ACCUMULATOR, ENCODING_T5, OPTIMIZER_ADAM, DATA_STREAM, 7,
     "3d653d488b0142f2d9b494a770bf6c65"},
    {MODEL_RNN, TASK_ACCUMULATOR, ENCODING_NONE, OPTIMIZER_ADAMW, DATA_FINITE, 7, "24705b5b0abbbe5ddc664211164fedcc"},
    {MODEL_LSTM, TASK_SIGNAL, ENCODING_NONE, OPTIMIZER_ADAM, DATA_FINITE, 7, "8a86b9916bb0799b21ecfabe0ca59059"},
};

static struct settings golden_settings(const struct golden *row)
{
    struct settings settings = small_settings();
    settings.model.kind = row->model;
    settings.model.encoding = row->encoding;
    settings.task.kind = row->task;
    settings.train.optimizer = row->optimizer;
    settings.train.data = row->data;
    settings.train.batch_size = row->batch_size;
    if (row->batch_size > 0) {
        settings.train.learning_rate = 0.01;
        settings.train.clip = 0.1;
        settings.train.weight_decay = 0.1;
        settings.train.schedule = SCHEDULE_COSINE;
        settings.train.warmup = 0.1;
    }
    return settings;
}

static void results_are_golden(void **state)
{
    int failures = 0;
    for (size_t r = 0; r < sizeof golden / sizeof golden[0]; r++) {
        struct settings settings = golden_settings(&golden[r]);
        struct record record = run_to_record(&settings);
        struct bytes curves = {0};
        append_curve(&record, FIELD_TRAIN_LOSS, 0, &curves);
        append_curve(&record, FIELD_VALIDATION_LOSS, 0, &curves);
        append_curve(&record, FIELD_SIGNAL_ATTENTION, 0, &curves);
        append_curve(&record, FIELD_TEST_LOSS, 24, &curves);
        char text[HASH_TEXT_SIZE];
        hash_text(hash_128(curves.data, curves.size), text);
        if (strcmp(text, golden[r].hash) != 0) {
            print_error("row %zu: %s\n", r, text);
            failures++;
        }
        bytes_fini(&curves);
        record_fini(&record);
    }
    assert_int_equal(failures, 0);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_runs_from_create_to_record),
        cmocka_unit_test(a_record_has_every_field_of_the_table),
        cmocka_unit_test(a_slice_ends_between_evaluations),
        cmocka_unit_test(steps_in_all_are_told_as_far_as_they_are_known),
        cmocka_unit_test(texts_among_the_settings_are_copied),
        cmocka_unit_test(bad_input_is_refused_with_a_reason),
        cmocka_unit_test(a_warm_up_beyond_a_budget_of_operations_is_refused),
        cmocka_unit_test(a_trial_that_is_not_over_has_no_record),
        cmocka_unit_test(more_memory_than_any_machine_has_is_an_error),
        cmocka_unit_test(estimates_are_those_of_the_run),
        cmocka_unit_test(results_are_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
