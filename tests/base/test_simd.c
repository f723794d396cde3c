// SPDX-License-Identifier: MIT
// Every instruction set against plain C as the language defines it, lane by lane.
#include "support.h"

#include "base_clock.h"
#include "base_isa.h"
#include "base_math.h"
#include "golden.h"
#include "lanes.h"
#include "ulp.h"

enum { COUNT = 8192 };

static const struct lanes *const variants[] = ISA_VARIANTS(lanes);

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same(float a, float b)
{
    return bits_of_float(a) == bits_of_float(b) || (isnan(a) && isnan(b));
}

static const float ends[] = {0,
                             -0.0f,
                             1,
                             -1,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             0x1p-149f,
                             -0x1p-149f,
                             0x1p-126f,
                             88.7228f,
                             88.7229f,
                             -87.3366f,
                             -103.972f,
                             -103.973f,
                             -104,
                             0x1.fffffep127f,
                             -0x1.fffffep127f,
                             0x1.fffffep-1f,
                             0x1.000002p0f,
                             2,
                             3,
                             1e-30f,
                             -0.5f};

// The ends against each other, then moderate numbers, then any bits.
static void fill(float *a, float *b, float *c)
{
    const int ends_count = sizeof ends / sizeof *ends;
    uint64_t words = 4;
    for (int i = 0; i < COUNT; i++) {
        uint64_t word = next_word(&words);
        a[i] = float_of_bits((uint32_t)word);
        b[i] = float_of_bits((uint32_t)(word >> 32));
        c[i] = (float)(int32_t)next_word(&words) * 0x1p-31f;
        if (i < ends_count * ends_count) {
            a[i] = ends[i % ends_count];
            b[i] = ends[i / ends_count];
        } else if (i % 3) {
            a[i] = (float)(int32_t)word * 0x1p-26f;
            b[i] = (float)(int32_t)(word >> 32) * 0x1p-30f;
        }
    }
}

static float expected_scale(float a, float c)
{
    return (float)ldexp(a, (int)rint(50.0 * c));
}

static float expected(enum lane_operation operation, float a, float b, float c)
{
    switch (operation) {
    case LANE_ADD:
        return a + b;
    case LANE_SUB:
        return a - b;
    case LANE_MUL:
        return a * b;
    case LANE_DIV:
        return a / b;
    case LANE_SQRT:
        return sqrtf(a);
    case LANE_FMA:
        return fmaf(a, b, c);
    case LANE_FNMA:
        return fmaf(-a, b, c);
    case LANE_MAX:
        return a > b ? a : b;
    case LANE_MIN:
        return a < b ? a : b;
    case LANE_CLAMP:
        return a < -2 ? -2 : a > 3 ? 3 : a;
    case LANE_NEGATE:
        return -a;
    case LANE_ABS:
        return fabsf(a);
    case LANE_SELECT_POSITIVE:
        return a > 0 ? b : 0;
    default:
        return expected_scale(a, c);
    }
}

static void each_operation_is_as_c_defines_it(void **state)
{
    (void)state;
    static float a[COUNT], b[COUNT], c[COUNT], found[COUNT];
    fill(a, b, c);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (enum lane_operation operation = 0; operation < LANE_EXP && isa_supported(isa); operation++) {
            variants[isa]->run(operation, COUNT, a, b, c, found);
            for (int i = 0; i < COUNT; i++)
                if (!same(found[i], expected(operation, a[i], b[i], c[i])))
                    fail_msg("%s, operation %d of %a, %a, %a: %a is not %a", isa_name(isa), operation, a[i], b[i], c[i],
                             found[i], expected(operation, a[i], b[i], c[i]));
        }
}

static uint32_t expected_int(enum lane_int_operation operation, uint32_t a, uint32_t b, uint32_t c)
{
    switch (operation) {
    case LANE_INT_ADD:
        return a + b;
    case LANE_INT_SUB:
        return a - b;
    case LANE_INT_AND:
        return a & b;
    case LANE_INT_OR:
        return a | b;
    case LANE_INT_XOR:
        return a ^ b;
    case LANE_INT_LEFT:
        return a << 5;
    case LANE_INT_RIGHT:
        return a >> 5;
    case LANE_INT_RIGHT_SIGNED:
        return a >> 5 | (a >> 31 ? 0xf8000000 : 0);
    case LANE_INT_HIGH:
        return (uint32_t)((uint64_t)a * b >> 32);
    case LANE_INT_LOW:
        return a * b;
    case LANE_INT_SELECT:
        return c >> 31 ? a : b;
    case LANE_INT_OF_INT:
        return bits_of_float((float)(int32_t)a);
    default:
        return float_of_bits(a) < float_of_bits(b) ? UINT32_MAX : 0;
    }
}

