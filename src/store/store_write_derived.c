// SPDX-License-Identifier: MIT
// Results across trials: of each trial in `trials`, of each setting in the cube.
#include "store_names.h"
#include "store_table.h"
#include "store_write.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// One result as it is stored: float32, or codes.
struct stored {
    const struct writing *writing;
    const struct record_derived *derived;
    enum h5_type type;
    size_t size;
    char *rows;  // (trials, test lengths)
    char *cells; // (cells of the axes, without replicates; the cube's test lengths)
};

static void store_number(const struct stored *stored, double number, char *to)
{
    float real = (float)number;
    uint8_t code = isnan(number) || number < 0 || number >= STORE_ABSENT ? STORE_ABSENT : (uint8_t)number;
    memcpy(to, stored->type == H5_F32 ? (const void *)&real : (const void *)&code, stored->size);
    if (isnan(number))
        memcpy(to, store_h5_fill(stored->type), stored->size);
}

static const void *get_rows(void *self, size_t first, size_t count)
{
    const struct stored *stored = self;
    (void)count;
    return stored->rows + first * stored->writing->plan->lengths_count * stored->size;
}

static const void *get_cells(void *self, size_t first, size_t count)
{
    const struct stored *stored = self;
    (void)count;
    return stored->cells + first * stored->size;
}

// The number of a cell and length from the first replicate that has a row and asks for the length.
static void put_cell(const struct stored *stored, size_t cell, size_t length, char *to)
{
    const struct plan *plan = stored->writing->plan;
    size_t replicates = (size_t)plan->sweep->replicates;
    memcpy(to, store_h5_fill(stored->type), stored->size);
    for (size_t i = cell * replicates; i < (cell + 1) * replicates; i++) {
        ptrdiff_t trial = grid_cell_trial(plan->grid, i);
        ptrdiff_t row = trial < 0 ? -1 : plan->row_of_trial[trial];
        if (row < 0 || !grid_wants(plan->grid, i, plan->cube_lengths[length]))
            continue;
        size_t from = (size_t)row * plan->lengths_count + store_plan_length_index(plan, plan->cube_lengths[length]);
        memcpy(to, stored->rows + from * stored->size, stored->size);
        return;
    }
}

static enum status_code describe(const struct stored *stored, hid_t dataset, const char *coordinates)
{
    const struct h5 *h5 = &stored->writing->h5;
    const struct record_derived *derived = stored->derived;
    const struct about about = {derived->long_name, derived->unit, derived->help, coordinates};
    enum status_code code = derived->flags
                                ? store_h5_put_flags(h5, dataset, derived->flags, true)
                                : store_h5_put_numbers(h5, dataset, "_FillValue", H5_F32, 0, store_h5_fill(H5_F32));
    return code == STATUS_OK ? store_write_about(h5, dataset, &about) : code;
}

static enum status_code write_rows(struct stored *stored)
{
    const struct writing *writing = stored->writing;
    const struct plan *plan = writing->plan;
    struct h5_shape shape = {
        2, {plan->rows_count, plan->lengths_count}, {writing->trials_trial, writing->trials_length}};
    hid_t dataset = 0;
    for (size_t i = 0; i < plan->rows_count * plan->lengths_count; i++)
        store_number(stored, stored->derived->data[i], stored->rows + i * stored->size);
    enum status_code code = store_h5_put_variable(&writing->h5, writing->trials, stored->derived->name, stored->type,
                                                  &shape, 1, (struct h5_source){get_rows, stored}, &dataset);
    return code == STATUS_OK ? describe(stored, dataset, writing->trial_coordinates) : code;
}

