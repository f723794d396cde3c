// SPDX-License-Identifier: MIT
// All verdicts in one picture: the settings with numbers down, the choices by name across, one letter a test length.
// What is too wide for a line goes on in a further block with the same rows.
#include "show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_WIDTH = 48 };

// One side of the picture: the combinations of some of the axes, in the order of show_next.
struct side {
    bool other[SHOW_AXES]; // the axes of the other side
    size_t count;
    bool *has; // (count) whether any cell of the combination has a result
};

struct picture {
    const struct show *show;
    struct side rows, columns; // the axes with numbers; the others
};

static size_t number_in(const struct show *show, const struct side *side, const size_t *index)
{
    size_t number = 0;
    for (size_t a = 0; a < show->axes_count; a++)
        number = side->other[a] ? number : number * show->axes[a].count + index[a];
    return number;
}

static void place(const struct show *show, const struct side *side, size_t number, size_t *index)
{
    for (size_t a = show->axes_count; a-- > 0;)
        if (!side->other[a]) {
            index[a] = number % show->axes[a].count;
            number /= show->axes[a].count;
        }
}

// False where memory is out, or no cell has a result.
static bool look(const struct show *show, struct picture *ret_picture)
{
    struct picture picture = {.show = show, .rows = {.count = 1}, .columns = {.count = 1}};
    const bool none[SHOW_AXES] = {0};
    size_t index[SHOW_AXES] = {0};
    bool any = false;
    for (size_t a = 0; a < show->axes_count; a++) {
        const bool number = show_is_number(&show->axes[a]);
        picture.columns.other[a] = number;
        picture.rows.other[a] = !number;
        *(number ? &picture.rows.count : &picture.columns.count) *= show->axes[a].count;
    }
    picture.rows.has = arena_get(show->arena, picture.rows.count, sizeof *picture.rows.has);
    picture.columns.has = arena_get(show->arena, picture.columns.count, sizeof *picture.columns.has);
    if (!picture.rows.has || !picture.columns.has)
        return false;
    do
        if (show_row(show, show_cell(show, index)) >= 0) {
            picture.rows.has[number_in(show, &picture.rows, index)] = true;
            picture.columns.has[number_in(show, &picture.columns, index)] = any = true;
        }
    while (show_next(show, none, index));
    *ret_picture = picture;
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
static int column_title(const struct picture *picture, const size_t *index, char *ret, size_t size)
{
    const struct show *show = picture->show;
    char value[64];
    *ret = 0;
    for (size_t a = 0; a < show->axes_count; a++)
        if (!picture->columns.other[a])
            snprintf(ret + strlen(ret), size - strlen(ret), "%s%s", *ret ? "/" : "",
                     show_value(&show->axes[a], index[a], value, sizeof value));
    int length = (int)strlen(ret), letters = (int)show->lengths_count;
    return (length > letters ? length : letters) + 2;
}

// The columns from `first` on that fit into a line, one at least.
static size_t block(const struct picture *picture, size_t first)
{
    const struct show *show = picture->show;
    size_t index[SHOW_AXES] = {0}, end = first;
    char title[LETTERS_WIDTH];
    int left = SHOW_COLUMNS - 1;
    bool begun = false;
    for (size_t a = 0; a < show->axes_count; a++)
        left -= picture->rows.other[a] ? 0 : show_width(&show->axes[a]) + 1;
    for (; end < picture->columns.count; end++) {
        if (!picture->columns.has[end])
            continue;
        place(show, &picture->columns, end, index);
        left -= column_title(picture, index, title, sizeof title) + 1;
        if (left < 0 && begun)
            break;
        begun = true;
    }
    return end;
}

static void print_columns(const struct picture *picture, size_t first, size_t end)
{
    size_t index[SHOW_AXES] = {0};
    char title[LETTERS_WIDTH];
    print_names(picture->show, picture->rows.other, " ");
    for (size_t c = first; c < end; c++) {
        if (!picture->columns.has[c])
            continue;
        place(picture->show, &picture->columns, c, index);
        int width = column_title(picture, index, title, sizeof title);
        printf(" %-*s", width, title);
    }
    printf("\n");
}

static void print_row(const struct picture *picture, size_t row, size_t first, size_t end)
{
    const struct show *show = picture->show;
    size_t index[SHOW_AXES] = {0};
    char text[128], title[LETTERS_WIDTH];
    place(show, &picture->rows, row, index);
    for (size_t a = 0; a < show->axes_count; a++)
        if (!picture->rows.other[a])
            printf("%*s ", show_width(&show->axes[a]), show_value(&show->axes[a], index[a], text, sizeof text));
    printf(" ");
    for (size_t c = first; c < end; c++) {
        if (!picture->columns.has[c])
            continue;
        place(show, &picture->columns, c, index);
        int width = column_title(picture, index, title, sizeof title);
        printf(" ");
        printf("%*s", width - print_letters(show, show_cell(show, index)), "");
    }
    printf("\n");
}

void show_letters(const struct show *show)
{
    const struct arena_mark mark = arena_mark(show->arena);
    struct picture picture;
    if (look(show, &picture)) {
        printf("\nVerdict map, a letter for each test length from short to long:\n");
        show_print_legend(show);
        for (size_t first = 0, end; first < picture.columns.count; first = end) {
            end = block(&picture, first);
            printf("\n");
            print_columns(&picture, first, end);
            for (size_t row = 0; row < picture.rows.count; row++)
                if (picture.rows.has[row])
                    print_row(&picture, row, first, end);
        }
    }
    arena_release(show->arena, mark);
}
