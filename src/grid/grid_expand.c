// SPDX-License-Identifier: MIT
// Station before: config_load. Station after: store_open.
#include "grid_faults.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024, MAX_CELLS = 1 << 30 };

// What only lives while a grid is built.
struct expansion {
    struct grid *grid;
    struct status *status;
    struct settings_lines *lines;
    uint32_t *set; // (capacity) of each trial
    size_t trials_capacity;
    size_t train_axis; // the axis with train_length; axes_count when it is none
    uint32_t *own_set; // (rows of that axis, else 1) the test lengths of each train length, without exclusions
    struct grid_faults faults;
};

static enum status_code no_memory(const struct expansion *expansion)
{
    return status_set(expansion->status, STATUS_MEMORY, "out of memory while expanding the grid of %zu cells",
                      expansion->grid->cells);
}

static enum status_code fail_at(const struct expansion *expansion, struct source_place place, const char *message)
{
    struct bytes text = {0};
    sweep_describe(expansion->grid->sweep, place, message, &text);
    enum status_code code =
        text.failed ? no_memory(expansion)
                    : status_set(expansion->status, STATUS_INVALID, "%.*s", (int)text.size, (const char *)text.data);
    bytes_fini(&text);
    return code;
}

// Room for one more trial.
static bool make_room(struct expansion *expansion)
{
    struct grid *grid = expansion->grid;
    if (grid->identities.count < expansion->trials_capacity)
        return true;
    size_t capacity = expansion->trials_capacity ? 2 * expansion->trials_capacity : 64;
    struct grid_trial *trials = realloc(grid->trials, capacity * sizeof *trials);
    grid->trials = trials ? trials : grid->trials;
    uint32_t *set = realloc(expansion->set, capacity * sizeof *set);
    expansion->set = set ? set : expansion->set;
    uint32_t *partner = realloc(grid->partner, capacity * sizeof *partner);
    grid->partner = partner ? partner : grid->partner;
    if (!trials || !set || !partner)
        return false;
    expansion->trials_capacity = capacity;
    return true;
}

// The trial of this identity, made from the rest when there is none. TABLE_NONE when memory is out.
static uint32_t add_trial(struct expansion *expansion, struct hash128 identity, const struct settings *settings,
                          size_t cell, bool twin)
{
    struct grid *grid = expansion->grid;
    size_t before = grid->identities.count;
    uint32_t index = make_room(expansion) ? table_add(&grid->identities, identity) : TABLE_NONE;
    if (index == TABLE_NONE || grid->identities.count == before)
        return index;
    grid->trials[index] = (struct grid_trial){.identity = identity, .settings = *settings, .twin = twin, .cell = cell};
    grid->partner[index] = TABLE_NONE;
    expansion->set[index] = 0;
    return index;
}

// The lengths of the sweep for one train length, with `cell` less those that exclusions name.
static uint32_t make_set(struct expansion *expansion, int64_t train_length, const size_t *cell)
{
    struct grid *grid = expansion->grid;
    const struct sweep *sweep = grid->sweep;
    int64_t *lengths = sets_scratch(&grid->sets, sweep->lengths_count);
    size_t count = 0;
    for (size_t l = 0; lengths && l < sweep->lengths_count; l++) {
        int64_t tokens = test_length_tokens(sweep->lengths[l], train_length);
        if (tokens && !(cell && cell_length_is_excluded(grid, *cell, train_length, tokens)))
            lengths[count++] = tokens;
    }
    return lengths ? sets_add(&grid->sets, lengths, count) : TABLE_NONE;
}

static uint32_t cell_set(struct expansion *expansion, size_t cell, int64_t train_length)
{
    const struct grid *grid = expansion->grid;
    if (cell_lacks_lengths(grid, cell))
        return make_set(expansion, train_length, &cell);
    bool axis = expansion->train_axis < grid->sweep->axes_count;
    return expansion->own_set[axis ? cell_row(grid, cell, expansion->train_axis) : 0];
}

static void check_lengths(struct expansion *expansion, int64_t train_length)
{
    const struct sweep *sweep = expansion->grid->sweep;
    for (size_t l = 0; l < sweep->lengths_count; l++) {
        if (test_length_tokens(sweep->lengths[l], train_length))
            continue;
        char text[SETTING_TEXT_SIZE], message[MESSAGE_SIZE];
        snprintf(message, sizeof message, "test_length: %s of train_length %" PRId64 " is not an integer from 1 to %d",
                 test_length_text(sweep->lengths[l], text), train_length, TEST_LENGTH_LIMIT);
        faults_add(&expansion->faults, sweep->lengths[l].place, FAULT_NO_CELL, message);
    }
}

