// SPDX-License-Identifier: MIT
// The names in a store, in one place for writer and reader.
#pragma once

#define STORE_SCHEMA_NAME "lgsweep"
enum { STORE_SCHEMA_VERSION = 1 };

// Root
#define ATTRIBUTE_SCHEMA   "schema" // "lgsweep/1"
#define ATTRIBUTE_NUMERICS "numerics"
#define ATTRIBUTE_AXES     "axes" // names of the cube's dimensions up to test_length
#define ATTRIBUTE_CUBE     "cube" // 1 when the root has variables
#define NAME_REPLICATE     "replicate"
#define NAME_TEST_LENGTH   "test_length"
#define NAME_LENGTH_RATIO  "length_ratio"
#define CODE_SUFFIX        "_code" // integer beside a choice's name

// Group trials; layouts are in a group within.
#define GROUP_TRIALS         "trials"
#define NAME_TRIAL           "trial"
#define NAME_IDENTITY        "identity"
#define NAME_NUMERICS        "numerics"
#define NAME_STATUS          "status"
#define NAME_TWIN            "twin"
#define NAME_ATTEMPTS        "attempts"
#define NAME_FAILURE_REASON  "failure_reason"
#define NAME_FAILURE_EXIT    "failure_exit_status"
#define NAME_FAILURE_SIGNAL  "failure_signal"
#define NAME_FAILURE_STEP    "failure_step"
#define ATTRIBUTE_DERIVED    "derived" // names of the variables computed across trials
#define GROUP_LAYOUTS        "layouts"
#define NAME_LAYOUT          "layout"
#define NAME_LAYOUT_TEXT     "text"
#define NAME_LAYOUT_TRAINING "training"
#define NAME_LAYOUT_TEST     "test"

// Group run
#define GROUP_RUN             "run"
#define ATTRIBUTE_NAME        "name"
#define ATTRIBUTE_SWEEP       "sweep"
#define ATTRIBUTE_PUBLISHED   "published"
#define ATTRIBUTE_PLANNED     "planned_trials"
#define ATTRIBUTE_JOURNAL_ID  "journal_id"
#define ATTRIBUTE_JOURNAL_END "journal_end"
#define NAME_HOST             "host"
#define NAME_VERSION          "version"
#define NAME_FINISHED         "finished"
