// SPDX-License-Identifier: MIT
// Tokens stand in columns: above each other what belongs to one position.
#include "data.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_VECTORS = 12, SHOWN_COORDINATES = 6, SHOWN_TOKENS = 200, MARGIN = 12, SHOWN_RELEVANT = 8 };

// One sample of a batch.
struct sample {
    const struct settings *settings;
    const struct batch *batch;
    long number; // in the batch
    int64_t row, target;
    long length, targets;
};

static bool is_relevant(const struct sample *sample, long position)
{
    const struct batch *batch = sample->batch;
    for (long i = 0; i < batch->relevant_count && !batch->relevant_each; i++)
        if (batch->relevant[sample->number * batch->relevant_count + i] == position)
            return true;
    return false;
}

static bool counts(const struct sample *sample, long t)
{
    return !sample->batch->mask || sample->batch->mask[sample->target + t];
}

static bool is_replaced(const struct sample *sample, long t)
{
    const struct batch *batch = sample->batch;
    return counts(sample, t) && batch->targets[sample->target + t] != batch->clean[sample->target + t];
}

static void print_vector(const float *vector, long dim)
{
    double square = 0;
    for (long c = 0; c < dim; c++)
        square += (double)vector[c] * (double)vector[c];
    printf("norm %7.3f  [", sqrt(square));
    for (long c = 0; c < dim && c < SHOWN_COORDINATES; c++)
        printf("%s%7.3f", c ? " " : "", (double)vector[c]);
    printf("%s]\n", dim > SHOWN_COORDINATES ? " …" : "");
}

static void print_vectors(const struct sample *sample)
{
    const struct batch *batch = sample->batch;
    for (long t = 0; t < sample->length && t < SHOWN_VECTORS; t++) {
        printf("  %s token %-5ld ", is_relevant(sample, t) ? "signal" : "      ", t);
        print_vector(batch->vectors + (sample->row + t) * batch->dim, batch->dim);
    }
    if (sample->length <= SHOWN_VECTORS)
        return;
    printf("         … %ld more tokens; signal at", sample->length - SHOWN_VECTORS);
    for (long i = 0; i < batch->relevant_count; i++)
        printf(" %d", batch->relevant[sample->number * batch->relevant_count + i]);
    printf("\n");
}

// What stands in a row at position t; rows that have nothing to say of a sample are left out. Relevant positions of a
// target take a row each, from ROW_RELEVANT on.
enum row { ROW_POSITIONS, ROW_TOKENS, ROW_TARGETS, ROW_CLEAN, ROW_RELEVANT, ROWS = ROW_RELEVANT + SHOWN_RELEVANT };
static const char *const row_names[ROWS] = {"position", "tokens", "targets", "clean", "relevant"};

static void relevant_at(const struct sample *sample, long place, long t, char ret_text[TASK_SYMBOL_SIZE])
{
    const struct batch *batch = sample->batch;
    const int32_t at = batch->relevant[(sample->target + t) * batch->relevant_count + place];
    if (at >= 0)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%d", (int)at);
}

static void text_at(const struct sample *sample, enum row row, long t, char ret_text[TASK_SYMBOL_SIZE])
{
    const struct batch *batch = sample->batch;
    const int64_t target = sample->target + t;
    ret_text[0] = '\0';
    if (row == ROW_POSITIONS)
        snprintf(ret_text, TASK_SYMBOL_SIZE, "%ld", t);
    else if (row == ROW_TOKENS)
        task_symbol(sample->settings, batch->tokens[sample->row + t], ret_text);
    else if (row == ROW_TARGETS && counts(sample, t))
        task_class(sample->settings, batch->targets[target], ret_text);
    else if (row == ROW_TARGETS)
        strcpy(ret_text, ".");
    else if (row == ROW_CLEAN && is_replaced(sample, t))
        task_class(sample->settings, batch->clean[target], ret_text);
    else if (row >= ROW_RELEVANT && batch->relevant_each)
        relevant_at(sample, (long)(row - ROW_RELEVANT), t, ret_text);
    else if (row == ROW_RELEVANT && is_relevant(sample, t))
        strcpy(ret_text, "*");
}

// Characters, of which UTF-8 may take several bytes each.
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static int column_width(const struct sample *sample, const bool shown[ROWS], long t)
{
    int width = 1;
    for (int row = 0; row < ROWS; row++) {
        char text[TASK_SYMBOL_SIZE];
        if (!shown[row])
            continue;
        text_at(sample, (enum row)row, t, text);
        width = width_of(text) > width ? width_of(text) : width;
    }
    return width;
}

