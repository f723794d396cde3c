// SPDX-License-Identifier: MIT
// Whole sweeps over simulated ranks: whatever the delays, failures and requests to stop, every job is accounted for,
// all leave, and no message is left.
#include "support.h"

#include "base_random.h"
#include "comm_twin.h"
#include "fake.h"
#include <math.h>
#include <string.h>

enum { RANKS = 8, TURNS = 2000000 };

struct world {
    int ranks;
    struct comm *comms[RANKS];
    struct dispatch_coordinator *coordinator;
    struct dispatch_worker *workers[RANKS];
    struct fake_runner runners[RANKS];
    struct record_runner interfaces[RANKS];
    struct dispatch_source source;
    struct dispatch_sink sink;
    struct dispatch_watch watch;
    struct dispatch_options options;
    double now;
    size_t drain_at; // turn at which a rank is asked to stop; 0: never
    int drain_rank;
    bool coordinator_drains; // it is the coordinator who is asked
};

static enum status_code send_twin(void *self, int target, const void *data, size_t size, struct status *status)
{
    return comm_send(self, target, data, size, status);
}

static void begin(struct world *world, struct fake_sweep *sweep, uint64_t seed, uint32_t delay)
{
    world->source = fake_source(sweep);
    world->sink = fake_sink(sweep, seed % 3 == 0);
    world->watch = fake_watch(sweep);
    assert_int_equal(comm_twin_create(world->ranks, seed, delay, world->comms, NULL), STATUS_OK);
    assert_int_equal(dispatch_coordinator_create(0, world->ranks, &world->source, &world->sink, &world->watch,
                                                 &world->options, send_twin, world->comms[0], world->now,
                                                 &world->coordinator, NULL),
                     STATUS_OK);
    for (int rank = 0; rank < world->ranks; rank++) {
        world->runners[rank].sweep = sweep;
        world->interfaces[rank] = fake_runner(&world->runners[rank]);
        assert_int_equal(dispatch_worker_create(&world->interfaces[rank], NULL, rank % 2 == 0 ? "even" : "odd",
                                                INFINITY, send_twin, world->comms[rank], &world->workers[rank], NULL),
                         STATUS_OK);
    }
}

// One rank's share of a turn. The coordinator's error, if any, in *ret_code; it then drains as the loop does.
static void turn_rank(struct world *world, int rank, struct bytes *message, enum status_code *ret_code)
{
    int source = -1;
    bool active = false;
    enum status_code code = STATUS_OK;
    struct status status = {0};
    assert_int_equal(comm_poll(world->comms[rank], message, &source, &status), STATUS_OK);
    if (source >= 0 && message->data[0] >= DISPATCH_JOB)
        assert_int_equal(dispatch_worker_receive(world->workers[rank], message->data, message->size, &status),
                         STATUS_OK);
    else if (source >= 0) {
        assert_int_equal(rank, 0);
        code =
            dispatch_coordinator_receive(world->coordinator, source, message->data, message->size, world->now, &status);
    }
    if (rank == 0 && code == STATUS_OK)
        code = dispatch_coordinator_step(world->coordinator, world->now, &active, &status);
    assert_int_not_equal(code, STATUS_INTERNAL);
    if (code != STATUS_OK) {
        *ret_code = *ret_code == STATUS_OK ? code : *ret_code;
        dispatch_coordinator_drain(world->coordinator, DISPATCH_STOPPED);
    }
    assert_int_equal(dispatch_worker_step(world->workers[rank], world->now, &active, &status), STATUS_OK);
}

static bool all_over(const struct world *world)
{
    bool over = dispatch_coordinator_over(world->coordinator, world->now);
    for (int rank = 0; rank < world->ranks; rank++)
        over = over && dispatch_worker_over(world->workers[rank]);
    return over;
}

