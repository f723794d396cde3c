// SPDX-License-Identifier: MIT
// Random positions: sorted subsets, each with the same chance, that depend on what they are keyed by and nothing else.
#include "../../src/nn/nn_encoding.h"
#include "nn_cases.h"

static struct nn_case case_at(long limit, int encoding)
{
    struct nn_case c = {0};
    struct settings settings = case_settings((struct shape){4, 3, 4, 2, 2}, encoding, 0, 0, false);
    settings.model.random_positions = limit;
    case_model(&c, &settings, 3);
    return c;
}

static struct batch batch_at(long samples, long length)
{
    return (struct batch){.samples = samples, .length = length, .set = "train"};
}

static void positions_are_0_1_2_unless_they_are_random(void **state)
{
    (void)state;
    static const struct {
        long limit, length;
        int encoding;
        bool consecutive;
    } rows[] = {{0, 5, ENCODING_ROPE, true},
                {9, 5, ENCODING_NONE, true},
                {9, 9, ENCODING_ROPE, true},
                {9, 12, ENCODING_ROPE, true},
                {9, 8, ENCODING_ROPE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nn_case c = case_at(rows[i].limit, rows[i].encoding);
        const struct batch batch = batch_at(2, rows[i].length);
        int32_t positions[24];
        assert_true(nn_positions(c.model, &batch, 0, 2, 0, positions) == rows[i].consecutive);
        for (long l = 0; rows[i].consecutive && l < 2 * rows[i].length; l++)
            assert_int_equal(positions[l], l % rows[i].length);
        case_close(&c);
    }
}

static void limits_are_the_larger_of_length_and_random_positions(void **state)
{
    (void)state;
    struct nn_case c = case_at(9, ENCODING_ALIBI), none = case_at(9, ENCODING_NONE);
    assert_int_equal(nn_position_limit(c.model, 4), 9);
    assert_int_equal(nn_position_limit(c.model, 20), 20);
    assert_int_equal(nn_position_limit(none.model, 4), 4);
    case_close(&c);
    case_close(&none);
}

static void subsets_are_sorted_and_in_range(void **state)
{
    (void)state;
    static const long rows[][2] = {{1, 2}, {7, 8}, {40, 41}, {16, 1000000}, {999, 1000}, {300, 4096}};
    static int32_t positions[3 * 999];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const long length = rows[i][0], limit = rows[i][1];
        struct nn_case c = case_at(limit, ENCODING_ALIBI);
        const struct batch batch = batch_at(3, length);
        assert_false(nn_positions(c.model, &batch, 0, 3, 0, positions));
        for (long s = 0; s < 3; s++)
            for (long l = 0; l < length; l++) {
                const int32_t p = positions[s * length + l];
                assert_true(p >= 0 && p < limit && (l == 0 || p > positions[s * length + l - 1]));
            }
        case_close(&c);
    }
}

// Chi-squared over the 35 subsets of three of seven: 34 degrees of freedom, beyond 75 once in 10,000 times.
static void every_subset_has_the_same_chance(void **state)
{
    (void)state;
    enum { SAMPLES = 14000, LIMIT = 7, LENGTH = 3, SUBSETS = 35 };
    static int32_t positions[SAMPLES * LENGTH];
    struct nn_case c = case_at(LIMIT, ENCODING_ALIBI);
    const struct batch batch = batch_at(SAMPLES, LENGTH);
    long count[1 << LIMIT] = {0}, seen = 0;
    double chi = 0;
    nn_positions(c.model, &batch, 0, SAMPLES, -1, positions);
    for (long s = 0; s < SAMPLES; s++)
        count[1 << positions[3 * s] | 1 << positions[3 * s + 1] | 1 << positions[3 * s + 2]]++;
    for (long set = 0; set < 1 << LIMIT; set++) {
        const double difference = (double)count[set] - (double)SAMPLES / SUBSETS;
        seen += count[set] > 0;
        chi += count[set] > 0 ? difference * difference / ((double)SAMPLES / SUBSETS) : 0;
    }
    assert_int_equal(seen, SUBSETS);
    assert_true(chi < 75);
    case_close(&c);
}

static void draws_follow_set_index_step_and_seed_alone(void **state)
{
    (void)state;
    enum { LENGTH = 12 };
    struct nn_case c = case_at(100000, ENCODING_ALIBI), other = case_at(100000, ENCODING_ROPE);
    struct batch batch = batch_at(5, LENGTH);
    int32_t all[5 * LENGTH], got[5 * LENGTH];
    const size_t row = LENGTH * sizeof *got;
    nn_positions(c.model, &batch, 0, 5, -1, all);
    nn_positions(other.model, &batch, 3, 1, -1, got);
    assert_memory_equal(got, all + 3 * LENGTH, row);
    batch.first = 2;
    nn_positions(c.model, &batch, 1, 1, -1, got);
    assert_memory_equal(got, all + 3 * LENGTH, row);
    const int64_t index[] = {4, 0};
    batch.index = index;
    nn_positions(c.model, &batch, 0, 2, -1, got);
    assert_memory_equal(got, all + 4 * LENGTH, row);
    assert_memory_equal(got + LENGTH, all, row);
    nn_positions(c.model, &batch, 1, 1, 0, got);
    assert_memory_not_equal(got, all, row);
    nn_positions(c.model, &batch, 1, 1, 1, got + LENGTH);
    assert_memory_not_equal(got, got + LENGTH, row);
    batch.set = "validation";
    nn_positions(c.model, &batch, 1, 1, -1, got);
    assert_memory_not_equal(got, all, row);
    case_close(&c);
    case_close(&other);
}

static void a_data_seed_changes_them_and_an_init_seed_does_not(void **state)
{
    (void)state;
    struct nn_case c = case_at(100000, ENCODING_ALIBI);
    struct settings settings = c.settings;
    struct nn_case init = {0}, data = {0};
    settings.init_seed = 5;
    case_model(&init, &settings, 3);
    settings.data_seed = 5;
    case_model(&data, &settings, 3);
    const struct batch batch = batch_at(1, 12);
    int32_t positions[3][12];
    nn_positions(c.model, &batch, 0, 1, 7, positions[0]);
    nn_positions(init.model, &batch, 0, 1, 7, positions[1]);
    nn_positions(data.model, &batch, 0, 1, 7, positions[2]);
    assert_memory_equal(positions[0], positions[1], sizeof positions[0]);
    assert_memory_not_equal(positions[0], positions[2], sizeof positions[0]);
    case_close(&c);
    case_close(&init);
    case_close(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_0_1_2_unless_they_are_random),
        cmocka_unit_test(limits_are_the_larger_of_length_and_random_positions),
        cmocka_unit_test(subsets_are_sorted_and_in_range),
        cmocka_unit_test(every_subset_has_the_same_chance),
        cmocka_unit_test(draws_follow_set_index_step_and_seed_alone),
        cmocka_unit_test(a_data_seed_changes_them_and_an_init_seed_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
