// SPDX-License-Identifier: MIT
// Dimension scales: of fields, of trials and of the cube's axes.
#include "store_names.h"
#include "store_write.h"
#include <stdlib.h>
#include <string.h>

// Dimensions that are known by name come first, in this order; `first` is the index of their first element.
static const struct known {
    const char *name;
    int32_t first;
    const char *long_name, *help;
} known[] = {
    {"eval", 0, "evaluation", "Index of the evaluation along training; step has its training step."},
    {"phase", 1, "phase", "1: rapid fitting, 2: refinement, 3: stabilisation."},
    {"loss_level", 0, "loss level", "Index of the training loss at which trials are compared."},
    {"layer", 0, "layer", "Index of the layer, from the input on."},
    {"head", 0, "head", "Index of the attention head."},
    {"round", 0, "round", "Index of the round of self-training."},
    {"position", 0, "position", "Index of the position in the sequence."},
    {"sample", 0, "sample", "Index of the training sample."},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static size_t rank_of(const char *name)
{
    size_t rank = 0;
    while (rank < KNOWN && strcmp(known[rank].name, name) != 0)
        rank++;
    return rank;
}

static int compare_dimensions(const void *a, const void *b)
{
    const struct dimension *left = a, *right = b;
    size_t left_rank = rank_of(left->name), right_rank = rank_of(right->name);
    return left_rank != right_rank ? (left_rank < right_rank ? -1 : 1) : strcmp(left->name, right->name);
}

struct dimension *store_write_dimension(const struct writing *writing, const char *name)
{
    for (size_t i = 0; i < writing->dimensions_count; i++)
        if (strcmp(writing->dimensions[i].name, name) == 0)
            return &writing->dimensions[i];
    return NULL;
}

static bool is_axis(const struct sweep *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->axes_count; i++)
        if (strcmp(sweep->axes[i].name, name) == 0)
            return true;
    return false;
}

static void add_dimension(struct writing *writing, const struct column *column, int at)
{
    const char *name = column->dimension[at];
    struct dimension *dimension = store_write_dimension(writing, name);
    if (!dimension) {
        dimension = &writing->dimensions[writing->dimensions_count++];
        *dimension = (struct dimension){.name = name, .column = -1};
        bool taken = store_plan_name_taken(name) || is_axis(writing->plan->sweep, name);
        snprintf(dimension->dataset, sizeof dimension->dataset, "%s%s", name, taken ? "_index" : "");
    }
    if (column->extent[at] > dimension->extent)
        dimension->extent = column->extent[at];
    *(store_column_is_run(column) ? &dimension->in_run : &dimension->in_trials) = true;
}

static enum status_code collect_dimensions(struct writing *writing)
{
    const struct schema *schema = &writing->plan->schema;
    writing->dimensions =
        arena_get(writing->plan->arena, schema->columns_count * RECORD_DIMENSIONS + 1, sizeof *writing->dimensions);
    if (!writing->dimensions)
        return status_set(writing->h5.status, STATUS_MEMORY, "no memory for dimensions");
    for (size_t i = 0; i < schema->columns_count; i++)
        for (int d = 0; d < schema->columns[i].dimensions; d++)
            add_dimension(writing, &schema->columns[i], d);
    if (writing->dimensions_count)
        qsort(writing->dimensions, writing->dimensions_count, sizeof *writing->dimensions, compare_dimensions);
    return STATUS_OK;
}

static bool is_leading(const struct column *column)
{
    return column->part == RECORD_TRAINING && column->dimensions == 1 && column->extent[0] &&
           (strcmp(column->name, column->dimension[0]) == 0 || (column->field && column->field->id == FIELD_STEP));
}