// Runs to the end, which must come, and checks that nothing is left on the way.
static enum status_code run(struct world *world, struct dispatch_summary *ret_summary)
{
    struct bytes message = {0};
    enum status_code code = STATUS_OK;
    for (size_t i = 1; !all_over(world); i++) {
        assert_true(i < TURNS);
        world->now += 1e-3;
        if (i == world->drain_at && world->coordinator_drains)
            dispatch_coordinator_drain(world->coordinator, DISPATCH_STOPPED);
        else if (i == world->drain_at)
            assert_int_equal(dispatch_worker_drain(world->workers[world->drain_rank], NULL), STATUS_OK);
        for (int rank = 0; rank < world->ranks; rank++)
            turn_rank(world, rank, &message, &code);
    }
    assert_int_equal(comm_twin_outstanding(world->comms[0]), 0);
    dispatch_coordinator_summary(world->coordinator, ret_summary);
    assert_int_equal(ret_summary->missing, 0);
    bytes_fini(&message);
    return code;
}

static void end(struct world *world)
{
    dispatch_coordinator_destroy(world->coordinator);
    for (int rank = 0; rank < world->ranks; rank++) {
        assert_false(world->runners[rank].running);
        dispatch_worker_destroy(world->workers[rank]);
        assert_int_equal(comm_close(world->comms[rank], NULL), STATUS_OK);
    }
}

static void draw_sweep(struct fake_sweep *sweep, size_t jobs, uint64_t seed, uint32_t *ret_draws)
{
    struct random_key key = random_key(seed, 0, "test/sweep");
    sweep->jobs = jobs;
    sweep->delay = random_below(key, 0, 0, 0, 20);
    for (size_t i = 0; i < FAKE_JOBS; i++) {
        sweep->cost[i] = 1 + random_below(key, i, 1, 0, 100);
        sweep->failures[i] = random_below(key, i, 2, 0, 8) == 0 ? random_below(key, i, 3, 0, 6) : 0;
        sweep->refused[i] = random_below(key, i, 4, 0, 30) == 0;
        sweep->prior[i] = random_below(key, i, 5, 0, 10) == 0 ? 1 : 0;
    }
    for (uint32_t i = 0; i < 8; i++)
        ret_draws[i] = random_below(key, i, 6, 0, 1u << 31);
}

// Exactly one result, or none and counted as left; never one acknowledged twice; attempts within the limit.
static void check_accounts(const struct fake_sweep *sweep, const struct dispatch_summary *summary, bool synchronous)
{
    size_t done = 0, failed = 0;
    for (size_t i = 0; i < FAKE_JOBS; i++) {
        assert_true(sweep->commits[i] + sweep->finals[i] <= 1);
        assert_true(synchronous || sweep->settled[i] == sweep->commits[i] + sweep->finals[i]);
        assert_true(sweep->prior[i] + sweep->fails[i] <= 3 || sweep->refused[i]);
        done += sweep->commits[i];
        failed += sweep->finals[i];
    }
    assert_int_equal(summary->done, done);
    assert_int_equal(summary->failed, failed);
    assert_int_equal(summary->left, sweep->taken - done - failed);
    if (summary->end == DISPATCH_COMPLETE)
        assert_int_equal(done + failed, sweep->jobs);
}

static const int rank_counts[] = {1, 2, 3, 5, 8};
static const size_t job_counts[] = {0, 1, 2, 3, 7, 20, 63, 200};

static void settles_each_job_exactly_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 80; seed++) {
        struct world world = {.ranks = rank_counts[seed % 5], .options = dispatch_options_standard()};
        struct fake_sweep sweep = {0};
        struct dispatch_summary summary;
        uint32_t draws[8];
        draw_sweep(&sweep, job_counts[seed / 5 % 8], seed, draws);
        sweep.grown = seed % 4 == 1 && sweep.jobs > 0 ? 10 : 0;
        sweep.grown = seed % 3 == 0 ? 0 : sweep.grown; // settled is counted by the asynchronous sink alone
        for (int rank = 0; rank < world.ranks; rank++)
            world.runners[rank] = (struct fake_runner){.polls = draws[rank] % 9, .seconds = 1e-3 * (draws[rank] % 9)};
        world.options.pocket = draws[7] % 9;
        begin(&world, &sweep, seed, draws[6] % 12);
        assert_int_equal(run(&world, &summary), STATUS_OK);
        assert_int_equal(summary.end, DISPATCH_COMPLETE);
        assert_int_equal(sweep.grown, 0);
        check_accounts(&sweep, &summary, seed % 3 == 0);
        end(&world);
    }
}

