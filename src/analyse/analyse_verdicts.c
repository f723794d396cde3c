// SPDX-License-Identifier: MIT
// Before this: store, which has all finished trials as columns. After it: the derived variables that store writes.
#include "analyse_cell.h"
#include <math.h>
#include <stdlib.h>

const char *const verdict_names[VERDICTS + 1] = {
    [VERDICT_UNDECIDED] = "undecided",
    [VERDICT_BENIGN] = "benign",
    [VERDICT_HARMFUL] = "harmful",
    [VERDICT_LENGTH_FAILURE] = "length_failure",
    [VERDICT_UNLEARNED] = "unlearned",
    [VERDICT_RESISTANT] = "resistant",
    [VERDICT_UNDERFIT] = "underfit",
    [VERDICT_DIVERGED] = "diverged",
    [VERDICT_NOT_APPLICABLE] = "not_applicable",
};

const char *const length_effect_names[LENGTH_EFFECTS + 1] = {
    [LENGTH_EFFECT_UNDECIDED] = "undecided",
    [LENGTH_EFFECT_GROWS] = "grows",
    [LENGTH_EFFECT_FALLS] = "falls",
    [LENGTH_EFFECT_NO_DIFFERENCE] = "no_difference",
};

const char *const verdict_unit_names[VERDICT_UNITS + 1] = {
    [UNIT_REPLICATES] = "replicates",
    [UNIT_THIS_MODEL_ONLY] = "this_model_only",
};

#define AT(member) offsetof(struct cell_result, member)

