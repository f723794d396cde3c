// SPDX-License-Identifier: MIT
#include "config_range.h"
#include "base_math.h"
#include "base_text.h"
#include "config_decimal.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum range_key { RANGE_FROM, RANGE_TO, RANGE_POINTS, RANGE_STEP, RANGE_SCALE, RANGE_KEYS };
static const char *const range_keys[RANGE_KEYS] = {"from", "to", "points", "step", "scale"};

struct range {
    struct report *report;
    enum item_type type;
    const struct node *map, *key[RANGE_KEYS]; // NULL where not given
    bool relative, log;
    bool whole;     // points are integers
    int64_t points; // 0 where a step is given
    double low, high;
    struct item *item;
    size_t count;
};

static bool range_error(struct range *range, const struct node *node, const char *message)
{
    char quote[QUOTE_SIZE];
    report_error(range->report, node->place, message, node_quote(node, quote));
    return false;
}

static bool find_keys(struct range *range)
{
    size_t errors = range->report->count;
    for (const struct node *child = range->map->first; child; child = child->next) {
        int key = 0;
        while (key < RANGE_KEYS && !node_is(child->key, range_keys[key]))
            key++;
        if (key < RANGE_KEYS && child->kind == NODE_SCALAR) {
            range->key[key] = child;
            continue;
        }
        char quote[QUOTE_SIZE];
        node_quote(child->key, quote);
        const char *nearest = text_nearest(quote, range_keys, RANGE_KEYS);
        if (key < RANGE_KEYS)
            report_error(range->report, child->place, "'%s' of a range must be a single value", quote);
        else
            report_error(range->report, child->key->place, "unknown key '%s' in a range; %s%s%s", quote,
                         nearest ? "did you mean '" : "it has from, to, and points or step", nearest ? nearest : "",
                         nearest ? "'?" : "");
    }
    return range->report->count == errors;
}

// Takes the x off the end of a relative length.
static bool read_end(struct range *range, enum range_key key, double *ret_value)
{
    const struct node *node = range->key[key];
    size_t length = node->length - range->relative;
    if (!text_to_real(node->text, length, ret_value) || !isfinite(*ret_value))
        return range_error(range, node, "'%s' is not a finite number");
    return true;
}

static bool is_relative(const struct node *node)
{
    return node->length > 1 && node->text[node->length - 1] == 'x';
}

static bool read_points(struct range *range)
{
    const struct node *points = range->key[RANGE_POINTS];
    bool overflow;
    if (!points)
        return true;
    if (text_to_int(points->text, points->length, &range->points, &overflow) && range->points >= 2 &&
        range->points <= CONFIG_MAX_VALUES)
        return true;
    char quote[QUOTE_SIZE];
    report_error(range->report, points->place,
                 "points: '%s' is not an integer from 2 to %d; a single value needs no range",
                 node_quote(points, quote), CONFIG_MAX_VALUES);
    return false;
}

static bool read_scale(struct range *range)
{
    const struct node *scale = range->key[RANGE_SCALE];
    range->log = scale && node_is(scale, "log");
    if (scale && !range->log && !node_is(scale, "linear"))
        return range_error(range, scale, "scale: '%s' is not known; it is linear or log");
    if (range->log && !range->points)
        return range_error(range, scale, "a %s scale needs points, not a step");
    if (range->log && !(range->low > 0 && range->high > 0))
        return range_error(range, scale, "a %s scale needs positive ends");
    return true;
}

static bool read_range(struct range *range)
{
    if (!find_keys(range))
        return false;
    for (int key = RANGE_FROM; key <= RANGE_TO; key++)
        if (!range->key[key])
            return range_error(range, range->map, key == RANGE_FROM ? "a range needs 'from'" : "a range needs 'to'");
    if (!range->key[RANGE_POINTS] == !range->key[RANGE_STEP])
        return range_error(range, range->map, "a range needs either 'points' or 'step'");
    range->relative = range->type == ITEMS_LENGTHS && is_relative(range->key[RANGE_FROM]);
    if (range->type == ITEMS_LENGTHS && range->relative != is_relative(range->key[RANGE_TO]))
        return range_error(range, range->map, "both ends are relative ('4x') or neither is");
    range->whole = range->type == ITEMS_INTEGERS || (range->type == ITEMS_LENGTHS && !range->relative);
    if (!read_end(range, RANGE_FROM, &range->low) || !read_end(range, RANGE_TO, &range->high))
        return false;
    if (range->low == range->high)
        return range_error(range, range->map, "both ends of the range are the same; write the value alone");
    return read_points(range) && read_scale(range);
}

