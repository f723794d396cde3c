// SPDX-License-Identifier: MIT
// Before this: trainer, at the steps that a sweep saves. After it: files that weights_read and others' tools open.
#include "weights_private.h"
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 8 };

static void put(struct bytes *bytes, const char *text)
{
    bytes_raw(bytes, text, strlen(text));
}

// A JSON string.
static void put_string(struct bytes *bytes, const char *text)
{
    put(bytes, "\"");
    for (; *text; text++) {
        char escaped[8];
        if (*text == '"' || *text == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            snprintf(escaped, sizeof escaped, "%c", *text);
        put(bytes, escaped);
    }
    put(bytes, "\"");
}

static void put_notes(struct bytes *bytes, const struct weights_note *notes, size_t count)
{
    put(bytes, "\"__metadata__\":{");
    for (size_t i = 0; i < count; i++) {
        put(bytes, i > 0 ? "," : "");
        put_string(bytes, notes[i].key);
        put(bytes, ":");
        put_string(bytes, notes[i].value);
    }
    put(bytes, "}");
}

static void put_header(struct nn_model *model, const struct weights_note *notes, size_t count, struct bytes *bytes)
{
    size_t at = 0;
    put(bytes, "{");
    put_notes(bytes, notes, count);
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        const struct nn_tensor *tensor = nn_tensor(model, i);
        const size_t size = (size_t)tensor->rows * (size_t)tensor->columns * sizeof(float);
        char entry[160];
        put(bytes, ",");
        put_string(bytes, tensor->name);
        snprintf(entry, sizeof entry, ":{\"dtype\":\"F32\",\"shape\":[%ld,%ld],\"data_offsets\":[%zu,%zu]}",
                 tensor->rows, tensor->columns, at, at + size);
        put(bytes, entry);
        at += size;
    }
    put(bytes, "}");
    while (bytes->size % ALIGNMENT != 0 && !bytes->failed)
        put(bytes, " ");
}

static void put_numbers(struct nn_model *model, struct bytes *bytes)
{
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        const struct nn_tensor *tensor = nn_tensor(model, i);
        for (long r = 0; r < tensor->rows; r++)
            for (long c = 0; c < tensor->columns; c++) {
                const float value = (float)tensor->value[nn_tensor_at(tensor, r, c)];
                uint32_t word;
                memcpy(&word, &value, sizeof word);
                bytes_u32(bytes, word);
            }
    }
}

enum status_code weights_write(struct nn_model *model, const char *path, const struct weights_note *notes, size_t count,
                               struct status *status)
{
    struct bytes bytes = {0};
    bytes_u64(&bytes, 0); // the header's size, known later; it also aligns what follows
    put_header(model, notes, count, &bytes);
    const uint64_t size = bytes.size - 8;
    put_numbers(model, &bytes);
    enum status_code code =
        bytes.failed ? status_set(status, STATUS_MEMORY, "no memory for the weights of %s", path) : STATUS_OK;
    for (int i = 0; code == STATUS_OK && i < 8; i++)
        bytes.data[i] = (unsigned char)(size >> 8 * i);
    if (code == STATUS_OK)
        code = weights_store_file(path, &bytes, status);
    bytes_fini(&bytes);
    return code;
}
