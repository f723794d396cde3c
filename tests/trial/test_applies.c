// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include "trial.h"
#include <math.h>
#include <string.h>

enum { BASES = 24, PAIRS = 4 };

// Trials in whose settings every setting applies somewhere, and most do not elsewhere.
static const char *const bases[BASES][PAIRS][2] = {
    {{"model", "two_layer"}, {"encoding", "relative"}},
    {{"model", "two_layer"}, {"encoding", "alibi"}},
    {{"model", "transformer"}, {"encoding", "t5"}, {"schedule", "step"}},
    {{"model", "transformer"}, {"encoding", "absolute"}, {"optimizer", "momentum"}},
    {{"model", "transformer"}, {"encoding", "rope"}, {"optimizer", "adamw"}, {"task", "accumulator"}},
    {{"model", "transformer"}, {"encoding", "transformer_xl"}, {"data", "stream"}, {"task", "accumulator"}},
    {{"model", "transformer"}, {"encoding", "fire"}, {"embeddings", "orthonormal"}, {"task", "accumulator"}},
    {{"model", "rnn"}, {"schedule", "cosine"}, {"task", "accumulator"}},
    {{"model", "lstm"}, {"embeddings", "orthonormal"}, {"task", "accumulator"}},
    {{"model", "lstm"}, {"epochs", "2"}},
    {{"model", "rnn"}, {"task", "automaton"}, {"automaton", "flip_flop"}},
    {{"model", "rnn"}, {"task", "automaton"}, {"automaton", "alternating5"}},
    {{"model", "rnn"}, {"task", "automaton"}, {"automaton", "table"}, {"table", "0 1 1; 2 0 1; 2 1 0"}},
    {{"model", "rnn"}, {"task", "brackets"}, {"test_depth", "2"}},
    {{"model", "transformer"}, {"task", "addition"}, {"index_hints", "20"}, {"test_base", "7"}},
    {{"model", "rnn"}, {"task", "multiplication"}, {"multiplier_digits", "2"}, {"zero_padding", "false"}},
    {{"model", "lstm"}, {"task", "modular"}, {"test_modulus", "7"}},
    {{"model", "lstm"}, {"task", "binary_multiplication"}},
    {{"model", "transformer"}, {"task", "missing_duplicate_string"}, {"alphabet", "3"}},
    {{"model", "rnn"}, {"task", "accumulator"}, {"data", "stream"}, {"length_distribution", "uniform"}},
    {{"model", "rnn"}, {"task", "accumulator"}, {"length_distribution", "list"}, {"lengths", "1 3 6"}},
    {{"model", "rnn"}, {"task", "accumulator"}, {"data", "stream"}, {"curriculum", "validation"}},
    {{"model", "two_layer"}, {"data", "stream"}, {"curriculum", "schedule"}, {"budget", "tokens"}},
    {{"model", "lstm"}, {"budget", "flops"}, {"length_distribution", "exponential"}, {"curriculum", "schedule"}},
};

static void set(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

static struct settings base_settings(size_t base)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.train_length = 6;
    settings.task.dim = 10;
    settings.task.samples = 12;
    settings.model.width = 16;
    settings.model.heads = 2;
    settings.model.layers = 1;
    settings.model.init_scale = 0.5;
    settings.train.steps = 4;
    settings.train.budget_tokens = 100;
    settings.train.budget_flops = 1e6;
    settings.train.batch_size = 5;
    settings.train.learning_rate = 0.3;
    settings.evaluate.points = 2;
    settings.evaluate.test_samples = settings.evaluate.validation_samples = 200;
    for (size_t i = 0; i < PAIRS && bases[base][i][0]; i++)
        set(&settings, bases[base][i][0], bases[base][i][1]);
    return settings;
}

static uint64_t mix(uint64_t digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (digest ^ bits) * UINT64_C(0x9E3779B97F4A7C15) + (digest >> 29);
}

// Of all losses and errors along training; 0 where the settings contradict each other.
static uint64_t digest_of(const struct settings *settings)
{
    const int64_t lengths[] = {settings->task.train_length, 3 * settings->task.train_length};
    struct trial *trial = NULL;
    struct trial_progress progress;
    struct status status;
    uint64_t digest = 1;
    bool done = false;
    if (trial_create(settings, lengths, 2, &trial, &status) != STATUS_OK)
        return 0;
    while (!done) {
        assert_int_equal(trial_advance(trial, 0, &done, &status), STATUS_OK);
        trial_progress(trial, &progress);
        if (!progress.evaluated)
            continue;
        digest = mix(mix(mix(digest, progress.train_loss), progress.train_error), progress.validation_error);
        for (size_t i = 0; i < progress.lengths_count; i++)
            digest = mix(digest, progress.test_error[i]);
    }
    trial_destroy(trial);
    return digest;
}

static union setting_value other_value(const struct setting *row, union setting_value value)
{
    if (row->type == SETTING_INT)
        value.i = value.i == 0 ? 40 : 2 * value.i;
    else if (row->type == SETTING_REAL)
        value.r = value.r == 0 || isinf(value.r) ? 0.4 : value.r / 2;
    else if (row->type == SETTING_BOOL)
        value.b = !value.b;
    else if (row->type == SETTING_TEXT)
        value.text = "1 0; 0 1";
    else
        value.choice = row->choices[value.choice + 1] ? value.choice + 1 : 0;
    return value;
}

static void a_setting_that_does_not_apply_changes_no_result(void **state)
{
    (void)state;
    for (size_t base = 0; base < BASES; base++) {
        const struct settings settings = base_settings(base);
        const uint64_t expected = digest_of(&settings);
        assert_true(expected != 0);
        for (size_t i = 0; i < settings_count; i++) {
            const struct setting *row = &settings_table[i];
            struct settings changed = settings;
            if (row->section == SECTION_SWEEP || setting_applies(row, &settings))
                continue;
            setting_put(row, &changed, other_value(row, setting_get(row, &settings)));
            const uint64_t digest = digest_of(&changed);
            if (digest != 0 && digest != expected)
                fail_msg("%s is said not to apply under model %s (row %zu), but changes results", row->name,
                         bases[base][0][1], base);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_that_does_not_apply_changes_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
