// SPDX-License-Identifier: MIT
#include "grid_faults.h"
#include <stdio.h>
#include <string.h>

enum { CELL_SIZE = 512, MESSAGE_SIZE = FAULT_TEXT + CELL_SIZE + 64, REST_SIZE = 64 };

static bool is_known(struct grid_fault *fault, struct source_place place, const char *why)
{
    return fault->place.line == place.line && fault->place.column == place.column &&
           strncmp(fault->why, why, FAULT_TEXT - 1) == 0;
}

void faults_add(struct grid_faults *faults, struct source_place place, ptrdiff_t cell, const char *why)
{
    for (size_t i = 0; i < faults->count; i++)
        if (is_known(&faults->fault[i], place, why)) {
            faults->fault[i].cells++;
            return;
        }
    if (faults->count == FAULTS_LIMIT) {
        faults->more = true;
        return;
    }
    struct grid_fault *fault = &faults->fault[faults->count++];
    *fault = (struct grid_fault){.place = place, .cell = cell, .cells = 1};
    snprintf(fault->why, sizeof fault->why, "%s", why);
}

static bool is_axis(const struct sweep *sweep, const struct setting *setting)
{
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++)
            if (sweep->axes[a].columns[c].setting == setting)
                return true;
    return false;
}

// Where the first of the blamed settings stands that the file has, an axis if one is among them; else `place`.
static struct source_place blamed_place(const struct sweep *sweep, const struct settings_fault *fault,
                                        struct source_place place)
{
    bool found = false;
    for (size_t i = 0; sweep->places && i < FAULT_BLAMED && fault->blamed[i]; i++) {
        const struct source_place at = sweep->places[setting_index(fault->blamed[i])];
        if (!at.line || (found && !is_axis(sweep, fault->blamed[i])))
            continue;
        place = at;
        if (is_axis(sweep, fault->blamed[i]))
            return place;
        found = true;
    }
    return place;
}

static struct source_place length_place(const struct sweep *sweep, int64_t train_length, int64_t tokens)
{
    for (size_t l = 0; l < sweep->lengths_count; l++)
        if (test_length_tokens(sweep->lengths[l], train_length) == tokens)
            return sweep->lengths[l].place;
    return (struct source_place){0};
}

void faults_check_cell(struct grid_faults *faults, const struct grid *grid, size_t cell,
                       const struct settings *settings, const struct length_set *lengths)
{
    const struct sweep *sweep = grid->sweep;
    const int64_t train_length = settings->task.train_length; // settings_next_fault has seen it
    struct settings_fault fault;
    bool sound = true;
    for (size_t at = 0; settings_next_fault(settings, &at, &fault); sound = false)
        faults_add(faults, blamed_place(sweep, &fault, (struct source_place){0}), (ptrdiff_t)cell, fault.why.text);
    for (size_t l = lengths->count; l-- > 0;) { // what keeps n from training was told above
        const int64_t length = lengths->lengths[l];
        if ((length == train_length && !sound) || !settings_length_fault(settings, length, &fault))
            continue;
        struct source_place place = length_place(sweep, train_length, length);
        if (!place.line)
            place = blamed_place(sweep, &fault, place);
        faults_add(faults, place, (ptrdiff_t)cell, fault.why.text);
    }
}

static void describe(const struct grid_fault *fault, const struct grid *grid, struct bytes *ret_text)
{
    char message[MESSAGE_SIZE], cell[CELL_SIZE], others[REST_SIZE] = "";
    if (fault->cells > 1)
        snprintf(others, sizeof others, ", and %zu more cell%s", fault->cells - 1, fault->cells > 2 ? "s" : "");
    if (fault->cell == FAULT_NO_CELL)
        snprintf(message, sizeof message, "%s", fault->why);
    else
        snprintf(message, sizeof message, "%s (at %s%s)", fault->why,
                 cell_text(grid, (size_t)fault->cell, cell, sizeof cell), others);
    sweep_describe(grid->sweep, fault->place, message, ret_text);
}

static bool stands_before(struct source_place a, struct source_place b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

static void sort_by_place(const struct grid_faults *faults, const struct grid_fault *ret_sorted[FAULTS_LIMIT])
{
    for (size_t i = 0; i < faults->count; i++) {
        size_t at = i;
        for (; at && stands_before(faults->fault[i].place, ret_sorted[at - 1]->place); at--)
            ret_sorted[at] = ret_sorted[at - 1];
        ret_sorted[at] = &faults->fault[i];
    }
}

enum status_code faults_status(const struct grid_faults *faults, const struct grid *grid, struct status *status)
{
    const struct grid_fault *sorted[FAULTS_LIMIT];
    struct bytes text = {0};
    size_t shown = 0, used = 0;
    if (!faults->count)
        return STATUS_OK;
    sort_by_place(faults, sorted);
    for (; shown < faults->count; shown++) {
        describe(sorted[shown], grid, &text);
        if (shown && text.size > sizeof status->text - REST_SIZE)
            break;
        used = text.size;
    }
    char rest[REST_SIZE] = "";
    if (faults->more || shown < faults->count)
        snprintf(rest, sizeof rest, "\nand more errors, once these are mended");
    enum status_code code =
        text.failed ? status_set(status, STATUS_MEMORY, "out of memory while expanding the grid")
                    : status_set(status, STATUS_INVALID, "%.*s%s", (int)used, (const char *)text.data, rest);
    bytes_fini(&text);
    return code;
}
