// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "record.h"

// Grows *array to at least `wanted` objects of `size` bytes, doubling; false when memory is out, *array then unchanged.
bool record_reserve(void **array, size_t *capacity, size_t wanted, size_t size);
// Appends without looking for an equal one; NULL when memory is out. The part takes over value->data.
struct record_part *record_part_append(struct record *record, enum record_part_kind kind, int64_t test_length);
struct record_value *record_value_append(struct record_part *part, const struct record_value *value);
