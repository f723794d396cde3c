// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/cli/standing.h"
#include <string.h>

static const char text[] = "sweep: standing\n"
                           "twins: false\n"
                           "grid:\n"
                           "  snr: [1, 2, 3, 4]\n"
                           "  train_length: 8\n"
                           "  test_length: [1x, 4x]\n";

static int load(void **state)
{
    static struct cli_sweep sweep;
    struct status status = {0};
    *state = &sweep;
    return (int)cli_sweep_parse("standing.yaml", text, sizeof text - 1, &sweep, &status);
}

static int unload(void **state)
{
    cli_sweep_fini(*state);
    return 0;
}

static void take(struct standing *standing, size_t trial, enum record_status status, size_t lengths_count,
                 const int64_t *lengths)
{
    struct store_trial is = {grid_trial(standing->grid, trial)->identity, status, lengths_count, lengths};
    standing_take(standing, &is);
}

static void counts_a_result_only_with_every_test_length(void **state)
{
    static const int64_t all[] = {4, 8, 32}, some[] = {8, 16};
    struct cli_sweep *sweep = *state;
    struct standing standing;
    struct status status = {0};
    assert_int_equal(standing_init(sweep->grid, sweep->arena, &standing, &status), STATUS_OK);
    take(&standing, 0, RECORD_DONE, 3, all);
    take(&standing, 1, RECORD_DONE, 2, some);
    take(&standing, 2, RECORD_FAILED, 0, NULL);
    take(&standing, 3, RECORD_PENDING, 0, NULL);
    assert_int_equal(standing.planned, 4);
    assert_int_equal(standing.done, 1);
    assert_int_equal(standing.failed, 1);
    assert_int_equal(standing.short_of_lengths, 1);
    assert_int_equal(standing_over(&standing), 2);
    assert_int_equal(standing.state[0], RECORD_DONE);
    assert_int_equal(standing.state[1], RECORD_PENDING);
    assert_int_equal(standing.earlier, 0);
}

static void counts_strangers_apart_but_not_mere_attempts(void **state)
{
    struct cli_sweep *sweep = *state;
    struct standing standing;
    struct status status = {0};
    assert_int_equal(standing_init(sweep->grid, sweep->arena, &standing, &status), STATUS_OK);
    for (enum record_status is = RECORD_PENDING; is <= RECORD_FAILED; is++)
        standing_take(&standing, &(struct store_trial){.identity = {1, is}, .status = is});
    assert_int_equal(standing.earlier, 3);
    assert_int_equal(standing_over(&standing) + standing.short_of_lengths, 0);
}

static void without_a_sweep_nothing_is_planned(void **state)
{
    struct cli_sweep *sweep = *state;
    struct standing standing;
    struct status status = {0};
    assert_int_equal(standing_init(NULL, sweep->arena, &standing, &status), STATUS_OK);
    standing_take(&standing, &(struct store_trial){.status = RECORD_DONE});
    assert_int_equal(standing.planned + standing.done, 0);
    assert_int_equal(standing.earlier, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_result_only_with_every_test_length),
        cmocka_unit_test(counts_strangers_apart_but_not_mere_attempts),
        cmocka_unit_test(without_a_sweep_nothing_is_planned),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
