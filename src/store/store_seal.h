// SPDX-License-Identifier: MIT
// The seal: 32 bytes behind a published file that hash all before them, so that damage is found before the HDF5 library
// meets it, which checks neither coordinates nor texts and may crash on what it does not expect. Readers of HDF5 pass
// over it, and a program that changes the file cuts it off: a file without a seal is taken as it is.
//
//   magic "LGSWSEAL", u64 size of the file before it, u64 hash of that, u64 XXH3-64 of the 24 bytes before; the hash is
//   chained over blocks of 1 MiB: XXH3-64 of the hash so far, beginning with 0, as u64, and the block
#pragma once
#include "base_status.h"

enum { STORE_SEAL_SIZE = 32 };

// Appends the seal to a complete file.
enum status_code store_seal_put(const char *path, struct status *status) MUST_CHECK;
// STATUS_DAMAGED when the file at `path`, open for reading as `fd`, has a seal that its content contradicts.
enum status_code store_seal_check(int fd, const char *path, struct status *status) MUST_CHECK;
