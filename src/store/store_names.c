// SPDX-License-Identifier: MIT
#include "store_names.h"
#include "store.h"
#include <string.h>

bool store_uses_name(const char *name)
{
    static const char *const own[] = {
        NAME_REPLICATE,     NAME_TEST_LENGTH,    NAME_LENGTH_RATIO, NAME_TRIAL,    NAME_IDENTITY,
        NAME_NUMERICS,      NAME_STATUS,         NAME_TWIN,         NAME_ATTEMPTS, NAME_FAILURE_REASON,
        NAME_FAILURE_EXIT,  NAME_FAILURE_SIGNAL, NAME_FAILURE_STEP, GROUP_TRIALS,  GROUP_LAYOUTS,
        NAME_LAYOUT,        GROUP_RUN,           NAME_HOST,         NAME_VERSION,  NAME_FINISHED,
        "loss_level_value",
    };
    size_t length = strlen(name), suffix = strlen(CODE_SUFFIX);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return length > suffix && strcmp(name + length - suffix, CODE_SUFFIX) == 0;
}
