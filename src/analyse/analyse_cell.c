// SPDX-License-Identifier: MIT
#include "analyse_cell.h"
#include <math.h>
#include <stdlib.h>

#define TAU      0.05
#define NO_WIDTH 1e-12 // equal values but for rounding

// A cell under work: its counted trials and what all of them share.
struct cell {
    const struct verdict_columns *columns;
    const size_t *counted;
    size_t count, finished, diverged;
    size_t flipped_diverged; // of those diverged, with flips or not known to have none
    size_t at;
    ptrdiff_t at_train; // index of T = n among the lengths, or -1
    double chance, bayes;
    bool noisy; // η > 0
    bool flips; // among those that finished; a stream has none
};

static size_t element(const struct cell *cell, size_t trial, size_t at)
{
    return trial * cell->columns->table->lengths_count + at;
}

static ptrdiff_t find_length(const struct record_table *table, int64_t length)
{
    for (size_t i = 0; i < table->lengths_count; i++)
        if (table->lengths[i] == length)
            return (ptrdiff_t)i;
    return -1;
}

static bool has_result(const struct cell *cell, size_t trial)
{
    return cell->columns->table->status[trial] == RECORD_DONE &&
           !isnan(cell->columns->error[element(cell, trial, cell->at)]);
}

// A trial counts as asked for this length when it has the length's chance error. Those without flips say nothing of
// noise, unless none has any: then there is no verdict, but errors there are.
static void collect(struct cell *cell, const size_t *trials, size_t trials_count)
{
    const struct verdict_columns *columns = cell->columns;
    for (size_t i = 0; i < trials_count && cell->noisy; i++)
        cell->flips |= has_result(cell, trials[i]) && columns->flips[trials[i]] >= 1;
    for (size_t i = 0; i < trials_count; i++) {
        size_t trial = trials[i], here = element(cell, trial, cell->at);
        if (isnan(columns->chance[here]))
            continue;
        if (columns->table->status[trial] == RECORD_DIVERGED) {
            cell->diverged++;
            cell->flipped_diverged += !(columns->flips[trial] < 1);
        }
        if (!has_result(cell, trial))
            continue;
        cell->finished++;
        if (cell->flips && !(columns->flips[trial] >= 1))
            continue;
        cell->chance = columns->chance[here];
        cell->bayes = isnan(columns->bayes[here]) ? 0 : columns->bayes[here];
        columns->counted[cell->count++] = trial;
    }
}

// Test sequences of several trials together.
struct pool {
    double wrong, count;
};

static void pool_add(struct pool *pool, const struct cell *cell, size_t here)
{
    pool->wrong += cell->columns->error[here] * cell->columns->count[here];
    pool->count += cell->columns->count[here];
}

static struct analyse_interval pool_share(struct pool pool)
{
    return analyse_share(pool.wrong / pool.count, pool.count);
}

// Replicates that agree exactly know no more than their test sequences tell.
static struct analyse_interval widen(struct analyse_interval interval, struct analyse_interval sequences)
{
    if (interval.high - interval.low < NO_WIDTH) {
        interval.low = sequences.low < interval.low ? sequences.low : interval.low;
        interval.high = sequences.high > interval.high ? sequences.high : interval.high;
    }
    return interval;
}

// An error is from 0 to 1. NaN stays.
static struct analyse_interval clip(struct analyse_interval interval)
{
    interval.low = interval.low < 0 ? 0 : interval.low;
    interval.high = interval.high > 1 ? 1 : interval.high;
    return interval;
}

static struct analyse_interval absent(void)
{
    return (struct analyse_interval){NAN, NAN, NAN};
}

static struct analyse_interval mean_of_values(const struct cell *cell, size_t count)
{
    return analyse_mean(cell->columns->values, count, count > 1 ? cell->columns->quantile[count - 1] : NAN);
}

static struct analyse_interval single(const struct cell *cell, size_t here)
{
    return analyse_share(cell->columns->error[here], cell->columns->count[here]);
}

static struct analyse_interval excess(struct analyse_interval error, double chance, double bayes)
{
    double scale = chance - bayes;
    return (struct analyse_interval){(error.value - bayes) / scale, (error.low - bayes) / scale,
                                     (error.high - bayes) / scale};
}

