// SPDX-License-Identifier: MIT
// One (setting, test length) across its replicates.
#pragma once
#include "analyse.h"

struct verdict_columns {
    const struct record_table *table;
    const double *error, *count, *chance, *bayes; // (trials, lengths)
    const double *interpolated, *flips;           // (trials)
    const double *quantile;                       // of Student's t at 0.975, by degrees of freedom
    double *values;                               // scratch, as many as the largest group has replicates
    size_t *counted;                              // and its counted trials
};

// Derived values; flags are stored as indices. NaN: absent.
struct cell_result {
    double verdict, unit, replicates;
    struct analyse_interval excess, mean, twin, length;
    double median, interpolated, length_effect;
};

// The trials of one group at length index `at`.
void cell_analyse(const struct verdict_columns *columns, const size_t *trials, size_t trials_count, size_t at,
                  struct cell_result *ret_result);
