// SPDX-License-Identifier: MIT
#include "config_tree.h"
#include "config_syntax.h"
#include <stdio.h>
#include <string.h>

struct reading {
    yaml_parser_t parser;
    struct report *report;
    const char *text; // the file, for messages about its syntax
    size_t size;
};

static struct node *read_node(struct reading *reading, yaml_event_t *event, int depth);

static bool next_event(struct reading *reading, yaml_event_t *ret_event)
{
    if (yaml_parser_parse(&reading->parser, ret_event))
        return true;
    syntax_report(reading->report, &reading->parser, reading->text, reading->size);
    return false;
}

static void refuse_extras(struct reading *reading, const yaml_event_t *event, const yaml_char_t *anchor,
                          const yaml_char_t *tag)
{
    struct source_place place = syntax_place(event->start_mark);
    if (anchor)
        report_error(reading->report, place, "anchors ('&') are not supported; write the values out");
    if (tag)
        report_error(reading->report, place, "tags ('!') are not supported; the setting decides the type");
}

static void append(struct node *parent, struct node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static bool read_scalar(struct reading *reading, const yaml_event_t *event, struct node *ret_node)
{
    refuse_extras(reading, event, event->data.scalar.anchor, event->data.scalar.tag);
    ret_node->kind = NODE_SCALAR;
    ret_node->length = event->data.scalar.length;
    ret_node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    ret_node->text = arena_text(reading->report->arena, (const char *)event->data.scalar.value, ret_node->length);
    reading->report->no_memory |= !ret_node->text;
    return ret_node->text;
}

static bool read_list(struct reading *reading, const yaml_event_t *start, int depth, struct node *ret_node)
{
    refuse_extras(reading, start, start->data.sequence_start.anchor, start->data.sequence_start.tag);
    ret_node->kind = NODE_LIST;
    for (yaml_event_t event; next_event(reading, &event);) {
        if (event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        struct node *child = read_node(reading, &event, depth);
        if (!child)
            return false;
        append(ret_node, child);
        if (ret_node->count > CONFIG_MAX_VALUES) {
            report_error(reading->report, ret_node->place, "a list of more than %d values", CONFIG_MAX_VALUES);
            return false;
        }
    }
    return false;
}

static const struct node *find_key(const struct node *map, const struct node *key)
{
    for (const struct node *child = map->first; child; child = child->next)
        if (child->key->length == key->length && memcmp(child->key->text, key->text, key->length) == 0)
            return child->key;
    return NULL;
}

// Adds the pair unless its key is none.
static void append_pair(struct reading *reading, struct node *map, const struct node *key, struct node *value)
{
    struct report *report = reading->report;
    char quote[QUOTE_SIZE];
    const struct node *first = key->kind == NODE_SCALAR ? find_key(map, key) : NULL;
    if (key->kind == NODE_REFUSED)
        return;
    if (key->kind != NODE_SCALAR)
        report_error(report, key->place, "a key must be a name, not %s", node_quote(key, quote));
    else if (node_is(key, "<<"))
        report_error(report, key->place, "merge keys ('<<') are not supported; write the settings out");
    else if (first)
        report_error(report, key->place, "duplicate key '%s'; it stands first at line %d, column %d; keep one",
                     node_quote(key, quote), first->place.line, first->place.column);
    else {
        value->key = key;
        append(map, value);
    }
}

static bool read_map(struct reading *reading, const yaml_event_t *start, int depth, struct node *ret_node)
{
    refuse_extras(reading, start, start->data.mapping_start.anchor, start->data.mapping_start.tag);
    ret_node->kind = NODE_MAP;
    size_t pairs = 0;
    for (yaml_event_t event; next_event(reading, &event);) {
        if (event.type == YAML_MAPPING_END_EVENT)
            return true;
        const struct node *key = read_node(reading, &event, depth);
        struct node *value = key && next_event(reading, &event) ? read_node(reading, &event, depth) : NULL;
        if (!value)
            return false;
        append_pair(reading, ret_node, key, value);
        if (++pairs > CONFIG_MAX_KEYS) {
            report_error(reading->report, ret_node->place, "a mapping of more than %d keys", CONFIG_MAX_KEYS);
            return false;
        }
    }
    return false;
}

static bool fill_node(struct reading *reading, const yaml_event_t *event, int depth, struct node *ret_node)
{
    ret_node->place = syntax_place(event->start_mark);
    if (depth == CONFIG_MAX_DEPTH) {
        report_error(reading->report, ret_node->place, "nested more than %d deep", CONFIG_MAX_DEPTH);
        return false;
    }
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reading, event, ret_node);
    case YAML_SEQUENCE_START_EVENT:
        return read_list(reading, event, depth + 1, ret_node);
    case YAML_MAPPING_START_EVENT:
        return read_map(reading, event, depth + 1, ret_node);
    default:
        ret_node->kind = NODE_REFUSED;
        report_error(reading->report, ret_node->place, "aliases ('*') are not supported; write the values out");
        return true;
    }
}