static void fill_words(uint32_t *words, uint64_t seed)
{
    for (int i = 0; i < COUNT; i++) {
        words[i] = (uint32_t)next_word(&seed);
        if (i % 8 == 0)
            words[i] = bits_of_float(ends[(i / 8 + (int)(seed % 7)) % (int)(sizeof ends / sizeof *ends)]);
    }
}

static void each_integer_operation_is_as_c_defines_it(void **state)
{
    (void)state;
    static uint32_t a[COUNT], b[COUNT], c[COUNT], found[COUNT];
    fill_words(a, 1);
    fill_words(b, 2);
    fill_words(c, 3);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (enum lane_int_operation operation = 0; operation < LANE_INT_RADIUS && isa_supported(isa); operation++) {
            variants[isa]->run_int(operation, COUNT, a, b, c, found);
            for (int i = 0; i < COUNT; i++)
                if (found[i] != expected_int(operation, a[i], b[i], c[i]))
                    fail_msg("%s, operation %d of %x, %x", isa_name(isa), operation, a[i], b[i]);
        }
}

static void functions_have_one_result_on_all(void **state)
{
    (void)state;
    static const char *const hashes[] = {"add9feb013bc2a3107bdf6feaca587fa", "7ecbba78a110665017539ce759e36396",
                                         "b192d639ad0e320bd57bbd7417086798", "68255775c9248ec56c15819c4fb39701",
                                         "d7849615e59f0cb6069c944a85fde454"};
    static float a[COUNT], b[COUNT], c[COUNT], found[COUNT];
    fill(a, b, c);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 0; i < 5 && isa_supported(isa); i++) {
            variants[isa]->run(LANE_EXP + (enum lane_operation)i, COUNT, a, b, c, found);
            assert_golden_floats(found, COUNT, hashes[i]);
        }
    variants[ISA_PLAIN]->run(LANE_EXP, COUNT, a, b, c, found);
    for (int i = 0; i < COUNT; i++)
        assert_true(same(found[i], math_expf(a[i])));
}

static void circular_functions_have_one_result_on_all(void **state)
{
    (void)state;
    static const char *const hashes[] = {"1246ed1c7950e10617537030a4d063a0", "4087f32bde0c1e0a3add8a68a7c982bb",
                                         "2a75265166c8cfe39a61a7aa507bfb32"};
    static uint32_t words[COUNT], found[COUNT];
    fill_words(words, 5);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 0; i < 3 && isa_supported(isa); i++) {
            variants[isa]->run_int(LANE_INT_RADIUS + (enum lane_int_operation)i, COUNT, words, words, words, found);
            assert_golden(found, sizeof found, hashes[i]);
        }
}

static void sums_are_the_one_tree(void **state)
{
    (void)state;
    static float a[COUNT], b[COUNT], c[COUNT];
    fill(a, b, c);
    for (int at = 0; at < COUNT; at += 16) {
        float tree[16];
        memcpy(tree, c + at, sizeof tree);
        for (int half = 8; half; half /= 2)
            for (int i = 0; i < half; i++)
                tree[i] += tree[i + half];
        for (enum isa isa = 0; isa < ISA_COUNT; isa++)
            if (isa_supported(isa))
                assert_true(same(variants[isa]->sum16(c + at), tree[0]));
    }
}

static void transposes(void **state)
{
    (void)state;
    static const long strides[] = {16, 17, 40};
    static float source[16 * 40], dest[256];
    for (int i = 0; i < 16 * 40; i++)
        source[i] = (float)i;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides && isa_supported(isa); s++) {
            variants[isa]->transpose16(source, strides[s], dest);
            for (int k = 0; k < 16; k++)
                for (int i = 0; i < 16; i++)
                    assert_true(dest[k * 16 + i] == source[i * strides[s] + k]);
        }
}

typedef int exact_unary(mpfr_t ret, const mpfr_t x, mpfr_rnd_t mode);

