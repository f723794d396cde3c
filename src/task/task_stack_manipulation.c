// SPDX-License-Identifier: MIT
// `stack_manipulation`: s bits, which lie on a stack from the bottom up, and length - s actions (pop is symbol 2, push
// of 0 is 3, push of 1 is 4) that follow each other; s is uniform from 1 to length - 1 (1 where length is), bits and
// actions are uniform. A pop leaves an empty stack as it is. The answer is the stack from the top down, and an end
// (class 2).
#include "task_strings.h"
#include <math.h>
#include <stdlib.h>

enum { POP = 2, PUSH = 3, ACTIONS = 3, END = 2 };

// The stack grows in the answer, and is turned round at the end.
static long write_string(const struct strings_rule *rule, uint64_t sample, long length, int32_t *input, int32_t *answer)
{
    const uint32_t splits = length > 1 ? (uint32_t)length - 1 : 1;
    const long bits = 1 + (long)random_below(rule->place, sample, 0, 0, splits);
    long height = 0;
    for (long t = 0; t < length; t++) {
        const int32_t draw = (int32_t)random_below(rule->symbol, sample, (uint32_t)t, 0, t < bits ? 2 : ACTIONS);
        input[t] = t < bits ? draw : POP + draw;
        if (input[t] != POP)
            answer[height++] = t < bits ? draw : input[t] - PUSH;
        else if (height > 0)
            height--;
    }
    for (long k = 0; k < height / 2; k++) {
        const int32_t below = answer[k];
        answer[k] = answer[height - 1 - k];
        answer[height - 1 - k] = below;
    }
    answer[height] = END;
    return height + 1;
}

static void symbol(const struct settings *settings, int32_t token, char ret_text[TASK_SYMBOL_SIZE])
{
    static const char *const signs[] = {"pop", "push0", "push1", "_"};
    (void)settings;
    strings_sign(token, 2, signs, ret_text);
}

// How likely each height is after one more action, before which `most` is the highest and one more is 0.
static void step(const double *restrict height, long most, double *restrict ret_height)
{
    const double third = 1.0 / 3;
    ret_height[0] = (height[0] + height[1]) * third;
    for (long h = 1; h <= most; h++)
        ret_height[h] = (2 * height[h - 1] + height[h + 1]) * third;
    ret_height[most + 1] = 2 * height[most] * third;
}

// A stack of t bits that is complete at place t goes on like any other that is as high there. Its bits stay uniform.
static double chance_error(const struct settings *settings, long length)
{
    const long splits = length > 1 ? length - 1 : 1;
    double *storage = calloc(2 * ((size_t)length + 2), sizeof *storage);
    struct strings_odds odds = {0, 0, 1};
    (void)settings;
    if (!storage)
        return NAN;
    double *height = storage, *next = storage + length + 2;
    for (long t = 1; t <= splits; t++) {
        height[t] += 1 / (double)splits;
        if (t == length)
            break;
        step(height, t, next);
        double *spare = height;
        height = next;
        next = spare;
    }
    for (long k = 0; k <= length; k++)
        strings_odds_row(&odds, (odds.present - height[k]) / 2, height[k], 1);
    free(storage);
    return 1 - odds.right / odds.counted;
}

static enum status_code make(const struct task_set *set, long first, long count, struct arena *arena,
                             struct batch *ret_batch, struct status *status)
{
    return strings_make(set, first, count, write_string, arena, ret_batch, status);
}

const struct task_kind_row task_stack_manipulation = {
    .shape = token_shape,
    .init = token_init,
    .make = make,
    .sample_flops = token_sample_flops,
    .chance_error = chance_error,
    TOKEN_HOOKS,
    .symbol = symbol,
    .class = strings_bit,
};
