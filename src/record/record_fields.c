// SPDX-License-Identifier: MIT
#include "record_fields.h"
#include <string.h>

const float record_loss_levels[RECORD_LOSS_LEVELS] = {0.5F, 0.3F, 0.1F, 0.03F, 0.01F};
const char *const record_phase_names[RECORD_PHASES] = {"rapid_fitting", "refinement", "stabilisation"};

#define TRAINING(the_id, the_name, the_type)                                                                           \
    .id = (the_id), .name = (the_name), .part = RECORD_TRAINING, .type = (the_type), .role = ROLE_SCIENCE
#define TEST(the_id, the_name, the_type)                                                                               \
    .id = (the_id), .name = (the_name), .part = RECORD_TEST, .type = (the_type), .role = ROLE_SCIENCE
#define TIMING(the_id, the_name)                                                                                       \
    .id = (the_id), .name = (the_name), .part = RECORD_TRAINING, .type = RECORD_F64, .role = ROLE_RUN
#define BY_EVAL       .dimension = {"eval"}
#define BY_LOSS_LEVEL .dimension = {"loss_level"}
#define BY_PHASE      .dimension = {"phase"}

const struct record_field record_fields[] = {
    {TRAINING(FIELD_STEP, "step", RECORD_I64), BY_EVAL, .unit = "steps", .long_name = "training step",
     .help = "Training steps done when the evaluation was made."},
    {TRAINING(FIELD_TRAIN_LOSS, "train_loss", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "training loss",
     .help =
         "Mean loss of the training set on its given labels, flips included: log(1 + exp(-y f)), or cross entropy over "
         "classes; in a stream that of the step's batch."},
    {TRAINING(FIELD_TRAIN_ERROR, "train_error", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "training error",
     .help = "Share of the training targets predicted otherwise than given, flips included; in a stream of the step's "
             "batch; "
             "a prediction is the sign of f, never right at 0, or the class of the largest logit."},
    {TRAINING(FIELD_TRAIN_ERROR_CLEAN, "train_error_clean", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "training error on clean labels",
     .help = "Share of the training targets predicted otherwise than they were before noise."},
    {TRAINING(FIELD_TRAIN_ERROR_UNFLIPPED, "train_error_unflipped", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "training error without flipped samples",
     .help = "Share predicted wrong of the training targets whose label was not flipped; NaN when all were."},
    {TRAINING(FIELD_FLIPS_FITTED, "flips_fitted", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "fraction of flipped labels fitted",
     .help = "Share predicted as given of the training targets whose label was flipped; NaN when none was."},
    {TRAINING(FIELD_VALIDATION_LOSS, "validation_loss", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "validation loss",
     .help =
         "Mean loss over the targets of the validation sequences, which have the training length and clean labels."},
    {TRAINING(FIELD_VALIDATION_ERROR, "validation_error", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "validation error",
     .help = "Share of targets predicted wrong in the validation sequences, which have the training length and clean "
             "labels."},
    {TRAINING(FIELD_SIGNAL_ATTENTION, "signal_attention", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "attention on relevant positions",
     .help = "Attention mass on the relevant positions (of task signal its signal tokens), averaged over validation "
             "sequences, layers, heads and queries, which are all or those whose target has relevant positions of its "
             "own; NaN when the task names none, and without attention."},
    {TRAINING(FIELD_VALUE_NORM_SIGNAL, "value_norm_signal", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "norm of the values of signal tokens",
     .help = "Euclidean norm of the value vectors at relevant positions, averaged over these and over validation "
             "sequences; NaN when targets have relevant positions of their own."},
    {TRAINING(FIELD_VALUE_NORM_NOISE, "value_norm_noise", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "norm of the values of noise tokens",
     .help = "Euclidean norm of the value vectors at all other positions, averaged over these and over validation "
             "sequences; NaN when there are none, and when targets have relevant positions of their own."},
    {TRAINING(FIELD_GRADIENT_NORM, "gradient_norm", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "gradient norm",
     .help =
         "Euclidean norm of the gradient of the step's loss in all trained weights, before clipping: of the training "
         "set in full batches, else of the step's batch."},
    {TRAINING(FIELD_WEIGHT_NORM, "weight_norm", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "weight norm",
     .help = "Euclidean norm of all trained weights."},
    {TRAINING(FIELD_TOKENS_SEEN, "tokens_seen", RECORD_F64), BY_EVAL, .unit = "tokens",
     .long_name = "training tokens seen",
     .help = "Tokens that the steps done so far have read, those around a sequence included."},
    {TRAINING(FIELD_FLOPS, "flops", RECORD_F64), BY_EVAL, .unit = "1", .long_name = "floating-point operations",
     .help = "Floating-point operations of the steps done so far, by the model's formula and not as measured; looks of "
             "a curriculum and evaluations are not counted."},
    {TRAINING(FIELD_LEARNING_RATE_SUM, "learning_rate_sum", RECORD_F64), BY_EVAL, .unit = "1",
     .long_name = "sum of learning rates", .help = "Sum of the learning rate over the steps done so far."},
    {TRAINING(FIELD_VALIDATION_SEQUENCE_ERROR, "validation_sequence_error", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "validation error of sequences",
     .help = "Share of the validation sequences with any target predicted wrong."},
    {TRAINING(FIELD_CURRICULUM_LENGTH, "curriculum_length", RECORD_F32), BY_EVAL, .unit = "tokens",
     .long_name = "length that the curriculum has reached",
     .help = "Longest training sequences of the step, in the units of train_length; NaN without a curriculum."},

    {TRAINING(FIELD_EVALUATIONS, "evaluations", RECORD_I64), .unit = "1", .long_name = "number of evaluations",
     .help = "Evaluations made; past a divergence the entries of curves are NaN."},
    {TRAINING(FIELD_FLIP_COUNT, "flip_count", RECORD_I64), .unit = "1", .long_name = "number of flipped labels",
     .help = "Training targets whose label was flipped; 0 for a stream, which has none to memorise."},
    {TRAINING(FIELD_PARAMETERS, "parameters", RECORD_I64), .unit = "1", .long_name = "number of trained weights",
     .help = "Weights that training may change, frozen ones left out."},
    {TRAINING(FIELD_T_FIT, "t_fit", RECORD_F64), .unit = "steps", .long_name = "step of fitting",
     .help =
         "First step at which at most 1 % of the training targets whose label was not flipped are predicted wrong; NaN "
         "when there is none; events are seen at every step in full batches without dropout or other draws in "
         "training, else at evaluated steps."},
    {TRAINING(FIELD_T_HALF, "t_half", RECORD_F64), .unit = "steps", .long_name = "step of half memorisation",
     .help =
         "First step from t_fit on at which at least half of the flipped labels are fitted; NaN when there is none."},
    {TRAINING(FIELD_T_MEM, "t_mem", RECORD_F64), .unit = "steps", .long_name = "step of memorisation",
     .help = "First step from t_fit on at which all flipped labels are fitted; NaN when there is none."},
    {TRAINING(FIELD_T_BEST, "t_best", RECORD_F64), .unit = "steps", .long_name = "step of the best validation error",
     .help = "First evaluated step at which validation_error has its minimum."},
    {TRAINING(FIELD_T_STABLE, "t_stable", RECORD_F64), .unit = "steps", .long_name = "step of stabilisation",
     .help = "First evaluated step from which validation_error stays within a range of 0.01 to the end, over at least "
             "the last third of the logarithm of the steps; NaN when there is none."},
    {TRAINING(FIELD_DIVERGED_STEP, "diverged_step", RECORD_F64), .unit = "steps", .long_name = "step of divergence",
     .help = "First step whose loss is not finite; NaN when there is none."},
    {TRAINING(FIELD_FINAL_TRAIN_LOSS, "final_train_loss", RECORD_F32), .unit = "1", .long_name = "final training loss",
     .help = "train_loss after the last step; NaN when training diverged."},
    {TRAINING(FIELD_FINAL_TRAIN_ERROR, "final_train_error", RECORD_F32), .unit = "1",
     .long_name = "final training error", .help = "train_error after the last step; NaN when training diverged."},
    {TRAINING(FIELD_INTERPOLATED, "interpolated", RECORD_U8), .unit = "1", .long_name = "interpolated",
     .help = "1 when final_train_error is zero with at least one flipped label, else 0."},
    {TRAINING(FIELD_SNR_NORM, "snr_norm", RECORD_F64), .unit = "1", .long_name = "norm-based signal-to-noise ratio",
     .help = "Norm of the signal over the root mean square norm of the noise, sqrt(snr / dim), of tokens sqrt(snr / "
             "width); "
             "infinite where snr is, NaN for tokens whose embeddings are trained."},

    {TRAINING(FIELD_LOSS_LEVEL, "loss_level", RECORD_F32), BY_LOSS_LEVEL, .unit = "1", .long_name = "loss level",
     .help = "Training losses at which trials are compared."},
    {TRAINING(FIELD_LOSS_LEVEL_STEP, "loss_level_step", RECORD_F64), BY_LOSS_LEVEL, .unit = "steps",
     .long_name = "step of the loss level",
     .help = "First step, of those at which events are seen, at which the training loss is at or below loss_level; NaN "
             "when "
             "there is none."},

    {TRAINING(FIELD_PHASE_START, "phase_start", RECORD_F64), BY_PHASE, .unit = "steps",
     .long_name = "start of the phase",
     .help = "Step at which the phase starts: 0, t_fit, t_stable (t_fit where that is later); NaN when the phase is "
             "not reached."},
    {TRAINING(FIELD_PHASE_END, "phase_end", RECORD_F64), BY_PHASE, .unit = "steps", .long_name = "end of the phase",
     .help = "Step at which the next phase starts, or the last step of training; NaN when the phase does not end."},
    {TRAINING(FIELD_PHASE_TRAIN_LOSS, "phase_train_loss", RECORD_F32), BY_PHASE, .unit = "1",
     .long_name = "training loss at the end of the phase",
     .help = "train_loss at the first evaluation from phase_end on; NaN when the phase does not end."},
    {TRAINING(FIELD_PHASE_VALIDATION_ERROR, "phase_validation_error", RECORD_F32), BY_PHASE, .unit = "1",
     .long_name = "validation error at the end of the phase",
     .help = "validation_error at the first evaluation from phase_end on; NaN when the phase does not end."},

    {TEST(FIELD_TEST_LOSS, "test_loss", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "test loss",
     .help = "Mean loss over the first curve_test_count test sequences of the length, which have clean labels."},
    {TEST(FIELD_TEST_ERROR, "test_error", RECORD_F32), BY_EVAL, .unit = "1", .long_name = "test error",
     .help = "Share of targets predicted wrong in the first curve_test_count test sequences of the length, which have "
             "clean labels."},
    {TEST(FIELD_TEST_SIGNAL_ATTENTION, "test_signal_attention", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "attention on relevant positions at test",
     .help = "Attention mass on the relevant positions, averaged as signal_attention is, over the first "
             "curve_test_count test sequences of the length."},
    {TEST(FIELD_TEST_SEQUENCE_ERROR, "test_sequence_error", RECORD_F32), BY_EVAL, .unit = "1",
     .long_name = "test error of sequences",
     .help = "Share with any target predicted wrong of the first curve_test_count test sequences of the length."},

    {TEST(FIELD_FINAL_TEST_ERROR, "final_test_error", RECORD_F32), .unit = "1", .long_name = "final test error",
     .help = "Share of targets predicted wrong in final_test_count test sequences of the length after the last step."},
    {TEST(FIELD_FINAL_TEST_LOSS, "final_test_loss", RECORD_F32), .unit = "1", .long_name = "final test loss",
     .help = "Mean loss over final_test_count test sequences of the length after the last step."},
    {TEST(FIELD_FINAL_TEST_COUNT, "final_test_count", RECORD_I64), .unit = "sequences",
     .long_name = "test sequences at the end",
     .help = "Test sequences behind final_test_error, final_test_loss and loss_level_test_error."},
    {TEST(FIELD_CURVE_TEST_COUNT, "curve_test_count", RECORD_I64), .unit = "sequences",
     .long_name = "test sequences along training",
     .help = "Test sequences behind each entry of test_error, test_loss and test_signal_attention."},
    {TEST(FIELD_CHANCE_ERROR, "chance_error", RECORD_F64), .unit = "1", .long_name = "chance error",
     .help = "Error of the best guess that does not see the sequence."},
    {TEST(FIELD_BAYES_ERROR, "bayes_error", RECORD_F64), .unit = "1", .long_name = "Bayes error",
     .help = "Error of the best predictor there can be; NaN when it is not known."},
    {TEST(FIELD_FINAL_TEST_SEQUENCE_ERROR, "final_test_sequence_error", RECORD_F32), .unit = "1",
     .long_name = "final test error of sequences",
     .help = "Share with any target predicted wrong of final_test_count test sequences of the length after the last "
             "step."},

    {TEST(FIELD_LOSS_LEVEL_TEST_ERROR, "loss_level_test_error", RECORD_F32), BY_LOSS_LEVEL, .unit = "1",
     .long_name = "test error at the loss level",
     .help =
         "Share of targets predicted wrong in final_test_count test sequences of the length at loss_level_step; NaN "
         "when the level is not reached."},

    {TEST(FIELD_PHASE_TEST_ERROR, "phase_test_error", RECORD_F32), BY_PHASE, .unit = "1",
     .long_name = "test error at the end of the phase",
     .help = "test_error at the first evaluation from phase_end on; NaN when the phase does not end."},

    {TIMING(FIELD_TRAIN_SECONDS, "train_seconds"), .unit = "s", .long_name = "time of training",
     .help = "Wall time spent in training steps, over all restarts."},
    {TIMING(FIELD_EVALUATE_SECONDS, "evaluate_seconds"), .unit = "s", .long_name = "time of evaluation",
     .help = "Wall time spent in evaluations, over all restarts."},
};

const size_t record_fields_count = sizeof record_fields / sizeof record_fields[0];

const struct record_field *record_field_by_id(unsigned id)
{
    for (size_t i = 0; i < record_fields_count; i++)
        if ((unsigned)record_fields[i].id == id)
            return &record_fields[i];
    return NULL;
}

const struct record_field *record_field_by_name(const char *name)
{
    for (size_t i = 0; i < record_fields_count; i++)
        if (strcmp(record_fields[i].name, name) == 0)
            return &record_fields[i];
    return NULL;
}

size_t record_field_dimensions(const struct record_field *field)
{
    size_t count = 0;
    while (count < sizeof field->dimension / sizeof field->dimension[0] && field->dimension[count])
        count++;
    return count;
}

const char *record_type_name(enum record_type type)
{
    static const char *const names[] = {"f32", "f64", "i32", "i64", "u8"};
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "?";
}

size_t record_type_size(enum record_type type)
{
    static const unsigned char sizes[] = {4, 8, 4, 8, 1};
    return (size_t)type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}
