// SPDX-License-Identifier: MIT
#include "weights_private.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct source {
    const char *path;
    struct bytes bytes; // all of the file, or its header
    json_t *header;
    const unsigned char *numbers; // NULL where only the header is there
    size_t numbers_size;
};

static enum status_code damaged(const struct source *source, const char *what, struct status *status)
{
    return status_set(status, STATUS_DAMAGED, "%s is no safetensors file: %s", source->path, what);
}

static enum status_code parse(struct source *source, struct status *status)
{
    struct bytes_reader reader = bytes_reader(source->bytes.data, source->bytes.size);
    const uint64_t size = bytes_read_u64(&reader);
    const char *text = (const char *)bytes_read_raw(&reader, (size_t)size);
    json_error_t error;
    if (!text)
        return damaged(source, "its header ends early", status);
    source->header = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    if (!source->header)
        return damaged(source, error.text, status);
    return json_is_object(source->header) ? STATUS_OK : damaged(source, "its header is no JSON object", status);
}

// One tensor of the file, checked against its own header.
struct entry {
    long rows, columns;
    size_t width;      // of a number: 4 or 8
    size_t begin, end; // among the file's numbers
};

static bool read_shape(const json_t *shape, struct entry *entry)
{
    const size_t rank = json_array_size(shape);
    if (rank < 1 || rank > 2)
        return false;
    entry->rows = rank == 2 ? (long)json_integer_value(json_array_get(shape, 0)) : 1;
    entry->columns = (long)json_integer_value(json_array_get(shape, rank - 1));
    return entry->rows >= 0 && entry->columns >= 0;
}

static enum status_code read_entry(const struct source *source, const char *name, struct entry *ret_entry,
                                   struct status *status)
{
    const json_t *object = json_object_get(source->header, name), *offsets = json_object_get(object, "data_offsets");
    const char *type = json_string_value(json_object_get(object, "dtype"));
    if (!object)
        return status_set(status, STATUS_INVALID, "%s has no tensor %s; take weights of a model of the same settings",
                          source->path, name);
    if (!type || (strcmp(type, "F32") && strcmp(type, "F64")))
        return status_set(status, STATUS_INVALID, "%s: tensor %s is %s; save it as F32 or F64", source->path, name,
                          type ? type : "without a dtype");
    ret_entry->width = strcmp(type, "F64") ? 4 : 8;
    const uint64_t begin = (uint64_t)json_integer_value(json_array_get(offsets, 0));
    const uint64_t end = (uint64_t)json_integer_value(json_array_get(offsets, 1));
    if (!read_shape(json_object_get(object, "shape"), ret_entry) || begin > end || end > source->numbers_size ||
        (double)ret_entry->rows * (double)ret_entry->columns * (double)ret_entry->width != (double)(end - begin))
        return damaged(source, "the place or shape of a tensor is wrong", status);
    ret_entry->begin = (size_t)begin;
    ret_entry->end = (size_t)end;
    return STATUS_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end > y->end) - (x->end < y->end);
}

// The tensors follow each other without gaps, up to the end.
static enum status_code check_places(const struct source *source, struct status *status)
{
    const size_t most = json_object_size(source->header);
    struct entry *entries = calloc(most + 1, sizeof *entries);
    enum status_code code = entries ? STATUS_OK : status_set(status, STATUS_MEMORY, "no memory for %s", source->path);
    size_t count = 0, end = 0;
    const char *name;
    json_t *value;
    if (entries)
        json_object_foreach(source->header, name, value)
        {
            if (code == STATUS_OK && strcmp(name, "__metadata__"))
                code = read_entry(source, name, &entries[count++], status);
        }
    if (code == STATUS_OK)
        qsort(entries, count, sizeof *entries, by_place);
    for (size_t i = 0; code == STATUS_OK && i < count; end = entries[i++].end)
        if (entries[i].begin != end)
            code = damaged(source, "its tensors overlap or leave gaps", status);
    if (code == STATUS_OK && end != source->numbers_size)
        code = damaged(source, "its size is not that of its tensors", status);
    free(entries);
    return code;
}

static bool may_grow(const struct nn_tensor *tensor)
{
    return !strcmp(tensor->name, "position");
}

static enum status_code check(const struct source *source, const struct nn_tensor *tensor, struct status *status)
{
    struct entry entry;
    enum status_code code = read_entry(source, tensor->name, &entry, status);
    if (code != STATUS_OK)
        return code;
    if (entry.columns != tensor->columns || (entry.rows != tensor->rows && !may_grow(tensor)))
        return status_set(status, STATUS_INVALID,
                          "%s: tensor %s is %ld x %ld, the model's is %ld x %ld; take weights of a model of the same "
                          "settings",
                          source->path, tensor->name, entry.rows, entry.columns, tensor->rows, tensor->columns);
    return STATUS_OK;
}

static const struct nn_tensor *find(const struct nn_model *model, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        if (!strcmp(nn_tensor_of(model, i)->name, name))
            return nn_tensor_of(model, i);
    return NULL;
}

