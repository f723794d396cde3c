// SPDX-License-Identifier: MIT
// All verdicts in one picture: the settings with numbers down, the choices by name across, one letter a test length.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_WIDTH = 48 };

// Flags of the axes with numbers, and of the others.
struct sides {
    bool number[SHOW_AXES], choice[SHOW_AXES];
};

static struct sides split(const struct show *show)
{
    struct sides sides = {0};
    for (size_t a = 0; a < show->axes_count; a++) {
        sides.number[a] = show_is_number(&show->axes[a]);
        sides.choice[a] = !sides.number[a];
    }
    return sides;
}

// Whether any cell has a result with the fixed axes at `index`; the others are at 0 before and after.
static bool any_result(const struct show *show, const bool *fixed, size_t *index)
{
    bool any = false;
    do
        any |= show_row(show, show_cell(show, index)) >= 0;
    while (show_next(show, fixed, index));
    return any;
}

static void print_names(const struct show *show, const bool *skip, const char *tail)
{
    for (size_t a = 0; a < show->axes_count; a++)
        if (!skip[a])
            printf("%*s ", show_width(&show->axes[a]), show->axes[a].name);
    printf("%s", tail);
}

static int print_letters(const struct show *show, size_t cell)
{
    int width = 0;
    ptrdiff_t row = show_row(show, cell);
    for (size_t t = 0; t < show->lengths_count; t++) {
        if (!show_has(show, cell, show->lengths[t]))
            continue;
        double verdict = show_derived(show, "verdict", row, show->lengths[t]);
        if (show_failed(show, row))
            show_print_failed(show);
        else if (isfinite(verdict) && verdict < VERDICTS)
            show_print_mark(show, (int)verdict);
        else
            continue;
        width++;
    }
    return width;
}

// What stands above a column: the choices, without their axes' names. Returns the column's width.
static int column_title(const struct show *show, const struct sides *sides, const size_t *index, char *ret, size_t size)
{
    char value[64];
    *ret = 0;
    for (size_t a = 0; a < show->axes_count; a++)
        if (sides->choice[a])
            snprintf(ret + strlen(ret), size - strlen(ret), "%s%s", *ret ? "/" : "",
                     show_value(&show->axes[a], index[a], value, sizeof value));
    int length = (int)strlen(ret), letters = (int)show->lengths_count;
    return (length > letters ? length : letters) + 2;
}

static void print_columns(const struct show *show, const struct sides *sides, size_t *index)
{
    char title[LETTERS_WIDTH];
    print_names(show, sides->choice, " ");
    do
        if (any_result(show, sides->choice, index)) {
            int width = column_title(show, sides, index, title, sizeof title);
            printf(" %-*s", width, title);
        }
    while (show_next(show, sides->number, index));
    printf("\n");
}

static void print_row(const struct show *show, const struct sides *sides, size_t *index)
{
    char text[128], title[LETTERS_WIDTH];
    for (size_t a = 0; a < show->axes_count; a++)
        if (sides->number[a])
            printf("%*s ", show_width(&show->axes[a]), show_value(&show->axes[a], index[a], text, sizeof text));
    printf(" ");
    size_t column[SHOW_AXES];
    memcpy(column, index, sizeof column);
    do {
        size_t probe[SHOW_AXES];
        for (size_t a = 0; a < show->axes_count; a++)
            probe[a] = sides->number[a] ? 0 : column[a];
        if (!any_result(show, sides->choice, probe))
            continue;
        int width = column_title(show, sides, column, title, sizeof title);
        printf(" ");
        printf("%*s", width - print_letters(show, show_cell(show, column)), "");
    } while (show_next(show, sides->number, column));
    printf("\n");
}

void show_letters(const struct show *show)
{
    struct sides sides = split(show);
    size_t index[SHOW_AXES] = {0};
    const bool none[SHOW_AXES] = {0};
    if (!any_result(show, none, index))
        return;
    printf("\nVerdict map, a letter for each test length from short to long:\n");
    show_print_legend(show);
    printf("\n");
    print_columns(show, &sides, index);
    do
        if (any_result(show, sides.number, index))
            print_row(show, &sides, index);
    while (show_next(show, sides.choice, index));
}