static enum status_code write_cells(struct stored *stored, size_t cells)
{
    const struct writing *writing = stored->writing;
    const struct plan *plan = writing->plan;
    size_t lengths = plan->cube_lengths_count;
    struct h5_shape shape = {.rank = (int)writing->cell_axes};
    for (size_t i = 0; i + 1 < writing->cell_axes; i++) {
        shape.size[i] = writing->cell_size[i];
        shape.scale[i] = writing->axis[i];
    }
    shape.size[shape.rank - 1] = lengths;
    shape.scale[shape.rank - 1] = writing->length;
    for (size_t i = 0; i < cells * lengths; i++)
        put_cell(stored, i / lengths, i % lengths, stored->cells + i * stored->size);
    hid_t dataset = 0;
    const char *coordinates = store_write_cube_coordinates(writing, true, false);
    if (!coordinates)
        return status_set(writing->h5.status, STATUS_MEMORY, "no memory for the names of coordinates");
    enum status_code code = store_h5_put_variable(&writing->h5, writing->file, stored->derived->name, stored->type,
                                                  &shape, shape.rank, (struct h5_source){get_cells, stored}, &dataset);
    return code == STATUS_OK ? describe(stored, dataset, coordinates) : code;
}

static enum status_code write_one(struct writing *writing, const struct record_derived *derived)
{
    const struct plan *plan = writing->plan;
    enum h5_type type = derived->flags ? H5_U8 : H5_F32;
    struct stored stored = {.writing = writing, .derived = derived, .type = type, .size = store_h5_size(type)};
    size_t cells = plan->has_cube ? grid_cell_count(plan->grid) / (size_t)plan->sweep->replicates : 0;
    stored.rows = malloc(plan->rows_count * plan->lengths_count * stored.size + 1);
    stored.cells = malloc(cells * plan->cube_lengths_count * stored.size + 1);
    enum status_code code = STATUS_OK;
    if (!stored.rows || !stored.cells)
        code = status_set(writing->h5.status, STATUS_MEMORY, "no memory for %s", derived->name);
    if (code == STATUS_OK)
        code = write_rows(&stored);
    if (code == STATUS_OK && plan->has_cube)
        code = write_cells(&stored, cells);
    free(stored.rows);
    free(stored.cells);
    return code;
}

static enum status_code derive(struct writing *writing, struct arena *arena, const struct record_derived **ret_derived,
                               size_t *ret_count)
{
    struct plan *plan = writing->plan;
    struct store_table *table = NULL;
    struct store_table_source source = {
        .file = writing->file,
        .path = writing->h5.path,
        .schema = &plan->schema,
        .rows_count = plan->rows_count,
        .lengths_count = plan->lengths_count,
        .rows = plan->rows,
        .lengths = plan->lengths,
    };
    enum status_code code = store_table_create(&source, &plan->lookup, arena, &table, writing->h5.status);
    if (code != STATUS_OK)
        return code;
    code = writing->options->derive(&table->table, arena, ret_derived, ret_count, writing->h5.status);
    return code == STATUS_OK ? code : status_context(writing->h5.status, "results across trials");
}

enum status_code store_write_derived(struct writing *writing)
{
    const struct record_derived *derived = NULL;
    size_t count = 0;
    struct bytes names = {0};
    struct arena *arena = arena_create(1 << 16, 0);
    enum status_code code =
        arena ? STATUS_OK : status_set(writing->h5.status, STATUS_MEMORY, "no memory for results across trials");
    if (code == STATUS_OK && writing->options->derive)
        code = derive(writing, arena, &derived, &count);
    for (size_t i = 0; i < count && code == STATUS_OK; i++) {
        // A field of a later version may have the name; the field, being a result, keeps it.
        if (store_h5_has(writing->trials, derived[i].name))
            continue;
        code = write_one(writing, &derived[i]);
        if (names.size)
            bytes_raw(&names, " ", 1);
        bytes_raw(&names, derived[i].name, strlen(derived[i].name));
    }
    bytes_u8(&names, 0);
    if (code == STATUS_OK && names.failed)
        code = status_set(writing->h5.status, STATUS_MEMORY, "no memory for results across trials");
    if (code == STATUS_OK)
        code = store_h5_put_text(&writing->h5, writing->trials, ATTRIBUTE_DERIVED, (const char *)names.data);
    bytes_fini(&names);
    arena_destroy(arena);
    return code;
}