// The column of train_length; NULL when it is no axis.
static const struct axis_column *find_train_axis(const struct sweep *sweep, size_t *ret_axis)
{
    for (*ret_axis = 0; *ret_axis < sweep->axes_count; ++*ret_axis)
        for (size_t c = 0; c < sweep->axes[*ret_axis].columns_count; c++) {
            const struct axis_column *column = &sweep->axes[*ret_axis].columns[c];
            if (column->setting->offset == offsetof(struct settings, task.train_length))
                return column;
        }
    return NULL;
}

static enum status_code make_own_sets(struct expansion *expansion)
{
    const struct sweep *sweep = expansion->grid->sweep;
    const struct axis_column *column = find_train_axis(sweep, &expansion->train_axis);
    size_t count = column ? sweep->axes[expansion->train_axis].count : 1;
    expansion->own_set = arena_get(expansion->grid->arena, count, sizeof *expansion->own_set);
    if (!expansion->own_set)
        return no_memory(expansion);
    for (size_t i = 0; i < count; i++) {
        int64_t train_length = column ? column->values[i].i : sweep->base.task.train_length;
        check_lengths(expansion, train_length);
        expansion->own_set[i] = make_set(expansion, train_length, NULL);
        if (expansion->own_set[i] == TABLE_NONE)
            return no_memory(expansion);
    }
    return STATUS_OK;
}

static enum status_code add_cell(struct expansion *expansion, size_t cell)
{
    struct grid *grid = expansion->grid;
    struct settings settings;
    grid->cell_trial[cell] = TABLE_NONE;
    if (cell_is_excluded(grid, cell))
        return STATUS_OK;
    cell_settings(grid, cell, &settings);
    uint32_t set = cell_set(expansion, cell, settings.task.train_length);
    if (set == TABLE_NONE)
        return no_memory(expansion);
    if (!grid->sets.set[set].count)
        return STATUS_OK;
    faults_check_cell(&expansion->faults, grid, cell, &settings, &grid->sets.set[set]);
    if (expansion->faults.count)
        return STATUS_OK;
    uint32_t index = add_trial(expansion, settings_lines_identity(expansion->lines, &settings), &settings, cell, false);
    if (index == TABLE_NONE)
        return no_memory(expansion);
    grid->cell_trial[cell] = index;
    expansion->set[index] = sets_union(&grid->sets, expansion->set[index], set);
    return expansion->set[index] == TABLE_NONE ? no_memory(expansion) : STATUS_OK;
}

// The verdict on a trial compares it with its partner at each of its lengths, and asks for the partner's error at T =
// n, where there are such tests.
static enum status_code lend_lengths(struct expansion *expansion, uint32_t trial, uint32_t partner)
{
    struct length_sets *sets = &expansion->grid->sets;
    const struct settings *settings = &expansion->grid->trials[trial].settings;
    int64_t train_length = settings->task.train_length;
    struct settings_fault fault;
    uint32_t asked = expansion->set[trial];
    if (!settings_length_fault(settings, train_length, &fault))
        asked = sets_union(sets, asked, sets_add(sets, &train_length, 1));
    expansion->set[partner] = sets_union(sets, expansion->set[partner], asked);
    return expansion->set[partner] == TABLE_NONE ? no_memory(expansion) : STATUS_OK;
}

static enum status_code find_partner(struct expansion *expansion, uint32_t trial)
{
    struct grid *grid = expansion->grid;
    struct settings settings = grid->trials[trial].settings;
    grid->partner[trial] = trial;
    if (settings.task.noise_rate == 0)
        return STATUS_OK;
    settings.task.noise_rate = 0;
    sweep_set_source(grid->sweep, &settings);
    struct hash128 identity = settings_lines_identity(expansion->lines, &settings);
    uint32_t partner = grid->sweep->twins ? add_trial(expansion, identity, &settings, grid->trials[trial].cell, true)
                                          : table_find(&grid->identities, identity);
    if (grid->sweep->twins && partner == TABLE_NONE)
        return no_memory(expansion);
    grid->partner[trial] = partner;
    if (!grid->sweep->twins || partner == trial)
        return STATUS_OK;
    grid->partner[partner] = partner;
    return lend_lengths(expansion, trial, partner);
}

