// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/base/base_random_kernel.h"
#include "base_clock.h"
#include "base_isa.h"
#include "base_math.h"
#include "base_random.h"
#include "golden.h"
#include "ulp.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const struct random_kernel *const kernels[] = ISA_VARIANTS(random_kernel);

// The test vectors that Random123 publishes for philox4x32-10.
static void blocks_equal_the_published_vectors(void **state)
{
    (void)state;
    static const struct {
        struct random_key key;
        uint64_t sample;
        uint32_t position, block, word[4];
    } rows[] = {
        {{{0, 0}}, 0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{{0xffffffff, 0xffffffff}},
         0xffffffffffffffff,
         0xffffffff,
         0xffffffff,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{{0xa4093822, 0x299f31d0}},
         0x0370734413198a2e,
         0x85a308d3,
         0x243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint32_t word[4];
        random_block(rows[i].key, rows[i].sample, rows[i].position, rows[i].block, word);
        assert_memory_equal(word, rows[i].word, sizeof word);
    }
}

static void every_part_of_the_address_matters(void **state)
{
    (void)state;
    const struct random_key keys[] = {random_key(1, 0, "train/noise"), random_key(2, 0, "train/noise"),
                                      random_key(1, 1, "train/noise"), random_key(1, -1, "train/noise"),
                                      random_key(1, 0, "train/label"), random_key(1, 0, ""),
                                      random_key(0, 1, "train/noise"), random_key(1ull << 32, 0, "train/noise")};
    double draws[LENGTH(keys) + 4];
    size_t count = 0;
    for (; count < LENGTH(keys); count++)
        draws[count] = random_uniform(keys[count], 5, 6, 7);
    draws[count++] = random_uniform(keys[0], 6, 6, 7);
    draws[count++] = random_uniform(keys[0], 5 + (1ull << 32), 6, 7);
    draws[count++] = random_uniform(keys[0], 5, 7, 7);
    draws[count++] = random_uniform(keys[0], 5, 6, 8);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(draws[i] != draws[j]);
    assert_true(draws[0] == random_uniform(random_key(1, 0, "train/noise"), 5, 6, 7));
}

static uint64_t draw_64(struct random_key key, uint32_t coordinate)
{
    uint32_t word[4];
    random_block(key, 3, 4, coordinate, word);
    return (uint64_t)word[1] << 32 | word[0];
}

static void uniforms_are_multiples_of_two_to_the_minus_53(void **state)
{
    (void)state;
    struct random_key key = random_key(3, 0, "test");
    double sum = 0, squares = 0;
    enum { COUNT = 100000 };
    for (uint32_t i = 0; i < COUNT; i++) {
        double u = random_uniform(key, 3, 4, i);
        assert_true(u >= 0 && u < 1);
        assert_true(u * 0x1p53 == (double)(draw_64(key, i) >> 11));
        sum += u;
        squares += u * u;
    }
    assert_true(fabs(sum / COUNT - 0.5) < 4 * sqrt(1.0 / 12 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 4 * sqrt(4.0 / 45 / COUNT));
}

static void below_is_the_product_s_upper_half(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 10, 1000003, 0x80000000, 0xffffffff};
    struct random_key key = random_key(4, 0, "test");
    for (size_t b = 0; b < LENGTH(bounds); b++)
        for (uint32_t i = 0; i < 2000; i++) {
            uint32_t drawn = random_below(key, 3, 4, i, bounds[b]);
            __extension__ unsigned __int128 product = (unsigned __int128)draw_64(key, i) * bounds[b];
            assert_true(drawn < bounds[b]);
            assert_int_equal(drawn, (uint32_t)(product >> 64));
        }
}

static void below_reaches_every_value_evenly(void **state)
{
    (void)state;
    enum { BOUND = 7, COUNT = 70000 };
    int seen[BOUND] = {0};
    struct random_key key = random_key(5, 0, "test");
    for (uint32_t i = 0; i < COUNT; i++)
        seen[random_below(key, 0, 0, i, BOUND)]++;
    double chi = 0;
    for (int i = 0; i < BOUND; i++)
        chi += (seen[i] - COUNT / BOUND) * (double)(seen[i] - COUNT / BOUND) / (COUNT / BOUND);
    assert_true(chi < 22.5); // 0.1 % of chi-squared with 6 degrees
}

static void normals_are_box_muller_of_the_blocks_on_all(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    static float found[COUNT + 1];
    struct random_key key = random_key(6, 7, "train/noise");
    const uint64_t sample = 0x123456789abc;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        if (!isa_supported(isa))
            continue;
        found[COUNT] = 77;
        kernels[isa]->normals(key, sample, 9, COUNT, found);
        for (uint32_t c = 0; c < COUNT; c++) {
            uint32_t word[4], pair = c % 4 / 2 * 2;
            random_block(key, sample, 9, c / 4, word);
            float expected = math_normalf(word[pair], word[pair + 1], c % 2);
            assert_memory_equal(&found[c], &expected, sizeof expected);
        }
        assert_true(found[COUNT] == 77);
    }
}

