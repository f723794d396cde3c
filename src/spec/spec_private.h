// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "spec_settings.h"

// Bounds for buffers on the stack; the table asserts the first, a test the second.
enum { SETTINGS_LIMIT = 160, SETTING_NAME_LIMIT = 32 };

// Checks across settings, one list a section; the last row of a list has no check.
struct settings_check_row {
    const char *blamed[FAULT_BLAMED];
    enum status_code (*check)(const struct settings *settings, struct status *status);
};
extern const struct settings_check_row checks_of_task[], checks_of_lengths[], checks_of_model[], checks_of_train[];
// Whether the task can make training or test sequences of so many its units whose answers are not all the same.
enum status_code check_length(const struct settings *settings, bool test, int64_t length, struct status *status);
// Of `name`: a count has to be whole; below 1 it is a share.
enum status_code check_count_or_share(const char *name, double value, struct status *status);
