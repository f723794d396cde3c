// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_math.h"
#include "ulp.h"

// The system's fma, which IEEE 754 defines to the bit, is the measure.
static void check_double(double a, double b, double c)
{
    double expected = fma(a, b, c), found = math_fma(a, b, c);
    if (bits_of_double(expected) != bits_of_double(found) && !(isnan(expected) && isnan(found)))
        fail_msg("fma(%a, %a, %a) is %a, not %a", a, b, c, expected, found);
}

static void check_float(float a, float b, float c)
{
    float expected = fmaf(a, b, c), found = math_fmaf(a, b, c);
    if (memcmp(&expected, &found, sizeof found) && !(isnan(expected) && isnan(found)))
        fail_msg("fmaf(%a, %a, %a) is %a, not %a", a, b, c, expected, found);
}

static const double ends[] = {
    0.0,
    -0.0,
    1,
    -1,
    0x1p-1074,
    -0x1p-1074,
    0x1p-1022,
    -0x1p-1022,
    0x0.fffffffffffffp-1022,
    0x1.fffffffffffffp1023,
    -0x1.fffffffffffffp1023,
    0x1.0000000000001p0,
    0x1.fffffffffffffp-1,
    0x1p-537,
    0x1p-538,
    0x1.8p511,
    -0x1p512,
    0x1p-149,
    0x1p-126,
    0x1.fffffep127,
    -0x1.fffffep127,
    0x1.000002p0,
    0x1p-75,
    INFINITY,
    -INFINITY,
    NAN,
};

static void is_exact_at_all_ends(void **state)
{
    (void)state;
    const size_t count = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < count; k++) {
                check_double(ends[i], ends[j], ends[k]);
                check_float((float)ends[i], (float)ends[j], (float)ends[k]);
            }
}

// Where two roundings differ from one: the sum lies just beside a tie of the narrower format.
static void rounds_once(void **state)
{
    (void)state;
    static const struct {
        double a, b, c;
    } rows[] = {
        {0x1.000002p0, 0x1.000002p0, 0x1p-60},
        {0x1.000001p0, 0x1.000001p0, -1},
        {0x1.fffffep0, 0x1.fffffep0, 0x1p-80},
        {0x1.800002p0, 0x1.4p0, 0x1p-70},
        {0x1.0000008p0, 1, 0x1p-120},
        {0x1.0000000000001p0, 0x1.0000000000001p0, 0x1p-130},
        {0x1.0000000000001p0, 0x1.fffffffffffffp-1, -1},
        {0x1p-1000, 0x1p-74, 0x1p-1074},
        {0x1.8p-1000, 0x1p-75, 0x1p-1074},
        {0x1.8p-1000, 0x1p-75, -0x1p-1074},
        {0x1p-80, 0x1p-70, 0x1p-149},
        {0x1.8p-80, 0x1p-70, 0x1p-149},
        {0x1.fffffffffffffp1023, 2, -0x1.fffffffffffffp1023},
        {0x1p1023, 2, -0x1p971},
        {0x1.0000004p500, 0x1.0000002000001p450, 0x1.0000000000001p872}, // 2^-130 beside a tie
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int sign = 0; sign < 8; sign++) {
            double a = sign & 1 ? -rows[i].a : rows[i].a, c = sign & 2 ? -rows[i].c : rows[i].c;
            double b = sign & 4 ? nextafter(rows[i].b, 0) : rows[i].b;
            check_double(a, b, c);
            check_float((float)a, (float)b, (float)c);
        }
}

static double random_operand(uint64_t *words)
{
    uint64_t word = next_word(words), kind = next_word(words) % 6;
    if (kind == 0)
        word &= 0x800fffffffffffff; // subnormal
    if (kind == 1)
        word &= ~(uint64_t)0xffffffff; // few bits, so that ties occur
    if (kind == 2)
        word = (word & 0x800fffffffffffff) | (970 + next_word(words) % 100) << 52;
    return double_of_bits(word);
}

static void is_exact_at_random_doubles(void **state)
{
    (void)state;
    uint64_t words = 1;
    for (int i = 0; i < 400000; i++) {
        double a = random_operand(&words), b = random_operand(&words), c = random_operand(&words);
        if (i % 3 == 0)
            c = -a * b * (1 + (double)((int)(next_word(&words) % 3) - 1) * 0x1p-52); // cancels
        if (i % 5 == 0)
            b = (double)(next_word(&words) % 64) * 0x1p-1074 / a; // the product is subnormal
        check_double(a, b, c);
    }
}

static float random_operand_float(uint64_t *words)
{
    uint32_t word = (uint32_t)next_word(words);
    uint64_t kind = next_word(words) % 6;
    if (kind == 0)
        word &= 0x807fffff;
    if (kind == 1)
        word &= ~(uint32_t)0xfff;
    if (kind == 2)
        word = (word & 0x807fffff) | (uint32_t)(117 + next_word(words) % 20) << 23;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static void is_exact_at_random_floats(void **state)
{
    (void)state;
    uint64_t words = 2;
    for (int i = 0; i < 800000; i++) {
        float a = random_operand_float(&words), b = random_operand_float(&words), c = random_operand_float(&words);
        if (i % 3 == 0)
            c = -a * b;
        if (i % 5 == 0)
            b = (float)((double)(next_word(&words) % 64) * 0x1p-149 / a);
        check_float(a, b, c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_exact_at_all_ends),
        cmocka_unit_test(rounds_once),
        cmocka_unit_test(is_exact_at_random_doubles),
        cmocka_unit_test(is_exact_at_random_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