static bool make_room(struct range *range, int64_t count)
{
    range->item = report_get(range->report, (size_t)count, sizeof *range->item);
    return range->item;
}

static bool add_text(struct range *range, const char *text, size_t length)
{
    char full[DECIMAL_TEXT_SIZE + 2];
    int size = snprintf(full, sizeof full, "%.*s%s", (int)length, text, range->relative ? "x" : "");
    const char *copy = arena_text(range->report->arena, full, (size_t)size);
    range->report->no_memory |= !copy;
    range->item[range->count++] = (struct item){copy, (size_t)size, range->map->place};
    return copy;
}

static void add_end(struct range *range, enum range_key key)
{
    const struct node *node = range->key[key];
    range->item[range->count++] = (struct item){node->text, node->length, node->place};
}

static bool add_decimal(struct range *range, struct decimal point)
{
    char text[DECIMAL_TEXT_SIZE];
    size_t length = decimal_text(point, text);
    bool overflow;
    int64_t integer;
    uint64_t natural;
    if (range->whole && !text_to_int(text, length, &integer, &overflow) &&
        !text_to_uint(text, length, &natural, &overflow)) {
        report_error(range->report, range->map->place,
                     "the range has the point %s, which is not an integer; choose points or step to fit", text);
        return false;
    }
    return add_text(range, text, length);
}

static bool parse_decimal(struct range *range, enum range_key key, struct decimal *ret_decimal)
{
    const struct node *node = range->key[key];
    size_t length = node->length - (range->relative && is_relative(node));
    if (decimal_parse(node->text, length, ret_decimal))
        return true;
    return range_error(range, node, "'%s' is not a decimal number of at most 17 digits");
}

static bool add_linear(struct range *range, const struct decimal end[RANGE_TO + 1])
{
    if (!make_room(range, range->points))
        return false;
    for (int64_t i = 0; i < range->points; i++)
        if (!add_decimal(range, decimal_between(end[RANGE_FROM], end[RANGE_TO], i, range->points)))
            return false;
    return true;
}

static bool add_steps(struct range *range, struct decimal from, struct decimal to, struct decimal step)
{
    const struct node *node = range->key[RANGE_STEP];
    if (!step.mantissa || (step.mantissa > 0) != (to.mantissa > from.mantissa))
        return range_error(range, node, "step '%s' does not lead from 'from' to 'to'");
    // Both mantissas are below 10^18, so that their difference fits.
    int64_t intervals = (to.mantissa - from.mantissa) / step.mantissa;
    if (intervals >= CONFIG_MAX_VALUES) {
        report_error(range->report, node->place, "a range of %" PRId64 " points; at most %d are possible",
                     intervals + 1, CONFIG_MAX_VALUES);
        return false;
    }
    if (!make_room(range, intervals + 1))
        return false;
    for (int64_t i = 0; i <= intervals; i++)
        if (!add_decimal(range, (struct decimal){from.mantissa + i * step.mantissa, from.exponent}))
            return false;
    return true;
}

static bool linear_points(struct range *range)
{
    enum range_key keys[] = {RANGE_FROM, RANGE_TO, RANGE_STEP};
    struct decimal number[3] = {0};
    for (int i = 0; i < 3; i++)
        if (range->key[keys[i]] && !parse_decimal(range, keys[i], &number[i]))
            return false;
    if (!decimal_align(number, 3))
        return range_error(range, range->map,
                           "the numbers of the range differ too much in size to be added exactly; list the values");
    return range->points ? add_linear(range, number) : add_steps(range, number[0], number[1], number[2]);
}

static bool log_points(struct range *range)
{
    double low = math_log(range->low), high = math_log(range->high), last = range->low;
    if (!make_room(range, range->points))
        return false;
    add_end(range, RANGE_FROM);
    for (int64_t i = 1; i < range->points - 1; i++) {
        double value = math_exp(low + (high - low) * (double)i / (double)(range->points - 1));
        struct decimal point =
            range->whole && value < 0x1p62 ? (struct decimal){(int64_t)rint(value), 0} : decimal_round(value);
        char text[DECIMAL_TEXT_SIZE];
        size_t length = decimal_text(point, text);
        if (range->whole && (rint(value) == last || rint(value) == range->high))
            continue;
        last = rint(value);
        if (!add_text(range, text, length))
            return false;
    }
    add_end(range, RANGE_TO);
    return true;
}

bool range_read(struct report *report, const struct node *map, enum item_type type, struct items *ret_items)
{
    struct range range = {.report = report, .map = map, .type = type};
    if (!read_range(&range))
        return false;
    if (!(range.log ? log_points(&range) : linear_points(&range)))
        return false;
    *ret_items = (struct items){range.count, range.item};
    return true;
}
