// SPDX-License-Identifier: MIT
// Events, phases and verdicts, as defined in docs/science.md.
#pragma once
#include "record.h"
#include "record_table.h"

// Adds t_best, t_stable, the phases and their columns, `interpolated` and final columns to a trial whose curves are in.
// Called once, by trial_record.
enum status_code analyse_phases(struct record *record, struct status *status) MUST_CHECK;

enum verdict {
    VERDICT_UNDECIDED,
    VERDICT_BENIGN,
    VERDICT_HARMFUL,
    VERDICT_LENGTH_FAILURE,
    VERDICT_UNLEARNED,
    VERDICT_RESISTANT,
    VERDICT_UNDERFIT,
    VERDICT_DIVERGED,
    VERDICT_NOT_APPLICABLE,
    VERDICTS
};
extern const char *const verdict_names[VERDICTS + 1]; // NULL-terminated; index is the stored code

// A record_derive: `verdict`, the excess error E with its 95 % interval, and the difference to the η = 0 twin with its
// own, for each (setting, T).
record_derive analyse_verdicts;

// Quantile of Student's t with `freedom` degrees: |error| < 1e-8 for p in [0.5, 0.9999]. NaN for freedom < 1.
double analyse_t_quantile(double p, double freedom);
