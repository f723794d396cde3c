// SPDX-License-Identifier: MIT
#include "config_build.h"
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Appends a scalar: `whole` as it stands, else with one space for any white space inside and none around it.
static void put_scalar(const struct node *node, bool whole, struct bytes *text)
{
    const size_t start = text->size;
    for (size_t i = 0; i < node->length; i++) {
        const bool space = is_space(node->text[i]);
        if (whole || !space)
            bytes_u8(text, (unsigned char)node->text[i]);
        else if (text->size > start && i + 1 < node->length && !is_space(node->text[i + 1]))
            bytes_u8(text, ' ');
    }
}

// Appends a list's values. One that is missing is a '~', for the setting to say what it lacks.
static bool put_row(struct report *report, const struct node *row, struct bytes *text)
{
    char quote[QUOTE_SIZE];
    for (const struct node *node = row->first; node; node = node->next) {
        if (node->kind == NODE_LIST || node->kind == NODE_MAP)
            report_error(report, node->place, "a value should stand here, not %s; lists of lists go no deeper",
                         node_quote(node, quote));
        if (node->kind != NODE_SCALAR)
            return false;
        if (node != row->first)
            bytes_u8(text, ' ');
        put_scalar(node_is_empty(node) ? &(struct node){.text = "~", .length = 1} : node, false, text);
    }
    return true;
}

static bool put_rows(struct report *report, const struct node *list, struct bytes *text)
{
    for (const struct node *row = list->first; row; row = row->next) {
        if (row->kind == NODE_SCALAR || row->kind == NODE_MAP)
            report_error(report, row->place,
                         "a list should stand here, like the one before; a list has either values "
                         "or lists of values");
        if (row != list->first)
            bytes_raw(text, "; ", 2);
        if (row->kind != NODE_LIST || !put_row(report, row, text))
            return false;
    }
    return true;
}

static bool put_node(struct report *report, const struct setting *setting, const struct node *node, struct bytes *text)
{
    char quote[QUOTE_SIZE];
    if (node->kind == NODE_SCALAR && (node->quoted || !node_is_empty(node))) {
        put_scalar(node, setting->unhashed, text);
        return true;
    }
    if (node->kind == NODE_SCALAR)
        report_error(report, node->place, "a value is missing here");
    else if (node->kind == NODE_MAP || (node->kind == NODE_LIST && setting->unhashed))
        report_error(report, node->place, "a single value should stand here, not %s", node_quote(node, quote));
    else if (node->kind == NODE_LIST && !node->count)
        report_error(report, node->place, "a list without values; give it at least one, or remove it");
    else if (node->kind == NODE_LIST)
        return node->first->kind == NODE_LIST ? put_rows(report, node, text) : put_row(report, node, text);
    return false;
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
    return whole;
}
