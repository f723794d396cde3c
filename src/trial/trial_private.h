// SPDX-License-Identifier: MIT
#pragma once
#include "base_arena.h"
#include "train_run.h"
#include "trial.h"

struct trial {
    struct arena *arena; // owns the run and the lengths
    struct settings settings;
    int64_t *lengths;
    size_t lengths_count;
    struct train_run *run;
    bool evaluated; // the last advance ended at an evaluation
};