static struct source_place last_exclusion(const struct sweep *sweep)
{
    const size_t count = sweep->exclusions_count;
    return count ? sweep->exclusions[count - 1].place : (struct source_place){0};
}

static enum status_code add_all(struct expansion *expansion)
{
    struct grid *grid = expansion->grid;
    enum status_code code = make_own_sets(expansion);
    for (size_t cell = 0; code == STATUS_OK && cell < grid->cells && !expansion->faults.more; cell++)
        code = add_cell(expansion, cell);
    if (code == STATUS_OK)
        code = faults_status(&expansion->faults, grid, expansion->status);
    size_t trials = grid->identities.count;
    for (size_t i = 0; code == STATUS_OK && i < trials; i++)
        code = find_partner(expansion, (uint32_t)i);
    if (code == STATUS_OK && !trials)
        code = fail_at(expansion, last_exclusion(grid->sweep), "no trial is left: the exclusions take every cell");
    return code;
}

// Gives trials their lengths, once no set grows any more.
static enum status_code settle_lengths(struct expansion *expansion)
{
    struct grid *grid = expansion->grid;
    for (size_t i = 0; i < grid->identities.count; i++) {
        const struct length_set *set = &grid->sets.set[expansion->set[i]];
        grid->trials[i].lengths = set->lengths;
        grid->trials[i].lengths_count = set->count;
        grid->all_lengths = sets_union(&grid->sets, grid->all_lengths, expansion->set[i]);
        if (grid->all_lengths == TABLE_NONE)
            return no_memory(expansion);
    }
    return STATUS_OK;
}

// "32 snr x 5 encoding x 3 replicates".
static void list_factors(const struct sweep *sweep, char *ret_text, size_t size)
{
    size_t used = 0;
    for (size_t a = 0; a < sweep->axes_count && used < size; a++)
        used += (size_t)snprintf(ret_text + used, size - used, "%zu %s x ", sweep->axes[a].count, sweep->axes[a].name);
    if (used < size)
        snprintf(ret_text + used, size - used, "%" PRId64 " replicates", sweep->replicates);
}

static enum status_code check_size(struct expansion *expansion, size_t limit)
{
    const struct sweep *sweep = expansion->grid->sweep;
    double cells = grid_cells(sweep);
    char message[MESSAGE_SIZE], factors[MESSAGE_SIZE / 2];
    limit = limit < MAX_CELLS ? limit : MAX_CELLS;
    if (cells <= (double)limit)
        return STATUS_OK;
    list_factors(sweep, factors, sizeof factors);
    snprintf(message, sizeof message, "the grid has %.0f cells (%s), more than the limit of %zu; shorten some axes",
             cells, factors, limit);
    return fail_at(expansion, (struct source_place){0}, message);
}

static bool prepare(struct expansion *expansion)
{
    struct grid *grid = expansion->grid;
    grid->arena = arena_create(1 << 16, 0);
    if (!grid->arena || !cells_init(grid) || !sets_init(&grid->sets, grid->arena))
        return false;
    grid->cell_trial = malloc((grid->cells + 1) * sizeof *grid->cell_trial);
    expansion->lines = settings_lines_create(grid->arena);
    return grid->cell_trial && expansion->lines && table_reserve(&grid->identities, grid->cells);
}

enum status_code grid_expand(const struct sweep *sweep, size_t limit, struct grid **ret_grid, struct status *status)
{
    struct grid *grid = calloc(1, sizeof *grid);
    struct expansion expansion = {.grid = grid, .status = status};
    if (!grid)
        return status_set(status, STATUS_MEMORY, "out of memory while expanding the grid");
    grid->sweep = sweep;
    enum status_code code = check_size(&expansion, limit);
    if (code == STATUS_OK && !prepare(&expansion))
        code = no_memory(&expansion);
    if (code == STATUS_OK)
        code = add_all(&expansion);
    if (code == STATUS_OK)
        code = settle_lengths(&expansion);
    free(expansion.set);
    if (code != STATUS_OK) {
        grid_destroy(grid);
        return code;
    }
    *ret_grid = grid;
    return STATUS_OK;
}
