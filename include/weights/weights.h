// SPDX-License-Identifier: MIT
// A model's weights as a safetensors file (https://github.com/huggingface/safetensors): a u64 with the size of a JSON
// header, the header, the numbers. Each tensor is F32, (rows, columns) row-major without padding, named as in
// nn_model.h; weight matrices are (inputs, outputs). The header's __metadata__ says what the model is, and has a
// checksum of the numbers (XXH3-64, "xxh3").
#pragma once
#include "base_bytes.h"
#include "base_status.h"
#include "nn_model.h"

// A line of metadata.
struct weights_note {
    const char *key, *value; // plain text: quotes, backslashes and control characters are escaped
};

// Writes every tensor, frozen ones too. The file appears whole: it is written beside, synced and renamed.
// STATUS_SYSTEM or STATUS_FULL with path and cause; what stood at `path` is untouched then.
enum status_code weights_write(struct nn_model *model, const char *path, const struct weights_note *notes, size_t count,
                               struct status *status) MUST_CHECK;

// Whether the file has what weights_read takes, by its header and size alone; the model may be one without memory
// (nn_sketch). The same errors.
enum status_code weights_check(const struct nn_model *model, const char *path, struct status *status) MUST_CHECK;

// Takes the values of every tensor of the model from the file, F32 or F64. STATUS_INVALID, with path, tensor and
// remedy, where a tensor is missing, has another shape or another type, or the file has one that the model lacks;
// STATUS_DAMAGED for bytes that are no safetensors, for tensors that leave gaps or overlap, for numbers that are not
// finite or contradict the checksum in the metadata. Learned positions ("position") may have other numbers of rows:
// those of the file come first, and what it lacks stays as it is. On failure the model is unchanged.
enum status_code weights_read(struct nn_model *model, const char *path, struct status *status) MUST_CHECK;

// Appends the value of a line of metadata. STATUS_INVALID where the file has no such line, else as weights_read.
enum status_code weights_read_note(const char *path, const char *key, struct bytes *ret_value,
                                   struct status *status) MUST_CHECK;
