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

static void put_note(struct bytes *bytes, struct weights_note note)
{
    put_string(bytes, note.key);
    put(bytes, ":");
    put_string(bytes, note.value);
}

static void put_header(struct nn_model *model, const struct weights_note *notes, size_t count, const char *checksum,
                       struct bytes *bytes)
{
    size_t at = 0;
    put(bytes, "{\"__metadata__\":{");
    for (size_t i = 0; i < count; i++) {
        put_note(bytes, notes[i]);
        put(bytes, ",");
    }
    put_note(bytes, (struct weights_note){WEIGHTS_CHECKSUM, checksum});
    put(bytes, "}");
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

// The file: the header's size, which is known last, the header, the numbers.
static enum status_code assemble(struct nn_model *model, const struct weights_note *notes, size_t count,
                                 const struct bytes *numbers, struct bytes *ret_file)
{
    char checksum[WEIGHTS_CHECKSUM_SIZE];
    bytes_u64(ret_file, 0);
    put_header(model, notes, count, weights_checksum(numbers->data, numbers->size, checksum), ret_file);
    const uint64_t size = ret_file->size - 8;
    bytes_raw(ret_file, numbers->data, numbers->size);
    if (numbers->failed || ret_file->failed)
        return STATUS_MEMORY;
    for (int i = 0; i < 8; i++)
        ret_file->data[i] = (unsigned char)(size >> 8 * i);
    return STATUS_OK;
}

enum status_code weights_write(struct nn_model *model, const char *path, const struct weights_note *notes, size_t count,
                               struct status *status)
{
    struct bytes numbers = {0}, file = {0};
    put_numbers(model, &numbers);
    enum status_code code = assemble(model, notes, count, &numbers, &file);
    if (code != STATUS_OK)
        status_set(status, code, "no memory for the weights of %s", path);
    else
        code = weights_store_file(path, &file, status);
    bytes_fini(&numbers);
    bytes_fini(&file);
    return code;
}
