// SPDX-License-Identifier: MIT
#include "record_private.h"
#include <string.h>

static bool finished(const struct record *record)
{
    return record->status == RECORD_DONE || record->status == RECORD_DIVERGED;
}

static void take_status(struct record *target, const struct record *source)
{
    if (finished(target) || !finished(source))
        return;
    target->status = source->status;
    memset(target->reason, 0, sizeof target->reason);
    target->exit_status = target->signal = 0;
    target->last_step = source->last_step;
    target->attempts = source->attempts;
}

enum status_code record_merge(struct record *target, struct record *source, struct status *status)
{
    if (!hash_equal(target->identity, source->identity))
        return status_set(status, STATUS_INVALID, "records of two trials cannot be merged");
    if (target->numerics != source->numerics)
        return status_set(status, STATUS_INVALID, "records of numerics %u and %u cannot be merged; run the sweep anew",
                          target->numerics, source->numerics);
    void *parts = target->parts;
    bool reserved = record_reserve(&parts, &target->parts_capacity, target->parts_count + source->parts_count,
                                   sizeof *target->parts);
    target->parts = parts;
    if (!reserved)
        return status_set(status, STATUS_MEMORY, "no memory to merge two records");
    size_t kept = 0;
    for (size_t i = 0; i < source->parts_count; i++) {
        struct record_part *part = &source->parts[i];
        if (record_find_part(target, part->kind, part->test_length))
            source->parts[kept++] = *part;
        else
            target->parts[target->parts_count++] = *part;
    }
    source->parts_count = kept;
    take_status(target, source);
    return STATUS_OK;
}
