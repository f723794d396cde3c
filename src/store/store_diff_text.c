// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "store_diff_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum status_code store_diff_no_memory(const struct pair *pair)
{
    return status_set(pair->status, STATUS_MEMORY, "no memory to compare %s with %s", pair->first->path,
                      pair->second->path);
}

// The next free difference, counted even when the list is full (NULL then).
static struct store_difference *next(struct pair *pair)
{
    pair->found->total++;
    if (pair->found->count == pair->limit)
        return NULL;
    struct store_difference *difference = &pair->list[pair->found->count++];
    *difference = (struct store_difference){.other = pair->other, .settings = "", .field = "", .index = ""};
    return difference;
}

enum status_code store_diff_add(struct pair *pair, const struct store_row *row, const char *field, const char *index,
                                const char *first, const char *second)
{
    struct store_difference *difference = next(pair);
    if (!difference)
        return STATUS_OK;
    if (row) {
        difference->identity = row->identity;
        difference->settings = store_settings_line(&row->settings, pair->arena);
    }
    difference->field = arena_text(pair->arena, field, strlen(field));
    difference->index = arena_text(pair->arena, index, strlen(index));
    snprintf(difference->first, sizeof difference->first, "%s", first);
    snprintf(difference->second, sizeof difference->second, "%s", second);
    return difference->settings && difference->field && difference->index ? STATUS_OK : store_diff_no_memory(pair);
}

// "test_length=32, eval=5"
void store_diff_index_text(const struct place *place, char *ret_text, size_t size)
{
    size_t left = place->element, at = 0, index[RECORD_DIMENSIONS];
    ret_text[0] = '\0';
    if (place->test_length)
        at += (size_t)snprintf(ret_text, size, "test_length=%" PRId64, place->test_length);
    if (!place->column)
        return;
    for (int d = place->column->dimensions - 1; d >= 0; d--) {
        index[d] = left % place->column->extent[d];
        left /= place->column->extent[d];
    }
    for (int d = 0; d < place->column->dimensions && at < size; d++)
        at += (size_t)snprintf(ret_text + at, size - at, "%s%s=%zu", at ? ", " : "", place->column->dimension[d],
                               index[d]);
}

void store_diff_value_text(enum record_type type, const void *value, char ret_text[STORE_DIFFERENCE_TEXT])
{
    char number[TEXT_NUMBER_SIZE];
    int64_t integer = 0;
    double real = 0;
    float single = 0;
    switch (type) {
    case RECORD_F32:
        memcpy(&single, value, sizeof single);
        text_real(single, number);
        break;
    case RECORD_F64:
        memcpy(&real, value, sizeof real);
        text_real(real, number);
        break;
    default:
        integer = type == RECORD_U8    ? *(const uint8_t *)value
                  : type == RECORD_I32 ? *(const int32_t *)value
                                       : *(const int64_t *)value;
        snprintf(number, sizeof number, "%" PRId64, integer);
    }
    snprintf(ret_text, STORE_DIFFERENCE_TEXT, "%s", number);
}

static bool is_nan(enum record_type type, const void *value)
{
    float single = 0;
    double real = 0;
    if (type == RECORD_F32)
        memcpy(&single, value, sizeof single);
    if (type == RECORD_F64)
        memcpy(&real, value, sizeof real);
    return single != single || real != real;
}

bool store_diff_same(enum record_type type, const void *a, const void *b)
{
    return memcmp(a, b, record_type_size(type)) == 0 || (is_nan(type, a) && is_nan(type, b));
}
