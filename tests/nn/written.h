// SPDX-License-Identifier: MIT
// Settings as a line of text, for tables of cases.
#pragma once
#include "spec_settings.h"
#include "support.h"
#include <string.h>

// Puts "name=value …" onto settings.
static inline void written_read(const char *text, struct settings *settings)
{
    for (const char *at = text; *at;) {
        const size_t name = strcspn(at, "="), value = strcspn(at + name + 1, " ");
        const struct setting *setting = setting_find(at, name);
        union setting_value parsed = {0};
        struct status status = {0};
        if (!setting || setting_parse(setting, at + name + 1, value, &parsed, &status) != STATUS_OK)
            fail_msg("%s: %s", text, status.text);
        setting_put(setting, settings, parsed);
        at += name + 1 + value;
        at += *at == ' ';
    }
}
