// SPDX-License-Identifier: MIT
// Errors as values: a function that can fail returns its status code and fills a struct status with the reason.
#pragma once

#define MUST_CHECK             __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum status_code {
    STATUS_OK = 0,
    STATUS_INTERNAL, // a defect of this program or a refusal of the system that no input explains
    STATUS_INVALID,  // the user's input: a sweep file, an option, a store of other settings
    STATUS_SYSTEM,   // a system call failed: missing file, no permission, broken pipe
    STATUS_FULL,     // no space left, or a quota
    STATUS_MEMORY,   // not enough memory
    STATUS_IN_USE,   // another process owns the store
    STATUS_DAMAGED,  // a file's content contradicts its checksum or format
    STATUS_STOPPED,  // asked to stop; resumable
};

// The reason of a failure, owned by the caller. `text` is one or more lines without a final newline.
struct status {
    enum status_code code;
    char text[8192];
};

// Sets code and text; returns `code`, so that `return status_set(status, …)` fails in one line. `status` may be NULL.
enum status_code status_set(struct status *status, enum status_code code, const char *format, ...) PRINTF_LIKE(3, 4);

// As status_set, with ": " and the text of errno value `error` behind; ENOSPC and EDQUOT become STATUS_FULL,
// ENOMEM becomes STATUS_MEMORY, all others STATUS_SYSTEM.
enum status_code status_errno(struct status *status, int error, const char *format, ...) PRINTF_LIKE(3, 4);

// Puts "context: " in front of the text of a failed status; returns its code unchanged, STATUS_INTERNAL for NULL.
enum status_code status_context(struct status *status, const char *format, ...) PRINTF_LIKE(2, 3);
