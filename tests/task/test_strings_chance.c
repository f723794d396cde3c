// SPDX-License-Identifier: MIT
// Chance errors of the tasks on strings against fractions, and against all inputs where these are few.
#include "token_cases.h"

#include <math.h>

static double chance(int task, int64_t alphabet, int64_t modulus, long length)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = task;
    settings.task.alphabet = alphabet;
    settings.task.modulus = modulus;
    return task_chance_error(&settings, length);
}

static void short_inputs_have_these_fractions(void **state)
{
    (void)state;
    static const struct {
        int task;
        int64_t alphabet, modulus;
        long length;
        double above, below;
    } rows[] = {
        {TASK_STACK_MANIPULATION, 2, 5, 1, 1, 4},
        {TASK_STACK_MANIPULATION, 2, 5, 2, 3, 7},
        {TASK_STACK_MANIPULATION, 2, 5, 3, 49, 110},
        {TASK_REVERSE_STRING, 3, 5, 9, 2, 3},
        {TASK_DUPLICATE_STRING, 4, 5, 1, 3, 4},
        {TASK_MISSING_DUPLICATE_STRING, 2, 5, 6, 1, 2},
        {TASK_ODDS_FIRST, 10, 5, 33, 9, 10},
        {TASK_SOLVE_EQUATION, 2, 11, 30, 10, 11},
        {TASK_MODULAR_ARITHMETIC_BRACKETS, 2, 5, 4, 4, 5},
        {TASK_MODULAR_ARITHMETIC_BRACKETS, 2, 5, 5, 56, 75},
        {TASK_MODULAR_ARITHMETIC_BRACKETS, 2, 2, 5, 5, 12},
        {TASK_BINARY_ADDITION, 2, 5, 4, 3, 10},
        {TASK_BINARY_MULTIPLICATION, 2, 5, 4, 1, 4},
        {TASK_COMPUTE_SQRT, 2, 5, 3, 3, 7},
        {TASK_COMPUTE_SQRT, 2, 5, 4, 4, 15},
        {TASK_BUCKET_SORT, 2, 5, 1, 1, 2},
        {TASK_BUCKET_SORT, 2, 5, 2, 1, 4},
        {TASK_BUCKET_SORT, 3, 5, 2, 4, 9},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const double error = chance(rows[r].task, rows[r].alphabet, rows[r].modulus, rows[r].length);
        if (fabs(error - rows[r].above / rows[r].below) > 1e-14)
            fail_msg("row %zu: %.17g, not %g / %g", r, error, rows[r].above, rows[r].below);
    }
}

// How likely each class is in each row of answers.
enum { ROWS = 40, CLASSES = 3 };
struct tally {
    double share[ROWS][CLASSES], counted;
};

static double error_of(const struct tally *tally)
{
    double right = 0;
    for (long k = 0; k < ROWS; k++) {
        const double *row = tally->share[k];
        right += fmax(row[0], fmax(row[1], row[2]));
    }
    return 1 - right / tally->counted;
}

// The answer has `bits` bits of `value`, the lowest first, and an end or not.
static void tally_bits(uint64_t value, long bits, bool end, double weight, struct tally *tally)
{
    for (long k = 0; k < bits; k++)
        tally->share[k][value >> k & 1] += weight;
    if (end)
        tally->share[bits][2] += weight;
    tally->counted += weight * (double)(bits + end);
}

static long bits_of(uint64_t value)
{
    long bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

static void binary_numbers_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (long length = 4; length <= 15; length++) {
        struct tally sums = {.counted = 0}, products = {.counted = 0};
        for (long first = 1; first <= length - 2; first++) {
            const uint64_t x_end = (uint64_t)1 << first, y_end = (uint64_t)1 << (length - 1 - first);
            const double weight = 1 / (double)((x_end - 1) * (y_end - 1)) / (double)(length - 2);
            for (uint64_t x = 1; x < x_end; x++)
                for (uint64_t y = 1; y < y_end; y++) {
                    tally_bits(x + y, bits_of(x + y), true, weight, &sums);
                    tally_bits(x * y, bits_of(x * y), true, weight, &products);
                }
        }
        assert_true(fabs(chance(TASK_BINARY_ADDITION, 2, 5, length) - error_of(&sums)) < 1e-12);
        assert_true(fabs(chance(TASK_BINARY_MULTIPLICATION, 2, 5, length) - error_of(&products)) < 1e-12);
    }
}

