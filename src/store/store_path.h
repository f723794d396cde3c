// SPDX-License-Identifier: MIT
// Names beside a store and the system calls around them. Path bytes are passed on unchanged, whatever their encoding.
#pragma once
#include "base_status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `path` and `suffix` joined; freed by the caller, NULL when memory is out.
char *store_path_join(const char *path, const char *suffix);
// The hidden name that a publication by `process` builds: folder/.STORE.h5.tmp-PID.
char *store_path_temporary(const char *store_path, int64_t process);
// The folder that holds `path`: ".", "/" or up to the last slash.
char *store_path_folder(const char *path);
// Where `path` leads when it is a symbolic link, even to what is not there yet, else a copy of it. All that belongs to
// a store is beside its target, so that it has one lock and one journal by whatever link it is named.
char *store_path_target(const char *path);
char *store_path_beside(const char *store_path, const char *suffix); // the target and `suffix` joined
// STATUS_INVALID for a path where no store can be: a folder, a device, no name, a name too long for those beside it.
enum status_code store_path_check(const char *store_path, struct status *status) MUST_CHECK;

bool store_path_exists(const char *path);
// fsync of the folder that holds `path`, so that a new or renamed name in it is durable.
enum status_code store_path_sync_folder(const char *path, struct status *status) MUST_CHECK;
enum status_code store_path_sync_file(const char *path, struct status *status) MUST_CHECK;
// Removes what publications left whose process is dead.
void store_path_remove_stale(const char *store_path);

// As status_errno, where a file-size limit counts as a full disk too.
enum status_code store_path_errno(struct status *status, int error, const char *operation, const char *path);

// Seconds since 1970 as local "2026-11-30 13:06:11", or in UTC as "2026-11-30T13:06:11Z".
enum { STORE_TIME_SIZE = 32 };
char *store_path_time(double seconds, bool utc, char ret_text[STORE_TIME_SIZE]);
