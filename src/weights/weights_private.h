// SPDX-License-Identifier: MIT
#pragma once
#include "base_bytes.h"
#include "weights.h"

// A whole file into `ret_bytes`, which the caller frees.
enum status_code weights_load_file(const char *path, struct bytes *ret_bytes, struct status *status) MUST_CHECK;
// The bytes as a file that appears whole.
enum status_code weights_store_file(const char *path, const struct bytes *bytes, struct status *status) MUST_CHECK;