static void accounts_for_each_job_when_stopped_at_any_moment(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct world world = {.ranks = rank_counts[seed % 5], .options = dispatch_options_standard()};
        struct fake_sweep sweep = {0};
        struct dispatch_summary summary;
        uint32_t draws[8];
        draw_sweep(&sweep, 100, seed, draws);
        for (int rank = 0; rank < world.ranks; rank++)
            world.runners[rank] = (struct fake_runner){.polls = draws[rank] % 20, .seconds = 1e-3};
        world.drain_at = 1 + draws[5] % 200;
        world.drain_rank = (int)(draws[6] % (uint32_t)world.ranks);
        world.coordinator_drains = draws[7] % 2 == 0;
        begin(&world, &sweep, seed, draws[4] % 12);
        assert_int_equal(run(&world, &summary), STATUS_OK);
        check_accounts(&sweep, &summary, seed % 3 == 0);
        end(&world);
    }
}

static void goes_on_without_the_ranks_whose_runner_breaks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct world world = {.ranks = rank_counts[1 + seed % 4], .options = dispatch_options_standard()};
        struct fake_sweep sweep = {0};
        struct dispatch_summary summary;
        uint32_t draws[8];
        draw_sweep(&sweep, 100, seed, draws);
        for (int rank = 0; rank < world.ranks; rank++)
            world.runners[rank] =
                (struct fake_runner){.polls = draws[rank] % 9, .breaks = rank == 0 ? 0 : 1 + draws[rank] % 7};
        begin(&world, &sweep, seed, draws[4] % 12);
        assert_int_equal(run(&world, &summary), STATUS_OK);
        assert_int_equal(summary.end, DISPATCH_COMPLETE);
        assert_true(sweep.notices > 0);
        assert_non_null(strstr(sweep.notice, "the fake runner is broken"));
        check_accounts(&sweep, &summary, seed % 3 == 0);
        end(&world);
    }
}

static void fails_when_no_rank_is_left(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct world world = {.ranks = rank_counts[seed % 5], .options = dispatch_options_standard()};
        struct fake_sweep sweep = {0};
        struct dispatch_summary summary;
        uint32_t draws[8];
        draw_sweep(&sweep, 100, seed, draws);
        for (int rank = 0; rank < world.ranks; rank++)
            world.runners[rank] = (struct fake_runner){.polls = 3, .breaks = 1 + draws[rank] % 5};
        begin(&world, &sweep, seed, draws[4] % 12);
        assert_int_equal(run(&world, &summary), STATUS_SYSTEM);
        assert_int_equal(summary.end, DISPATCH_STOPPED);
        assert_int_equal(sweep.notices, world.ranks);
        check_accounts(&sweep, &summary, seed % 3 == 0);
        end(&world);
    }
}

static void sends_all_away_when_the_store_breaks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++) {
        struct world world = {.ranks = rank_counts[seed % 5], .options = dispatch_options_standard()};
        struct fake_sweep sweep = {0};
        struct dispatch_summary summary;
        uint32_t draws[8];
        draw_sweep(&sweep, 100, seed, draws);
        sweep.break_commit = seed % 2 == 0 ? 1 + draws[3] % 50 : 0;
        sweep.break_settled = seed % 2 != 0 && seed % 3 != 0;
        sweep.break_payload = seed % 2 != 0 && seed % 3 == 0;
        for (int rank = 0; rank < world.ranks; rank++)
            world.runners[rank] = (struct fake_runner){.polls = draws[rank] % 20};
        begin(&world, &sweep, seed, draws[4] % 12);
        enum status_code code = run(&world, &summary);
        assert_int_equal(code, sweep.break_payload ? STATUS_INVALID : STATUS_FULL);
        assert_int_equal(summary.end, DISPATCH_STOPPED);
        assert_true(summary.done < 100);
        end(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles_each_job_exactly_once),
        cmocka_unit_test(accounts_for_each_job_when_stopped_at_any_moment),
        cmocka_unit_test(goes_on_without_the_ranks_whose_runner_breaks),
        cmocka_unit_test(fails_when_no_rank_is_left),
        cmocka_unit_test(sends_all_away_when_the_store_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
