// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "config_build.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_EXCLUSIONS = 1000, MAX_EXCLUDED_VALUES = 10000, LIST_SIZE = 200 };

// The value of the axis that lies nearest to `value`; for names and booleans all of them, as far as they fit.
static const char *suggest(const struct axis_column *column, size_t count, union setting_value value,
                           char ret_text[LIST_SIZE])
{
    const struct setting *setting = column->setting;
    char text[SETTING_TEXT_SIZE];
    bool number = setting->type != SETTING_CHOICE && setting->type != SETTING_BOOL && setting->type != SETTING_TEXT;
    size_t nearest = 0, used = (size_t)snprintf(ret_text, LIST_SIZE, number ? "the nearest is" : "it has");
    for (size_t i = 1; number && i < count; i++) {
        double distance = fabs(setting_real(setting, column->values[i]) - setting_real(setting, value));
        double least = fabs(setting_real(setting, column->values[nearest]) - setting_real(setting, value));
        nearest = distance < least ? i : nearest;
    }
    for (size_t i = number ? nearest : 0; i < (number ? nearest + 1 : count) && used < LIST_SIZE - 1; i++)
        used += (size_t)snprintf(ret_text + used, LIST_SIZE - used, "%s %s", !number && i ? "," : "",
                                 setting_brief(setting, column->values[i], text));
    return ret_text;
}

static bool is_on_axis(const struct axis_column *column, size_t count, union setting_value value)
{
    for (size_t i = 0; i < count; i++)
        if (setting_compare(column->setting, column->values[i], value) == 0)
            return true;
    return false;
}

static void check_values(struct build *build, const struct node *node, const struct axis_column *column,
                         const struct axis *axis, const struct exclusion_condition *condition)
{
    const struct node *at = node->kind == NODE_LIST ? node->first : node;
    for (size_t i = 0; i < condition->count; i++) {
        char text[SETTING_TEXT_SIZE], list[LIST_SIZE];
        if (!is_on_axis(column, axis->count, condition->values[i]))
            report_error(build->report, at->place, "%s is not on the axis '%s'; %s",
                         setting_brief(column->setting, condition->values[i], text), column->setting->name,
                         suggest(column, axis->count, condition->values[i], list));
        at = node->kind == NODE_LIST ? at->next : at;
    }
}

static void refuse_condition(struct build *build, const struct node *key)
{
    char quote[QUOTE_SIZE];
    node_quote(key, quote);
    const struct setting *setting = setting_find(key->text, key->length);
    const char *nearest = nearest_setting(quote, SECTION_SWEEP, true);
    if (node_is(key, "when"))
        report_error(
            build->report, key->place,
            "conditions ('when') are not supported; list values to leave out, as in {snr: 1, test_length: [8x, 16x]}");
    else if (setting && !setting->assigned)
        report_error(build->report, key->place, "'%s' is not an axis of the grid, so that it cannot be excluded",
                     quote);
    else if (node_is(key, "replicate"))
        report_error(build->report, key->place, "single replicates cannot be excluded; lower 'replicates'");
    else if (nearest)
        report_error(build->report, key->place, "unknown setting '%s'; did you mean '%s'?", quote, nearest);
    else
        report_error(build->report, key->place, "unknown setting '%s'; conditions are settings of the grid", quote);
}

static void read_lengths(struct build *build, const struct node *node, struct exclusion_condition *ret_condition)
{
    struct test_length *lengths;
    if (!lengths_read(build, node, &lengths, &ret_condition->count))
        return;
    ret_condition->lengths = lengths;
    for (size_t i = 0; i < ret_condition->count; i++) {
        char text[SETTING_TEXT_SIZE];
        if (!length_is_asked(build, lengths[i]))
            report_error(build->report, lengths[i].place, "%s is none of the sweep's test lengths",
                         test_length_text(lengths[i], text));
    }
}

static void read_condition(struct build *build, const struct node *node, struct exclusion_condition *ret_condition)
{
    const struct axis *axis = NULL;
    union setting_value *values;
    if (node->kind == NODE_MAP && !node_is(node->key, "when")) {
        report_error(build->report, node->place, "a condition has a value or a list of values, not a mapping");
        return;
    }
    if (node_is(node->key, "test_length")) {
        read_lengths(build, node, ret_condition);
        return;
    }
    const struct setting *setting = setting_find(node->key->text, node->key->length);
    const struct axis_column *column = setting ? build_column(build, setting, &axis) : NULL;
    if (!column && !(setting && build->broken[setting_index(setting)]))
        refuse_condition(build, node->key);
    if (!column || !values_read(build, setting, node, &values, &ret_condition->count))
        return;
    ret_condition->setting = setting;
    ret_condition->values = values;
    check_values(build, node, column, axis, ret_condition);
}

static void read_exclusion(struct build *build, const struct node *node, struct exclusion *ret_exclusion)
{
    char quote[QUOTE_SIZE];
    if (node->kind == NODE_REFUSED)
        return;
    if (node->kind != NODE_MAP || !node->count) {
        report_error(build->report, node->place,
                     "an exclusion is a mapping of settings to values, as in {snr: 1, noise_rate: [0.1, 0.2]}, not %s",
                     node->kind == NODE_MAP ? "an empty one" : node_quote(node, quote));
        return;
    }
    struct exclusion_condition *conditions = report_get(build->report, node->count, sizeof *conditions);
    *ret_exclusion = (struct exclusion){.conditions = conditions, .place = node->place};
    for (const struct node *child = node->first; conditions && child; child = child->next)
        read_condition(build, child, &conditions[ret_exclusion->count++]);
}

static size_t count_values(const struct node *exclude)
{
    size_t count = 0;
    for (const struct node *node = exclude->first; node; node = node->next)
        for (const struct node *child = node->kind == NODE_MAP ? node->first : NULL; child; child = child->next)
            count += child->kind == NODE_LIST ? child->count : 1;
    return count;
}

void exclude_read(struct build *build, const struct node *exclude)
{
    char quote[QUOTE_SIZE];
    if (exclude->kind == NODE_REFUSED)
        return;
    if (exclude->kind != NODE_LIST) {
        report_error(build->report, exclude->place,
                     "'exclude' is a list of mappings, each after a '-', as in - {snr: 1}, not %s",
                     node_quote(exclude, quote));
        return;
    }
    if (exclude->count > MAX_EXCLUSIONS || count_values(exclude) > MAX_EXCLUDED_VALUES) {
        report_error(build->report, exclude->place, "at most %d exclusions, with %d values together, are possible",
                     MAX_EXCLUSIONS, MAX_EXCLUDED_VALUES);
        return;
    }
    struct exclusion *exclusions = report_get(build->report, exclude->count, sizeof *exclusions);
    for (const struct node *node = exclude->first; exclusions && node; node = node->next)
        read_exclusion(build, node, &exclusions[build->sweep->exclusions_count++]);
    build->sweep->exclusions = exclusions;
}
