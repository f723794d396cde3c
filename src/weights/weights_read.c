// SPDX-License-Identifier: MIT
#include "weights_private.h"
#include <jansson.h>
#include <string.h>

struct source {
    const char *path;
    struct bytes bytes;
    json_t *header;
    const unsigned char *numbers;
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
    if (reader.failed || size > bytes_left(&reader))
        return damaged(source, "its header ends early", status);
    const char *text = (const char *)bytes_read_raw(&reader, (size_t)size);
    json_error_t error;
    source->header = json_loadb(text, (size_t)size, 0, &error);
    if (!source->header)
        return damaged(source, error.text, status);
    if (!json_is_object(source->header))
        return damaged(source, "its header is no JSON object", status);
    source->numbers_size = bytes_left(&reader);
    source->numbers = source->bytes.data + reader.at;
    return STATUS_OK;
}

// One tensor of the file, checked against its own header.
struct entry {
    long rows, columns;
    size_t width; // of a number: 4 or 8
    const unsigned char *data;
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
    ret_entry->data = source->numbers + begin;
    return STATUS_OK;
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

static const struct nn_tensor *find(struct nn_model *model, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        if (!strcmp(nn_tensor(model, i)->name, name))
            return nn_tensor(model, i);
    return NULL;
}

static enum status_code check_all(const struct source *source, struct nn_model *model, struct status *status)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; code == STATUS_OK && i < nn_tensor_count(model); i++)
        code = check(source, nn_tensor(model, i), status);
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

static double number(const struct entry *entry, size_t at)
{
    struct bytes_reader reader = bytes_reader(entry->data + at * entry->width, entry->width);
    if (entry->width == 8)
        return bytes_read_f64(&reader);
    const uint32_t word = bytes_read_u32(&reader);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static void take(const struct entry *entry, struct nn_tensor *tensor)
{
    const long rows = entry->rows < tensor->rows ? entry->rows : tensor->rows;
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < tensor->columns; c++)
            tensor->value[nn_tensor_at(tensor, r, c)] = (real)number(entry, (size_t)(r * entry->columns + c));
}

static enum status_code open_source(const char *path, struct source *ret_source, struct status *status)
{
    *ret_source = (struct source){.path = path};
    enum status_code code = weights_load_file(path, &ret_source->bytes, status);
    return code == STATUS_OK ? parse(ret_source, status) : code;
}

static void close_source(struct source *source)
{
    json_decref(source->header);
    bytes_fini(&source->bytes);
}

enum status_code weights_read_note(const char *path, const char *key, struct bytes *ret_value, struct status *status)
{
    struct source source;
    enum status_code code = open_source(path, &source, status);
    const json_t *notes = code == STATUS_OK ? json_object_get(source.header, "__metadata__") : NULL;
    const char *value = json_string_value(json_object_get(notes, key));
    if (code == STATUS_OK && !value)
        code = status_set(status, STATUS_INVALID, "%s has no %s in its metadata; take a file that lgsweep saved", path,
                          key);
    if (code == STATUS_OK)
        bytes_raw(ret_value, value, strlen(value));
    close_source(&source);
    return code;
}

enum status_code weights_read(struct nn_model *model, const char *path, struct status *status)
{
    struct source source;
    enum status_code code = open_source(path, &source, status);
    if (code == STATUS_OK)
        code = check_all(&source, model, status);
    for (size_t i = 0; code == STATUS_OK && i < nn_tensor_count(model); i++) {
        struct entry entry;
        code = read_entry(&source, nn_tensor(model, i)->name, &entry, status);
        if (code == STATUS_OK)
            take(&entry, nn_tensor(model, i));
    }
    close_source(&source);
    return code;
}
