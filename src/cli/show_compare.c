// SPDX-License-Identifier: MIT
// The choices of an axis of names (encodings, a frozen control) side by side at the longest test length, compared with
// the first one replicate by replicate.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOW_REPLICATES = 1024 };

// Test errors of the replicates that both cells have, less each other.
static struct analyse_interval paired_difference(const struct show *show, size_t a, size_t b, int64_t length)
{
    double difference[SHOW_REPLICATES];
    size_t count = 0;
    for (size_t r = 0; r < show->replicates && count < SHOW_REPLICATES; r++) {
        double x = show_test(show, FIELD_FINAL_TEST_ERROR, show->rows[a * show->replicates + r], length);
        double y = show_test(show, FIELD_FINAL_TEST_ERROR, show->rows[b * show->replicates + r], length);
        if (isfinite(x) && isfinite(y))
            difference[count++] = x - y;
    }
    return analyse_mean(difference, count, analyse_t_quantile(0.975, (double)count - 1));
}

static void print_choice(const struct show *show, size_t cell, size_t first, int64_t length)
{
    ptrdiff_t row = show_row(show, cell);
    double mean = show_derived(show, "mean_test_error", row, length);
    if (!isfinite(mean)) {
        printf("  %-24s", "");
        return;
    }
    printf("  %.3f ", mean);
    if (cell == first) {
        printf("%-18s", "");
        return;
    }
    struct analyse_interval by = paired_difference(show, cell, first, length);
    if (!isfinite(by.low))
        printf("(%+.3f)          ", by.value);
    else
        printf("(%+.3f ±%.3f%s)", by.value, (by.high - by.low) / 2, by.low > 0 ? " +" : by.high < 0 ? " -" : " =");
}

// One setting of the other axes, where at least two choices have results. Compared with the first of these.
static void print_line(const struct show *show, size_t axis, const bool *fixed, size_t *index)
{
    struct bytes place = {0};
    size_t present = 0, first = 0;
    for (index[axis] = show->axes[axis].count; index[axis]-- > 0;)
        if (show_row(show, show_cell(show, index)) >= 0) {
            first = show_cell(show, index);
            present++;
        }
    index[axis] = 0;
    if (present < 2)
        return;
    int64_t length = show_longest(show, show_row(show, first));
    printf("  ");
    for (; index[axis] < show->axes[axis].count; index[axis]++)
        print_choice(show, show_cell(show, index), first, length);
    index[axis] = 0;
    show_place(show, fixed, index, &place);
    printf("  T=%lld %.*s\n", (long long)length, (int)place.size, place.data ? (const char *)place.data : "");
    bytes_fini(&place);
}

static void print_table(const struct show *show, size_t axis)
{
    const struct store_axis *choices = &show->axes[axis];
    size_t index[SHOW_AXES] = {0};
    bool fixed[SHOW_AXES] = {0};
    char value[64];
    fixed[axis] = true;
    printf("\n%s side by side, test error at the longest test length (difference to the first ± half its 95 %% "
           "interval, paired by\n"
           "replicate; + worse, - better, = no difference):\n  ",
           choices->name);
    for (size_t i = 0; i < choices->count; i++)
        printf("  %-24s", show_value(choices, i, value, sizeof value));
    printf("\n");
    do
        print_line(show, axis, fixed, index);
    while (show_next(show, fixed, index));
}

void show_compare(const struct show *show)
{
    for (size_t a = 0; a < show->axes_count; a++) {
        if (show->axes[a].count > 1 && !show_is_number(&show->axes[a]))
            print_table(show, a);
    }
}