// A training field that is called like its dimension gives the dimension its values where all trials agree on them; the
// field needs no column then. `step` stands along eval in the root on the same condition.
static enum status_code share(struct writing *writing, size_t at)
{
    struct column *column = &writing->plan->schema.columns[at];
    struct dimension *dimension = store_write_dimension(writing, column->dimension[0]);
    const void *shared = store_fill_shared(&writing->fill, at);
    if (!shared || column->extent[0] != dimension->extent || dimension->column >= 0)
        return STATUS_OK;
    dimension->values = arena_get(writing->plan->arena, 1, store_column_bytes(column));
    if (!dimension->values)
        return status_set(writing->h5.status, STATUS_MEMORY, "no memory for coordinates");
    memcpy(dimension->values, shared, store_column_bytes(column));
    dimension->column = (ptrdiff_t)at;
    if (strcmp(column->name, column->dimension[0]) == 0)
        snprintf(column->path, sizeof column->path, GROUP_TRIALS "/%s", dimension->dataset);
    else
        writing->has_step = true;
    return STATUS_OK;
}

enum status_code store_write_leading(struct writing *writing)
{
    const struct schema *schema = &writing->plan->schema;
    enum status_code code = collect_dimensions(writing);
    for (size_t i = 0; i < schema->columns_count && code == STATUS_OK; i++)
        if (is_leading(&schema->columns[i]))
            code = store_fill_add(&writing->fill, i, writing->h5.status);
    if (code == STATUS_OK)
        code = store_fill_run(&writing->fill, writing->h5.status);
    for (size_t i = 0; i < schema->columns_count && code == STATUS_OK; i++)
        if (writing->fill.data[i])
            code = share(writing, i);
    store_fill_drop(&writing->fill);
    return code == STATUS_OK ? store_write_scales(writing) : code;
}

static enum status_code put_index(const struct h5 *h5, hid_t parent, const char *name, int32_t first, size_t count,
                                  const struct about *about, hid_t *ret_scale)
{
    int32_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers)
        return status_set(h5->status, STATUS_MEMORY, "no memory for %s", name);
    for (size_t i = 0; i < count; i++)
        numbers[i] = first + (int32_t)i;
    enum status_code code = store_h5_put_coordinate(h5, parent, name, H5_I32, count, numbers, 0, ret_scale);
    free(numbers);
    return code == STATUS_OK ? store_write_about(h5, *ret_scale, about) : code;
}

static enum status_code put_dimension(struct writing *writing, const struct dimension *dimension, hid_t parent,
                                      hid_t *ret_scale)
{
    const struct column *column = dimension->column >= 0 ? &writing->plan->schema.columns[dimension->column] : NULL;
    if (column && strcmp(column->name, dimension->name) == 0) {
        struct about about = {column->name, "1", NULL, NULL};
        if (column->field)
            about = (struct about){column->field->long_name, column->field->unit, column->field->help, NULL};
        enum status_code code =
            store_h5_put_coordinate(&writing->h5, parent, dimension->dataset, (enum h5_type)column->type,
                                    dimension->extent, dimension->values, 0, ret_scale);
        return code == STATUS_OK ? store_write_about(&writing->h5, *ret_scale, &about) : code;
    }
    size_t rank = rank_of(dimension->name);
    struct about about = {dimension->name, "1", "Index along a dimension that this version does not know.", NULL};
    if (rank < KNOWN)
        about = (struct about){known[rank].long_name, "1", known[rank].help, NULL};
    return put_index(&writing->h5, parent, dimension->dataset, rank < KNOWN ? known[rank].first : 0, dimension->extent,
                     &about, ret_scale);
}

static enum status_code put_step(struct writing *writing, const struct dimension *dimension)
{
    hid_t dataset = 0;
    const struct column *column = &writing->plan->schema.columns[dimension->column];
    const struct about about = {column->field->long_name, column->field->unit, column->field->help, NULL};
    enum status_code code =
        store_h5_put_coordinate(&writing->h5, writing->file, column->name, (enum h5_type)column->type,
                                dimension->extent, dimension->values, dimension->root, &dataset);
    return code == STATUS_OK ? store_write_about(&writing->h5, dataset, &about) : code;
}

