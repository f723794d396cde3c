// SPDX-License-Identifier: MIT
#include "store_plan.h"
#include "store_payload.h"
#include <stdlib.h>
#include <string.h>

// The root is a cube while it has at most so many cells a trial.
enum { CUBE_FACTOR = 4, CUBE_AXES = H5_RANK - RECORD_DIMENSIONS - 2 };

static enum status_code no_memory(const struct plan *plan, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory to publish %s", plan->path);
}

static bool is_known(const struct index_entry *entry)
{
    return entry && (entry->status != RECORD_PENDING || entry->attempts);
}

static int compare_entries(const void *a, const void *b)
{
    const struct index_entry *const *left = a, *const *right = b;
    return hash_compare(&(*left)->identity, &(*right)->identity);
}

// Attempts at trials that the grid has no more are dropped where nothing else is known of them.
static void add_strangers(struct plan *plan)
{
    const struct store_index *index = plan->sources.index;
    size_t first = plan->rows_count;
    for (size_t i = 0; i < store_index_count(index); i++) {
        const struct index_entry *entry = store_index_at(index, i);
        bool settings = entry->status != RECORD_PENDING || entry->row != SIZE_MAX;
        if (is_known(entry) && settings && grid_find(plan->grid, entry->identity) < 0)
            plan->entries[plan->rows_count++] = entry;
    }
    if (plan->rows_count > first)
        qsort(plan->entries + first, plan->rows_count - first, sizeof *plan->entries, compare_entries);
}

