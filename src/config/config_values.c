// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "config_build.h"
#include <math.h>
#include <string.h>

static bool is_value(struct report *report, const struct node *node)
{
    char quote[QUOTE_SIZE];
    if (node->kind == NODE_SCALAR && !node_is_empty(node))
        return true;
    if (node->kind == NODE_SCALAR)
        report_error(report, node->place, "a value is missing here");
    else if (node->kind != NODE_REFUSED)
        report_error(report, node->place, "a single value should stand here, not %s", node_quote(node, quote));
    return false;
}

bool items_read(struct report *report, const struct node *node, enum item_type type, struct items *ret_items)
{
    if (node->kind == NODE_MAP && type == ITEMS_NAMES) {
        report_error(report, node->place, "a range is for numbers; list the values, as in [a, b]");
        return false;
    }
    if (node->kind == NODE_MAP)
        return range_read(report, node, type, ret_items);
    if (node->kind == NODE_LIST && !node->count) {
        report_error(report, node->place, "a list without values; give it at least one, or remove it");
        return false;
    }
    bool list = node->kind == NODE_LIST, whole = true;
    struct item *item = report_get(report, list ? node->count : 1, sizeof *item);
    size_t count = 0;
    for (const struct node *at = list ? node->first : node; item && at; at = list ? at->next : NULL) {
        whole &= is_value(report, at);
        item[count++] = (struct item){at->text, at->length, at->place};
    }
    *ret_items = (struct items){count, item};
    return item && whole;
}

static bool parse_item(struct report *report, const struct setting *setting, struct item item,
                       union setting_value *ret_value)
{
    struct status status;
    if (setting_parse(setting, item.text, item.length, ret_value, &status) == STATUS_OK)
        return true;
    report_error(report, item.place, "%s", status.text);
    return false;
}

bool value_read(struct build *build, const struct setting *setting, const struct node *node,
                union setting_value *ret_value)
{
    struct item item = {node->text, node->length, node->place};
    if (setting->type == SETTING_TEXT)
        return text_read(build->report, setting, node, &item) && parse_item(build->report, setting, item, ret_value);
    if (node->kind == NODE_LIST || node->kind == NODE_MAP) {
        report_error(build->report, node->place, "'%s' takes one value here; several make it an axis, under 'grid'",
                     setting->name);
        return false;
    }
    return is_value(build->report, node) && parse_item(build->report, setting, item, ret_value);
}

static enum item_type type_of(const struct setting *setting)
{
    if (setting->type == SETTING_CHOICE || setting->type == SETTING_BOOL)
        return ITEMS_NAMES;
    return setting->type == SETTING_REAL ? ITEMS_REALS : ITEMS_INTEGERS;
}

bool values_read(struct build *build, const struct setting *setting, const struct node *node,
                 union setting_value **ret_values, size_t *ret_count)
{
    struct items items;
    if (setting->type == SETTING_TEXT ? !texts_read(build->report, setting, node, &items)
                                      : !items_read(build->report, node, type_of(setting), &items))
        return false;
    bool whole = true;
    union setting_value *values = report_get(build->report, items.count, sizeof *values);
    // A range is one mistake, however many of its points are out of range.
    for (size_t i = 0; values && i < items.count && (whole || node->kind == NODE_LIST); i++)
        whole &= parse_item(build->report, setting, items.item[i], &values[i]);
    *ret_values = values;
    *ret_count = items.count;
    return values && whole;
}

static bool parse_length(struct report *report, struct item item, struct test_length *ret_length)
{
    bool relative = item.length > 1 && item.text[item.length - 1] == 'x';
    struct test_length length = {.relative = relative, .place = item.place};
    bool number = text_to_real(item.text, item.length - relative, &length.value) && isfinite(length.value);
    struct node node = {.kind = NODE_SCALAR, .text = item.text, .length = item.length};
    char quote[QUOTE_SIZE];
    if (number && length.value > 0 && (relative || test_length_tokens(length, 1))) {
        *ret_length = length;
        return true;
    }
    report_error(report, item.place,
                 "test_length: '%s' is neither an integer from 1 to %d nor a multiple of train_length, as in 4x",
                 node_quote(&node, quote), TEST_LENGTH_LIMIT);
    return false;
}

bool lengths_read(struct build *build, const struct node *node, struct test_length **ret_lengths, size_t *ret_count)
{
    struct items items;
    if (!items_read(build->report, node, ITEMS_LENGTHS, &items))
        return false;
    bool whole = true;
    struct test_length *lengths = report_get(build->report, items.count, sizeof *lengths);
    for (size_t i = 0; lengths && i < items.count && (whole || node->kind == NODE_LIST); i++)
        whole &= parse_length(build->report, items.item[i], &lengths[i]);
    *ret_lengths = lengths;
    *ret_count = items.count;
    return lengths && whole;
}