static enum status_code put_field_dimensions(struct writing *writing)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < writing->dimensions_count && code == STATUS_OK; i++) {
        struct dimension *dimension = &writing->dimensions[i];
        bool in_root = dimension->in_trials && writing->plan->has_cube;
        if (in_root)
            code = put_dimension(writing, dimension, writing->file, &dimension->root);
        if (code == STATUS_OK && dimension->in_trials)
            code = put_dimension(writing, dimension, writing->trials, &dimension->trials);
        if (code == STATUS_OK && dimension->in_run)
            code = put_dimension(writing, dimension, writing->run, &dimension->run);
        if (code == STATUS_OK && in_root && writing->has_step && strcmp(dimension->name, "eval") == 0)
            code = put_step(writing, dimension);
    }
    return code;
}

static enum status_code put_lengths(struct writing *writing, hid_t parent, const int64_t *lengths, size_t count,
                                    hid_t *ret_scale)
{
    static const struct about about = {"test length", "tokens", "Length of the test sequences.", NULL};
    enum status_code code =
        store_h5_put_coordinate(&writing->h5, parent, NAME_TEST_LENGTH, H5_I64, count, lengths, 0, ret_scale);
    return code == STATUS_OK ? store_write_about(&writing->h5, *ret_scale, &about) : code;
}

static enum status_code put_axis(struct writing *writing, const struct axis *axis, hid_t *ret_scale)
{
    static const struct about about = {"index of settings that move together", "1",
                                       "Position in a zip block; its settings are coordinates along this dimension.",
                                       NULL};
    if (axis->columns_count == 1 && strcmp(axis->columns[0].setting->name, axis->name) == 0)
        return store_write_setting(&writing->h5, writing->file, axis->columns[0].setting, 0, axis->count,
                                   axis->columns[0].values, ret_scale);
    enum status_code code = put_index(&writing->h5, writing->file, axis->name, 0, axis->count, &about, ret_scale);
    for (size_t i = 0; i < axis->columns_count && code == STATUS_OK; i++) {
        hid_t dataset = 0;
        code = store_write_setting(&writing->h5, writing->file, axis->columns[i].setting, *ret_scale, axis->count,
                                   axis->columns[i].values, &dataset);
    }
    return code;
}

static enum status_code put_replicate(struct writing *writing)
{
    size_t count = (size_t)writing->plan->sweep->replicates;
    const struct setting *setting = setting_find(NAME_REPLICATE, strlen(NAME_REPLICATE));
    union setting_value *values = calloc(count + 1, sizeof *values);
    if (!values)
        return status_set(writing->h5.status, STATUS_MEMORY, "no memory for replicates");
    for (size_t i = 0; i < count; i++)
        values[i].i = (int64_t)i;
    enum status_code code =
        store_write_setting(&writing->h5, writing->file, setting, 0, count, values, &writing->replicate);
    free(values);
    return code;
}

enum status_code store_write_scales(struct writing *writing)
{
    static const struct about about = {"trial", "1", "Index of the trial in this file; identity names it for good.",
                                       NULL};
    struct plan *plan = writing->plan;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < plan->sweep->axes_count && i < H5_RANK && code == STATUS_OK; i++) {
        writing->cell_size[i] = plan->sweep->axes[i].count;
        code = put_axis(writing, &plan->sweep->axes[i], &writing->axis[i]);
    }
    writing->cell_axes = plan->sweep->axes_count + 1;
    if (plan->has_cube)
        writing->cell_size[writing->cell_axes - 1] = (hsize_t)plan->sweep->replicates;
    if (code == STATUS_OK)
        code = put_replicate(writing);
    if (code == STATUS_OK)
        code = put_lengths(writing, writing->file, plan->cube_lengths, plan->cube_lengths_count, &writing->length);
    if (code == STATUS_OK)
        code =
            put_index(&writing->h5, writing->trials, NAME_TRIAL, 0, plan->rows_count, &about, &writing->trials_trial);
    if (code == STATUS_OK)
        code = put_lengths(writing, writing->trials, plan->lengths, plan->lengths_count, &writing->trials_length);
    if (code == STATUS_OK)
        code = put_index(&writing->h5, writing->run, NAME_TRIAL, 0, plan->rows_count, &about, &writing->run_trial);
    if (code == STATUS_OK)
        code = put_lengths(writing, writing->run, plan->lengths, plan->lengths_count, &writing->run_length);
    return code == STATUS_OK ? put_field_dimensions(writing) : code;
}