// The positions from `first` on that fit into a line.
static long block(const struct sample *sample, const bool shown[ROWS], long first, long end)
{
    int left = cli_columns() - MARGIN;
    long t = first;
    for (; t < end; t++) {
        left -= column_width(sample, shown, t) + 1;
        if (left < 0 && t > first)
            break;
    }
    return t;
}

// Of rows that not every position has something in.
static bool is_blank(const struct sample *sample, enum row row, long first, long end)
{
    char text[TASK_SYMBOL_SIZE] = "";
    for (long t = first; t < end && !*text; t++)
        text_at(sample, row, t, text);
    return row >= ROW_CLEAN && !*text;
}

static void print_block(const struct sample *sample, const bool shown[ROWS], long first, long end)
{
    for (int row = 0; row < ROWS; row++) {
        int blanks = 0; // none at the end of a line
        if (!shown[row] || is_blank(sample, (enum row)row, first, end))
            continue;
        printf("  %-*s", MARGIN - 3, row_names[row] ? row_names[row] : "");
        for (long t = first; t < end; t++) {
            char text[TASK_SYMBOL_SIZE];
            text_at(sample, (enum row)row, t, text);
            blanks += column_width(sample, shown, t) + 1 - width_of(text);
            if (!*text)
                continue;
            printf("%*s%s", blanks, "", text);
            blanks = 0;
        }
        printf("\n");
    }
}

// A target of the whole sequence.
static void print_answer(const struct sample *sample)
{
    char given[TASK_SYMBOL_SIZE], clean[TASK_SYMBOL_SIZE];
    task_class(sample->settings, sample->batch->targets[sample->target], given);
    task_class(sample->settings, sample->batch->clean[sample->target], clean);
    printf("  %-*s %s", MARGIN - 3, "target", counts(sample, 0) ? given : ".");
    if (is_replaced(sample, 0))
        printf("   (replaced by label noise: the clean target is %s)", clean);
    printf("\n");
}

static void print_tokens(const struct sample *sample)
{
    const struct batch *batch = sample->batch;
    const bool each = batch->positions > 1;
    const long end = sample->length < SHOWN_TOKENS ? sample->length : SHOWN_TOKENS;
    long replaced = 0, counted = 0;
    for (long t = 0; t < sample->targets; t++) {
        replaced += is_replaced(sample, t);
        counted += counts(sample, t);
    }
    bool shown[ROWS] = {batch->relevant_each, true, each, each && replaced > 0, batch->relevant_count > 0};
    for (int row = ROW_RELEVANT + 1; row < ROWS; row++)
        shown[row] = batch->relevant_each && batch->relevant_count > row - ROW_RELEVANT;
    for (long t = 0, next; t < end; t = next) {
        next = block(sample, shown, t, end);
        print_block(sample, shown, t, next);
        if (next < end)
            printf("\n");
    }
    if (end < sample->length)
        printf("  … %ld more tokens\n", sample->length - end);
    if (!each)
        print_answer(sample);
    else if (replaced)
        printf("  %ld of %ld targets replaced by label noise\n", replaced, counted);
    if (batch->relevant_each && batch->relevant_count > SHOWN_RELEVANT)
        printf("  of each target's relevant positions the first %d are shown\n", SHOWN_RELEVANT);
}

static void print_sample(const struct sample *sample)
{
    const struct batch *batch = sample->batch;
    printf("sample %lld", (long long)batch_index(batch, sample->number));
    if (batch->binary) {
        const int given = batch->targets[sample->target];
        printf("  label %+d%s", 2 * given - 1,
               given != batch->clean[sample->target] ? "  (flipped: the clean label is the opposite)" : "");
    }
    printf(batch->tokens ? "  %ld tokens\n" : "\n", sample->length);
    if (batch->tokens)
        print_tokens(sample);
    else
        print_vectors(sample);
}

enum status_code data_print(const struct task_set *set, long first, long count, struct status *status)
{
    enum status_code code = STATUS_OK;
    struct arena *arena = arena_create(1 << 20, 0);
    if (!arena)
        return status_set(status, STATUS_MEMORY, "out of memory for %ld samples", count);
    for (long i = first; code == STATUS_OK && i < first + count; i++) {
        struct batch batch;
        arena_reset(arena);
        code = task_make(set, i, 1, arena, &batch, status);
        const struct sample sample = {
            set->settings, &batch, 0, 0, 0, code ? 0 : batch_length(&batch, 0), code ? 0 : batch_targets(&batch, 0)};
        if (code == STATUS_OK)
            print_sample(&sample);
    }
    arena_destroy(arena);
    return code;
}
