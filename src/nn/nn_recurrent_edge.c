// SPDX-License-Identifier: MIT
// Between rows sample by sample, as embedding and head take them, and rows time by time.
#include "nn_recurrent.h"
#include <string.h>

// Steps of a sample that are in work.
static long steps_of(const struct recurrent_course *course, long number)
{
    return nn_most(0, nn_least(recurrent_length(course, number) - course->begin, course->steps));
}

static bool is_whole(const struct recurrent_course *course, long number)
{
    return steps_of(course, number) == recurrent_length(course, number);
}

bool recurrent_next_piece(const struct recurrent_course *course, struct recurrent_piece *piece)
{
    long number = piece->number + piece->samples;
    while (number < course->samples && steps_of(course, number) == 0)
        number++;
    if (number == course->samples)
        return false;
    *piece = (struct recurrent_piece){.number = number,
                                      .samples = 1,
                                      .row = batch_row(course->batch, course->first + number) + course->begin,
                                      .rows = steps_of(course, number)};
    if (!is_whole(course, number))
        return true;
    for (number++; number < course->samples && is_whole(course, number); number++) {
        const long rows = piece->rows + steps_of(course, number);
        if (rows > RECURRENT_EDGE_ROWS)
            break;
        piece->rows = rows;
        piece->samples++;
    }
    return true;
}

static void move(const struct recurrent *model, const struct recurrent_piece *piece, struct nn_rows edge,
                 struct nn_rows rows, bool to_edge)
{
    const size_t size = (size_t)model->padded * sizeof(real);
    const struct recurrent_course *course = &model->course;
    for (long number = piece->number; number < piece->number + piece->samples; number++) {
        const struct nn_rows of = nn_rows_from(rows, course->rank[number]);
        const long steps = steps_of(course, number);
        for (long k = 0; k < steps; k++, edge.at += edge.stride) {
            real *at = nn_rows_from(of, course->start[k]).at;
            memcpy(to_edge ? edge.at : at, to_edge ? at : edge.at, size);
        }
    }
}

void recurrent_from_edge(const struct recurrent *model, const struct recurrent_piece *piece, struct nn_rows edge,
                         struct nn_rows ret_rows)
{
    move(model, piece, edge, ret_rows, false);
}

void recurrent_to_edge(const struct recurrent *model, const struct recurrent_piece *piece, struct nn_rows rows,
                       struct nn_rows ret_edge)
{
    move(model, piece, ret_edge, rows, true);
}
