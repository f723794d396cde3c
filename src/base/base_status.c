// SPDX-License-Identifier: MIT
#include "base_status.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = sizeof((struct status *)0)->text };

enum status_code status_set(struct status *status, enum status_code code, const char *format, ...)
{
    if (!status)
        return code;
    char text[TEXT_SIZE]; // the arguments may point into status->text
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(status->text, text, sizeof text);
    return status->code = code;
}

static enum status_code code_of_errno(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return STATUS_FULL;
    case ENOMEM:
        return STATUS_MEMORY;
    default:
        return STATUS_SYSTEM;
    }
}

enum status_code status_errno(struct status *status, int error, const char *format, ...)
{
    enum status_code code = code_of_errno(error);
    if (!status)
        return code;
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char reason[128];
    return status_set(status, code, "%s: %s", text, strerror_r(error, reason, sizeof reason));
}

enum status_code status_context(struct status *status, const char *format, ...)
{
    if (!status)
        return STATUS_INTERNAL;
    if (status->code == STATUS_OK)
        return STATUS_OK;
    char context[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    return status_set(status, status->code, "%s: %s", context, status->text);
}
