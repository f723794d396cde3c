// SPDX-License-Identifier: MIT
#include "verdict_fixture.h"

static void each_verdict_has_its_conditions(void **state)
{
    enum change {
        AS_IS,
        NO_TWIN,
        NOT_INTERPOLATED,
        DISAGREE,
        NO_FLIPS,
        SOME_DIVERGED,
        ALL_DIVERGED,
        FLIPPED_DIVERGED,
        UNFLIPPED_DIVERGED,
        NO_TRAIN_LENGTH
    };
    const struct {
        const char *claim;
        double means[4], spread;
        enum change change;
        const char *at_n, *at_32;
    } rows[] = {
        {"small errors", {.01, .012, .01, .01}, .001, AS_IS, "benign", "benign"},
        {"flips cost", {.2, .3, .01, .01}, .001, AS_IS, "harmful", "harmful"},
        {"flips cost at length", {.01, .3, .01, .01}, .001, AS_IS, "benign", "harmful"},
        {"length costs", {.01, .3, .01, .3}, .001, AS_IS, "benign", "length_failure"},
        {"twin fails at n", {.3, .4, .3, .4}, .001, AS_IS, "unlearned", "unlearned"},
        {"twin fails at n and flips cost", {.4, .45, .3, .4}, .001, AS_IS, "harmful", "harmful"},
        {"twin straddles at n", {.03, .3, .026, .3}, .004, AS_IS, "undecided", "undecided"},
        {"difference straddles", {.01, .3125, .01, .3}, .001, AS_IS, "benign", "undecided"},
        {"error straddles", {.025, .025, .01, .01}, .004, AS_IS, "undecided", "undecided"},
        {"error on the threshold", {.025, .025, .01, .01}, 0, AS_IS, "undecided", "undecided"},
        {"no twin", {.01, .3, .01, .01}, .001, NO_TWIN, "benign", "undecided"},
        {"resists", {.01, .01, .01, .01}, .001, NOT_INTERPOLATED, "resistant", "resistant"},
        {"does not fit", {.3, .3, .01, .01}, .001, NOT_INTERPOLATED, "underfit", "underfit"},
        {"does not fit, straddles", {.025, .3, .01, .01}, .004, NOT_INTERPOLATED, "undecided", "underfit"},
        {"replicates disagree", {.01, .3, .01, .01}, .001, DISAGREE, "undecided", "undecided"},
        {"no flips", {.01, .3, .01, .01}, .001, NO_FLIPS, "not_applicable", "not_applicable"},
        {"some diverged", {.01, .3, .01, .01}, .001, SOME_DIVERGED, "undecided", "undecided"},
        {"all diverged", {.01, .3, .01, .01}, .001, ALL_DIVERGED, "diverged", "diverged"},
        {"all with flips diverged", {.01, .3, .01, .01}, .001, FLIPPED_DIVERGED, "diverged", "diverged"},
        {"some diverged, without flips",
         {.01, .3, .01, .01},
         .001,
         UNFLIPPED_DIVERGED,
         "not_applicable",
         "not_applicable"},
        {"no test at n", {.01, .3, .01, .3}, .001, NO_TRAIN_LENGTH, "benign", "undecided"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct fixture fixture;
        fixture_fill(&fixture, 3, rows[r].means, rows[r].spread);
        for (size_t i = 0; i < 6; i += 2) {
            if (rows[r].change == NO_TWIN)
                fixture.twin[i] = -1;
            if (rows[r].change == NOT_INTERPOLATED || (rows[r].change == DISAGREE && i == 2))
                fixture.interpolated[i] = 0;
            bool one_diverged = rows[r].change == SOME_DIVERGED || rows[r].change == UNFLIPPED_DIVERGED;
            if (rows[r].change == NO_FLIPS || rows[r].change == UNFLIPPED_DIVERGED ||
                (rows[r].change == FLIPPED_DIVERGED && i == 2))
                fixture.flips[i] = 0;
            if (rows[r].change == ALL_DIVERGED || (rows[r].change == FLIPPED_DIVERGED && i != 2) ||
                (one_diverged && i == 2)) {
                fixture.status[i] = RECORD_DIVERGED;
                fixture.error[i * LENGTHS] = fixture.error[i * LENGTHS + 1] = NAN;
            }
            if (rows[r].change == NO_TRAIN_LENGTH)
                fixture.train_length[i] = 9;
        }
        derive(&fixture);
        for (size_t i = 0; i < 6; i += 2) {
            const char *at_n = flag(&fixture, "verdict", i, 0), *at_32 = flag(&fixture, "verdict", i, 1);
            if (strcmp(at_n, rows[r].at_n) != 0 || strcmp(at_32, rows[r].at_32) != 0)
                fail_msg("%s: %s and %s, not %s and %s", rows[r].claim, at_n, at_32, rows[r].at_n, rows[r].at_32);
            assert_string_equal(flag(&fixture, "verdict", i + 1, 0), "not_applicable");
        }
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static void length_effects_have_their_conditions(void **state)
{
    const struct {
        double at_n, at_32, spread, wobble; // wobble: how far differences stand apart
        const char *effect;
    } rows[] = {
        {.1, .2, .01, .001, "grows"},    {.2, .1, .01, .001, "falls"},      {.1, .101, .01, .001, "no_difference"},
        {.1, .1, .01, .02, "undecided"}, {.1, .115, .01, .01, "undecided"}, {.1, .1, .01, .0001, "no_difference"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct fixture fixture;
        const double means[4] = {rows[r].at_n, rows[r].at_32, .01, .01};
        fixture_fill(&fixture, 3, means, rows[r].spread);
        fixture.error[0 * LENGTHS + 1] += rows[r].wobble;
        fixture.error[4 * LENGTHS + 1] -= rows[r].wobble;
        derive(&fixture);
        assert_string_equal(flag(&fixture, "length_effect", 0, 1), rows[r].effect);
        assert_string_equal(flag(&fixture, "length_effect", 0, 0), "absent");
        assert_true(fabs(value(&fixture, "length_difference", 2, 1) - (rows[r].at_32 - rows[r].at_n)) < 1e-12);
        double half = 4.302652729749464 * rows[r].wobble / sqrt(3);
        assert_true(fabs(value(&fixture, "length_difference_high", 2, 1) - rows[r].at_32 + rows[r].at_n - half) < 1e-9);
        assert_true(isnan(value(&fixture, "length_difference", 2, 0)));
        arena_destroy(fixture.arena);
    }
    (void)state;
}

static void numbers_are_over_replicates(void **state)
{
    struct fixture fixture;
    const double means[4] = {.1, .3, .02, .04};
    fixture_fill(&fixture, 5, means, .01);
    fixture.bayes[1] = fixture.bayes[5] = fixture.bayes[9] = fixture.bayes[13] = fixture.bayes[17] = .1;
    fixture.error[8 * LENGTHS + 1] += .05;
    derive(&fixture);
    double half = 2.776445105197793 * sqrt(.00025 / 5);
    assert_true(fabs(value(&fixture, "mean_test_error", 0, 0) - .1) < 1e-12);
    assert_true(fabs(value(&fixture, "mean_test_error_low", 0, 0) - (.1 - half)) < 1e-9);
    assert_true(fabs(value(&fixture, "mean_test_error_high", 0, 0) - (.1 + half)) < 1e-9);
    assert_true(fabs(value(&fixture, "excess_error", 0, 0) - .2) < 1e-12);
    assert_true(fabs(value(&fixture, "excess_error_low", 0, 0) - 2 * (.1 - half)) < 1e-9);
    assert_true(fabs(value(&fixture, "excess_error", 0, 1) - .21 / .4) < 1e-12);
    assert_true(fabs(value(&fixture, "median_test_error", 0, 1) - .3) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference", 0, 0) - .08) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference_high", 0, 0) - (.08 + 1.5 * half)) < 1e-9);
    assert_true(value(&fixture, "replicates_counted", 0, 0) == 5);
    assert_true(value(&fixture, "share_interpolated", 0, 0) == 1);
    assert_string_equal(flag(&fixture, "verdict_unit", 0, 0), "replicates");
    assert_true(isnan(value(&fixture, "twin_difference", 1, 0)));
    assert_true(isnan(value(&fixture, "share_interpolated", 1, 0)));
    assert_true(fabs(value(&fixture, "excess_error", 1, 0) - .04) < 1e-12);
    arena_destroy(fixture.arena);
    (void)state;
}

static void intervals_of_an_error_stay_within_0_and_1(void **state)
{
    const double means[4] = {.04, .62, .04, .96};
    struct fixture fixture;
    fixture_fill(&fixture, 2, means, .06);
    derive(&fixture);
    assert_true(value(&fixture, "mean_test_error_low", 0, 0) == 0);
    assert_true(fabs(value(&fixture, "mean_test_error_high", 0, 0) - .04 - .03 * 12.706204736) < 1e-9);
    assert_true(value(&fixture, "excess_error_low", 0, 0) == 0);
    assert_true(value(&fixture, "mean_test_error_high", 0, 1) == 1);
    assert_true(value(&fixture, "excess_error_high", 0, 1) == 2);
    assert_true(value(&fixture, "mean_test_error_high", 1, 1) == 1);
    arena_destroy(fixture.arena);
    (void)state;
}

// Two replicates of 20 test sequences without a mistake do not show an error below 0.025.
static void replicates_that_agree_know_no_more_than_their_sequences(void **state)
{
    const double means[4] = {0, .5, 0, .5};
    struct fixture fixture;
    fixture_fill(&fixture, 2, means, 0);
    for (size_t i = 0; i < 4 * LENGTHS; i++)
        fixture.count[i] = 20;
    derive(&fixture);
    struct analyse_interval none = analyse_share(0, 40), half = analyse_share(.5, 40);
    struct analyse_interval twin = analyse_share_difference(half, half), length = analyse_share_difference(half, none);
    assert_true(value(&fixture, "mean_test_error_low", 0, 0) == 0);
    assert_true(fabs(value(&fixture, "mean_test_error_high", 0, 0) - none.high) < 1e-12);
    assert_true(fabs(value(&fixture, "excess_error_low", 0, 1) - 2 * half.low) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference_low", 0, 1) - twin.low) < 1e-12);
    assert_true(fabs(value(&fixture, "length_difference_high", 0, 1) - length.high) < 1e-12);
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "undecided");
    assert_string_equal(flag(&fixture, "verdict", 0, 1), "undecided");
    for (size_t i = 0; i < 4 * LENGTHS; i++)
        fixture.count[i] = 2000;
    derive(&fixture);
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "benign");
    arena_destroy(fixture.arena);
    (void)state;
}

static void replicates_without_flips_or_result_are_left_out(void **state)
{
    struct fixture fixture;
    const double means[4] = {.1, .3, .02, .04};
    fixture_fill(&fixture, 5, means, 0);
    fixture.flips[0] = 0;
    fixture.error[0] = .9;
    fixture.status[2] = RECORD_FAILED;
    fixture.error[2 * LENGTHS] = NAN;
    fixture.status[7] = RECORD_DIVERGED; // a twin
    derive(&fixture);
    assert_true(value(&fixture, "replicates_counted", 4, 0) == 3);
    assert_true(fabs(value(&fixture, "mean_test_error", 4, 0) - .1) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference", 4, 0) - .08) < 1e-12);
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "harmful");
    assert_string_equal(flag(&fixture, "verdict", 2, 0), "harmful"); // all of a group have the group's
    arena_destroy(fixture.arena);
    (void)state;
}

// A stream never shows a label twice: no flips, but errors.
static void without_any_flip_errors_are_of_all_replicates(void **state)
{
    struct fixture fixture;
    const double means[4] = {.1, .3, .02, .04};
    fixture_fill(&fixture, 3, means, 0);
    for (size_t i = 0; i < 6; i++)
        fixture.flips[i] = 0;
    derive(&fixture);
    assert_true(value(&fixture, "replicates_counted", 0, 0) == 3);
    assert_true(fabs(value(&fixture, "mean_test_error", 0, 1) - .3) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference", 0, 0) - .08) < 1e-12);
    assert_true(isnan(value(&fixture, "share_interpolated", 0, 0)));
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "not_applicable");
    assert_string_equal(flag(&fixture, "length_effect", 0, 1), "grows");
    arena_destroy(fixture.arena);
    (void)state;
}

static void a_single_replicate_speaks_of_its_model_only(void **state)
{
    struct fixture fixture;
    const double means[4] = {.1, .3, .01, .01};
    fixture_fill(&fixture, 1, means, 0);
    derive(&fixture);
    struct analyse_interval at_n = analyse_share(.1, 1000), at_32 = analyse_share(.3, 1000);
    struct analyse_interval twin = analyse_share_difference(at_n, analyse_share(.01, 1000));
    struct analyse_interval length = analyse_share_difference(at_32, at_n);
    assert_string_equal(flag(&fixture, "verdict_unit", 0, 0), "this_model_only");
    assert_true(fabs(value(&fixture, "excess_error_low", 0, 0) - at_n.low / .5) < 1e-12);
    assert_true(fabs(value(&fixture, "twin_difference_low", 0, 0) - twin.low) < 1e-12);
    assert_true(fabs(value(&fixture, "length_difference_high", 0, 1) - length.high) < 1e-12);
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "harmful");
    assert_string_equal(flag(&fixture, "length_effect", 0, 1), "grows");
    arena_destroy(fixture.arena);
    (void)state;
}