static const struct derived_row {
    const char *name, *long_name, *unit, *help;
    const char *const *flags;
    size_t offset;
} rows[] = {
    {"verdict", "verdict", "1", "what training on flipped labels did to the test error at this length", verdict_names,
     AT(verdict)},
    {"verdict_unit", "unit of the intervals", "1",
     "what intervals speak about: the setting, or the one model that was trained", verdict_unit_names, AT(unit)},
    {"replicates_counted", "replicates counted", "1",
     "finished replicates, at noise_rate > 0 those with at least one flip where any has one", NULL, AT(replicates)},
    {"mean_test_error", "mean test error", "1", "final test error, mean over the replicates counted", NULL,
     AT(mean.value)},
    {"mean_test_error_low", "mean test error, lower bound", "1", "95 % interval of mean_test_error", NULL,
     AT(mean.low)},
    {"mean_test_error_high", "mean test error, upper bound", "1", "95 % interval of mean_test_error", NULL,
     AT(mean.high)},
    {"median_test_error", "median test error", "1", "final test error, median over the replicates counted", NULL,
     AT(median)},
    {"excess_error", "excess error E", "1",
     "(error - Bayes error) / (chance error - Bayes error), mean over replicates", NULL, AT(excess.value)},
    {"excess_error_low", "excess error, lower bound", "1", "95 % interval of excess_error", NULL, AT(excess.low)},
    {"excess_error_high", "excess error, upper bound", "1", "95 % interval of excess_error", NULL, AT(excess.high)},
    {"twin_difference", "error due to flipped labels", "1",
     "final test error less that of the same replicate trained without flips, mean over replicates", NULL,
     AT(twin.value)},
    {"twin_difference_low", "error due to flipped labels, lower bound", "1", "95 % interval of twin_difference", NULL,
     AT(twin.low)},
    {"twin_difference_high", "error due to flipped labels, upper bound", "1", "95 % interval of twin_difference", NULL,
     AT(twin.high)},
    {"share_interpolated", "share of interpolating replicates", "1",
     "replicates counted whose training error on the given labels ends at zero", NULL, AT(interpolated)},
    {"length_difference", "error due to length", "1",
     "final test error less that of the same trial at the training length, mean over replicates", NULL,
     AT(length.value)},
    {"length_difference_low", "error due to length, lower bound", "1", "95 % interval of length_difference", NULL,
     AT(length.low)},
    {"length_difference_high", "error due to length, upper bound", "1", "95 % interval of length_difference", NULL,
     AT(length.high)},
    {"length_effect", "effect of length", "1",
     "whether the error at this length differs from that at the training length", length_effect_names,
     AT(length_effect)},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

bool analyse_variable(size_t index, struct record_derived *ret_variable)
{
    if (index >= ROWS)
        return false;
    const struct derived_row *row = &rows[index];
    *ret_variable = (struct record_derived){row->name, row->long_name, row->unit, row->help, row->flags, NULL};
    return true;
}

struct grouped {
    size_t group, trial;
};

static int compare(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->trial < y->trial ? -1 : 1;
}

// ret trials in order of group; *ret_start (groups + 1 entries, the last is the number of trials) where each begins.
static enum status_code group_trials(const struct record_table *table, struct arena *arena, size_t **ret_trials,
                                     size_t **ret_start, size_t *ret_groups, struct status *status)
{
    struct grouped *order = arena_get(arena, table->trials + 1, sizeof *order);
    size_t *trials = arena_get(arena, table->trials + 1, sizeof *trials);
    size_t *start = arena_get(arena, table->trials + 1, sizeof *start);
    if (!order || !trials || !start)
        return status_set(status, STATUS_MEMORY, "out of memory for the verdicts of %zu trials", table->trials);
    for (size_t i = 0; i < table->trials; i++)
        order[i] = (struct grouped){table->group[i], i};
    qsort(order, table->trials, sizeof *order, compare);
    size_t groups = 0;
    for (size_t i = 0; i < table->trials; i++) {
        trials[i] = order[i].trial;
        if (i == 0 || order[i].group != order[i - 1].group)
            start[groups++] = i;
    }
    start[groups] = table->trials;
    *ret_trials = trials;
    *ret_start = start;
    *ret_groups = groups;
    return STATUS_OK;
}

static enum status_code prepare(const struct record_table *table, size_t largest, struct arena *arena,
                                struct verdict_columns *ret_columns, struct status *status)
{
    double *quantile = arena_get(arena, largest + 1, sizeof *quantile);
    struct verdict_columns columns = {.table = table,
                                      .error = table->test(table->self, FIELD_FINAL_TEST_ERROR),
                                      .count = table->test(table->self, FIELD_FINAL_TEST_COUNT),
                                      .chance = table->test(table->self, FIELD_CHANCE_ERROR),
                                      .bayes = table->test(table->self, FIELD_BAYES_ERROR),
                                      .interpolated = table->training(table->self, FIELD_INTERPOLATED),
                                      .flips = table->training(table->self, FIELD_FLIP_COUNT),
                                      .quantile = quantile,
                                      .values = arena_get(arena, largest + 1, sizeof *columns.values),
                                      .counted = arena_get(arena, largest + 1, sizeof *columns.counted)};
    if (!quantile || !columns.values || !columns.counted)
        return status_set(status, STATUS_MEMORY, "out of memory for the verdicts of %zu replicates", largest);
    if (!columns.error || !columns.count || !columns.chance || !columns.bayes || !columns.interpolated ||
        !columns.flips)
        return status_set(status, STATUS_INTERNAL, "a column that verdicts need is not among the record fields");
    for (size_t freedom = 1; freedom < largest; freedom++)
        quantile[freedom] = analyse_t_quantile(0.975, (double)freedom);
    *ret_columns = columns;
    return STATUS_OK;
}

static enum status_code create_rows(const struct record_table *table, struct arena *arena, double *ret_data[ROWS],
                                    struct record_derived **ret_derived, struct status *status)
{
    struct record_derived *derived = arena_get(arena, ROWS, sizeof *derived);
    if (!derived)
        return status_set(status, STATUS_MEMORY, "out of memory for the verdicts of %zu trials", table->trials);
    for (size_t r = 0; r < ROWS; r++) {
        ret_data[r] = arena_get(arena, table->trials * table->lengths_count + 1, sizeof *ret_data[r]);
        if (!ret_data[r])
            return status_set(status, STATUS_MEMORY, "out of memory for the verdicts of %zu trials", table->trials);
        derived[r] = (struct record_derived){rows[r].name, rows[r].long_name, rows[r].unit,
                                             rows[r].help, rows[r].flags,     ret_data[r]};
    }
    *ret_derived = derived;
    return STATUS_OK;
}

enum status_code analyse_verdicts(const struct record_table *table, struct arena *arena,
                                  const struct record_derived **ret_derived, size_t *ret_count, struct status *status)
{
    size_t *trials = NULL, *start = NULL, groups = 0, largest = 0;
    struct verdict_columns columns;
    struct record_derived *derived = NULL;
    double *data[ROWS];
    enum status_code code = group_trials(table, arena, &trials, &start, &groups, status);
    if (code == STATUS_OK)
        code = create_rows(table, arena, data, &derived, status);
    for (size_t g = 0; code == STATUS_OK && g < groups; g++)
        largest = start[g + 1] - start[g] > largest ? start[g + 1] - start[g] : largest;
    if (code == STATUS_OK)
        code = prepare(table, largest, arena, &columns, status);
    if (code != STATUS_OK)
        return code;
    for (size_t g = 0; g < groups; g++)
        for (size_t at = 0; at < table->lengths_count; at++) {
            struct cell_result result;
            cell_analyse(&columns, trials + start[g], start[g + 1] - start[g], at, &result);
            for (size_t i = start[g]; i < start[g + 1]; i++)
                for (size_t r = 0; r < ROWS; r++)
                    data[r][trials[i] * table->lengths_count + at] =
                        *(const double *)((const char *)&result + rows[r].offset);
        }
    *ret_derived = derived;
    *ret_count = ROWS;
    return STATUS_OK;
}