static double worst_error(const float *x, const float *found, exact_unary *exact_function, int count)
{
    double worst = 0;
    mpfr_t exact;
    mpfr_init2(exact, 100);
    for (int i = 0; i < count; i++) {
        mpfr_set_d(exact, (double)x[i], MPFR_RNDN);
        exact_function(exact, exact, MPFR_RNDN);
        double error = ulp_error((double)found[i], exact, 24, -149);
        worst = error > worst ? error : worst;
    }
    mpfr_clear(exact);
    return worst;
}

// Ends (which include zero, infinities and NaN), then floats even in their bits.
static void functions_stay_within_the_stated_error(void **state)
{
    (void)state;
    static const struct {
        enum lane_operation operation;
        exact_unary *exact;
        double from, to, bound;
    } rows[] = {
        {LANE_EXP, mpfr_exp, 0x1p-60, 90, 1},
        {LANE_EXP, mpfr_exp, -0x1p-60, -105, 1},
        {LANE_EXP, mpfr_exp, 0.01, 30, 1},
        {LANE_EXP, mpfr_exp, -0.01, -30, 1},
        {LANE_EXP, mpfr_exp, -87, -104, 1},
        {LANE_LOG, mpfr_log, 0x1p-149, 0x1p127, 1},
        {LANE_LOG, mpfr_log, 0.5, 2, 1},
        {LANE_LOG1P, mpfr_log1p, 0x1p-149, 0x1p127, 2},
        {LANE_LOG1P, mpfr_log1p, 0.01, 3, 2},
        {LANE_LOG1P, mpfr_log1p, -0x1p-60, -0x1.fffffep-1, 2},
        {LANE_LOG1P, mpfr_log1p, -0.3, -0.9999, 2},
        {LANE_TANH, mpfr_tanh, 0x1p-149, 0x1p127, 1.5},
        {LANE_TANH, mpfr_tanh, -0.05, -11, 1.5},
        {LANE_TANH, mpfr_tanh, 0.3, 0.9, 1.5},
        {LANE_ERF, mpfr_erf, 0x1p-149, 0x1p127, 1.5},
        {LANE_ERF, mpfr_erf, -0.05, -5, 1.5},
        {LANE_ERF, mpfr_erf, 0.5, 1.2, 1.5},
    };
    static float x[COUNT], found[COUNT];
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        uint64_t words = row;
        for (int i = 0; i < COUNT; i++)
            x[i] = (float)next_between(&words, rows[row].from, rows[row].to);
        memcpy(x, ends, sizeof ends);
        x[1] = 0; // log1p(-0) may be +0
        variants[ISA_PLAIN]->run(rows[row].operation, COUNT, x, x, x, found);
        double worst = worst_error(x, found, rows[row].exact, COUNT);
        print_message("operation %d of %g … %g: %.3f ulp\n", rows[row].operation, rows[row].from, rows[row].to, worst);
        assert_true(worst <= rows[row].bound);
    }
}

static void prints_the_speed_of(const char *name, enum lane_operation operation)
{
    static float x[1024], found[1024];
    for (int i = 0; i < 1024; i++)
        x[i] = (float)i / 64 + 0.01f;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        double best = 1;
        for (int repeat = 0; repeat < 30 && isa_supported(isa); repeat++) {
            double start = clock_now();
            variants[isa]->run(operation, 1024, x, x, x, found);
            double seconds = clock_now() - start;
            best = seconds < best ? seconds : best;
        }
        if (isa_supported(isa))
            print_message("%-6s %-6s %7.2f ns for 16 lanes\n", name, isa_name(isa), best / 64 * 1e9);
    }
}

static void prints_speeds(void **state)
{
    (void)state;
    prints_the_speed_of("fma", LANE_FMA);
    prints_the_speed_of("exp", LANE_EXP);
    prints_the_speed_of("log", LANE_LOG);
    prints_the_speed_of("log1p", LANE_LOG1P);
    prints_the_speed_of("tanh", LANE_TANH);
    prints_the_speed_of("erf", LANE_ERF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_is_as_c_defines_it),
        cmocka_unit_test(each_integer_operation_is_as_c_defines_it),
        cmocka_unit_test(functions_have_one_result_on_all),
        cmocka_unit_test(circular_functions_have_one_result_on_all),
        cmocka_unit_test(sums_are_the_one_tree),
        cmocka_unit_test(transposes),
        cmocka_unit_test(functions_stay_within_the_stated_error),
        cmocka_unit_test(prints_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
