// SPDX-License-Identifier: MIT
#include "grid_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

size_t cell_row(const struct grid *grid, size_t cell, size_t axis)
{
    return cell / grid->stride[axis] % grid->sweep->axes[axis].count;
}

void cell_settings(const struct grid *grid, size_t cell, struct settings *ret_settings)
{
    const struct sweep *sweep = grid->sweep;
    *ret_settings = sweep->base;
    ret_settings->replicate = (int64_t)(cell % (size_t)sweep->replicates);
    for (size_t a = 0; a < sweep->axes_count; a++) {
        size_t row = cell_row(grid, cell, a);
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++) {
            const struct axis_column *column = &sweep->axes[a].columns[c];
            setting_put(column->setting, ret_settings, column->values[row]);
        }
    }
    sweep_set_source(sweep, ret_settings);
}

static bool has_row(const struct rule_test *test, size_t row)
{
    size_t low = 0, high = test->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (test->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < test->count && test->rows[low] == row;
}

static bool rule_matches(const struct grid *grid, const struct rule *rule, size_t cell)
{
    bool matches = !rule->never;
    for (size_t t = 0; matches && t < rule->tests_count; t++)
        matches = has_row(&rule->tests[t], cell_row(grid, cell, rule->tests[t].axis));
    return matches;
}

bool cell_is_excluded(const struct grid *grid, size_t cell)
{
    for (size_t r = 0; r < grid->rules_count; r++)
        if (!grid->rules[r].by_length && rule_matches(grid, &grid->rules[r], cell))
            return true;
    return false;
}

bool cell_lacks_lengths(const struct grid *grid, size_t cell)
{
    for (size_t r = 0; r < grid->rules_count; r++)
        if (grid->rules[r].by_length && rule_matches(grid, &grid->rules[r], cell))
            return true;
    return false;
}

bool cell_length_is_excluded(const struct grid *grid, size_t cell, int64_t train_length, int64_t tokens)
{
    for (size_t r = 0; r < grid->rules_count; r++) {
        const struct rule *rule = &grid->rules[r];
        bool named = false;
        for (size_t l = 0; !named && l < rule->lengths_count; l++)
            named = test_length_tokens(rule->lengths[l], train_length) == tokens;
        if (named && rule_matches(grid, rule, cell))
            return true;
    }
    return false;
}

char *cell_text(const struct grid *grid, size_t cell, char *ret_text, size_t size)
{
    const struct sweep *sweep = grid->sweep;
    size_t used = 0;
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count && used < size; c++) {
            const struct axis_column *column = &sweep->axes[a].columns[c];
            char text[SETTING_TEXT_SIZE];
            setting_brief(column->setting, column->values[cell_row(grid, cell, a)], text);
            used += (size_t)snprintf(ret_text + used, size - used, "%s=%s, ", column->setting->name, text);
        }
    if (used < size)
        snprintf(ret_text + used, size - used, "replicate=%zu", cell % (size_t)sweep->replicates);
    return ret_text;
}

static bool condition_has(const struct exclusion_condition *condition, union setting_value value)
{
    for (size_t i = 0; i < condition->count; i++)
        if (setting_compare(condition->setting, condition->values[i], value) == 0)
            return true;
    return false;
}

static bool make_test(struct grid *grid, const struct exclusion_condition *condition, size_t axis,
                      const union setting_value *values, struct rule_test *ret_test)
{
    size_t all = grid->sweep->axes[axis].count, count = 0, used = 0;
    for (size_t row = 0; row < all; row++)
        count += condition_has(condition, values[row]);
    size_t *rows = arena_get(grid->arena, count, sizeof *rows);
    for (size_t row = 0; rows && row < all; row++)
        if (condition_has(condition, values[row]))
            rows[used++] = row;
    *ret_test = (struct rule_test){axis, used, rows};
    return rows;
}

static bool add_condition(struct grid *grid, const struct exclusion_condition *condition, struct rule *rule,
                          struct rule_test *test)
{
    const struct sweep *sweep = grid->sweep;
    if (!condition->setting) {
        rule->by_length = true;
        rule->lengths = condition->lengths;
        rule->lengths_count = condition->count;
        return true;
    }
    for (size_t a = 0; a < sweep->axes_count; a++)
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++) {
            const struct axis_column *column = &sweep->axes[a].columns[c];
            if (column->setting == condition->setting)
                return make_test(grid, condition, a, column->values, &test[rule->tests_count++]);
        }
    rule->never |= !condition_has(condition, setting_get(condition->setting, &sweep->base));
    return true;
}

static bool make_rule(struct grid *grid, const struct exclusion *exclusion, struct rule *ret_rule)
{
    struct rule_test *tests = arena_get(grid->arena, exclusion->count, sizeof *tests);
    if (!tests)
        return false;
    ret_rule->tests = tests;
    for (size_t i = 0; i < exclusion->count; i++)
        if (!add_condition(grid, &exclusion->conditions[i], ret_rule, tests))
            return false;
    return true;
}

bool cells_init(struct grid *grid)
{
    const struct sweep *sweep = grid->sweep;
    size_t *stride = arena_get(grid->arena, sweep->axes_count, sizeof *stride);
    struct rule *rules = arena_get(grid->arena, sweep->exclusions_count, sizeof *rules);
    if (!stride || !rules)
        return false;
    size_t below = (size_t)sweep->replicates;
    for (size_t a = sweep->axes_count; a-- > 0; below *= sweep->axes[a].count)
        stride[a] = below;
    grid->stride = stride;
    grid->cells = below;
    grid->rules = rules;
    for (; grid->rules_count < sweep->exclusions_count; grid->rules_count++)
        if (!make_rule(grid, &sweep->exclusions[grid->rules_count], &rules[grid->rules_count]))
            return false;
    return true;
}