static void fewer_normals_are_a_prefix(void **state)
{
    (void)state;
    float all[200], some[201];
    struct random_key key = random_key(7, 0, "weight/query");
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        if (!isa_supported(isa))
            continue;
        kernels[isa]->normals(key, 1, 2, 200, all);
        for (size_t count = 0; count <= 200; count++) {
            some[count] = 77;
            kernels[isa]->normals(key, 1, 2, count, some);
            assert_memory_equal(some, all, count * sizeof *all);
            assert_true(some[count] == 77);
        }
    }
    random_normals(key, 1, 2, 200, some);
    assert_memory_equal(some, all, sizeof all);
}

static double normal_error(uint32_t a, uint32_t b, int which)
{
    mpfr_t radius, angle;
    mpfr_inits2(120, radius, angle, (mpfr_ptr)NULL);
    mpfr_set_d(radius, ((double)a + 0.5) * 0x1p-32, MPFR_RNDN);
    mpfr_log(radius, radius, MPFR_RNDN);
    mpfr_mul_si(radius, radius, -2, MPFR_RNDN);
    mpfr_sqrt(radius, radius, MPFR_RNDN);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul_d(angle, angle, ((double)b + 0.5) * 0x1p-31, MPFR_RNDN);
    if (which)
        mpfr_sin(angle, angle, MPFR_RNDN);
    else
        mpfr_cos(angle, angle, MPFR_RNDN);
    mpfr_mul(radius, radius, angle, MPFR_RNDN);
    float found = math_normalf(a, b, which);
    double error = isfinite(found) && found != 0 ? ulp_error((double)found, radius, 24, -149) : INFINITY;
    mpfr_clears(radius, angle, (mpfr_ptr)NULL);
    return error;
}

// The ends of both words, the places where the functions change branch, and many words between.
static void normals_stay_within_the_stated_error(void **state)
{
    (void)state;
    static const uint32_t edges[] = {0,          1,          2,          0x1fffffff, 0x20000000, 0x3fffffff, 0x40000000,
                                     0x5fffffff, 0x60000000, 0x7fffffff, 0x80000000, 0x80000001, 0x9fffffff, 0xa0000000,
                                     0xb504f333, 0xb504f334, 0xb5050000, 0xbfffffff, 0xc0000000, 0xdfffffff, 0xe0000000,
                                     0xfffffeff, 0xffffff80, 0xfffffffe, 0xffffffff};
    double worst = 0;
    for (size_t i = 0; i < LENGTH(edges); i++)
        for (size_t j = 0; j < LENGTH(edges); j++)
            for (int which = 0; which < 2; which++)
                worst = fmax(worst, normal_error(edges[i], edges[j], which));
    print_message("edges: %.3f ulp\n", worst);
    uint64_t words = 11;
    for (int i = 0; i < 40000; i++) {
        uint64_t word = next_word(&words);
        uint32_t a = (uint32_t)word, b = (uint32_t)(word >> 32);
        if (i % 4 == 0)
            a = UINT32_MAX - (a >> (i / 4 % 32)); // near u = 1, where the logarithm is small
        worst = fmax(worst, normal_error(a, b, i % 2));
    }
    print_message("all: %.3f ulp\n", worst);
    assert_true(worst <= 3);
}

