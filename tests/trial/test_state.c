// SPDX-License-Identifier: MIT
#include "trial_fixture.h"

#include <math.h>

static struct bytes save(const struct trial *trial)
{
    struct bytes bytes = {0};
    struct status status;
    assert_int_equal(trial_save(trial, &bytes, &status), STATUS_OK);
    return bytes;
}

static void assert_same_science(struct record *a, struct record *b)
{
    struct bytes x = science_bytes(a), y = science_bytes(b);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    bytes_fini(&x);
    bytes_fini(&y);
}

// Goes on in a new trial from the state before each call of advance, and from the end.
static void resume_everywhere(const struct settings *settings, double seconds)
{
    struct record whole = run_to_record(settings);
    struct trial *trial = create(settings);
    struct status status;
    bool done = false;
    for (;;) {
        struct bytes state = save(trial);
        struct trial *other = create(settings);
        assert_int_equal(trial_load(other, state.data, state.size, &status), STATUS_OK);
        struct bytes again = save(other);
        assert_int_equal(again.size, state.size);
        assert_memory_equal(again.data, state.data, state.size);
        struct record record = finish(other);
        assert_same_science(&record, &whole);
        record_fini(&record);
        bytes_fini(&again);
        bytes_fini(&state);
        if (done)
            break;
        assert_int_equal(trial_advance(trial, seconds, &done, &status), STATUS_OK);
    }
    trial_destroy(trial);
    record_fini(&whole);
}

static void every_evaluation_resumes_with_the_same_bits(void **state)
{
    for (int encoding = 0; encoding < ENCODING_KINDS; encoding++)
        for (int optimizer = 0; optimizer < OPTIMIZER_KINDS; optimizer++) {
            struct settings settings = small_settings();
            settings.model.encoding = encoding;
            settings.train.optimizer = optimizer;
            resume_everywhere(&settings, 0);
        }
    (void)state;
}

static void every_model_option_resumes_with_the_same_bits(void **state)
{
    for (int option = 0; option < 5; option++) {
        struct settings settings = small_settings();
        settings.train.optimizer = OPTIMIZER_MOMENTUM;
        settings.model.readout = option == 0 || option == 4 ? READOUT_TRAINED : READOUT_FIXED;
        settings.model.activation = option == 1 ? ACTIVATION_RELU : ACTIVATION_NONE;
        settings.model.freeze_attention = option == 2;
        settings.task.noise_rate = option == 3 ? 0 : 0.2;
        settings.train.learning_rate = option == 4 ? 1000 : 0.2; // diverges
        resume_everywhere(&settings, 0);
    }
    (void)state;
}

static void every_step_resumes_with_the_same_bits(void **state)
{
    struct settings settings = small_settings();
    settings.train.steps = 12;
    resume_everywhere(&settings, 1e-9);
    (void)state;
}

static void every_way_to_train_resumes_with_the_same_bits(void **state)
{
    const struct {
        int model, task, optimizer, data;
        int64_t batch_size, accumulation;
        double dropout, clip;
    } rows[] = {
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_ADAM, DATA_FINITE, 7, 2, 0, INFINITY},
        {MODEL_TWO_LAYER, TASK_SIGNAL, OPTIMIZER_ADAMW, DATA_STREAM, 7, 2, 0, 0.01},
        {MODEL_TRANSFORMER, TASK_SIGNAL, OPTIMIZER_ADAMW, DATA_FINITE, 0, 1, 0, 1},
        {MODEL_TRANSFORMER, TASK_SIGNAL, OPTIMIZER_ADAM, DATA_FINITE, 5, 1, 0.2, 1},
        {MODEL_TRANSFORMER, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_STREAM, 5, 2, 0.2, 1},
        {MODEL_TRANSFORMER, TASK_ACCUMULATOR, OPTIMIZER_MOMENTUM, DATA_FINITE, 0, 1, 0.2, INFINITY},
        {MODEL_RNN, TASK_ACCUMULATOR, OPTIMIZER_ADAM, DATA_FINITE, 5, 3, 0, 1},
        {MODEL_LSTM, TASK_ACCUMULATOR, OPTIMIZER_ADAMW, DATA_FINITE, 9, 1, 0.2, 1},
        {MODEL_LSTM, TASK_SIGNAL, OPTIMIZER_GD, DATA_STREAM, 9, 1, 0.2, INFINITY},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = small_settings();
        settings.task.kind = rows[r].task;
        settings.model.kind = rows[r].model;
        settings.model.encoding = ENCODING_ABSOLUTE;
        settings.model.layers = 2;
        settings.model.width = 16;
        settings.model.heads = 2;
        settings.model.dropout = rows[r].dropout;
        settings.model.attention_noise = rows[r].dropout;
        settings.train.optimizer = rows[r].optimizer;
        settings.train.learning_rate = 0.01;
        settings.train.data = rows[r].data;
        settings.train.batch_size = rows[r].batch_size;
        settings.train.accumulation = rows[r].accumulation;
        settings.train.clip = rows[r].clip;
        settings.train.weight_decay = 0.01;
        settings.train.schedule = SCHEDULE_COSINE;
        settings.train.warmup = 0.1;
        settings.train.steps = 30;
        settings.evaluate.points = 6;
        resume_everywhere(&settings, 0);
    }
    (void)state;
}

