// SPDX-License-Identifier: MIT
#include "config_build.h"
#include <stdlib.h>
#include <string.h>

bool build_claim(struct build *build, const struct setting *setting, struct source_place place)
{
    struct source_place *given = &build->places[setting_index(setting)];
    if (!given->line) {
        *given = place;
        return true;
    }
    report_error(build->report, place, "'%s' is given already at line %d, column %d; keep one of the two",
                 setting->name, given->line, given->column);
    return false;
}

const struct axis_column *build_column(const struct build *build, const struct setting *setting,
                                       const struct axis **ret_axis)
{
    for (size_t a = 0; a < build->sweep->axes_count; a++)
        for (size_t c = 0; c < build->axes[a].columns_count; c++)
            if (build->axes[a].columns[c].setting == setting) {
                *ret_axis = &build->axes[a];
                return &build->axes[a].columns[c];
            }
    return NULL;
}

// A row of an axis, for sorting: equal rows are neighbours, in the order of the file.
struct row {
    const struct axis *axis;
    size_t index;
    bool repeated;
};

static int compare_values(const struct row *a, const struct row *b)
{
    int order = 0;
    for (size_t c = 0; !order && c < a->axis->columns_count; c++) {
        const struct axis_column *column = &a->axis->columns[c];
        order = setting_compare(column->setting, column->values[a->index], column->values[b->index]);
    }
    return order;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    int order = compare_values(left, right);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_indices(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static void warn_repeated(struct build *build, const struct axis *axis, size_t index)
{
    char text[SETTING_TEXT_SIZE];
    const struct axis_column *column = &axis->columns[0];
    report_warning(build->report, axis->place, "%s: value %zu (%s%s) is there already; the two are one point",
                   axis->name, index + 1, setting_brief(column->setting, column->values[index], text),
                   axis->columns_count > 1 ? ", …" : "");
}

// Leaves the first of equal rows; `values` are those of the axis's columns.
static void merge_repeated(struct build *build, struct axis *axis, union setting_value *const *values)
{
    struct row *rows = report_get(build->report, axis->count, sizeof *rows);
    if (!rows)
        return;
    for (size_t i = 0; i < axis->count; i++)
        rows[i] = (struct row){axis, i, false};
    qsort(rows, axis->count, sizeof *rows, compare_rows);
    for (size_t i = 1; i < axis->count; i++)
        rows[i].repeated = compare_values(&rows[i - 1], &rows[i]) == 0;
    qsort(rows, axis->count, sizeof *rows, compare_indices);
    size_t kept = 0;
    for (size_t i = 0; i < axis->count; i++) {
        if (rows[i].repeated)
            warn_repeated(build, axis, i);
        for (size_t c = 0; c < axis->columns_count && !rows[i].repeated; c++)
            values[c][kept] = values[c][i];
        kept += !rows[i].repeated;
    }
    axis->count = kept;
}

static void add_axis(struct build *build, struct axis axis, union setting_value *const *values)
{
    merge_repeated(build, &axis, values);
    build->axes[build->sweep->axes_count++] = axis;
}

static void refuse_axis_name(struct build *build, const struct node *key)
{
    char quote[QUOTE_SIZE];
    node_quote(key, quote);
    const char *nearest = nearest_setting(quote, SECTION_SWEEP, true);
    if (node_is(key, "replicate") || node_is(key, "replicates"))
        report_error(build->report, key->place, "replicates are no axis; write 'replicates: N' at the top level");
    else if (node_is(key, "kind"))
        report_error(build->report, key->place, "as an axis 'kind' is called 'task' or 'model'");
    else if (name_is_top_level(key))
        report_error(build->report, key->place,
                     "'%s' belongs at the top level; axes are settings, without their section", quote);
    else if (nearest)
        report_error(build->report, key->place, "unknown setting '%s'; did you mean '%s'?", quote, nearest);
    else
        report_error(build->report, key->place, "unknown setting '%s'; `lgsweep describe` lists all", quote);
}

// The setting that an axis or a column is named after; NULL with an error.
static const struct setting *claim_named(struct build *build, const struct node *key)
{
    const struct setting *setting = setting_find(key->text, key->length);
    if (!setting || setting->assigned) {
        refuse_axis_name(build, key);
        return NULL;
    }
    return build_claim(build, setting, key->place) ? setting : NULL;
}

void grid_read(struct build *build, const struct node *grid)
{
    for (const struct node *child = grid->first; child; child = child->next) {
        if (node_is(child->key, "test_length")) {
            test_length_read(build, child, true);
            continue;
        }
        const struct setting *setting = claim_named(build, child->key);
        struct axis_column *column = setting ? report_get(build->report, 1, sizeof *column) : NULL;
        struct axis axis = {.columns_count = 1, .columns = column, .place = child->key->place};
        union setting_value *values;
        if (!column)
            continue;
        build->broken[setting_index(setting)] = !values_read(build, setting, child, &values, &axis.count);
        if (build->broken[setting_index(setting)])
            continue;
        *column = (struct axis_column){setting, values, child->key->place};
        axis.name = setting->name;
        add_axis(build, axis, &values);
    }
}

static bool is_block_name(const struct node *key)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz_";
    return key->length && key->length < QUOTE_SIZE / 2 && strchr(letters, key->text[0]) &&
           strspn(key->text, "abcdefghijklmnopqrstuvwxyz_0123456789") == key->length;
}

static bool check_block(struct build *build, const struct node *block)
{
    struct report *report = build->report;
    char quote[QUOTE_SIZE];
    size_t errors = report->count;
    node_quote(block->key, quote);
    if (!is_block_name(block->key))
        report_error(report, block->key->place,
                     "'%s' cannot name a dimension; use lower-case letters, digits and '_', at most 31", quote);
    else if (setting_find(block->key->text, block->key->length) || name_is_reserved(block->key))
        report_error(report, block->key->place, "the name '%s' is taken; call this block something else", quote);
    for (size_t a = 0; a < build->sweep->axes_count; a++)
        if (node_is(block->key, build->axes[a].name))
            report_error(report, block->key->place, "a block '%s' stands already at line %d", quote,
                         build->axes[a].place.line);
    if (block->kind != NODE_MAP && block->kind != NODE_REFUSED)
        report_error(report, block->place, "a zip block is a mapping of settings to lists, not %s",
                     node_quote(block, quote));
    else if (!block->count && block->kind == NODE_MAP)
        report_error(report, block->place, "a zip block without settings; give it at least one, or remove it");
    return report->count == errors && block->kind == NODE_MAP;
}

static bool read_column(struct build *build, const struct node *child, union setting_value **ret_values,
                        struct axis_column *ret_column, size_t *ret_count)
{
    if (node_is(child->key, "test_length")) {
        report_error(
            build->report, child->key->place,
            "test_length cannot be zipped, since one training serves every length; make it an axis of the grid");
        return false;
    }
    const struct setting *setting = claim_named(build, child->key);
    if (!setting)
        return false;
    // Until the whole block is known to be sound.
    build->broken[setting_index(setting)] = true;
    if (!values_read(build, setting, child, ret_values, ret_count))
        return false;
    *ret_column = (struct axis_column){setting, *ret_values, child->key->place};
    return true;
}

static void read_block(struct build *build, const struct node *block)
{
    struct axis_column *columns = report_get(build->report, block->count, sizeof *columns);
    union setting_value **values = report_get(build->report, block->count, sizeof *values);
    if (!columns || !values)
        return;
    struct axis axis = {.name = block->key->text, .columns = columns, .place = block->key->place};
    bool whole = true;
    for (const struct node *child = block->first; child; child = child->next) {
        size_t count, c = axis.columns_count;
        if (!read_column(build, child, &values[c], &columns[c], &count)) {
            whole = false;
            continue;
        }
        axis.columns_count++;
        axis.count = c ? axis.count : count;
        if (count == axis.count)
            continue;
        report_error(build->report, child->key->place,
                     "'%s' has %zu values, but '%s' has %zu; zipped settings have as many", columns[c].setting->name,
                     count, columns[0].setting->name, axis.count);
        whole = false;
    }
    if (!whole)
        return;
    for (size_t c = 0; c < axis.columns_count; c++)
        build->broken[setting_index(columns[c].setting)] = false;
    add_axis(build, axis, values);
}

void zip_read(struct build *build, const struct node *zip)
{
    for (const struct node *block = zip->first; block; block = block->next)
        if (check_block(build, block))
            read_block(build, block);
}
