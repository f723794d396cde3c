// SPDX-License-Identifier: MIT
#include "config_version.h"
#include <stdio.h>
#include <yaml.h>

void config_version(char *ret_text, size_t size)
{
    snprintf(ret_text, size, "libyaml %s", yaml_get_version_string());
}
