// SPDX-License-Identifier: MIT
#include "config_build.h"
#include <string.h>

static bool put_numbers(struct report *report, const struct setting *setting, const struct node *node,
                        struct bytes *text)
{
    struct status status;
    if (setting_rows(setting, node->text, node->length, text, &status) == STATUS_OK)
        return true;
    report_error(report, node->place, "%s", status.text);
    return false;
}

// One value of a list. One that is missing is a '~', for the setting to say what it lacks.
static bool put_item(struct report *report, const struct setting *setting, const struct node *node, bool of_row,
                     struct bytes *text)
{
    char quote[QUOTE_SIZE];
    if (node->kind == NODE_LIST || node->kind == NODE_MAP)
        report_error(report, node->place, "a value should stand here, not %s; lists of lists go no deeper",
                     node_quote(node, quote));
    if (node->kind != NODE_SCALAR)
        return false;
    if (of_row && memchr(node->text, ';', node->length)) {
        report_error(report, node->place, "'%s' has a ';', which ends a row, within a row; write each row as a list",
                     node_quote(node, quote));
        return false;
    }
    return put_numbers(report, setting,
                       node_is_empty(node) ? &(struct node){.place = node->place, .text = "~", .length = 1} : node,
                       text);
}

static bool put_row(struct report *report, const struct setting *setting, const struct node *row, struct bytes *text)
{
    for (const struct node *node = row->first; node; node = node->next) {
        if (node != row->first)
            bytes_u8(text, ' ');
        if (!put_item(report, setting, node, true, text))
            return false;
    }
    return true;
}

// Whether a scalar has more than one number: white space inside, or the end of a row.
static bool is_row(const struct node *node)
{
    static const char space[] = " \t\n\r";
    size_t words = 0;
    for (size_t i = 0; i < node->length; i++)
        words += !strchr(space, node->text[i]) && (i == 0 || strchr(space, node->text[i - 1]));
    return words > 1 || memchr(node->text, ';', node->length);
}

// A list in which some value is more than a number: each is a row.
static bool put_rows(struct report *report, const struct setting *setting, const struct node *list, struct bytes *text)
{
    const bool lists = list->first->kind == NODE_LIST;
    for (const struct node *row = list->first; row; row = row->next) {
        if (lists && (row->kind == NODE_SCALAR || row->kind == NODE_MAP))
            report_error(report, row->place,
                         "a list should stand here, like the one before; a list has either values "
                         "or lists of values");
        if (row != list->first)
            bytes_raw(text, "; ", 2);
        if (lists ? row->kind != NODE_LIST || !put_row(report, setting, row, text)
                  : !put_item(report, setting, row, false, text))
            return false;
    }
    return true;
}

static bool put_list(struct report *report, const struct setting *setting, const struct node *list, struct bytes *text)
{
    if (!list->count && setting->levels == 1)
        return true;
    if (!list->count) {
        report_error(report, list->place, "a list without values; give it at least one, or remove it");
        return false;
    }
    bool rows = list->first->kind == NODE_LIST;
    for (const struct node *node = list->first; node && !rows; node = node->next)
        rows = node->kind == NODE_SCALAR && is_row(node);
    return rows ? put_rows(report, setting, list, text) : put_row(report, setting, list, text);
}

static bool put_node(struct report *report, const struct setting *setting, const struct node *node, struct bytes *text)
{
    char quote[QUOTE_SIZE];
    const bool value = node->kind == NODE_SCALAR && (node->quoted || !node_is_empty(node));
    if (value && setting->levels)
        return put_numbers(report, setting, node, text);
    if (value)
        bytes_raw(text, node->text, node->length);
    else if (node->kind == NODE_SCALAR)
        report_error(report, node->place, "a value is missing here");
    else if (node->kind == NODE_LIST && setting->levels)
        return put_list(report, setting, node, text);
    else if (node->kind == NODE_MAP && setting->levels)
        report_error(report, node->place, "a list should stand here, not %s; write it as in %s",
                     node_quote(node, quote), setting->levels == 1 ? "[1, 2, 3]" : "[[0, 1], [1, 0]]");
    else if (node->kind != NODE_REFUSED)
        report_error(report, node->place, "a single value should stand here, not %s", node_quote(node, quote));
    return value;
}

bool text_read(struct report *report, const struct setting *setting, const struct node *node, struct item *ret_item)
{
    struct bytes text = {0};
    const bool whole = put_node(report, setting, node, &text);
    const char *copy =
        text.failed ? NULL : arena_text(report->arena, text.size ? (const char *)text.data : "", text.size);
    *ret_item = (struct item){copy, text.size, node->place};
    report->no_memory |= !copy;
    bytes_fini(&text);
    return whole && copy;
}

// Where a row stands alone on an axis of tables, one table was meant, and each of its rows would be read as one.
static bool check_tables(struct report *report, const struct setting *setting, const struct items *items)
{
    char text[SETTING_TEXT_SIZE];
    for (size_t i = 0; setting->levels == 2 && i < items->count; i++) {
        const struct item *item = &items->item[i];
        if (!item->length || memchr(item->text, ';', item->length))
            continue;
        report_error(report, item->place,
                     "%s: '%s' is one row alone, but an axis is a list of tables: write [[[0, 1], [1, 0]]]",
                     setting->name, setting_brief(setting, (union setting_value){.text = item->text}, text));
        return false;
    }
    return true;
}

bool texts_read(struct report *report, const struct setting *setting, const struct node *node, struct items *ret_items)
{
    const bool list = node->kind == NODE_LIST;
    if (node->kind == NODE_MAP || (list && !node->count)) {
        report_error(report, node->place,
                     list ? "a list without values; give it at least one, or remove it"
                          : "a range is for numbers; list the values, as in [a, b]");
        return false;
    }
    struct item *item = report_get(report, list ? node->count : 1, sizeof *item);
    bool whole = item != NULL;
    size_t count = 0;
    for (const struct node *at = list ? node->first : node; item && at; at = list ? at->next : NULL)
        whole &= text_read(report, setting, at, &item[count++]);
    *ret_items = (struct items){count, item};
    return whole && check_tables(report, setting, ret_items);
}
