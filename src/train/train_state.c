// SPDX-License-Identifier: MIT
#include "train_state.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status_code train_state_init(struct train_state *state, size_t capacity, struct arena *arena,
                                  struct status *status)
{
    struct train_state_item *items = arena_get(arena, capacity, sizeof *items);
    if (!items)
        return status_set(status, STATUS_MEMORY, "out of memory for the state of a trial");
    *state = (struct train_state){.items = items, .capacity = capacity};
    return STATUS_OK;
}

void train_state_add(struct train_state *state, void *data, size_t count, size_t width, const char *name_format, ...)
{
    assert(state->count < state->capacity && (width == 4 || width == 8));
    struct train_state_item *item = &state->items[state->count++];
    *item = (struct train_state_item){.data = data, .count = count, .width = width};
    va_list arguments;
    va_start(arguments, name_format);
    vsnprintf(item->name, sizeof item->name, name_format, arguments);
    va_end(arguments);
}

static void save_numbers(const struct train_state_item *item, struct bytes *bytes)
{
    const unsigned char *data = item->data;
    for (size_t i = 0; i < item->count; i++)
        if (item->width == 4) {
            uint32_t word;
            memcpy(&word, data + 4 * i, 4);
            bytes_u32(bytes, word);
        } else {
            uint64_t word;
            memcpy(&word, data + 8 * i, 8);
            bytes_u64(bytes, word);
        }
}

void train_state_save(const struct train_state *state, struct bytes *bytes)
{
    bytes_u32(bytes, (uint32_t)state->count);
    for (size_t i = 0; i < state->count; i++) {
        bytes_text(bytes, state->items[i].name);
        bytes_u32(bytes, (uint32_t)state->items[i].width);
        bytes_u64(bytes, state->items[i].count);
        save_numbers(&state->items[i], bytes);
    }
}

static void load_numbers(struct bytes_reader *reader, struct train_state_item *item)
{
    unsigned char *data = item->data;
    for (size_t i = 0; i < item->count; i++)
        if (item->width == 4) {
            uint32_t word = bytes_read_u32(reader);
            memcpy(data + 4 * i, &word, 4);
        } else {
            uint64_t word = bytes_read_u64(reader);
            memcpy(data + 8 * i, &word, 8);
        }
}

static bool item_matches(struct bytes_reader *reader, const struct train_state_item *item)
{
    size_t length = 0;
    const char *name = bytes_read_text(reader, &length);
    uint32_t width = bytes_read_u32(reader);
    uint64_t count = bytes_read_u64(reader);
    return name && length == strlen(item->name) && memcmp(name, item->name, length) == 0 && width == item->width &&
           count == item->count;
}

// Goes through all items and their numbers; writes nothing.
static enum status_code check_items(const struct train_state *state, struct bytes_reader reader, struct status *status)
{
    uint32_t count = bytes_read_u32(&reader);
    for (size_t i = 0; i < state->count; i++) {
        const struct train_state_item *item = &state->items[i];
        bool matches = count == state->count && item_matches(&reader, item);
        if (reader.failed)
            break;
        if (!matches)
            return status_set(status, STATUS_INVALID,
                              "the saved state has no %s of %zu numbers in that place: it is of another trial or of "
                              "another version of this program; train the trial from its start",
                              item->name, item->count);
        bytes_read_raw(&reader, item->count * item->width);
    }
    if (reader.failed)
        return status_set(status, STATUS_DAMAGED, "the saved state ends early; train the trial from its start");
    return STATUS_OK;
}

enum status_code train_state_load(struct train_state *state, struct bytes_reader *reader, struct status *status)
{
    enum status_code code = check_items(state, *reader, status);
    if (code != STATUS_OK)
        return code;
    bytes_read_u32(reader);
    for (size_t i = 0; i < state->count; i++) {
        item_matches(reader, &state->items[i]);
        load_numbers(reader, &state->items[i]);
    }
    return STATUS_OK;
}