static struct analyse_interval mean_error(const struct cell *cell)
{
    if (cell->count == 1)
        return single(cell, element(cell, cell->counted[0], cell->at));
    struct pool pool = {0, 0};
    for (size_t i = 0; i < cell->count; i++) {
        size_t here = element(cell, cell->counted[i], cell->at);
        cell->columns->values[i] = cell->columns->error[here];
        pool_add(&pool, cell, here);
    }
    return clip(widen(mean_of_values(cell, cell->count), pool_share(pool)));
}

// The twin of a counted trial, if it finished with a value at length index `at`; else -1.
static ptrdiff_t finished_twin(const struct cell *cell, size_t trial, size_t at)
{
    const struct verdict_columns *columns = cell->columns;
    ptrdiff_t twin = columns->table->twin[trial];
    if (twin < 0 || columns->table->status[twin] != RECORD_DONE)
        return -1;
    return isnan(columns->error[element(cell, (size_t)twin, at)]) ? -1 : twin;
}

// The element that a counted trial is compared with; -1 where there is none.
typedef ptrdiff_t partner_of(const struct cell *cell, size_t trial);

static ptrdiff_t twin_here(const struct cell *cell, size_t trial)
{
    ptrdiff_t twin = finished_twin(cell, trial, cell->at);
    return twin < 0 ? -1 : (ptrdiff_t)element(cell, (size_t)twin, cell->at);
}

static ptrdiff_t at_train_length(const struct cell *cell, size_t trial)
{
    size_t there = element(cell, trial, (size_t)cell->at_train);
    return isnan(cell->columns->error[there]) ? -1 : (ptrdiff_t)there;
}

// The error at this length less that of the partner, paired by replicate.
static struct analyse_interval paired_difference(const struct cell *cell, partner_of *partner)
{
    size_t pairs = 0;
    struct pool own = {0, 0}, others = {0, 0};
    for (size_t i = 0; i < cell->count; i++) {
        size_t here = element(cell, cell->counted[i], cell->at);
        ptrdiff_t there = partner(cell, cell->counted[i]);
        if (there < 0)
            continue;
        if (cell->count == 1)
            return analyse_share_difference(single(cell, here), single(cell, (size_t)there));
        cell->columns->values[pairs++] = cell->columns->error[here] - cell->columns->error[there];
        pool_add(&own, cell, here);
        pool_add(&others, cell, (size_t)there);
    }
    return widen(mean_of_values(cell, pairs), analyse_share_difference(pool_share(own), pool_share(others)));
}

static struct analyse_interval twin_difference(const struct cell *cell)
{
    return cell->noisy ? paired_difference(cell, twin_here) : absent();
}

// The twin's E at T = n.
static struct analyse_interval twin_excess(const struct cell *cell)
{
    const struct verdict_columns *columns = cell->columns;
    size_t pairs = 0, there = 0;
    struct pool pool = {0, 0};
    if (cell->at_train < 0)
        return absent();
    for (size_t i = 0; i < cell->count; i++) {
        ptrdiff_t twin = finished_twin(cell, cell->counted[i], (size_t)cell->at_train);
        if (twin < 0)
            continue;
        there = element(cell, (size_t)twin, (size_t)cell->at_train);
        columns->values[pairs++] = columns->error[there];
        pool_add(&pool, cell, there);
    }
    if (pairs == 0)
        return absent();
    struct analyse_interval error =
        cell->count == 1 ? single(cell, there) : clip(widen(mean_of_values(cell, pairs), pool_share(pool)));
    return excess(error, columns->chance[there], isnan(columns->bayes[there]) ? 0 : columns->bayes[there]);
}

static struct analyse_interval length_difference(const struct cell *cell)
{
    if (cell->at_train < 0 || (size_t)cell->at_train == cell->at)
        return absent();
    return paired_difference(cell, at_train_length);
}

static bool above(struct analyse_interval interval, double threshold)
{
    return interval.low > threshold;
}

static bool below(struct analyse_interval interval, double threshold)
{
    return interval.high < threshold;
}

