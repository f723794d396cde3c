// SPDX-License-Identifier: MIT
#pragma once
#include "base_hash.h"
#include "base_status.h"

// One hash of all science in a published store: of each trial its identity, status and every
// value (fields of role `run` left out) with name, extents and bits; whatever the order of rows. Equal whenever
// store_diff finds no difference.
enum status_code store_digest(const char *path, struct hash128 *ret_hash, struct status *status) MUST_CHECK;
