// SPDX-License-Identifier: MIT
// Expressions and equations: their form, how they are drawn, and their values.
#include "token_cases.h"

#include "../../src/task/task_expressions.h"
#include "base_random.h"
#include <math.h>

enum { MODULUS = 7, SAMPLES = 20000, LONGEST = 40 };

static struct strings_rule rule_of(void)
{
    return (struct strings_rule){
        .symbol = random_key(3, 0, "symbol"), .place = random_key(3, 0, "place"), .modulus = MODULUS};
}

static int32_t sign_of(const int32_t *tokens, long t)
{
    return tokens[t] - MODULUS;
}

// Reads one expression by the grammar from *at on, and gives its value.
static long read(const int32_t *tokens, long *at)
{
    const bool enclosed = sign_of(tokens, *at) == EXPRESSION_OPEN;
    *at += enclosed;
    long left;
    if (sign_of(tokens, *at) == EXPRESSION_OPEN) {
        left = read(tokens, at);
    } else {
        const bool negative = sign_of(tokens, *at) == EXPRESSION_MINUS;
        *at += negative;
        assert_true(tokens[*at] >= 0 && tokens[*at] < MODULUS);
        left = negative ? -tokens[*at] : tokens[*at];
        ++*at;
    }
    if (!enclosed)
        return left;
    if (sign_of(tokens, *at) != EXPRESSION_CLOSE) {
        const int32_t sign = sign_of(tokens, (*at)++);
        const long right = read(tokens, at);
        assert_true(sign == EXPRESSION_PLUS || sign == EXPRESSION_MINUS || sign == EXPRESSION_TIMES);
        left = sign == EXPRESSION_PLUS ? left + right : sign == EXPRESSION_MINUS ? left - right : left * right;
    }
    assert_int_equal(sign_of(tokens, (*at)++), EXPRESSION_CLOSE);
    return left % MODULUS;
}

static void expressions_follow_the_grammar_and_have_its_value(void **state)
{
    (void)state;
    const struct strings_rule rule = rule_of();
    for (long length = 1; length <= LONGEST; length++)
        for (uint64_t sample = 0; sample < 200; sample++) {
            int32_t tokens[LONGEST + 1];
            long at = 0;
            tokens[length] = -99;
            expression_write(&rule, sample, length, true, tokens);
            assert_int_equal(tokens[length], -99);
            const long value = read(tokens, &at) % MODULUS;
            assert_int_equal(at, length);
            assert_int_equal(expression_value(tokens, length, MODULUS), value < 0 ? value + MODULUS : value);
        }
}

static void values_are_those_of_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t value;
    } rows[] = {
        {"3", 3},
        {"-3", 4},
        {"-0", 0},
        {"(6)", 6},
        {"(-6)", 1},
        {"(3+5)", 1},
        {"(3-5)", 5},
        {"(3*5)", 1},
        {"(-3*5)", 6},
        {"(3*-5)", 6},
        {"(3--5)", 1},
        {"(-3--5)", 2},
        {"((2+3)*(4-6))", 4},
        {"(2-(3-(4-6)))", 4},
        {"(((1+2)*3)-(4))", 5},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int32_t tokens[LONGEST];
        const long length = (long)strlen(rows[r].text);
        for (long t = 0; t < length; t++) {
            static const char signs[] = "+-()*";
            const char *sign = strchr(signs, rows[r].text[t]);
            tokens[t] = sign ? MODULUS + (int32_t)(sign - signs) : rows[r].text[t] - '0';
        }
        assert_int_equal(expression_value(tokens, length, MODULUS), rows[r].value);
    }
}

static void deep_expressions_need_no_deep_stack(void **state)
{
    (void)state;
    enum { LEVELS = EXPRESSION_LIMIT / 4 };
    static int32_t tokens[4 * LEVELS];
    for (long level = 0; level < LEVELS - 1; level++) { // (1+(1+(1+ … 1 …)))
        tokens[3 * level] = MODULUS + EXPRESSION_OPEN;
        tokens[3 * level + 1] = 1;
        tokens[3 * level + 2] = MODULUS + EXPRESSION_PLUS;
        tokens[3 * (LEVELS - 1) + 1 + level] = MODULUS + EXPRESSION_CLOSE;
    }
    tokens[3 * (LEVELS - 1)] = 1;
    assert_int_equal(expression_value(tokens, 4 * (LEVELS - 1) + 1, MODULUS), LEVELS % MODULUS);
}

static void assert_share(long count, long samples, double share)
{
    const double error = sqrt(share * (1 - share) / (double)samples);
    assert_true(fabs((double)count / (double)samples - share) < 5 * error + 1e-12);
}

static void left_parts_operators_and_numbers_are_uniform(void **state)
{
    (void)state;
    enum { LENGTH = 11 };
    const struct strings_rule rule = rule_of();
    long left[LENGTH] = {0}, operators[EXPRESSION_TIMES + 1] = {0}, numbers[MODULUS] = {0}, all_numbers = 0;
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        int32_t tokens[LENGTH];
        long at = 1;
        expression_write(&rule, sample, LENGTH, true, tokens);
        read(tokens, &at);
        left[at - 1]++;
        operators[sign_of(tokens, at)]++;
        for (long t = 0; t < LENGTH; t++)
            if (tokens[t] < MODULUS) {
                numbers[tokens[t]]++;
                all_numbers++;
            }
    }
    for (long l = 1; l <= LENGTH - 4; l++)
        assert_share(left[l], SAMPLES, 1 / (double)(LENGTH - 4));
    assert_share(operators[EXPRESSION_PLUS], SAMPLES, 1.0 / 3);
    assert_share(operators[EXPRESSION_MINUS], SAMPLES, 1.0 / 3);
    assert_share(operators[EXPRESSION_TIMES], SAMPLES, 1.0 / 3);
    for (int x = 0; x < MODULUS; x++)
        assert_share(numbers[x], all_numbers, 1.0 / MODULUS);
}

static void equations_hold_with_the_answer_alone(void **state)
{
    static const long lengths[] = {3, 4, 9, 20};
    enum { UNKNOWN = MODULUS + EXPRESSION_SIGNS, EQUALS };
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const long length = lengths[l];
        struct settings settings =
            case_settings((const char *[CASE_SETTINGS][2]){{"task", "solve_equation"}, {"modulus", "7"}});
        struct batch batch = make_batch(&settings, SPLIT_TEST, length, 0, 500, *state);
        for (long i = 0; i < 500; i++) {
            const int32_t *tokens = batch.tokens + i * batch.length;
            long unknown = -1, count = 0;
            for (long t = 0; t < length; t++)
                if (tokens[t] == UNKNOWN) {
                    unknown = t;
                    count++;
                }
            assert_int_equal(count, 1);
            assert_int_equal(tokens[length - 2], EQUALS);
            for (int32_t x = 0; x < MODULUS; x++) {
                int32_t filled[LONGEST];
                memcpy(filled, tokens, (size_t)length * sizeof *filled);
                filled[unknown] = x;
                const bool holds = expression_value(filled, length - 2, MODULUS) == tokens[length - 1];
                assert_int_equal(holds, x == batch.clean[i]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_follow_the_grammar_and_have_its_value),
        cmocka_unit_test(values_are_those_of_text),
        cmocka_unit_test(deep_expressions_need_no_deep_stack),
        cmocka_unit_test(left_parts_operators_and_numbers_are_uniform),
        ROW(equations_hold_with_the_answer_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