static void lengths_that_a_trial_lacks_are_absent(void **state)
{
    struct fixture fixture;
    const double means[4] = {.1, .3, .01, .01};
    fixture_fill(&fixture, 3, means, .001);
    for (size_t i = 0; i < 6; i++)
        fixture.error[i * LENGTHS + 1] = fixture.chance[i * LENGTHS + 1] = NAN;
    derive(&fixture);
    for (size_t d = 0; d < fixture.derived_count; d++)
        assert_true(isnan(fixture.derived[d].data[1]));
    assert_string_equal(flag(&fixture, "verdict", 0, 0), "harmful");
    arena_destroy(fixture.arena);
    (void)state;
}

static void an_empty_table_derives_every_name_once(void **state)
{
    struct fixture fixture;
    fixture_fill(&fixture, 0, (const double[4]){0}, 0);
    derive(&fixture);
    assert_true(fixture.derived_count > 10);
    for (size_t a = 0; a < fixture.derived_count; a++) {
        assert_true(strlen(fixture.derived[a].long_name) > 0 && strlen(fixture.derived[a].help) > 0);
        for (size_t b = 0; b < a; b++)
            assert_string_not_equal(fixture.derived[a].name, fixture.derived[b].name);
    }
    assert_int_equal(strcmp(verdict_names[VERDICT_NOT_APPLICABLE], "not_applicable"), 0);
    assert_null(verdict_names[VERDICTS]);
    assert_null(length_effect_names[LENGTH_EFFECTS]);
    assert_null(verdict_unit_names[VERDICT_UNITS]);
    arena_destroy(fixture.arena);
    (void)state;
}