static void roots_are_those_of_all_numbers(void **state)
{
    (void)state;
    for (long length = 3; length <= 18; length++) {
        struct tally roots = {.counted = 0};
        uint64_t root = 0;
        for (uint64_t x = 1; x < (uint64_t)1 << length; x++) {
            root += (root + 1) * (root + 1) <= x;
            tally_bits(root, (length + 1) / 2, false, 1, &roots);
        }
        assert_true(fabs(chance(TASK_COMPUTE_SQRT, 2, 5, length) - error_of(&roots)) < 1e-12);
    }
}

// From all pairs of residues and all lengths, without classes or steps.
static double error_of_brackets(long modulus, long length)
{
    static double share[320][16];
    for (long l = 1; l <= length; l++)
        for (long u = 0; u < modulus; u++)
            share[l][u] = l < 5 ? 1 / (double)modulus : 0;
    for (long l = 5; l <= length; l++)
        for (long left = 1; left <= l - 4; left++)
            for (long u = 0; u < modulus; u++)
                for (long v = 0; v < modulus; v++) {
                    const double both = share[left][u] * share[l - 3 - left][v] / (double)(3 * (l - 4));
                    share[l][(u + v) % modulus] += both;
                    share[l][(u + modulus - v) % modulus] += both;
                    share[l][u * v % modulus] += both;
                }
    double most = 0;
    for (long u = 0; u < modulus; u++)
        most = share[length][u] > most ? share[length][u] : most;
    return 1 - most;
}

static void brackets_are_those_of_all_values(void **state)
{
    (void)state;
    static const long moduli[] = {2, 5, 6, 8, 12, 13}, lengths[] = {5, 6, 17, 60, 256, 310};
    for (size_t m = 0; m < sizeof moduli / sizeof moduli[0]; m++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            const double error = chance(TASK_MODULAR_ARITHMETIC_BRACKETS, 2, moduli[m], lengths[l]);
            const double bound = lengths[l] <= 256 ? 1e-12 : 2e-8;
            assert_true(fabs(error - error_of_brackets(moduli[m], lengths[l])) < bound);
        }
}

// Errors of one who guesses what is most frequent in the test set, at lengths that are not enumerated above.
static void longer_inputs_are_those_of_many_draws(void **state)
{
    enum { DRAWS = 40000 };
    static const int tasks[] = {TASK_STACK_MANIPULATION, TASK_BINARY_ADDITION, TASK_BINARY_MULTIPLICATION,
                                TASK_COMPUTE_SQRT, TASK_BUCKET_SORT};
    static const long lengths[] = {20, 30};
    for (size_t k = 0; k < sizeof tasks / sizeof tasks[0]; k++)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            struct settings settings;
            struct tally tally = {.counted = 0};
            settings_defaults(&settings);
            settings.task.kind = tasks[k];
            settings.task.alphabet = 3;
            struct batch batch = make_batch(&settings, SPLIT_TEST, lengths[l], 0, DRAWS, *state);
            for (long i = 0; i < DRAWS; i++)
                for (long t = lengths[l]; t < batch.length; t++)
                    if (batch.mask[i * batch.length + t]) {
                        tally.share[t - lengths[l]][batch.clean[i * batch.length + t]]++;
                        tally.counted++;
                    }
            assert_true(fabs(chance(tasks[k], 3, 5, lengths[l]) - error_of(&tally)) < 0.004);
            arena_reset(*state);
        }
}

static void the_longest_have_finite_errors(void **state)
{
    (void)state;
    for (int task = TASK_REVERSE_STRING; task <= TASK_BUCKET_SORT; task++) {
        const double error = chance(task, 1024, 97, 65535);
        assert_true(error > 0.2 && error < 1);
    }
    for (int task = TASK_BINARY_ADDITION; task <= TASK_COMPUTE_SQRT; task++) // half of nearly all bits
        assert_true(fabs(chance(task, 2, 5, 20000) - 0.5) < 1e-4);
    assert_true(fabs(chance(TASK_STACK_MANIPULATION, 2, 5, 8000) - 0.5) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_inputs_have_these_fractions), cmocka_unit_test(binary_numbers_are_those_of_all_pairs),
        cmocka_unit_test(roots_are_those_of_all_numbers),    cmocka_unit_test(brackets_are_those_of_all_values),
        ROW(longer_inputs_are_those_of_many_draws),          cmocka_unit_test(the_longest_have_finite_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