static void largest_and_smallest_normals_are_finite(void **state)
{
    (void)state;
    assert_true(math_normalf(0, 0, 0) > 6.7F && math_normalf(0, 0, 0) < 6.8F);
    assert_true(math_normalf(0, 0x80000000, 0) < -6.7F);
    assert_true(math_normalf(UINT32_MAX, 0, 0) > 0 && math_normalf(UINT32_MAX, 0, 0) < 1e-4F);
    for (uint32_t i = 1; i < 1000; i++) { // the angle's offset of a half makes the draws symmetric
        assert_true(math_normalf(12345, i * 4321, 0) == math_normalf(12345, ~(i * 4321), 0));
        assert_true(math_normalf(12345, i * 4321, 1) == -math_normalf(12345, ~(i * 4321), 1));
    }
}

// Moments and the shares beyond thresholds of 10^6 draws, against those of the normal distribution.
static void normals_are_normal(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    static float x[COUNT];
    static const double thresholds[] = {-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 4};
    random_normals(random_key(8, 0, "test/noise"), 0, 0, COUNT, x);
    double moment[5] = {0}, above[LENGTH(thresholds)] = {0};
    for (int i = 0; i < COUNT; i++) {
        double power = 1;
        for (int k = 1; k <= 4; k++)
            moment[k] += (power *= (double)x[i]) / COUNT;
        for (size_t t = 0; t < LENGTH(thresholds); t++)
            above[t] += (double)x[i] > thresholds[t];
    }
    const double variance[5] = {0, 1, 2, 15, 96}, expected[5] = {0, 0, 1, 0, 3};
    for (int k = 1; k <= 4; k++)
        assert_true(fabs(moment[k] - expected[k]) < 4 * sqrt(variance[k] / COUNT));
    for (size_t t = 0; t < LENGTH(thresholds); t++) {
        double share = 0.5 * erfc(thresholds[t] / sqrt(2));
        assert_true(fabs(above[t] / COUNT - share) < 4 * sqrt(share * (1 - share) / COUNT));
    }
}

static void golden_bits(void **state)
{
    (void)state;
    static float normals[4099];
    static double uniforms[1000];
    struct random_key key = random_key(9, 2, "train/noise");
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (isa_supported(isa)) {
            kernels[isa]->normals(key, 3, 4, LENGTH(normals), normals);
            assert_golden_floats(normals, LENGTH(normals), "ab99baa571bad81eb6817a6d0b039ab5");
        }
    for (uint32_t i = 0; i < LENGTH(uniforms); i++)
        uniforms[i] = random_uniform(key, i, 2 * i, 3 * i) + random_below(key, i, 5, i, 1000);
    assert_golden_doubles(uniforms, LENGTH(uniforms), "154fea41d68d2f0bd8a5aa73bf9f551e");
}

static void prints_speeds(void **state)
{
    (void)state;
    static float normals[1024];
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (size_t count = 16; count <= LENGTH(normals) && isa_supported(isa); count *= 8) {
            double best = 1;
            for (uint64_t repeat = 0; repeat < 30; repeat++) {
                double start = clock_now();
                for (uint64_t sample = 0; sample < 1024 / count; sample++)
                    kernels[isa]->normals((struct random_key){{1, 2}}, sample, 0, count, normals);
                best = fmin(best, clock_now() - start);
            }
            print_message("%-6s %4zu at a time: %6.2f ns a normal\n", isa_name(isa), count, best / 1024 * 1e9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_equal_the_published_vectors),
        cmocka_unit_test(every_part_of_the_address_matters),
        cmocka_unit_test(uniforms_are_multiples_of_two_to_the_minus_53),
        cmocka_unit_test(below_is_the_product_s_upper_half),
        cmocka_unit_test(below_reaches_every_value_evenly),
        cmocka_unit_test(normals_are_box_muller_of_the_blocks_on_all),
        cmocka_unit_test(fewer_normals_are_a_prefix),
        cmocka_unit_test(normals_stay_within_the_stated_error),
        cmocka_unit_test(largest_and_smallest_normals_are_finite),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(golden_bits),
        cmocka_unit_test(prints_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