// Takes over the event, which starts a node; NULL when reading cannot go on.
static struct node *read_node(struct reading *reading, yaml_event_t *event, int depth)
{
    struct node *node = report_get(reading->report, 1, sizeof *node);
    bool whole = node && fill_node(reading, event, depth, node);
    yaml_event_delete(event);
    return whole ? node : NULL;
}

static struct node *read_document(struct reading *reading)
{
    yaml_event_t event;
    if (!next_event(reading, &event))
        return NULL;
    bool empty = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (empty)
        report_error(reading->report, (struct source_place){0}, "the file is empty; a sweep has at least one setting");
    if (empty || !next_event(reading, &event))
        return NULL;
    return read_node(reading, &event, 0);
}

static bool read_end(struct reading *reading)
{
    yaml_event_t event;
    for (bool over = false; !over; yaml_event_delete(&event)) {
        if (!next_event(reading, &event))
            return false;
        over = event.type == YAML_STREAM_END_EVENT;
        if (event.type != YAML_DOCUMENT_START_EVENT)
            continue;
        report_error(reading->report, syntax_place(event.start_mark),
                     "a second document; a file has one sweep: remove '---', or write two files");
        over = true;
    }
    return true;
}

struct node *tree_read(struct report *report, const char *text, size_t size)
{
    struct reading reading = {.report = report, .text = text, .size = size};
    struct node *root = NULL;
    yaml_event_t event;
    if (!syntax_check_bytes(report, text, size))
        return NULL;
    const char *copy = syntax_without_idle_tabs(report, text, size);
    if (!copy || !yaml_parser_initialize(&reading.parser)) {
        report->no_memory = true;
        return NULL;
    }
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)copy, size);
    if (next_event(&reading, &event)) {
        yaml_event_delete(&event);
        root = read_document(&reading);
    }
    if (root && !read_end(&reading))
        root = NULL;
    yaml_parser_delete(&reading.parser);
    return root;
}

bool node_is(const struct node *node, const char *text)
{
    return node->kind == NODE_SCALAR && node->length == strlen(text) && memcmp(node->text, text, node->length) == 0;
}

bool node_is_empty(const struct node *node)
{
    return node_is(node, "") || node_is(node, "~") || node_is(node, "null");
}

char *node_quote(const struct node *node, char ret_text[QUOTE_SIZE])
{
    static const char *const kinds[] = {"", "a list", "a mapping", "an alias"};
    if (node->kind != NODE_SCALAR)
        return strcpy(ret_text, kinds[node->kind]);
    size_t shown = 0;
    for (; shown < node->length && shown < QUOTE_SIZE - 8; shown++) {
        unsigned char c = (unsigned char)node->text[shown];
        bool control = c < 0x20 || c == 0x7F || (c == 0xC2 && (unsigned char)node->text[shown + 1] < 0xA0);
        ret_text[shown] = control ? '?' : (char)c;
    }
    bool cut = shown < node->length;
    while (cut && shown && ((unsigned char)node->text[shown] & 0xC0) == 0x80)
        shown--;
    snprintf(ret_text + shown, QUOTE_SIZE - shown, "%s", cut ? "..." : "");
    return ret_text;
}
