// SPDX-License-Identifier: MIT
// A record with every kind of content, shared by the tests of the layer.
#pragma once
#include "record.h"

enum { FIXTURE_EVALS = 3 };

// False when memory is out; the record is then half filled and still to be finished.
bool fixture_record(struct record *ret_record);

// The bytes of a record without parts, less its final count of parts: a start for hand-written ones.
void fixture_head(struct bytes *bytes);
// The head of a value: what stands before its dimensions.
void fixture_value(struct bytes *bytes, unsigned id, unsigned type, unsigned dimensions, const char *name);
// A part's head.
void fixture_part(struct bytes *bytes, unsigned kind, int64_t test_length, unsigned values);
// A field of a later version: unknown id and dimensions, a NaN with a payload.
void fixture_novel(struct bytes *bytes);

// record_decode of a copy on the heap, so that a sanitizer sees every read past its end.
enum status_code fixture_decode(const void *data, size_t size, struct record *ret_record,
                                struct status *status) MUST_CHECK;
