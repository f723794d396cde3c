// SPDX-License-Identifier: MIT
// The map: for each setting and test length a verdict and the error with its interval; and what length does to it.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    char letter;
    const char *colour, *name;
} marks[VERDICTS] = {
    [VERDICT_UNDECIDED] = {'?', "", "undecided"},
    [VERDICT_BENIGN] = {'B', "\033[32m", "benign"},
    [VERDICT_HARMFUL] = {'H', "\033[31m", "harmful"},
    [VERDICT_LENGTH_FAILURE] = {'L', "\033[35m", "length failure"},
    [VERDICT_UNLEARNED] = {'U', "\033[33m", "unlearned"},
    [VERDICT_RESISTANT] = {'R', "\033[36m", "resistant"},
    [VERDICT_UNDERFIT] = {'F', "\033[33m", "underfit"},
    [VERDICT_DIVERGED] = {'!', "\033[31m", "diverged"},
    [VERDICT_NOT_APPLICABLE] = {'-', "", "no flips"},
};

static void print_error(const struct show *show, ptrdiff_t row, int64_t length)
{
    double verdict = show_derived(show, "verdict", row, length);
    double mean = show_derived(show, "mean_test_error", row, length);
    double low = show_derived(show, "mean_test_error_low", row, length);
    double high = show_derived(show, "mean_test_error_high", row, length);
    if (!isfinite(verdict) || verdict >= VERDICTS) {
        printf("  %-13s", "");
        return;
    }
    int code = (int)verdict;
    printf("  %s%c%s ", show->colour ? marks[code].colour : "", marks[code].letter,
           show->colour && *marks[code].colour ? "\033[0m" : "");
    if (isfinite(low) && isfinite(high))
        printf("%.3f ±%.3f", mean, (high - low) / 2);
    else
        printf("%.3f      ", mean);
}

static void print_length_effect(const struct show *show, ptrdiff_t row)
{
    int64_t longest = show->lengths[show->lengths_count - 1];
    double effect = show_derived(show, "length_effect", row, longest);
    double change = show_derived(show, "length_difference", row, longest);
    double low = show_derived(show, "length_difference_low", row, longest);
    double high = show_derived(show, "length_difference_high", row, longest);
    if (!isfinite(effect) || !isfinite(change))
        return;
    printf("  %+.3f ±%.3f %s", change, (high - low) / 2,
           (int)effect == LENGTH_EFFECT_NO_DIFFERENCE ? "no difference" : length_effect_names[(int)effect]);
}

static void print_header(const struct show *show, const char *name)
{
    printf("  %12s ", name);
    for (size_t t = 0; t < show->lengths_count; t++) {
        char head[32];
        snprintf(head, sizeof head, "T=%lld", (long long)show->lengths[t]);
        printf("  %-14s", head);
    }
    if (show->lengths_count > 1)
        printf("  from n to T=%lld", (long long)show->lengths[show->lengths_count - 1]);
    printf("\n");
}

static bool is_empty(const struct show *show, size_t *index)
{
    bool empty = show_row(show, show_cell(show, index)) < 0;
    if (show->row_axis == show->axes_count)
        return empty;
    for (size_t i = 1; i < show->axes[show->row_axis].count; i++) {
        index[show->row_axis] = i;
        empty = empty && show_row(show, show_cell(show, index)) < 0;
    }
    index[show->row_axis] = 0;
    return empty;
}

static void print_panel(const struct show *show, size_t *index)
{
    bool skip[SHOW_AXES] = {0};
    struct bytes place = {0};
    bool has_axis = show->row_axis < show->axes_count;
    size_t rows = has_axis ? show->axes[show->row_axis].count : 1;
    if (has_axis)
        skip[show->row_axis] = true;
    show_place(show, skip, index, &place);
    printf("\n%.*s\n", (int)place.size, place.data ? (const char *)place.data : "");
    bytes_fini(&place);
    print_header(show, has_axis ? show->axes[show->row_axis].name : "");
    for (size_t i = 0; i < rows; i++) {
        char value[64] = "";
        if (has_axis) {
            index[show->row_axis] = i;
            show_value(&show->axes[show->row_axis], i, value, sizeof value);
        }
        ptrdiff_t row = show_row(show, show_cell(show, index));
        printf("  %12s ", value);
        for (size_t t = 0; t < show->lengths_count; t++)
            print_error(show, row, show->lengths[t]);
        if (show->lengths_count > 1)
            print_length_effect(show, row);
        printf("\n");
    }
    if (has_axis)
        index[show->row_axis] = 0;
}

void show_map(const struct show *show)
{
    size_t index[SHOW_AXES] = {0};
    bool fixed[SHOW_AXES] = {0};
    if (show->row_axis < show->axes_count)
        fixed[show->row_axis] = true;
    printf("\nTest error (mean over replicates ± half its 95 %% interval) and verdict:\n ");
    for (int v = 0; v < VERDICTS; v++)
        printf(" %s%c%s %s", show->colour ? marks[v].colour : "", marks[v].letter,
               show->colour && *marks[v].colour ? "\033[0m" : "", marks[v].name);
    printf("\n");
    do
        if (!is_empty(show, index))
            print_panel(show, index);
    while (show_next(show, fixed, index));
}
