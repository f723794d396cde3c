// SPDX-License-Identifier: MIT
// Events of training: medians over the replicates in which they occur.
#include "base_text.h"
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const enum record_field_id events[] = {FIELD_T_FIT, FIELD_T_HALF, FIELD_T_MEM, FIELD_T_BEST, FIELD_T_STABLE};
enum { EVENTS = sizeof events / sizeof *events };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_event(const struct show *show, size_t cell, enum record_field_id id)
{
    double *step = show->scratch;
    size_t count = 0, finished = 0;
    const double *column = show->table->training(show->table->self, id);
    for (size_t r = 0; column && r < show->replicates; r++) {
        ptrdiff_t row = show->rows[cell * show->replicates + r];
        finished += show_finished(show, row);
        if (show_finished(show, row) && isfinite(column[row]))
            step[count++] = column[row];
    }
    if (!count) {
        printf(" %12s", finished ? "never" : "");
        return;
    }
    char text[TEXT_NUMBER_SIZE], share[64] = "";
    qsort(step, count, sizeof *step, compare);
    text_real((step[(count - 1) / 2] + step[count / 2]) / 2, text);
    if (count < finished)
        snprintf(share, sizeof share, " (%zu/%zu)", count, finished);
    char both[128];
    snprintf(both, sizeof both, "%s%s", text, share);
    printf(" %12s", both);
}

static void print_head(void)
{
    printf("\nEvents, in steps (median over replicates; how many have it, where not all):\n"
           "  t_fit correctly labelled data fitted, t_half half of the flips fitted, t_mem all of them, t_best lowest\n"
           "  validation error, t_stable validation error constant from there\n ");
    for (int e = 0; e < EVENTS; e++)
        printf(" %12s", record_field_by_id(events[e])->name);
    printf("\n");
}

void show_phases(const struct show *show)
{
    size_t index[SHOW_AXES] = {0};
    const bool none[SHOW_AXES] = {0};
    bool begun = false;
    do {
        size_t cell = show_cell(show, index);
        struct bytes place = {0};
        if (!show_finished(show, show_row(show, cell)))
            continue;
        if (!begun)
            print_head();
        begun = true;
        printf(" ");
        for (int e = 0; e < EVENTS; e++)
            print_event(show, cell, events[e]);
        show_place(show, none, index, &place);
        printf("  %.*s\n", (int)place.size, place.data ? (const char *)place.data : "");
        bytes_fini(&place);
    } while (show_next(show, none, index));
}
