// SPDX-License-Identifier: MIT
#include "config_report.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 512, COUNT_SIZE = 64 };

void *report_get(struct report *report, size_t count, size_t size)
{
    void *object = arena_get(report->arena, count, size);
    report->no_memory |= !object;
    return object;
}

void report_error(struct report *report, struct source_place place, const char *format, ...)
{
    if (report->count++ >= CONFIG_MAX_ERRORS)
        return;
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *message = arena_text(report->arena, text, strlen(text));
    report->no_memory |= !message;
    report->finding[report->count - 1] = (struct finding){place, message};
}

void report_warning(struct report *report, struct source_place place, const char *format, ...)
{
    if (!report->warnings)
        return;
    char text[MESSAGE_SIZE] = "warning: ";
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    sweep_describe(report->source, place, text, report->warnings);
    report->no_memory |= report->warnings->failed;
}

bool report_failed(const struct report *report)
{
    return report->count || report->no_memory;
}

static bool stands_before(struct source_place a, struct source_place b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

static size_t sort_findings(const struct report *report, struct finding ret_sorted[CONFIG_MAX_ERRORS])
{
    size_t count = 0;
    for (; count < report->count && count < CONFIG_MAX_ERRORS; count++) {
        size_t at = count;
        for (; at && stands_before(report->finding[count].place, ret_sorted[at - 1].place); at--)
            ret_sorted[at] = ret_sorted[at - 1];
        ret_sorted[at] = report->finding[count];
    }
    return count;
}

enum status_code report_status(const struct report *report, struct status *status)
{
    if (report->no_memory)
        return status_set(status, STATUS_MEMORY, "%s: out of memory while reading the sweep file",
                          report->source->path);
    if (!report->count)
        return STATUS_OK;
    struct finding sorted[CONFIG_MAX_ERRORS];
    size_t count = sort_findings(report, sorted), shown = 0, used = 0;
    struct bytes text = {0};
    char rest[COUNT_SIZE] = "";
    for (; shown < count; shown++) {
        sweep_describe(report->source, sorted[shown].place, sorted[shown].message, &text);
        if (shown && text.size > sizeof status->text - COUNT_SIZE)
            break;
        used = text.size;
    }
    if (shown < report->count)
        snprintf(rest, sizeof rest, "\nand %zu more errors", report->count - shown);
    enum status_code code =
        text.failed ? status_set(status, STATUS_MEMORY, "%s: out of memory", report->source->path)
                    : status_set(status, STATUS_INVALID, "%.*s%s", (int)used, (const char *)text.data, rest);
    bytes_fini(&text);
    return code;
}
