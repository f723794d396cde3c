// SPDX-License-Identifier: MIT
#include "store_names.h"
#include "store_view_private.h"
#include <stdlib.h>

static const char *const training_path = GROUP_TRIALS "/" GROUP_LAYOUTS "/" NAME_LAYOUT_TRAINING;
static const char *const test_path = GROUP_TRIALS "/" GROUP_LAYOUTS "/" NAME_LAYOUT_TEST;
static const char *const text_path = GROUP_TRIALS "/" GROUP_LAYOUTS "/" NAME_LAYOUT_TEXT;

// Replaces the numbers of the file by those of the schema; each layout is parsed when it is met first.
static enum status_code renumber(struct store_view *view, enum record_part_kind part, const char *const *texts,
                                 size_t texts_count, uint32_t *map, uint32_t *layouts, size_t count,
                                 struct status *status)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t number = layouts[i];
        if (number >= texts_count)
            return status_set(status, STATUS_DAMAGED, "%s: layout %u is missing", view->path, number);
        if (number == 0)
            continue;
        if (!map[number]) {
            enum status_code code = store_schema_parse(&view->schema, part, texts[number], &map[number], status);
            if (code != STATUS_OK)
                return status_context(status, "%s", view->path);
        }
        layouts[i] = map[number];
    }
    return STATUS_OK;
}

static enum status_code read_texts(struct store_view *view, size_t *ret_count, const char ***ret_texts,
                                   struct status *status)
{
    const struct h5 h5 = {view->path, status};
    hsize_t size[H5_RANK] = {0};
    int rank = 0;
    enum status_code code = store_h5_extent(&h5, view->file, text_path, &rank, size);
    if (code != STATUS_OK)
        return code;
    const char **texts = arena_get(view->arena, size[0] + 1, sizeof *texts);
    if (!texts)
        return status_set(status, STATUS_MEMORY, "no memory to read %s", view->path);
    *ret_count = size[0];
    *ret_texts = texts;
    return store_h5_get_texts(&h5, view->file, text_path, size[0], view->arena, texts);
}

enum status_code store_view_load_layouts(struct store_view *view, struct status *status)
{
    const struct h5 h5 = {view->path, status};
    size_t texts_count = 0, rows = view->rows_count, cells = rows * view->lengths_count;
    const char **texts = NULL;
    uint32_t *map = NULL;
    enum status_code code = store_schema_init(&view->schema, status);
    if (code == STATUS_OK)
        code = read_texts(view, &texts_count, &texts, status);
    if (code != STATUS_OK)
        return code;
    view->training_layout = arena_get(view->arena, rows ? rows : 1, sizeof *view->training_layout);
    view->test_layout = arena_get(view->arena, cells ? cells : 1, sizeof *view->test_layout);
    // An empty layout serves both kinds of part; a map for each keeps their columns apart.
    map = calloc(2 * texts_count + 1, sizeof *map);
    if (!view->training_layout || !view->test_layout || !map) {
        code = status_set(status, STATUS_MEMORY, "no memory to read %s", view->path);
        goto out;
    }
    code = store_h5_get_rows(&h5, view->file, training_path, H5_I32, 0, rows, 1, view->training_layout);
    if (code == STATUS_OK && cells)
        code = store_h5_get_rows(&h5, view->file, test_path, H5_I32, 0, rows, view->lengths_count, view->test_layout);
    if (code == STATUS_OK)
        code = renumber(view, RECORD_TRAINING, texts, texts_count, map, view->training_layout, rows, status);
    if (code == STATUS_OK)
        code = renumber(view, RECORD_TEST, texts, texts_count, map + texts_count, view->test_layout, cells, status);
    store_schema_unify(&view->schema);
out:
    free(map);
    return code;
}
