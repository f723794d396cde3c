// SPDX-License-Identifier: MIT
#include "base_text.h"
#include "config_build.h"
#include <string.h>

enum { MAX_NAME = 200, MAX_NAMES = 64 };

bool name_is_reserved(const struct node *name)
{
    static const char *const reserved[] = {
        "trial",  "trials",   "eval",        "phase",      "phases",     "layer",  "head",     "replicate",
        "step",   "steps",    "test_length", "round",      "position",   "sample", "identity", "loss_level",
        "status", "numerics", "twin",        "test_error", "replicates", "sweep",  "run",      "analysis",
    };
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (node_is(name, reserved[i]))
            return true;
    return false;
}

static void read_name(struct build *build, const struct node *node)
{
    char quote[QUOTE_SIZE];
    if (node->kind != NODE_SCALAR) {
        if (node->kind != NODE_REFUSED)
            report_error(build->report, node->place, "the sweep's name is a text, not %s", node_quote(node, quote));
        return;
    }
    bool control = false;
    for (size_t i = 0; i < node->length; i++)
        control |= (unsigned char)node->text[i] < ' ' || node->text[i] == 0x7F;
    if (!node->length)
        report_error(build->report, node->place, "the sweep's name is empty; remove 'sweep' to use the file's name");
    else if (control || strchr(node->text, '/') || node_is(node, ".") || node_is(node, "..") || node->length > MAX_NAME)
        report_error(build->report, node->place,
                     "the sweep's name '%s' names a file too: no '/', no control characters, at most %d bytes",
                     node_quote(node, quote), MAX_NAME);
    else
        build->sweep->name = node->text;
}

// Keys of the top level that are no settings of a trial, typed by the same rules.
static const struct setting replicates_row = {
    .name = "replicates", .type = SETTING_INT, .low = 1, .high = CONFIG_MAX_REPLICATES};
static const struct setting twins_row = {.name = "twins", .type = SETTING_BOOL};

static void read_replicates(struct build *build, const struct node *node)
{
    union setting_value value;
    if (value_read(build, &replicates_row, node, &value))
        build->sweep->replicates = value.i;
}

static void read_twins(struct build *build, const struct node *node)
{
    union setting_value value;
    if (value_read(build, &twins_row, node, &value))
        build->sweep->twins = value.b;
}

static void keep_init(struct build *build, const struct node *node)
{
    build->init = node;
}

static void keep_exclude(struct build *build, const struct node *node)
{
    build->exclude = node;
}

// A mapping with something in it; an error otherwise.
static bool is_filled_map(struct build *build, const struct node *node, const char *what)
{
    char quote[QUOTE_SIZE], key[QUOTE_SIZE];
    node_quote(node->key, key);
    if (node->kind == NODE_MAP && node->count)
        return true;
    if (node->kind == NODE_MAP || (node->kind == NODE_SCALAR && node_is_empty(node)))
        report_error(build->report, node->key->place, "'%s' is empty; give it %s, or remove it", key, what);
    else if (node->kind != NODE_REFUSED)
        report_error(build->report, node->place, "'%s' is a mapping with %s, not %s", key, what,
                     node->kind == NODE_SCALAR ? "a single value" : node_quote(node, quote));
    return false;
}

static void read_grid(struct build *build, const struct node *node)
{
    if (is_filled_map(build, node, "an axis"))
        grid_read(build, node);
}

static void read_zip(struct build *build, const struct node *node)
{
    if (is_filled_map(build, node, "a block of settings"))
        zip_read(build, node);
}

static const struct {
    const char *name;
    void (*read)(struct build *build, const struct node *node);
} top_keys[] = {
    {"sweep", read_name},      {"replicates", read_replicates},
    {"twins", read_twins},     {"grid", read_grid},
    {"exclude", keep_exclude}, {"zip", read_zip},
    {"save", save_read},       {"init", keep_init},
};
enum { TOP_KEYS = sizeof top_keys / sizeof top_keys[0] };

static size_t top_key(const struct node *key)
{
    size_t i = 0;
    while (i < TOP_KEYS && !node_is(key, top_keys[i].name))
        i++;
    return i;
}

static int section_of(const struct node *key)
{
    int section = SECTION_SWEEP + 1;
    while (section < SECTIONS && !node_is(key, section_names[section]))
        section++;
    return section;
}

static const char *nearest_top_name(const char *text)
{
    const char *names[TOP_KEYS + SECTIONS + MAX_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < TOP_KEYS; i++)
        names[count++] = top_keys[i].name;
    for (int section = SECTION_SWEEP + 1; section < SECTIONS; section++)
        names[count++] = section_names[section];
    for (size_t i = 0; i < settings_count && count < sizeof names / sizeof names[0]; i++)
        if (settings_table[i].section == SECTION_SWEEP && !settings_table[i].assigned)
            names[count++] = settings_table[i].name;
    return text_nearest(text, names, count);
}