static enum status_code order_rows(struct plan *plan, struct status *status)
{
    size_t trials = grid_trials(plan->grid), most = trials + store_index_count(plan->sources.index);
    plan->entries = arena_get(plan->arena, most + 1, sizeof *plan->entries);
    plan->row_of_trial = arena_get(plan->arena, trials + 1, sizeof *plan->row_of_trial);
    if (!plan->entries || !plan->row_of_trial)
        return no_memory(plan, status);
    for (size_t i = 0; i < trials; i++) {
        const struct index_entry *entry = store_index_find(plan->sources.index, grid_trial(plan->grid, i)->identity);
        plan->row_of_trial[i] = is_known(entry) ? (ptrdiff_t)plan->rows_count : -1;
        if (is_known(entry))
            plan->entries[plan->rows_count++] = entry;
    }
    add_strangers(plan);
    plan->rows = arena_get(plan->arena, plan->rows_count + 1, sizeof *plan->rows);
    return plan->rows ? STATUS_OK : no_memory(plan, status);
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// Sorts and drops repetitions; returns how many are left.
static size_t sort_lengths(int64_t *lengths, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(lengths, count, sizeof *lengths, compare_lengths);
    for (size_t i = 0; i < count; i++)
        if (!kept || lengths[i] != lengths[kept - 1])
            lengths[kept++] = lengths[i];
    return kept;
}

static enum status_code collect_lengths(struct plan *plan, struct status *status)
{
    const int64_t *wanted;
    size_t count = grid_lengths(plan->grid, &wanted), most = count;
    for (size_t row = 0; row < plan->rows_count; row++)
        for (const struct index_part *part = plan->entries[row]->parts; part; part = part->next)
            most++;
    int64_t *lengths = calloc(most + 1, sizeof *lengths);
    if (!lengths)
        return no_memory(plan, status);
    if (count)
        memcpy(lengths, wanted, count * sizeof *lengths);
    for (size_t row = 0; row < plan->rows_count; row++)
        for (const struct index_part *part = plan->entries[row]->parts; part; part = part->next)
            if (part->test_length != INDEX_TRAINING)
                lengths[count++] = part->test_length;
    plan->lengths_count = sort_lengths(lengths, count);
    plan->lengths = arena_get(plan->arena, plan->lengths_count + 1, sizeof *plan->lengths);
    if (plan->lengths && plan->lengths_count)
        memcpy(plan->lengths, lengths, plan->lengths_count * sizeof *lengths);
    free(lengths);
    return plan->lengths ? STATUS_OK : no_memory(plan, status);
}

static enum status_code collect_cube_lengths(struct plan *plan, struct status *status)
{
    const int64_t *all;
    size_t count = grid_lengths(plan->grid, &all), cells = grid_cell_count(plan->grid);
    plan->cube_lengths = arena_get(plan->arena, count + 1, sizeof *plan->cube_lengths);
    if (!plan->cube_lengths)
        return no_memory(plan, status);
    for (size_t i = 0; i < count; i++)
        for (size_t cell = 0; cell < cells; cell++)
            if (grid_wants(plan->grid, cell, all[i])) {
                plan->cube_lengths[plan->cube_lengths_count++] = all[i];
                break;
            }
    plan->has_cube = plan->sweep->axes_count <= CUBE_AXES && cells / CUBE_FACTOR <= grid_trials(plan->grid) &&
                     cells <= CUBE_FACTOR * grid_trials(plan->grid);
    return STATUS_OK;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct plan_piece *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

// Entries of the journal that are the source of something, each once.
static enum status_code collect_pieces(struct plan *plan, struct status *status)
{
    size_t most = 0;
    for (size_t row = 0; row < plan->rows_count; row++) {
        most++;
        for (const struct index_part *part = plan->entries[row]->parts; part; part = part->next)
            most++;
    }
    plan->pieces = arena_get(plan->arena, most + 1, sizeof *plan->pieces);
    if (!plan->pieces)
        return no_memory(plan, status);
    size_t count = 0, kept = 0;
    for (size_t row = 0; row < plan->rows_count; row++) {
        const struct index_entry *entry = plan->entries[row];
        if (entry->source != INDEX_PUBLISHED)
            plan->pieces[count++] = (struct plan_piece){entry->source, row};
        for (const struct index_part *part = entry->parts; part; part = part->next)
            if (part->source != INDEX_PUBLISHED)
                plan->pieces[count++] = (struct plan_piece){part->source, row};
    }
    if (count)
        qsort(plan->pieces, count, sizeof *plan->pieces, compare_pieces);
    for (size_t i = 0; i < count; i++)
        if (!kept || plan->pieces[i].offset != plan->pieces[kept - 1].offset)
            plan->pieces[kept++] = plan->pieces[i];
    plan->pieces_count = kept;
    return STATUS_OK;
}

enum status_code store_plan_create(const char *path, const struct sweep *sweep, const struct grid *grid,
                                   struct plan *ret_plan, struct bytes *warnings, struct status *status)
{
    struct plan plan = {.arena = arena_create(1 << 16, 0), .path = path, .sweep = sweep, .grid = grid};
    enum status_code code = plan.arena ? STATUS_OK : no_memory(&plan, status);
    if (code == STATUS_OK)
        code = store_sources_open(path, NUMERICS, &plan.sources, warnings, status);
    if (code == STATUS_OK)
        code = order_rows(&plan, status);
    if (code == STATUS_OK)
        code = collect_lengths(&plan, status);
    if (code == STATUS_OK)
        code = collect_cube_lengths(&plan, status);
    if (code == STATUS_OK)
        code = collect_pieces(&plan, status);
    if (code == STATUS_OK)
        code = store_plan_survey(&plan, status);
    store_schema_unify(&plan.schema);
    if (code == STATUS_OK)
        code = store_schema_sort(&plan.schema, store_plan_name_taken, status);
    if (code == STATUS_OK)
        code = store_rows_sort(plan.rows, plan.rows_count, plan.arena, &plan.lookup, status);
    if (code != STATUS_OK) {
        store_plan_fini(&plan);
        return code;
    }
    *ret_plan = plan;
    return STATUS_OK;
}

void store_plan_fini(struct plan *plan)
{
    store_sources_close(&plan->sources);
    store_schema_fini(&plan->schema);
    arena_destroy(plan->arena);
    *plan = (struct plan){0};
}

size_t store_plan_length_index(const struct plan *plan, int64_t test_length)
{
    const int64_t *found = plan->lengths_count ? bsearch(&test_length, plan->lengths, plan->lengths_count,
                                                         sizeof *plan->lengths, compare_lengths)
                                               : NULL;
    return found ? (size_t)(found - plan->lengths) : SIZE_MAX;
}

bool store_plan_varies(const struct plan *plan, const struct setting *setting)
{
    size_t count;
    if ((setting->assigned && !setting->unhashed) || store_sweep_column(plan->sweep, setting, &count))
        return true;
    union setting_value fixed = setting_get(setting, &plan->sweep->base);
    for (size_t row = 0; row < plan->rows_count; row++)
        if (setting_compare(setting, setting_get(setting, &plan->rows[row].settings), fixed) != 0)
            return true;
    return false;
}

double store_plan_bytes(const struct plan *plan)
{
    double bytes = 0;
    for (size_t i = 0; i < plan->rows_count * (1 + plan->lengths_count); i++) {
        bool training = i < plan->rows_count;
        uint32_t number = training ? plan->training_layout[i] : plan->test_layout[i - plan->rows_count];
        const struct layout *layout = &plan->schema.layouts[number];
        for (size_t j = 0; j < layout->count; j++) {
            const struct column *column = &plan->schema.columns[layout->values[j].column];
            double elements = 1;
            for (int d = 0; d < column->dimensions; d++)
                elements *= layout->values[j].extent[d];
            bytes += elements * (double)record_type_size(column->type);
        }
    }
    return bytes;
}
