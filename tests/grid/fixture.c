// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_text.h"
#include "fixture.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void fixture_init(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->arena = arena_create(1 << 12, 0);
    assert_non_null(fixture->arena);
    fixture->places = arena_get(fixture->arena, settings_count, sizeof *fixture->places);
    fixture->sweep = (struct sweep){.name = "s",
                                    .path = "s.yaml",
                                    .text = "one\ntwo\nthree\n",
                                    .text_size = 14,
                                    .replicates = 1,
                                    .twins = true,
                                    .axes = fixture->axes,
                                    .exclusions = fixture->exclusions,
                                    .places = fixture->places};
    settings_defaults(&fixture->sweep.base);
    fixture_lengths(fixture, "1x");
}

void fixture_fini(struct fixture *fixture)
{
    arena_destroy(fixture->arena);
}

static const struct setting *find(const char *name, size_t length)
{
    const struct setting *setting = setting_find(name, length);
    assert_non_null(setting);
    return setting;
}

static union setting_value parse(const struct setting *setting, const char *text, size_t length)
{
    union setting_value value;
    struct status status;
    if (setting_parse(setting, text, length, &value, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return value;
}

void fixture_set(struct fixture *fixture, const char *name, const char *value)
{
    const struct setting *setting = find(name, strlen(name));
    setting_put(setting, &fixture->sweep.base, parse(setting, value, strlen(value)));
}

static size_t count_words(const char *text, const char *separators)
{
    size_t count = 0;
    for (; *text; text += strspn(text, separators)) {
        text += strcspn(text, separators);
        count++;
    }
    return count;
}

static const union setting_value *parse_list(struct fixture *fixture, const struct setting *setting, const char *text,
                                             const char *separators, size_t *ret_count)
{
    *ret_count = count_words(text, separators);
    union setting_value *values = arena_get(fixture->arena, *ret_count, sizeof *values);
    for (size_t i = 0; i < *ret_count; i++) {
        size_t length = strcspn(text, separators);
        values[i] = parse(setting, text, length);
        text += length;
        text += strspn(text, separators);
    }
    return values;
}

void fixture_axis(struct fixture *fixture, const char *name, const char *values)
{
    size_t a = fixture->sweep.axes_count++;
    fixture->axes[a] = (struct axis){.name = name, .columns = fixture->columns[a], .place = {(int)a + 1, 1}};
    fixture_column(fixture, name, values);
    fixture->axes[a].name = name;
}

void fixture_column(struct fixture *fixture, const char *name, const char *values)
{
    struct axis *axis = &fixture->axes[fixture->sweep.axes_count - 1];
    struct axis_column *column = &fixture->columns[fixture->sweep.axes_count - 1][axis->columns_count++];
    column->setting = find(name, strlen(name));
    column->values = parse_list(fixture, column->setting, values, " ", &axis->count);
    column->place = axis->place;
    fixture->places[setting_index(column->setting)] = axis->place;
    axis->name = "zip";
}

static const struct test_length *parse_lengths(struct fixture *fixture, const char *text, const char *separators,
                                               size_t *ret_count)
{
    *ret_count = count_words(text, separators);
    struct test_length *lengths = arena_get(fixture->arena, *ret_count, sizeof *lengths);
    for (size_t i = 0; i < *ret_count; i++) {
        size_t length = strcspn(text, separators);
        lengths[i].relative = text[length - 1] == 'x';
        lengths[i].place = (struct source_place){3, 1};
        assert_true(text_to_real(text, length - lengths[i].relative, &lengths[i].value));
        text += length;
        text += strspn(text, separators);
    }
    return lengths;
}

void fixture_lengths(struct fixture *fixture, const char *lengths)
{
    fixture->sweep.lengths = parse_lengths(fixture, lengths, " ", &fixture->sweep.lengths_count);
}

void fixture_exclude(struct fixture *fixture, const char *conditions)
{
    struct exclusion *exclusion = &fixture->exclusions[fixture->sweep.exclusions_count++];
    size_t count = count_words(conditions, " ");
    struct exclusion_condition *condition = arena_get(fixture->arena, count, sizeof *condition);
    *exclusion = (struct exclusion){.count = count, .conditions = condition};
    for (size_t i = 0; i < count; i++) {
        size_t name = strcspn(conditions, "="), word = strcspn(conditions, " ");
        const char *values = arena_text(fixture->arena, conditions + name + 1, word - name - 1);
        if (strncmp(conditions, "test_length", name) == 0) {
            condition[i].lengths = parse_lengths(fixture, values, ",", &condition[i].count);
        } else {
            condition[i].setting = find(conditions, name);
            condition[i].values = parse_list(fixture, condition[i].setting, values, ",", &condition[i].count);
        }
        conditions += word;
        conditions += strspn(conditions, " ");
    }
}

struct grid *fixture_expand(const struct fixture *fixture)
{
    struct grid *grid = NULL;
    struct status status;
    if (grid_expand(&fixture->sweep, 1 << 20, &grid, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return grid;
}

const char *trial_lengths(const struct grid *grid, size_t index)
{
    static char text[256];
    const struct grid_trial *trial = grid_trial(grid, index);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < trial->lengths_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? " " : "", trial->lengths[i]);
    return text;
}
