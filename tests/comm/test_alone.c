// SPDX-License-Identifier: MIT
// One rank without a launcher.
#include "support.h"

#include "comm.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct comm *open_alone(void)
{
    struct status status = {0};
    struct comm *comm = NULL;
    assert_int_equal(comm_open("build", &comm, &status), STATUS_OK);
    return comm;
}

static void clear_environment(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static void knows_a_launcher_by_its_variables(void **state)
{
    (void)state;
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    clear_environment();
    assert_false(comm_launched());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv(names[i], "0", 1);
        assert_true(comm_launched());
        unsetenv(names[i]);
    }
}

static void is_rank_0_of_1_without_a_launcher(void **state)
{
    (void)state;
    clear_environment();
    struct comm *comm = open_alone();
    assert_int_equal(comm_rank(comm), 0);
    assert_int_equal(comm_size(comm), 1);
    assert_false(comm_busy(comm));
    assert_int_equal(comm_close(comm, NULL), STATUS_OK);
    assert_int_equal(comm_close(NULL, NULL), STATUS_OK);
}

static void refuses_tasks_of_srun_that_do_not_find_each_other(void **state)
{
    (void)state;
    static const struct {
        const char *tasks, *mpirun;
        enum status_code code;
    } cases[] = {
        {"4", NULL, STATUS_INVALID},
        {"1", NULL, STATUS_OK},
        {NULL, NULL, STATUS_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status = {0};
        struct comm *comm = NULL;
        clear_environment();
        if (cases[i].tasks != NULL)
            setenv("SLURM_STEP_NUM_TASKS", cases[i].tasks, 1);
        assert_int_equal(comm_open("build", &comm, &status), cases[i].code);
        assert_int_equal(comm == NULL, cases[i].code != STATUS_OK);
        if (cases[i].code != STATUS_OK)
            assert_non_null(strstr(status.text, "srun --mpi=pmix"));
        assert_int_equal(comm_close(comm, NULL), STATUS_OK);
    }
    clear_environment();
}

// The exit code of a child that does `act`.
static int exit_code_of(int (*act)(void))
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(act());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// What Slurm's other plugins do: there are signs of a launcher, and MPI finds no other rank all the same.
static int open_without_peers(void)
{
    struct status status = {0};
    struct comm *comm = NULL;
    setenv("PMI_RANK", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    enum status_code code = comm_open("build", &comm, &status);
    return code == STATUS_INVALID && comm == NULL && strstr(status.text, "srun started 4 tasks") != NULL ? 0 : 1;
}

static void refuses_tasks_of_srun_that_mpi_leaves_alone(void **state)
{
    (void)state;
    clear_environment();
    assert_int_equal(exit_code_of(open_without_peers), 0);
}

static int abort_alone(void)
{
    struct comm *comm = NULL;
    if (comm_open("build", &comm, NULL) == STATUS_OK)
        comm_abort(comm, 7);
    return 1;
}

static void leaves_with_the_code_of_an_abort(void **state)
{
    (void)state;
    clear_environment();
    assert_int_equal(exit_code_of(abort_alone), 7);
}

static void delivers_messages_to_itself_in_order(void **state)
{
    (void)state;
    struct status status = {0};
    struct bytes message = {0};
    int source = 0;
    struct comm *comm = open_alone();
    assert_int_equal(comm_poll(comm, &message, &source, &status), STATUS_OK);
    assert_int_equal(source, -1);
    assert_int_equal(comm_send(comm, 0, "first", 5, &status), STATUS_OK);
    assert_int_equal(comm_send(comm, 0, NULL, 0, &status), STATUS_OK);
    assert_int_equal(comm_send(comm, 0, "last", 4, &status), STATUS_OK);
    static const char *const expected[] = {"first", "", "last"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(comm_poll(comm, &message, &source, &status), STATUS_OK);
        assert_int_equal(source, 0);
        assert_int_equal(message.size, strlen(expected[i]));
        if (message.size > 0)
            assert_memory_equal(message.data, expected[i], message.size);
    }
    assert_int_equal(comm_poll(comm, &message, &source, &status), STATUS_OK);
    assert_int_equal(source, -1);
    assert_int_equal(message.size, 0);
    bytes_fini(&message);
    assert_int_equal(comm_close(comm, NULL), STATUS_OK);
}

static void frees_messages_that_nobody_received(void **state)
{
    (void)state;
    struct comm *comm = open_alone();
    assert_int_equal(comm_send(comm, 0, "forgotten", 9, NULL), STATUS_OK);
    assert_int_equal(comm_close(comm, NULL), STATUS_OK);
}

static void refuses_ranks_that_do_not_exist_and_endless_messages(void **state)
{
    (void)state;
    struct status status = {0};
    struct comm *comm = open_alone();
    assert_int_equal(comm_send(comm, 1, "x", 1, &status), STATUS_INTERNAL);
    assert_int_equal(comm_send(comm, -1, "x", 1, &status), STATUS_INTERNAL);
    assert_int_equal(comm_send(comm, 0, "x", (size_t)COMM_MESSAGE_LIMIT + 1, &status), STATUS_INTERNAL);
    assert_non_null(strstr(status.text, "limit"));
    assert_int_equal(comm_close(comm, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_a_launcher_by_its_variables),
        cmocka_unit_test(is_rank_0_of_1_without_a_launcher),
        cmocka_unit_test(refuses_tasks_of_srun_that_do_not_find_each_other),
        cmocka_unit_test(refuses_tasks_of_srun_that_mpi_leaves_alone),
        cmocka_unit_test(leaves_with_the_code_of_an_abort),
        cmocka_unit_test(delivers_messages_to_itself_in_order),
        cmocka_unit_test(frees_messages_that_nobody_received),
        cmocka_unit_test(refuses_ranks_that_do_not_exist_and_endless_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
