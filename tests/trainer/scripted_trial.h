// SPDX-License-Identifier: MIT
// Trials that misbehave as told: this stands in for the layer trial in the tests of trainer. `settings.seed` chooses
// the script, train.steps the number of steps, each of `settings.replicate` milliseconds; trouble comes at step 3.
#pragma once
#include "trial.h"

enum script {
    SCRIPT_PLAIN,
    SCRIPT_ABORT,
    SCRIPT_SEGV,
    SCRIPT_OVERFLOW, // of the stack
    SCRIPT_FPE,
    SCRIPT_EXIT,    // exit code 3
    SCRIPT_WHINE,   // prints 100 kB and a last line, then aborts
    SCRIPT_HANG,    // for ever
    SCRIPT_GARBAGE, // on the report pipe
    SCRIPT_FOREIGN, // the record of other settings
    SCRIPT_FAIL,    // advance fails with a status
    SCRIPT_HUNGRY,  // allocates until it cannot
    SCRIPT_INVALID, // create refuses
    SCRIPT_HUGE,    // needs more memory than there is
    SCRIPT_LARGE,   // a record of some megabytes
    SCRIPT_INSPECT, // fails with a description of the process, see inspect
};
