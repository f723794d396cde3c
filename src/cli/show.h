// SPDX-License-Identifier: MIT
// What `lgsweep show` knows of a store: the cube's cells, each with its replicates' rows, and results across trials.
#pragma once
#include "analyse.h"
#include "cli.h"
#include "standing.h"
#include "store_view.h"

enum { SHOW_AXES = 16, SHOW_COLUMNS = 160 }; // tables that are wider are broken into blocks

struct show {
    struct store_view *view;
    struct arena *arena;
    struct cli_sweep sweep; // as the store's text of it says
    struct standing standing;
    const struct store_axis *axes;
    size_t axes_count, replicates, cells;
    const int64_t *lengths; // of the cube
    size_t lengths_count;
    ptrdiff_t *rows; // (cells, replicates): the row in `trials`; -1 where there is none or the sweep excludes it
    double *scratch; // (replicates)
    const struct record_table *table;
    size_t row_axis; // the axis that runs down the tables; axes_count where there is no axis
    bool colour;
};

enum status_code show_init(const char *path, const char *row_axis, struct show *ret_show,
                           struct status *status) MUST_CHECK;
void show_fini(struct show *show);

// Whether a row (-1: none) has a result, not only a failure or attempts.
bool show_finished(const struct show *show, ptrdiff_t row);
bool show_failed(const struct show *show, ptrdiff_t row);
// The first finished row of a cell, for what all replicates share, else the first one that failed; -1 for none.
ptrdiff_t show_row(const struct show *show, size_t cell);
// Whether the sweep asks for this test length of the cell, and its row has it (or failed).
bool show_has(const struct show *show, size_t cell, int64_t length);
// The longest test length of a cell; 0 for none.
int64_t show_longest(const struct show *show, size_t cell);
// Whether an axis has numbers, rather than names or yes and no.
bool show_is_number(const struct store_axis *axis);
// The cell at `index` (axes_count).
size_t show_cell(const struct show *show, const size_t *index);
// The next combination of all axes but those marked in `fixed` (axes_count flags); false after the last.
bool show_next(const struct show *show, const bool *fixed, size_t *index);
// "snr=4 encoding=rope" for the axes not marked, appended at *length.
void show_place(const struct show *show, const bool *skip, const size_t *index, struct bytes *ret_text);
// Columns that hold an axis's name and every value of it.
int show_width(const struct store_axis *axis);
// A value of an axis: of a zip block, its columns joined by "/". Returns `ret_text`.
char *show_value(const struct store_axis *axis, size_t index, char *ret_text, size_t size);

// A result across trials at (row, test length); NaN where absent. `name` as in the store.
double show_derived(const struct show *show, const char *name, ptrdiff_t row, int64_t length);
// A scalar of one trial at a test length.
double show_test(const struct show *show, enum record_field_id id, ptrdiff_t row, int64_t length);

// How a verdict is drawn.
struct show_mark {
    char letter;
    const char *colour, *name; // colour: an escape sequence, or empty
};
extern const struct show_mark show_marks[VERDICTS];
void show_print_mark(const struct show *show, int verdict);
void show_print_failed(const struct show *show); // the mark of a setting without a verdict, as its trials failed
void show_print_legend(const struct show *show);

void show_overview(const struct show *show);
void show_map(const struct show *show);     // errors with intervals and verdicts over test length, a table a setting
void show_letters(const struct show *show); // all verdicts in one picture
void show_compare(const struct show *show); // the choices of each axis of names side by side, paired
void show_phases(const struct show *show);  // events: median over replicates
enum status_code show_trial(const struct show *show, const char *identity, struct status *status) MUST_CHECK;
