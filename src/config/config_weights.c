// SPDX-License-Identifier: MIT
// The keys `save` and `init`: which weights to keep, and which to start from.
#include "config_build.h"
#include <string.h>

static const struct setting step_row = {.name = "step", .type = SETTING_INT, .low = 0, .high = 1e9};

// A step, or "last".
static bool read_step(struct build *build, const struct node *node, int64_t *ret_step)
{
    union setting_value value;
    if (node_is(node, "last")) {
        *ret_step = STEP_LAST;
        return true;
    }
    if (!value_read(build, &step_row, node, &value))
        return false;
    *ret_step = value.i;
    return true;
}

static void keep_steps(struct build *build, const struct node *list)
{
    const bool single = list->kind != NODE_LIST;
    int64_t *steps = report_get(build->report, single ? 1 : list->count, sizeof *steps);
    size_t count = 0;
    for (const struct node *node = single ? list : list->first; steps && node; node = single ? NULL : node->next) {
        int64_t step;
        if (!read_step(build, node, &step))
            continue;
        size_t at = 0;
        while (at < count && steps[at] != step)
            at++;
        if (at == count)
            steps[count++] = step;
    }
    if (!single && list->count == 0)
        report_error(build->report, list->place, "'save' has no step; list some, or remove it");
    build->sweep->saves = steps;
    build->sweep->saves_count = steps ? count : 0;
}

void save_read(struct build *build, const struct node *node)
{
    static const int64_t last = STEP_LAST;
    build->sweep->saves_place = node->key->place;
    if (node_is(node, "weights")) {
        build->sweep->saves = &last;
        build->sweep->saves_count = 1;
    } else if (node->kind == NODE_MAP && node->count == 1 && node_is(node->first->key, "weights")) {
        keep_steps(build, node->first);
    } else if (node->kind != NODE_REFUSED) {
        report_error(
            build->report, node->place,
            "'save' is weights, for those after the last step, or {weights: [0, 100, last]} for a list of steps");
    }
}

static void read_override(struct build *build, const struct node *node, struct sweep_override *override)
{
    char quote[QUOTE_SIZE];
    const struct setting *setting = setting_find(node->key->text, node->key->length);
    const char *near = nearest_setting(node_quote(node->key, quote), SECTION_SWEEP, true);
    if (!setting || setting->assigned)
        report_error(build->report, node->key->place, "unknown setting '%s'%s%s%s", quote,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    else if (value_read(build, setting, node, &override->value))
        override->setting = setting;
}

static void read_overrides(struct build *build, const struct node *node)
{
    struct sweep_init *init = &build->sweep->init;
    if (node->kind != NODE_MAP) {
        report_error(
            build->report, node->place,
            "'with' is a mapping of the settings in which the trials to start from differ from those of this sweep");
        return;
    }
    struct sweep_override *with = report_get(build->report, node->count, sizeof *with);
    for (const struct node *child = node->first; with && child; child = child->next) {
        read_override(build, child, &with[init->count]);
        init->count += with[init->count].setting != NULL;
    }
    init->with = with;
}

static void read_from(struct build *build, const struct node *node)
{
    if (node->kind != NODE_SCALAR || node_is_empty(node) || memchr(node->text, '\0', node->length))
        report_error(build->report, node->place, "'from' is the path of a store, as in results/pretrained.h5");
    else
        build->sweep->init.from = node->text;
}

void init_read(struct build *build, const struct node *node)
{
    struct sweep_init *init = &build->sweep->init;
    char quote[QUOTE_SIZE];
    *init = (struct sweep_init){.step = STEP_LAST, .place = node->key->place};
    if (node->kind == NODE_REFUSED)
        return;
    for (const struct node *child = node->kind == NODE_MAP ? node->first : NULL; child; child = child->next) {
        if (node_is(child->key, "from"))
            read_from(build, child);
        else if (node_is(child->key, "step"))
            read_step(build, child, &init->step);
        else if (node_is(child->key, "with"))
            read_overrides(build, child);
        else
            report_error(build->report, child->key->place, "unknown key '%s'; 'init' has from, step and with",
                         node_quote(child->key, quote));
    }
    if (node->kind != NODE_MAP || (!init->from && node->count == 0))
        report_error(build->report, node->place,
                     "'init' is a mapping, as in {from: results/pretrained.h5, step: last, with: {train_length: 8}}");
    else if (!init->from && !report_failed(build->report))
        report_error(build->report, node->place, "'init' needs 'from', the store whose weights to start from");
}
