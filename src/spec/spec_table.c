// SPDX-License-Identifier: MIT
#include "spec_private.h"
#include <float.h>
#include <math.h>

const char *const section_names[SECTIONS] = {"", "task", "model", "train", "evaluate"};

static const char *const task_names[TASK_KINDS + 1] = {"signal"};
static const char *const model_names[MODEL_KINDS + 1] = {"two_layer"};
static const char *const encoding_names[ENCODING_KINDS + 1] = {"none",     "sinusoidal", "absolute",
                                                               "relative", "alibi",      "rope"};
static const char *const optimizer_names[OPTIMIZER_KINDS + 1] = {"gd", "momentum"};
static const char *const position_names[] = {"random", "first", NULL};
static const char *const geometry_names[] = {"orthogonal", "antipodal", NULL};
static const char *const readout_names[] = {"fixed", "trained", NULL};
static const char *const activation_names[] = {"none", "relu", NULL};

static bool uses_momentum(const struct settings *settings)
{
    return settings->train.optimizer == OPTIMIZER_MOMENTUM;
}

static bool uses_relative(const struct settings *settings)
{
    return settings->model.encoding == ENCODING_RELATIVE;
}

static bool uses_alibi(const struct settings *settings)
{
    return settings->model.encoding == ENCODING_ALIBI;
}

static bool uses_rope(const struct settings *settings)
{
    return settings->model.encoding == ENCODING_ROPE;
}

static bool uses_sinusoidal(const struct settings *settings)
{
    return settings->model.encoding == ENCODING_SINUSOIDAL;
}

// Reals stay where single precision holds them, integers where a double is exact.
#define REAL_LIMIT 1e30
#define INT_LIMIT  9007199254740991.0

#define FIELD(part, member) .section = SECTION_##part, .offset = offsetof(struct settings, member)
#define INT(standard_value, from, to)                                                                                  \
    .type = SETTING_INT, .standard = {.i = (standard_value)}, .low = (from), .high = (to)
#define REAL(standard_value, from, to)                                                                                 \
    .type = SETTING_REAL, .standard = {.r = (standard_value)}, .low = (from), .high = (to)
#define CHOICE(standard_value, names)                                                                                  \
    .type = SETTING_CHOICE, .standard = {.choice = (standard_value)}, .choices = (names), .unit = "1"
#define BOOL(standard_value) .type = SETTING_BOOL, .standard = {.b = (standard_value)}, .unit = "1"

