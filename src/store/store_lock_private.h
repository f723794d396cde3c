// SPDX-License-Identifier: MIT
// A lock file, for its owner and for those who only look at it.
#pragma once
#include "store_lock.h"

// Bytes of the file with locks of their own: the owner's, and that of a publication between its check and its rename.
enum { OWNER_BYTE, PUBLICATION_BYTE };

// Sets, drops (F_OFD_SETLK) or asks for (F_OFD_GETLK) the lock of one byte. 0, or the reason why not: EAGAIN when
// another has it.
int lock_call(const struct store_lock_options *options, int fd, int command, short type, int byte);
bool lock_same_file(int fd, const char *path);
// STATUS_IN_USE when the file is gone or has another token.
enum status_code lock_check(const char *store_path, const char *lock_path, const char *token,
                            struct status *status) MUST_CHECK;
