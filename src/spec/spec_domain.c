// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "spec_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void choices_text(const struct setting *setting, char *ret_text, size_t size)
{
    size_t used = (size_t)snprintf(ret_text, size, "one of");
    for (size_t i = 0; setting->choices[i] && used < size; i++)
        used += (size_t)snprintf(ret_text + used, size - used, "%s %s", i ? "," : "", setting->choices[i]);
}

static void range_text(const struct setting *setting, char *ret_text, size_t size)
{
    char low[TEXT_NUMBER_SIZE], high[TEXT_NUMBER_SIZE];
    text_real(setting->low, low);
    text_real(setting->high, high);
    snprintf(ret_text, size, "number %s %s %s %s%s", setting->open_low ? "above" : "from", low,
             setting->open_high ? "to below" : "to", high, setting->infinity ? ", or .inf" : "");
}

char *setting_domain(const struct setting *setting, char *ret_text, size_t size)
{
    switch (setting->type) {
    case SETTING_INT:
        snprintf(ret_text, size, "integer from %" PRId64 " to %" PRId64, (int64_t)setting->low, (int64_t)setting->high);
        break;
    case SETTING_UINT:
        snprintf(ret_text, size, "integer from 0 to %" PRIu64, UINT64_MAX);
        break;
    case SETTING_REAL:
        range_text(setting, ret_text, size);
        break;
    case SETTING_CHOICE:
        choices_text(setting, ret_text, size);
        break;
    case SETTING_BOOL:
        snprintf(ret_text, size, "true or false");
        break;
    case SETTING_TEXT:
        snprintf(ret_text, size, "%s",
                 setting->levels == 0   ? "text"
                 : setting->levels == 1 ? "integers, as in 0 1"
                                        : "rows of integers, as in 0 1; 1 0");
        break;
    }
    return ret_text;
}
