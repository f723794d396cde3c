// SPDX-License-Identifier: MIT
// The table of everything that a trial reports. A row drives the encoding, the store's variable and its attributes,
// `show`, `diff` and the reference in docs/.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_part_kind { RECORD_TRAINING, RECORD_TEST };
enum record_type { RECORD_F32, RECORD_F64, RECORD_I32, RECORD_I64, RECORD_U8 };

// What a field is for, beyond the science: timings live in the store's group `run`, and diff leaves them out.
enum record_role { ROLE_SCIENCE, ROLE_RUN };

// Ids are stored: append only. Shapes are given as (dimension, …).
enum record_field_id {
    // Training, (eval)
    FIELD_STEP = 1,
    FIELD_TRAIN_LOSS,
    FIELD_TRAIN_ERROR,
    FIELD_TRAIN_ERROR_CLEAN,
    FIELD_TRAIN_ERROR_UNFLIPPED,
    FIELD_FLIPS_FITTED,
    FIELD_VALIDATION_LOSS,
    FIELD_VALIDATION_ERROR,
    FIELD_SIGNAL_ATTENTION,
    FIELD_VALUE_NORM_SIGNAL,
    FIELD_VALUE_NORM_NOISE,
    FIELD_GRADIENT_NORM,
    FIELD_WEIGHT_NORM,
    FIELD_TOKENS_SEEN,
    FIELD_FLOPS,
    FIELD_LEARNING_RATE_SUM,
    FIELD_VALIDATION_SEQUENCE_ERROR,
    FIELD_CURRICULUM_LENGTH,
    // Training, scalars
    FIELD_EVALUATIONS = 32,
    FIELD_FLIP_COUNT,
    FIELD_PARAMETERS,
    FIELD_T_FIT,
    FIELD_T_HALF,
    FIELD_T_MEM,
    FIELD_T_BEST,
    FIELD_T_STABLE,
    FIELD_DIVERGED_STEP,
    FIELD_FINAL_TRAIN_LOSS,
    FIELD_FINAL_TRAIN_ERROR,
    FIELD_INTERPOLATED,
    FIELD_SNR_NORM,
    // Training, (loss_level)
    FIELD_LOSS_LEVEL = 48,
    FIELD_LOSS_LEVEL_STEP,
    // Training, (phase)
    FIELD_PHASE_START = 56,
    FIELD_PHASE_END,
    FIELD_PHASE_TRAIN_LOSS,
    FIELD_PHASE_VALIDATION_ERROR,
    // Test, (eval)
    FIELD_TEST_LOSS = 64,
    FIELD_TEST_ERROR,
    FIELD_TEST_SIGNAL_ATTENTION,
    FIELD_TEST_SEQUENCE_ERROR,
    // Test, scalars
    FIELD_FINAL_TEST_ERROR = 80,
    FIELD_FINAL_TEST_LOSS,
    FIELD_FINAL_TEST_COUNT,
    FIELD_CURVE_TEST_COUNT,
    FIELD_CHANCE_ERROR,
    FIELD_BAYES_ERROR,
    FIELD_FINAL_TEST_SEQUENCE_ERROR,
    // Test, (loss_level)
    FIELD_LOSS_LEVEL_TEST_ERROR = 96,
    // Test, (phase)
    FIELD_PHASE_TEST_ERROR = 104,
    // Timings, scalars
    FIELD_TRAIN_SECONDS = 128,
    FIELD_EVALUATE_SECONDS,
};

struct record_field {
    enum record_field_id id;
    const char *name; // the store's variable
    enum record_part_kind part;
    enum record_type type;
    enum record_role role;
    const char *dimension[4]; // NULL-terminated names: "eval", "phase", "layer", "head", "loss_level", …
    const char *unit;         // "1", "steps", …
    const char *long_name;
    const char *help; // the definition, in a sentence
};

// In the order of the ids.
extern const struct record_field record_fields[];
extern const size_t record_fields_count;
const struct record_field *record_field_by_id(unsigned id); // NULL when unknown
const struct record_field *record_field_by_name(const char *name);
size_t record_field_dimensions(const struct record_field *field); // 0 for a scalar
size_t record_type_size(enum record_type type);                   // bytes an element; 0 when unknown
const char *record_type_name(enum record_type type);              // "f32", …; "?" when unknown

// Values along the dimension loss_level: the training losses at which trials are compared, descending.
enum { RECORD_LOSS_LEVELS = 5 };
extern const float record_loss_levels[RECORD_LOSS_LEVELS];
// Extent of the dimension phase: rapid fitting, refinement, stabilisation.
enum { RECORD_PHASES = 3 };
extern const char *const record_phase_names[RECORD_PHASES];