static enum status_code check_all(const struct source *source, const struct nn_model *model, struct status *status)
{
    enum status_code code = check_places(source, status);
    for (size_t i = 0; code == STATUS_OK && i < nn_tensor_count(model); i++)
        code = check(source, nn_tensor_of(model, i), status);
    if (code != STATUS_OK)
        return code;
    const char *name;
    json_t *value;
    json_object_foreach(source->header, name, value)
    {
        if (strcmp(name, "__metadata__") && !find(model, name))
            return status_set(status, STATUS_INVALID,
                              "%s has a tensor %s, which the model lacks; take weights of a model of the same settings",
                              source->path, name);
    }
    return STATUS_OK;
}

static double number(const struct source *source, const struct entry *entry, size_t at)
{
    struct bytes_reader reader = bytes_reader(source->numbers + entry->begin + at * entry->width, entry->width);
    if (entry->width == 8)
        return bytes_read_f64(&reader);
    const uint32_t word = bytes_read_u32(&reader);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static enum status_code check_numbers(const struct source *source, const char *name, struct status *status)
{
    struct entry entry;
    enum status_code code = read_entry(source, name, &entry, status);
    for (size_t i = 0; code == STATUS_OK && i < (size_t)entry.rows * (size_t)entry.columns; i++)
        if (!isfinite(number(source, &entry, i)))
            code =
                status_set(status, STATUS_DAMAGED, "%s: tensor %s has a number that is not finite", source->path, name);
    return code;
}

static void take(const struct source *source, const struct entry *entry, struct nn_tensor *tensor)
{
    const long rows = entry->rows < tensor->rows ? entry->rows : tensor->rows;
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < tensor->columns; c++)
            tensor->value[nn_tensor_at(tensor, r, c)] = (real)number(source, entry, (size_t)(r * entry->columns + c));
}

static const char *note(const struct source *source, const char *key)
{
    return json_string_value(json_object_get(json_object_get(source->header, "__metadata__"), key));
}

static enum status_code open_header(const char *path, struct source *ret_source, struct status *status)
{
    *ret_source = (struct source){.path = path};
    unsigned char size[8] = {0};
    size_t all;
    enum status_code code = weights_load_file(path, sizeof size, &ret_source->bytes, &all, status);
    if (code != STATUS_OK)
        return code;
    struct bytes_reader reader = bytes_reader(ret_source->bytes.data, ret_source->bytes.size);
    const uint64_t header = bytes_read_u64(&reader);
    bytes_fini(&ret_source->bytes);
    if (reader.failed || header > all - sizeof size)
        return damaged(ret_source, "its header ends early", status);
    code = weights_load_file(path, sizeof size + (size_t)header, &ret_source->bytes, &all, status);
    ret_source->numbers_size = all - sizeof size - (size_t)header;
    return code == STATUS_OK ? parse(ret_source, status) : code;
}

static enum status_code open_whole(const char *path, struct source *ret_source, struct status *status)
{
    *ret_source = (struct source){.path = path};
    size_t all;
    enum status_code code = weights_load_file(path, SIZE_MAX, &ret_source->bytes, &all, status);
    if (code == STATUS_OK)
        code = parse(ret_source, status);
    if (code != STATUS_OK)
        return code;
    struct bytes_reader reader = bytes_reader(ret_source->bytes.data, ret_source->bytes.size);
    bytes_read_raw(&reader, (size_t)bytes_read_u64(&reader));
    ret_source->numbers = ret_source->bytes.data + reader.at;
    ret_source->numbers_size = bytes_left(&reader);
    char sum[WEIGHTS_CHECKSUM_SIZE];
    const char *want = note(ret_source, WEIGHTS_CHECKSUM);
    if (want && strcmp(want, weights_checksum(ret_source->numbers, ret_source->numbers_size, sum)))
        return status_set(status, STATUS_DAMAGED, "%s is damaged: its numbers contradict their checksum", path);
    return STATUS_OK;
}

static void close_source(struct source *source)
{
    json_decref(source->header);
    bytes_fini(&source->bytes);
}

enum status_code weights_read_note(const char *path, const char *key, struct bytes *ret_value, struct status *status)
{
    struct source source;
    enum status_code code = open_header(path, &source, status);
    const char *value = code == STATUS_OK ? note(&source, key) : NULL;
    if (code == STATUS_OK && !value)
        code = status_set(status, STATUS_INVALID, "%s has no %s in its metadata; take a file that lgsweep saved", path,
                          key);
    if (code == STATUS_OK)
        bytes_raw(ret_value, value, strlen(value));
    close_source(&source);
    return code;
}

enum status_code weights_check(const struct nn_model *model, const char *path, struct status *status)
{
    struct source source;
    enum status_code code = open_header(path, &source, status);
    if (code == STATUS_OK)
        code = check_all(&source, model, status);
    close_source(&source);
    return code;
}

enum status_code weights_read(struct nn_model *model, const char *path, struct status *status)
{
    struct source source;
    enum status_code code = open_whole(path, &source, status);
    if (code == STATUS_OK)
        code = check_all(&source, model, status);
    for (size_t i = 0; code == STATUS_OK && i < nn_tensor_count(model); i++)
        code = check_numbers(&source, nn_tensor(model, i)->name, status);
    for (size_t i = 0; code == STATUS_OK && i < nn_tensor_count(model); i++) {
        struct entry entry;
        code = read_entry(&source, nn_tensor(model, i)->name, &entry, status);
        if (code == STATUS_OK)
            take(&source, &entry, nn_tensor(model, i));
    }
    close_source(&source);
    return code;
}
