// SPDX-License-Identifier: MIT
// What the task file asks of other settings. What it asks of its file is checked where that is read.
#include "spec_private.h"
#include <inttypes.h>

static bool is_file(const struct settings *settings)
{
    return settings->task.kind == TASK_FILE;
}

static enum status_code check_path(const struct settings *settings, struct status *status)
{
    if (!is_file(settings) || *settings->task.path)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID, "task file reads its data, but path is missing; write path: DATA.npz");
}

static enum status_code check_finite(const struct settings *settings, struct status *status)
{
    if (!is_file(settings) || settings->train.data == DATA_FINITE)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "data: stream is without end, but a file has so many sequences; take data: finite");
}

static enum status_code check_distribution(const struct settings *settings, struct status *status)
{
    if (!is_file(settings) || settings->task.length_distribution == LENGTHS_FIXED)
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "length_distribution draws lengths, but those of task file are in its file; remove it");
}

const struct settings_check_row checks_of_file[] = {
    {{"path", "task"}, check_path},
    {{"data"}, check_finite},
    {{"length_distribution"}, check_distribution},
    {{NULL}, NULL},
};