bool name_is_top_level(const struct node *name)
{
    return top_key(name) < TOP_KEYS || section_of(name) < SECTIONS;
}

const char *nearest_setting(const char *name, enum setting_section section, bool any_section)
{
    const char *names[] = {setting_nearest(name, section, any_section), "test_length"};
    bool lengths = any_section || section == SECTION_EVALUATE;
    return names[0] ? text_nearest(name, names, lengths ? 2 : 1) : text_nearest(name, names + 1, lengths ? 1 : 0);
}

// Whether what belongs elsewhere is nearer to `name` than what belongs here; either may be NULL.
static bool is_nearer(const char *name, const char *far, const char *near)
{
    const char *both[] = {near, far};
    return near && far && strcmp(text_nearest(name, both, 2), near) != 0;
}

// What a section lacks, a file's top level being one: says where the key belongs, or what was meant.
static void refuse_key(struct build *build, enum setting_section section, const struct node *key)
{
    struct report *report = build->report;
    char quote[QUOTE_SIZE];
    node_quote(key, quote);
    const struct setting *elsewhere = setting_find(key->text, key->length);
    const char *near = section ? nearest_setting(quote, section, false) : nearest_top_name(quote);
    const char *far = nearest_setting(quote, section, true);
    const struct setting *meant = far ? setting_find(far, strlen(far)) : NULL;
    if (node_is(key, "replicate"))
        report_error(report, key->place, "'replicate' is counted by the sweep; write 'replicates: N' at the top level");
    else if (node_is(key, "test_length"))
        report_error(report, key->place, "'test_length' belongs in 'evaluate', or in 'grid' as an axis");
    else if (elsewhere)
        report_error(report, key->place, "'%s' belongs %s%s, or in 'grid' as an axis", quote,
                     elsewhere->section ? "in " : "at the top level", section_names[elsewhere->section]);
    else if (section && name_is_top_level(key))
        report_error(report, key->place, "'%s' belongs at the top level; check the indentation", quote);
    else if (near && !is_nearer(quote, far, near))
        report_error(report, key->place, "unknown key '%s'; did you mean '%s'?", quote, near);
    else if (far)
        report_error(report, key->place, "unknown key '%s'; did you mean '%s', which belongs in %s?", quote, far,
                     section_names[meant ? meant->section : SECTION_EVALUATE]);
    else
        report_error(report, key->place, "unknown key '%s'; `lgsweep describe` lists all", quote);
}

static void read_setting(struct build *build, enum setting_section section, const struct node *node)
{
    const struct setting *setting = setting_find_in(section, node->key->text, node->key->length);
    union setting_value value;
    if (!setting || setting->assigned)
        refuse_key(build, section, node->key);
    else if (build_claim(build, setting, node->key->place) && value_read(build, setting, node, &value))
        setting_put(setting, &build->sweep->base, value);
}

static void read_section(struct build *build, enum setting_section section, const struct node *node)
{
    if (!is_filled_map(build, node, "a setting"))
        return;
    for (const struct node *child = node->first; child; child = child->next) {
        if (section == SECTION_EVALUATE && node_is(child->key, "test_length"))
            test_length_read(build, child, false);
        else
            read_setting(build, section, child);
    }
}

// Seeds that leave replicates nothing to differ in.
static void check_seeds(struct build *build)
{
    const struct setting *data = setting_find("data_seed", strlen("data_seed"));
    const struct setting *init = setting_find("init_seed", strlen("init_seed"));
    struct source_place first = build->places[setting_index(data)], second = build->places[setting_index(init)];
    if (!first.line || !second.line || build->sweep->replicates < 2)
        return;
    report_error(
        build->report, second,
        "with data_seed (line %d) and init_seed fixed all replicates are the same; fix one, or write 'replicates: 1'",
        first.line);
}

void sweep_read(struct build *build, const struct node *root)
{
    char quote[QUOTE_SIZE];
    if (root->kind != NODE_MAP) {
        report_error(build->report, root->place, "a sweep file is a mapping of keys such as 'task' and 'grid', not %s",
                     root->kind == NODE_SCALAR ? "a single value" : node_quote(root, quote));
        return;
    }
    for (const struct node *child = root->first; child; child = child->next) {
        size_t key = top_key(child->key);
        int section = section_of(child->key);
        if (key < TOP_KEYS)
            top_keys[key].read(build, child);
        else if (section < SECTIONS)
            read_section(build, (enum setting_section)section, child);
        else
            read_setting(build, SECTION_SWEEP, child);
    }
    lengths_check(build);
    if (build->exclude)
        exclude_read(build, build->exclude);
    if (build->init)
        init_read(build, build->init);
    check_seeds(build);
}