static void lack_of_memory_is_an_error(void **state)
{
    struct fixture fixture;
    struct status status;
    const double means[4] = {.1, .3, .01, .01};
    fixture_fill(&fixture, 5, means, .001);
    for (size_t limit = 1 << 8; limit < 1 << 12; limit *= 2) {
        struct arena *arena = arena_create(limit, limit);
        const struct record_derived *derived = NULL;
        size_t count = 77;
        assert_int_equal(analyse_verdicts(&fixture.table, arena, &derived, &count, &status), STATUS_MEMORY);
        assert_true(derived == NULL && count == 77);
        arena_destroy(arena);
    }
    arena_destroy(fixture.arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verdict_has_its_conditions),
        cmocka_unit_test(length_effects_have_their_conditions),
        cmocka_unit_test(numbers_are_over_replicates),
        cmocka_unit_test(intervals_of_an_error_stay_within_0_and_1),
        cmocka_unit_test(replicates_that_agree_know_no_more_than_their_sequences),
        cmocka_unit_test(replicates_without_flips_or_result_are_left_out),
        cmocka_unit_test(without_any_flip_errors_are_of_all_replicates),
        cmocka_unit_test(a_single_replicate_speaks_of_its_model_only),
        cmocka_unit_test(lengths_that_a_trial_lacks_are_absent),
        cmocka_unit_test(an_empty_table_derives_every_name_once),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
