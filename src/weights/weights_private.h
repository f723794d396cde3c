// SPDX-License-Identifier: MIT
#pragma once
#include "base_hash.h"
#include "weights.h"

// The first `most` bytes of a file, or all of it, into `ret_bytes`, which the caller frees; and the file's size.
enum status_code weights_load_file(const char *path, size_t most, struct bytes *ret_bytes, size_t *ret_size,
                                   struct status *status) MUST_CHECK;
#define WEIGHTS_CHECKSUM "xxh3" // key of the checksum in the metadata: 16 hexadecimal digits
enum { WEIGHTS_CHECKSUM_SIZE = 17 };
char *weights_checksum(const void *numbers, size_t size, char ret_text[WEIGHTS_CHECKSUM_SIZE]);
// The bytes as a file that appears whole.
enum status_code weights_store_file(const char *path, const struct bytes *bytes, struct status *status) MUST_CHECK;
