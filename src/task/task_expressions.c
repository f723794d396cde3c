// SPDX-License-Identifier: MIT
#include "task_expressions.h"

static int32_t draw_operator(const struct strings_rule *rule, uint64_t sample, long t, bool products)
{
    static const int32_t operators[] = {EXPRESSION_PLUS, EXPRESSION_MINUS, EXPRESSION_TIMES};
    return (int32_t)rule->modulus + operators[random_below(rule->symbol, sample, (uint32_t)t, 0, products ? 3 : 2)];
}

static void write_number(const struct strings_rule *rule, uint64_t sample, long at, long length, int32_t *tokens)
{
    const int32_t signs = (int32_t)rule->modulus;
    if (length >= 3) {
        tokens[at + length - 1] = signs + EXPRESSION_CLOSE;
        tokens[at++] = signs + EXPRESSION_OPEN;
    }
    if (length % 2 == 0)
        tokens[at++] = signs + EXPRESSION_MINUS;
    tokens[at] = (int32_t)random_below(rule->symbol, sample, (uint32_t)at, 0, rule->modulus);
}

// A part that is still to be written has minus its length where it begins: no stack is needed.
void expression_write(const struct strings_rule *rule, uint64_t sample, long length, bool products, int32_t *ret_tokens)
{
    const int32_t signs = (int32_t)rule->modulus;
    ret_tokens[0] = -(int32_t)length;
    for (long t = 0; t < length; t++) {
        const long part = -ret_tokens[t];
        if (part > 0 && part < 5)
            write_number(rule, sample, t, part, ret_tokens);
        if (part < 5)
            continue;
        const long left = 1 + (long)random_below(rule->place, sample, (uint32_t)t, 0, (uint32_t)part - 4);
        ret_tokens[t] = signs + EXPRESSION_OPEN;
        ret_tokens[t + 1] = -(int32_t)left;
        ret_tokens[t + 1 + left] = draw_operator(rule, sample, t + 1 + left, products);
        ret_tokens[t + 2 + left] = -(int32_t)(part - left - 3);
        ret_tokens[t + part - 1] = signs + EXPRESSION_CLOSE;
    }
}

struct pending {
    uint32_t left;
    int32_t operator; // or the bracket that opened, which has no left part
};

static uint32_t apply(const struct pending *pending, uint32_t right, uint32_t modulus)
{
    switch (pending->operator) {
    case EXPRESSION_PLUS:
        return (pending->left + right) % modulus;
    case EXPRESSION_MINUS:
        return (pending->left + modulus - right) % modulus;
    default:
        return (uint32_t)((uint64_t)pending->left * right % modulus);
    }
}

// Each bracket stands for at least four symbols, and at most one operator waits in it.
int32_t expression_value(const int32_t *tokens, long length, uint32_t modulus)
{
    struct pending pending[EXPRESSION_LIMIT / 2];
    uint32_t value = 0;
    bool complete = false, negative = false; // a value stands before the symbol; a minus that is none of two values
    long count = 0;
    for (long t = 0; t < length; t++) {
        const int32_t sign = tokens[t] - (int32_t)modulus;
        if (sign < 0) {
            value = negative ? (modulus - (uint32_t)tokens[t]) % modulus : (uint32_t)tokens[t];
            negative = false;
        } else if (sign == EXPRESSION_CLOSE) {
            if (pending[count - 1].operator!= EXPRESSION_OPEN)
                value = apply(&pending[--count], value, modulus);
            count--;
        } else if (sign == EXPRESSION_MINUS && !complete) {
            negative = true;
        } else {
            pending[count++] = (struct pending){value, sign};
        }
        complete = sign < 0 || sign == EXPRESSION_CLOSE;
    }
    return (int32_t)value;
}
