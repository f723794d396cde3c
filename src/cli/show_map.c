// SPDX-License-Identifier: MIT
// The map: for each setting and test length a verdict and the error with its interval; and what length does to it.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct show_mark failed_mark = {'x', "\033[31m", "failed"};

const struct show_mark show_marks[VERDICTS] = {
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

static void print_error(const struct show *show, size_t cell, int64_t length)
{
    ptrdiff_t row = show_has(show, cell, length) ? show_row(show, cell) : -1;
    if (show_failed(show, row)) {
        printf("  ");
        show_print_failed(show);
        printf(" %-12s", failed_mark.name);
        return;
    }
    double verdict = show_derived(show, "verdict", row, length);
    double mean = show_derived(show, "mean_test_error", row, length);
    double low = show_derived(show, "mean_test_error_low", row, length);
    double high = show_derived(show, "mean_test_error_high", row, length);
    if (!isfinite(verdict) || verdict >= VERDICTS) {
        printf("  %-14s", "");
        return;
    }
    printf("  ");
    show_print_mark(show, (int)verdict);
    printf(" ");
    if (isfinite(low) && isfinite(high))
        printf("%.3f ±%.3f", mean, fmax(high - mean, mean - low)); // one side may be cut at 0 or 1
    else
        printf("%.3f       ", mean);
}

static void print_length_effect(const struct show *show, ptrdiff_t row, int64_t longest)
{
    double effect = show_derived(show, "length_effect", row, longest);
    double change = show_derived(show, "length_difference", row, longest);
    double low = show_derived(show, "length_difference_low", row, longest);
    double high = show_derived(show, "length_difference_high", row, longest);
    if (!isfinite(effect) || !isfinite(change))
        return;
    printf("  %+.3f ±%.3f %s", change, (high - low) / 2,
           (int)effect == LENGTH_EFFECT_NO_DIFFERENCE ? "no difference" : length_effect_names[(int)effect]);
}

// A table of one setting of the other axes: the rows of one axis, the test lengths that any of them has.
struct panel {
    size_t *cell;
    ptrdiff_t *row; // of the cell
    size_t rows;
    int64_t *length;
    size_t lengths;
    int width; // of the first column
};

// The panel's arrays last until the arena is released; false when memory is out.
static bool collect(const struct show *show, size_t *index, struct panel *ret_panel)
{
    bool has_axis = show->row_axis < show->axes_count;
    struct panel panel = {.rows = has_axis ? show->axes[show->row_axis].count : 1,
                          .width = has_axis ? show_width(&show->axes[show->row_axis]) : 0};
    panel.cell = arena_get(show->arena, panel.rows, sizeof *panel.cell);
    panel.row = arena_get(show->arena, panel.rows, sizeof *panel.row);
    panel.length = arena_get(show->arena, show->lengths_count + 1, sizeof *panel.length);
    if (!panel.cell || !panel.row || !panel.length)
        return false;
    for (size_t i = 0; i < panel.rows; i++) {
        if (has_axis)
            index[show->row_axis] = i;
        panel.cell[i] = show_cell(show, index);
        panel.row[i] = show_row(show, panel.cell[i]);
    }
    if (has_axis)
        index[show->row_axis] = 0;
    for (size_t t = 0; t < show->lengths_count; t++)
        for (size_t i = 0; i < panel.rows; i++)
            if (show_has(show, panel.cell[i], show->lengths[t])) {
                panel.length[panel.lengths++] = show->lengths[t];
                break;
            }
    *ret_panel = panel;
    return true;
}

// Lengths that stand side by side, with what length does behind them.
static size_t block_size(const struct panel *panel)
{
    const int each = 16, left = SHOW_COLUMNS - panel->width - (int)strlen("     +0.000 ±0.000 no difference");
    return left > each ? (size_t)(left / each) : 1;
}

static void print_header(const struct panel *panel, const char *name, size_t first, size_t end)
{
    printf("  %*s ", panel->width, name);
    for (size_t t = first; t < end; t++) {
        char head[32];
        snprintf(head, sizeof head, "T=%lld", (long long)panel->length[t]);
        printf("  %-14s", head);
    }
    if (panel->lengths > 1 && end == panel->lengths)
        printf("  from n to T=%lld", (long long)panel->length[panel->lengths - 1]);
    printf("\n");
}

static void print_row(const struct show *show, const struct panel *panel, size_t row, size_t first, size_t end,
                      const char *value)
{
    printf("  %*s ", panel->width, value);
    for (size_t t = first; t < end; t++)
        print_error(show, panel->cell[row], panel->length[t]);
    if (panel->lengths > 1 && end == panel->lengths &&
        show_has(show, panel->cell[row], panel->length[panel->lengths - 1]))
        print_length_effect(show, panel->row[row], panel->length[panel->lengths - 1]);
    printf("\n");
}

static void print_head(const struct show *show)
{
    printf("\nTest error (%s) and verdict:\n",
           show->replicates == 1
               ? "of one replicate ± half its 95 % interval over test sequences: this model only"
               : "mean over replicates ± half its 95 % interval; of a single one over test sequences: this model only");
    show_print_legend(show);
}

static void print_block(const struct show *show, const struct panel *panel, size_t first, size_t end)
{
    const struct store_axis *axis = show->row_axis < show->axes_count ? &show->axes[show->row_axis] : NULL;
    print_header(panel, axis ? axis->name : "", first, end);
    for (size_t i = 0; i < panel->rows; i++) {
        char value[128] = "";
        if (panel->row[i] < 0)
            continue;
        if (axis)
            show_value(axis, i, value, sizeof value);
        print_row(show, panel, i, first, end, value);
    }
}

static void print_panel(const struct show *show, size_t *index, const struct panel *panel)
{
    bool skip[SHOW_AXES] = {0};
    struct bytes place = {0};
    if (show->row_axis < show->axes_count)
        skip[show->row_axis] = true;
    show_place(show, skip, index, &place);
    printf("\n%.*s\n", (int)place.size, place.data ? (const char *)place.data : "");
    bytes_fini(&place);
    const size_t some = block_size(panel);
    for (size_t first = 0, end; first < panel->lengths; first = end) {
        end = panel->lengths - first < some ? panel->lengths : first + some;
        print_block(show, panel, first, end);
    }
}

static void print_mark(const struct show *show, const struct show_mark *mark)
{
    bool colour = show->colour && *mark->colour;
    printf("%s%c%s", colour ? mark->colour : "", mark->letter, colour ? "\033[0m" : "");
}

void show_print_mark(const struct show *show, int verdict)
{
    print_mark(show, &show_marks[verdict]);
}

void show_print_failed(const struct show *show)
{
    print_mark(show, &failed_mark);
}

void show_print_legend(const struct show *show)
{
    printf(" ");
    for (int v = 0; v < VERDICTS; v++) {
        printf(" ");
        show_print_mark(show, v);
        printf(" %s", show_marks[v].name);
    }
    printf(" ");
    show_print_failed(show);
    printf(" %s\n", failed_mark.name);
}

void show_map(const struct show *show)
{
    size_t index[SHOW_AXES] = {0};
    bool fixed[SHOW_AXES] = {0}, begun = false;
    struct arena_mark mark = arena_mark(show->arena);
    if (show->row_axis < show->axes_count)
        fixed[show->row_axis] = true;
    do {
        struct panel panel;
        if (collect(show, index, &panel) && panel.lengths) {
            if (!begun)
                print_head(show);
            begun = true;
            print_panel(show, index, &panel);
        }
        arena_release(show->arena, mark);
    } while (show_next(show, fixed, index));
}
