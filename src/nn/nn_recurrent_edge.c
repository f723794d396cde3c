// SPDX-License-Identifier: MIT
// Between rows sample by sample, as embedding and head take them, and rows time by time.
#include "nn_recurrent.h"
#include <string.h>

static struct recurrent_span piece_at(const struct recurrent_span *span, long sample, long begin)
{
    const long length = span->batch->length, end = span->begin + span->steps;
    const bool whole = span->steps == length;
    const long samples = whole ? nn_most(1, RECURRENT_EDGE_ROWS / length) : 1;
    struct recurrent_span piece = *span;
    piece.first = span->first + sample;
    piece.samples = nn_least(samples, span->samples - sample);
    piece.begin = begin;
    piece.steps = whole ? length : nn_least(RECURRENT_EDGE_ROWS, end - begin);
    piece.row_first = recurrent_row(span, begin) + sample;
    return piece;
}

bool recurrent_first_piece(const struct recurrent_span *span, struct recurrent_span *ret_piece)
{
    *ret_piece = piece_at(span, 0, span->begin);
    return true;
}

bool recurrent_next_piece(const struct recurrent_span *span, struct recurrent_span *piece)
{
    const long sample = piece->first - span->first, begin = piece->begin + piece->steps;
    if (begin < span->begin + span->steps)
        *piece = piece_at(span, sample, begin);
    else if (sample + piece->samples < span->samples)
        *piece = piece_at(span, sample + piece->samples, span->begin);
    else
        return false;
    return true;
}

long recurrent_piece_row(const struct recurrent_span *piece)
{
    return piece->first * piece->batch->length + piece->begin;
}

static void move(const struct recurrent *model, const struct recurrent_span *piece, struct nn_rows edge,
                 struct nn_rows rows, bool to_edge)
{
    const size_t size = (size_t)model->padded * sizeof(real);
    for (long s = 0; s < piece->samples; s++)
        for (long t = piece->begin; t < piece->begin + piece->steps; t++) {
            real *at_edge = nn_rows_from(edge, s * piece->steps + t - piece->begin).at;
            real *at = nn_rows_from(rows, recurrent_row(piece, t) + s).at;
            memcpy(to_edge ? at_edge : at, to_edge ? at : at_edge, size);
        }
}

void recurrent_from_edge(const struct recurrent *model, const struct recurrent_span *piece, struct nn_rows edge,
                         struct nn_rows ret_rows)
{
    move(model, piece, edge, ret_rows, false);
}

void recurrent_to_edge(const struct recurrent *model, const struct recurrent_span *piece, struct nn_rows rows,
                       struct nn_rows ret_edge)
{
    move(model, piece, ret_edge, rows, true);
}
