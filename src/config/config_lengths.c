// SPDX-License-Identifier: MIT
#include "config_build.h"
#include <string.h>

enum { MAX_PAIRS = 100000 };

static bool same_length(const struct test_length *a, const struct test_length *b)
{
    return a->value == b->value && a->relative == b->relative;
}

static size_t merge_lengths(struct build *build, struct test_length *lengths, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (first < kept && !same_length(&lengths[first], &lengths[i]))
            first++;
        char text[SETTING_TEXT_SIZE];
        if (first < kept)
            report_warning(build->report, lengths[i].place, "test_length: %s is there already; the two are one point",
                           test_length_text(lengths[i], text));
        else
            lengths[kept++] = lengths[i];
    }
    return kept;
}

void test_length_read(struct build *build, const struct node *node, bool axis)
{
    struct sweep *sweep = build->sweep;
    struct test_length *lengths;
    size_t count;
    if (build->test_place.line) {
        report_error(build->report, node->key->place,
                     "'test_length' is given already at line %d, column %d; keep one of the two",
                     build->test_place.line, build->test_place.column);
        return;
    }
    build->test_place = node->key->place;
    sweep->lengths_axis = axis;
    sweep->lengths_position = axis ? sweep->axes_count : 0;
    sweep->lengths_count = 0;
    if (!lengths_read(build, node, &lengths, &count))
        return;
    sweep->lengths_count = merge_lengths(build, lengths, count);
    sweep->lengths = lengths;
}

// The train lengths of the sweep: those of its axis, or the one of `base`, which `one` makes room for.
static size_t train_lengths(const struct build *build, union setting_value *one, const union setting_value **ret_values)
{
    const struct setting *setting = setting_find("train_length", strlen("train_length"));
    const struct axis *axis = NULL;
    const struct axis_column *column = build_column(build, setting, &axis);
    *one = setting_get(setting, &build->sweep->base);
    *ret_values = column ? column->values : one;
    return column ? axis->count : 1;
}

// Whether the lengths of the sweep are known, whatever else is wrong in the file.
static bool lengths_are_read(const struct build *build)
{
    const struct setting *setting = setting_find("train_length", strlen("train_length"));
    return build->sweep->lengths_count && !build->broken[setting_index(setting)];
}

void lengths_check(struct build *build)
{
    const struct sweep *sweep = build->sweep;
    union setting_value one;
    const union setting_value *train;
    size_t count = train_lengths(build, &one, &train);
    char text[SETTING_TEXT_SIZE];
    if (!lengths_are_read(build))
        return;
    if (count * sweep->lengths_count > MAX_PAIRS) {
        report_error(build->report, build->test_place,
                     "%zu train lengths with %zu test lengths; at most %d pairs are possible", count,
                     sweep->lengths_count, MAX_PAIRS);
        return;
    }
    for (size_t l = 0; l < sweep->lengths_count; l++)
        for (size_t i = 0; i < count; i++) {
            if (test_length_tokens(sweep->lengths[l], train[i].i))
                continue;
            report_error(build->report, sweep->lengths[l].place,
                         "test_length: %s of train_length %lld is not an integer from 1 to %d",
                         test_length_text(sweep->lengths[l], text), (long long)train[i].i, TEST_LENGTH_LIMIT);
            break;
        }
}

bool length_is_asked(const struct build *build, struct test_length length)
{
    const struct sweep *sweep = build->sweep;
    union setting_value one;
    const union setting_value *train;
    size_t count = train_lengths(build, &one, &train);
    if (!lengths_are_read(build))
        return true;
    for (size_t l = 0; l < sweep->lengths_count; l++)
        if (same_length(&sweep->lengths[l], &length))
            return true;
    for (size_t i = 0; i < count; i++) {
        int64_t tokens = test_length_tokens(length, train[i].i);
        for (size_t l = 0; tokens && l < sweep->lengths_count; l++)
            if (test_length_tokens(sweep->lengths[l], train[i].i) == tokens)
                return true;
    }
    return false;
}