static enum length_effect length_effect(const struct cell *cell, struct analyse_interval difference)
{
    double margin = 0.5 * TAU * (cell->chance - cell->bayes);
    if (above(difference, -margin) && below(difference, margin))
        return LENGTH_EFFECT_NO_DIFFERENCE;
    return above(difference, 0)   ? LENGTH_EFFECT_GROWS
           : below(difference, 0) ? LENGTH_EFFECT_FALLS
                                  : LENGTH_EFFECT_UNDECIDED;
}

static enum verdict interpolated_verdict(const struct cell *cell, const struct cell_result *result)
{
    double margin = 0.5 * TAU * (cell->chance - cell->bayes);
    if (below(result->excess, TAU))
        return VERDICT_BENIGN;
    if (!above(result->excess, TAU))
        return VERDICT_UNDECIDED;
    if (above(result->twin, margin))
        return VERDICT_HARMFUL;
    struct analyse_interval twin = twin_excess(cell);
    if (above(twin, TAU))
        return VERDICT_UNLEARNED;
    if (below(twin, TAU) && below(result->twin, margin))
        return VERDICT_LENGTH_FAILURE;
    return VERDICT_UNDECIDED;
}

static enum verdict decide(const struct cell *cell, const struct cell_result *result)
{
    if (cell->finished == 0)
        return VERDICT_DIVERGED;
    if (!cell->noisy)
        return VERDICT_NOT_APPLICABLE;
    if (!cell->flips)
        return cell->flipped_diverged > 0 ? VERDICT_DIVERGED : VERDICT_NOT_APPLICABLE;
    if (cell->diverged > 0)
        return VERDICT_UNDECIDED;
    if (result->interpolated == 1)
        return interpolated_verdict(cell, result);
    if (result->interpolated > 0)
        return VERDICT_UNDECIDED;
    return below(result->excess, TAU)   ? VERDICT_RESISTANT
           : above(result->excess, TAU) ? VERDICT_UNDERFIT
                                        : VERDICT_UNDECIDED;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_error(const struct cell *cell)
{
    double *values = cell->columns->values;
    for (size_t i = 0; i < cell->count; i++)
        values[i] = cell->columns->error[element(cell, cell->counted[i], cell->at)];
    qsort(values, cell->count, sizeof *values, compare);
    return 0.5 * (values[(cell->count - 1) / 2] + values[cell->count / 2]);
}

static double share_interpolated(const struct cell *cell)
{
    double sum = 0;
    if (!cell->flips)
        return NAN;
    for (size_t i = 0; i < cell->count; i++)
        sum += cell->columns->interpolated[cell->counted[i]];
    return sum / (double)cell->count;
}

void cell_analyse(const struct verdict_columns *columns, const size_t *trials, size_t trials_count, size_t at,
                  struct cell_result *ret_result)
{
    const struct record_table *table = columns->table;
    struct cell_result result = {.verdict = NAN,
                                 .unit = NAN,
                                 .replicates = NAN,
                                 .excess = absent(),
                                 .mean = absent(),
                                 .twin = absent(),
                                 .length = absent(),
                                 .median = NAN,
                                 .interpolated = NAN,
                                 .length_effect = NAN};
    struct cell cell = {.columns = columns,
                        .counted = columns->counted,
                        .at = at,
                        .at_train = find_length(table, table->train_length[trials[0]]),
                        .noisy = table->noise_rate[trials[0]] > 0};
    collect(&cell, trials, trials_count);
    if (cell.finished + cell.diverged > 0) {
        result.replicates = (double)cell.count;
        if (cell.count > 0) {
            result.unit = cell.count == 1 ? UNIT_THIS_MODEL_ONLY : UNIT_REPLICATES;
            result.mean = mean_error(&cell);
            result.excess = excess(result.mean, cell.chance, cell.bayes);
            result.twin = twin_difference(&cell);
            result.length = length_difference(&cell);
            result.median = median_error(&cell);
            result.interpolated = share_interpolated(&cell);
            if (!isnan(result.length.value))
                result.length_effect = length_effect(&cell, result.length);
        }
        result.verdict = decide(&cell, &result);
    }
    *ret_result = result;
}