const struct setting settings_table[] = {
    {"seed", FIELD(SWEEP, seed), .type = SETTING_UINT, .standard = {.u = 1}, .high = 18446744073709551615.0,
     .unit = "1", .help = "key of every random draw of the sweep"},
    {"replicate", FIELD(SWEEP, replicate), INT(0, 0, INT_LIMIT), .unit = "1", .assigned = true,
     .help = "which of the repetitions of a setting; the same replicate of two settings sees the same draws"},
    {"data_seed", FIELD(SWEEP, data_seed), INT(-1, 0, INT_LIMIT), .unit = "1",
     .help = "key of data and labels in place of the replicate, to vary initial weights alone"},
    {"init_seed", FIELD(SWEEP, init_seed), INT(-1, 0, INT_LIMIT), .unit = "1",
     .help = "key of the initial weights in place of the replicate, to vary data alone"},

    {"task", FIELD(TASK, task.kind), CHOICE(TASK_SIGNAL, task_names), .help = "what is learned"},
    {"train_length", FIELD(TASK, task.train_length), INT(8, 1, 65536), .unit = "tokens",
     .help = "length n of the training sequences"},
    {"snr", FIELD(TASK, task.snr), REAL(64, 0, REAL_LIMIT), .open_low = true, .infinity = true, .unit = "1",
     .help = "squared norm of the signal over the noise variance per coordinate; .inf: no noise"},
    {"noise_rate", FIELD(TASK, task.noise_rate), REAL(0.1, 0, 1), .open_high = true, .unit = "1",
     .help = "probability that a training label is replaced by another"},
    {"samples", FIELD(TASK, task.samples), INT(80, 1, 1e7), .unit = "sequences", .help = "size N of the training set"},
    {"dim", FIELD(TASK, task.dim), INT(64, 3, 65536), .unit = "1",
     .help = "width d of an input vector; the two signals lie on coordinates 0 and 1"},
    {"signal_tokens", FIELD(TASK, task.signal_tokens), REAL(1, 0, 65536), .open_low = true, .unit = "1",
     .help = "tokens that carry the signal: a count from 1, or below 1 a share of the sequence (at least one token)"},
    {"signal_position", FIELD(TASK, task.signal_position), CHOICE(POSITION_RANDOM, position_names),
     .help = "where signal tokens stand: drawn for each sequence, or at its start"},
    {"signal_geometry", FIELD(TASK, task.signal_geometry), CHOICE(GEOMETRY_ORTHOGONAL, geometry_names),
     .help = "the signals of the two labels: orthogonal with equal norm, or each the negative of the other"},
    {"project_noise", FIELD(TASK, task.project_noise), BOOL(true),
     .help = "whether noise has no component in the plane of the signals"},
    {"signal_noise", FIELD(TASK, task.signal_noise), BOOL(false), .help = "whether signal tokens carry noise as well"},

    {"model", FIELD(MODEL, model.kind), CHOICE(MODEL_TWO_LAYER, model_names), .help = "what learns"},
    {"encoding", FIELD(MODEL, model.encoding), CHOICE(ENCODING_NONE, encoding_names), .help = "positional encoding"},
    {"head_dim", FIELD(MODEL, model.head_dim), INT(16, 1, 4096), .unit = "1", .help = "width of queries and keys"},
    {"value_dim", FIELD(MODEL, model.value_dim), INT(8, 1, 4096), .unit = "1", .help = "width of values"},
    {"readout", FIELD(MODEL, model.readout), CHOICE(READOUT_FIXED, readout_names),
     .help = "weights from values to the output: alternating +1 and -1 for good, or trained"},
    {"activation", FIELD(MODEL, model.activation), CHOICE(ACTIVATION_NONE, activation_names),
     .help = "function between values and read-out"},
    {"freeze_attention", FIELD(MODEL, model.freeze_attention), BOOL(false),
     .help = "whether queries and keys keep their initial weights: a control for what attention does"},
    {"init_scale", FIELD(MODEL, model.init_scale), REAL(0.01, 0, REAL_LIMIT), .unit = "1",
     .help = "standard deviation of the initial weights"},
    {"output_scale", FIELD(MODEL, model.output_scale), REAL(1, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .help = "factor on the output: large trains lazily, small learns features"},
    {"relative_clip", FIELD(MODEL, model.relative_clip), INT(16, 1, 65536), .unit = "tokens", .applies = uses_relative,
     .help = "relative: distances beyond it share one vector"},
    {"alibi_slope", FIELD(MODEL, model.alibi_slope), REAL(0.00390625, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = uses_alibi, .help = "alibi: what a score loses per token of distance"},
    {"rope_base", FIELD(MODEL, model.rope_base), REAL(10000, 1, REAL_LIMIT), .open_low = true, .unit = "1",
     .applies = uses_rope, .help = "rope: base of the geometric series of wavelengths"},
    {"sinusoidal_scale", FIELD(MODEL, model.sinusoidal_scale), REAL(1, 0, REAL_LIMIT), .unit = "1",
     .applies = uses_sinusoidal, .help = "sinusoidal: amplitude of what is added to the input"},

    {"optimizer", FIELD(TRAIN, train.optimizer), CHOICE(OPTIMIZER_GD, optimizer_names),
     .help = "full-batch gradient descent, plain or with momentum"},
    {"learning_rate", FIELD(TRAIN, train.learning_rate), REAL(0.05, 0, REAL_LIMIT), .open_low = true, .unit = "1",
     .help = "factor on the gradient in each step"},
    {"momentum", FIELD(TRAIN, train.momentum), REAL(0.9, 0, 1), .open_high = true, .unit = "1",
     .applies = uses_momentum, .help = "momentum: what a step keeps of the one before"},
    {"steps", FIELD(TRAIN, train.steps), INT(800, 0, 1e9), .unit = "steps", .help = "training steps"},

    {"points", FIELD(EVALUATE, evaluate.points), INT(64, 1, 100000), .unit = "1",
     .help = "evaluations along training, at log-spaced steps made distinct, the first and the last among them"},
    {"test_samples", FIELD(EVALUATE, evaluate.test_samples), INT(1000, 200, 1e7), .unit = "sequences",
     .help = "test sequences of each length at the end of training and at the loss-matched points"},
    {"curve_samples", FIELD(EVALUATE, evaluate.curve_samples), INT(200, 200, 1e7), .unit = "sequences",
     .help = "the first of the test sequences, evaluated all along training"},
    {"validation_samples", FIELD(EVALUATE, evaluate.validation_samples), INT(1000, 200, 1e7), .unit = "sequences",
     .help = "validation sequences of the training length, evaluated all along training"},
};

const size_t settings_count = sizeof settings_table / sizeof settings_table[0];
_Static_assert(sizeof settings_table / sizeof settings_table[0] <= SETTINGS_LIMIT, "raise SETTINGS_LIMIT");
