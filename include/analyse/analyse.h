// SPDX-License-Identifier: MIT
// Events, phases and verdicts, as defined in docs/science.md.
#pragma once
#include "record.h"
#include "record_table.h"

// Adds t_best, t_stable, the phases and their columns, `interpolated` and final columns to a trial whose curves, t_fit
// and flip count are in. Called once, by trial_record.
//   t_best: the first evaluation with the least validation error.
//   t_stable: the first evaluation from which on validation errors differ by at most .01, where it is not the last and
//     log t_stable <= 2/3 log t of the last: at least the last third of log t.
//   Phase 1 is [0, t_fit], 2 [t_fit, t_stable], 3 [t_stable, the last step]. Where t_stable comes before t_fit, phase 2
//   is empty: it and phase 1 end at t_fit. Bounds are NaN where the event is missing, and without t_fit those of phases
//   2 and 3 are; a column at a phase's end holds the first evaluation at or after it. interpolated: 1 when the training
//   error on the given labels is zero at the last evaluation and there are flips.
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

enum length_effect {
    LENGTH_EFFECT_UNDECIDED,
    LENGTH_EFFECT_GROWS,
    LENGTH_EFFECT_FALLS,
    LENGTH_EFFECT_NO_DIFFERENCE,
    LENGTH_EFFECTS
};
extern const char *const length_effect_names[LENGTH_EFFECTS + 1];

// What an interval speaks about: the setting (the unit is the replicate) or one trained model (the unit is the test
// sequence: all that a single replicate allows).
enum verdict_unit { UNIT_REPLICATES, UNIT_THIS_MODEL_ONLY, VERDICT_UNITS };
extern const char *const verdict_unit_names[VERDICT_UNITS + 1];

// A record_derive. For each (setting, T), with E = (err - b) / (c - b), b Bayes and c chance error (b unknown: 0):
//   verdict, verdict_unit, replicates_counted, excess_error (E) with _low and _high, mean_test_error with _low and
//   _high, median_test_error, share_interpolated, twin_difference (err less the η = 0 twin's) with _low and _high,
//   length_difference (err at T less err at T = n) with _low and _high, length_effect.
// Intervals are 95 %: Student's t over replicates, paired for differences; for a single replicate Wilson's score
// interval over test sequences, and Newcombe's hybrid of two of them for a difference. Where replicates agree exactly,
// so that t has no width, the interval reaches as far as that of their test sequences pooled. Intervals of an error are
// cut to [0, 1], and those of E to what follows from it.
//
// Counted are replicates that finished, at η > 0 with at least one flip. With τ = .05 a verdict is, in this order:
//   diverged        every replicate has diverged, or every one with a flip
//   not applicable  η = 0, or no replicate has a flip
//   undecided       some replicates have diverged, replicates disagree on interpolation, or the interval of E holds τ
//   benign          interpolated, E below τ
//   harmful         interpolated, E above τ, and the twin difference above τ (c - b) / 2
//   unlearned       interpolated, E above τ, not harmful, and the twin's E at T = n above τ
//   length failure  interpolated, E above τ, the twin's E at T = n below τ, twin difference below τ (c - b) / 2
//   undecided       interpolated, E above τ, none of these (no twin, no test at T = n, an interval that straddles)
//   resistant       not interpolated, E below τ
//   underfit        not interpolated, E above τ
// "Below" and "above" are said of whole intervals. length_effect is no_difference when its interval lies within
// ±τ (c - b) / 2, else grows or falls when it lies on one side of 0, else undecided; absent at T = n.
record_derive analyse_verdicts;

// The variables of analyse_verdicts by index, without data; false after the last.
bool analyse_variable(size_t index, struct record_derived *ret_variable);

// Quantile of Student's t with `freedom` degrees: |error| < 1e-8 for p in [0.5, 0.9999]. NaN for freedom < 1 and p
// outside [0, 1].
double analyse_t_quantile(double p, double freedom);

// An estimate and its 95 % interval; all NaN where there is none.
struct analyse_interval {
    double value, low, high;
};
// Mean of `count` replicates' values; `quantile` is that of Student's t with count - 1 degrees at 0.975. One value has
// no interval (low and high are NaN).
struct analyse_interval analyse_mean(const double *values, size_t count, double quantile);
// Share of `count` sequences, count > 0: Wilson's score interval.
struct analyse_interval analyse_share(double share, double count);
// Difference a - b of two independent shares: Newcombe's hybrid score interval.
struct analyse_interval analyse_share_difference(struct analyse_interval a, struct analyse_interval b);
