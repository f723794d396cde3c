// SPDX-License-Identifier: MIT
// The choices of an axis of names (encodings, a frozen control) side by side at the longest test length, compared with
// the first one replicate by replicate.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Differences of this size do not matter: those of the test error, as in length_effect.
#define NO_DIFFERENCE 0.025

// One line: the cells of the choices that have results, and the replicates in which all of these do.
struct line {
    const struct show *show;
    size_t count, first; // first: the first choice's cell
    int64_t length;
    size_t shared;
    int width; // of a choice
};

enum { CHOICE_LEAST = 24 };

static double error_of(const struct line *line, size_t cell, size_t replicate)
{
    ptrdiff_t row = line->show->rows[cell * line->show->replicates + replicate];
    return show_has(line->show, cell, line->length) ? show_test(line->show, FIELD_FINAL_TEST_ERROR, row, line->length)
                                                    : NAN;
}

static bool has_errors(const struct line *line, size_t cell)
{
    for (size_t r = 0; r < line->show->replicates; r++)
        if (isfinite(error_of(line, cell, r)))
            return true;
    return false;
}

// The choice's mean over the shared replicates, less `minus`'s where that is another cell.
static struct analyse_interval mean_of(const struct line *line, size_t cell, size_t minus, const bool *shared)
{
    size_t count = 0;
    for (size_t r = 0; r < line->show->replicates; r++)
        if (shared[r])
            line->show->scratch[count++] = error_of(line, cell, r) - (minus == cell ? 0 : error_of(line, minus, r));
    return analyse_mean(line->show->scratch, count, analyse_t_quantile(0.975, (double)count - 1));
}

static char judge(struct analyse_interval by)
{
    if (by.low >= -NO_DIFFERENCE && by.high <= NO_DIFFERENCE)
        return '=';
    return by.low > 0 ? '+' : by.high < 0 ? '-' : '?';
}

static void print_choice(const struct line *line, size_t cell, const bool *shared)
{
    char text[64] = "";
    if (!has_errors(line, cell)) {
        printf("  %-*s", line->width, show_failed(line->show, show_row(line->show, cell)) ? "failed" : "");
        return;
    }
    struct analyse_interval by = mean_of(line, cell, line->first, shared);
    if (cell != line->first && isfinite(by.low))
        snprintf(text, sizeof text, "(%+.3f ±%.3f %c)", by.value, (by.high - by.low) / 2, judge(by));
    else if (cell != line->first)
        snprintf(text, sizeof text, "(%+.3f)", by.value);
    const int more = strstr(text, "±") != NULL; // two bytes, one column
    printf("  %.3f %-*s", mean_of(line, cell, cell, shared).value, line->width - (int)strlen("0.000 ") + more, text);
}

static int choice_width(const struct store_axis *choices)
{
    char value[64];
    size_t width = CHOICE_LEAST;
    for (size_t i = 0; i < choices->count; i++) {
        const size_t length = strlen(show_value(choices, i, value, sizeof value));
        width = length > width ? length : width;
    }
    return (int)width;
}

// How many choices stand side by side, with the place of a line behind them: one at least.
static size_t block_size(const struct show *show, size_t axis)
{
    const int each = choice_width(&show->axes[axis]) + 2;
    int left = SHOW_COLUMNS - (int)strlen("    T=65536 ");
    char value[128];
    for (size_t a = 0; a < show->axes_count; a++) {
        size_t longest = 0;
        for (size_t i = 0; a != axis && i < show->axes[a].count; i++) {
            const size_t length = strlen(show_value(&show->axes[a], i, value, sizeof value));
            longest = length > longest ? length : longest;
        }
        left -= a == axis ? 0 : (int)(strlen(" =") + strlen(show->axes[a].name) + longest);
    }
    return left > each ? (size_t)(left / each) : 1;
}

// Finds what the choices of one setting of the other axes have in common.
static void collect(const struct show *show, size_t axis, size_t *index, struct line *ret_line, bool *ret_shared)
{
    *ret_line = (struct line){.show = show, .width = choice_width(&show->axes[axis])};
    for (index[axis] = 0; index[axis] < show->axes[axis].count; index[axis]++) {
        int64_t longest = show_longest(show, show_cell(show, index));
        if (longest > ret_line->length)
            ret_line->length = longest;
    }
    for (size_t r = 0; r < show->replicates; r++)
        ret_shared[r] = true;
    for (index[axis] = show->axes[axis].count; index[axis]-- > 0;) {
        size_t cell = show_cell(show, index);
        if (!has_errors(ret_line, cell))
            continue;
        ret_line->first = cell;
        ret_line->count++;
        for (size_t r = 0; r < show->replicates; r++)
            ret_shared[r] = ret_shared[r] && isfinite(error_of(ret_line, cell, r));
    }
    index[axis] = 0;
    for (size_t r = 0; r < show->replicates; r++)
        ret_line->shared += ret_shared[r];
}

static void print_head(const struct show *show, size_t axis)
{
    printf("\n%s side by side: test error at the longest test length (difference to the first ± half its 95 %% "
           "interval),\n"
           "means over the replicates that all have; + worse, - better, = the interval lies within ±%g, ? undecided:\n",
           show->axes[axis].name, NO_DIFFERENCE);
}

static void print_choices(const struct store_axis *choices, size_t first, size_t end)
{
    char value[64];
    printf("%s  ", first ? "\n" : "");
    for (size_t i = first; i < end; i++)
        printf("  %-*s", choice_width(choices), show_value(choices, i, value, sizeof value));
    printf("\n");
}

static void print_line(const struct line *line, size_t axis, const bool *fixed, size_t *index, const bool *shared,
                       size_t first, size_t end)
{
    const struct show *show = line->show;
    struct bytes place = {0};
    printf("  ");
    for (index[axis] = first; index[axis] < end; index[axis]++)
        print_choice(line, show_cell(show, index), shared);
    index[axis] = 0;
    show_place(show, fixed, index, &place);
    printf("  T=%lld %.*s", (long long)line->length, (int)place.size, place.data ? (const char *)place.data : "");
    if (line->shared < show->replicates)
        printf(" (%zu of %zu replicates)", line->shared, show->replicates);
    printf("\n");
    bytes_fini(&place);
}

// The choices [first, end), with a line for each setting of the other axes in which at least two of all choices share
// a replicate.
static void print_block(const struct show *show, size_t axis, bool *shared, size_t first, size_t end)
{
    size_t index[SHOW_AXES] = {0};
    bool fixed[SHOW_AXES] = {0}, begun = false;
    fixed[axis] = true;
    do {
        struct line line;
        collect(show, axis, index, &line, shared);
        if (line.count < 2 || !line.shared)
            continue;
        if (!begun && first == 0)
            print_head(show, axis);
        if (!begun)
            print_choices(&show->axes[axis], first, end);
        begun = true;
        print_line(&line, axis, fixed, index, shared, first, end);
    } while (show_next(show, fixed, index));
}

static void print_table(const struct show *show, size_t axis, bool *shared)
{
    const size_t count = show->axes[axis].count, some = block_size(show, axis);
    for (size_t first = 0; first < count; first += some)
        print_block(show, axis, shared, first, count - first < some ? count : first + some);
}

void show_compare(const struct show *show)
{
    bool *shared = arena_get(show->arena, show->replicates + 1, sizeof *shared);
    for (size_t a = 0; shared && a < show->axes_count; a++)
        if (show->axes[a].count > 1 && !show_is_number(&show->axes[a]))
            print_table(show, a, shared);
}
