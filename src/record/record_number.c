// SPDX-License-Identifier: MIT
#include "record.h"
#include <math.h>

double record_element(const struct record_value *value, size_t at)
{
    if (!value || at >= record_size(value))
        return NAN;
    switch (value->type) {
    case RECORD_F32:
        return ((const float *)value->data)[at];
    case RECORD_F64:
        return ((const double *)value->data)[at];
    case RECORD_I32:
        return ((const int32_t *)value->data)[at];
    case RECORD_I64:
        return (double)((const int64_t *)value->data)[at];
    case RECORD_U8:
        return ((const uint8_t *)value->data)[at];
    default:
        return NAN;
    }
}

double record_real(const struct record_part *part, enum record_field_id id, size_t at)
{
    return record_element(record_find(part, id), at);
}

// Whether an integer type holds the number exactly; NaN it does not.
static bool holds(enum record_type type, double value)
{
    if (value != floor(value))
        return false;
    switch (type) {
    case RECORD_I32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case RECORD_I64:
        return value >= -0x1p63 && value < 0x1p63;
    case RECORD_U8:
        return value >= 0 && value <= UINT8_MAX;
    default:
        return false;
    }
}

enum status_code record_put_real(struct record_part *part, enum record_field_id id, double value)
{
    const struct record_field *field = record_field_by_id(id);
    bool integer = field->type != RECORD_F32 && field->type != RECORD_F64;
    if (integer && !holds(field->type, value))
        return STATUS_INTERNAL;
    void *data = record_add(part, id, NULL);
    if (!data)
        return STATUS_MEMORY;
    switch (field->type) {
    case RECORD_F32:
        *(float *)data = (float)value;
        break;
    case RECORD_F64:
        *(double *)data = value;
        break;
    case RECORD_I32:
        *(int32_t *)data = (int32_t)value;
        break;
    case RECORD_I64:
        *(int64_t *)data = (int64_t)value;
        break;
    case RECORD_U8:
        *(uint8_t *)data = (uint8_t)value;
        break;
    }
    return STATUS_OK;
}