static void every_length_curriculum_and_budget_resumes_with_the_same_bits(void **state)
{
    for (int row = 0; row < 36; row++) {
        static const int distributions[] = {LENGTHS_FIXED, LENGTHS_UNIFORM, LENGTHS_LIST};
        struct settings settings = small_settings();
        settings.task.kind = TASK_ACCUMULATOR;
        settings.task.length_distribution = distributions[row / 3 % 3];
        settings.task.lengths = "1 2 6 6";
        settings.model.kind = MODEL_RNN;
        settings.model.width = 16;
        settings.train.curriculum = row % 3;
        settings.train.curriculum_share = 0.6;
        settings.train.curriculum_every = 3;
        settings.train.curriculum_threshold = 0.3;
        settings.train.curriculum_keep = 0.2;
        settings.train.budget = row / 9 % 3;
        settings.train.budget_tokens = 600;
        settings.train.budget_flops = 1e6;
        settings.train.optimizer = OPTIMIZER_ADAM;
        settings.train.schedule = SCHEDULE_COSINE;
        settings.train.data = row < 27 ? DATA_STREAM : DATA_FINITE;
        settings.train.batch_size = 5;
        settings.train.steps = 12;
        settings.evaluate.points = 4;
        if (settings.train.data == DATA_STREAM || settings.train.curriculum == CURRICULUM_NONE ||
            settings.task.length_distribution != LENGTHS_FIXED)
            resume_everywhere(&settings, 1e-9);
    }
    (void)state;
}

static void a_state_of_another_trial_is_refused(void **state)
{
    const int64_t other_lengths[] = {6, 30};
    struct settings settings = small_settings(), other = settings;
    struct trial *trial = create(&settings), *changed = NULL;
    struct bytes bytes = save(trial);
    struct status status;
    other.replicate = 1;
    assert_int_equal(trial_create(&other, lengths, 2, &changed, &status), STATUS_OK);
    assert_int_equal(trial_load(changed, bytes.data, bytes.size, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "other settings"));
    trial_destroy(changed);
    for (size_t count = 1; count <= 2; count++) {
        assert_int_equal(trial_create(&settings, other_lengths, count, &changed, &status), STATUS_OK);
        assert_int_equal(trial_load(changed, bytes.data, bytes.size, &status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "other test lengths"));
        trial_destroy(changed);
    }
    bytes_fini(&bytes);
    trial_destroy(trial);
    (void)state;
}

// Offsets into the header: after the text come u32 version and u32 numerics.
static void a_state_of_another_version_is_refused(void **state)
{
    struct settings settings = small_settings();
    struct trial *trial = create(&settings);
    struct status status;
    const size_t version = 4 + strlen("lgsweep trial");
    for (size_t at = version; at <= version + 4; at += 4) {
        struct bytes bytes = save(trial);
        bytes.data[at]++;
        uint64_t hash = hash_64(bytes.data, bytes.size - 8);
        bytes.size -= 8;
        bytes_u64(&bytes, hash);
        assert_int_equal(trial_load(trial, bytes.data, bytes.size, &status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "numerics"));
        bytes_fini(&bytes);
    }
    trial_destroy(trial);
    (void)state;
}

static void damage_is_refused_and_changes_nothing(void **state)
{
    struct settings settings = small_settings();
    struct trial *trial = create(&settings);
    struct status status;
    bool done;
    struct bytes early = save(trial);
    assert_int_equal(trial_advance(trial, 0, &done, &status), STATUS_OK);
    struct bytes before = save(trial);
    for (size_t at = 0; at < early.size; at += 97) {
        early.data[at] ^= 1;
        assert_int_equal(trial_load(trial, early.data, early.size, &status), STATUS_DAMAGED);
        early.data[at] ^= 1;
        assert_int_equal(trial_load(trial, early.data, at, &status), STATUS_DAMAGED);
    }
    struct bytes after = save(trial);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    assert_int_equal(trial_load(trial, early.data, early.size, &status), STATUS_OK);
    bytes_fini(&early);
    bytes_fini(&before);
    bytes_fini(&after);
    trial_destroy(trial);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_evaluation_resumes_with_the_same_bits),
        cmocka_unit_test(every_model_option_resumes_with_the_same_bits),
        cmocka_unit_test(every_way_to_train_resumes_with_the_same_bits),
        cmocka_unit_test(every_step_resumes_with_the_same_bits),
        cmocka_unit_test(every_length_curriculum_and_budget_resumes_with_the_same_bits),
        cmocka_unit_test(a_state_of_another_trial_is_refused),
        cmocka_unit_test(a_state_of_another_version_is_refused),
        cmocka_unit_test(damage_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
