// SPDX-License-Identifier: MIT
#include "support.h"

#include "cli_sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "sweep: choice\n"
                           "replicates: 2\n"
                           "twins: false\n"
                           "grid:\n"
                           "  snr: [1, 4]\n"
                           "  encoding: [none, rope]\n"
                           "  train_length: 8\n"
                           "  test_length: [1x, 4x]\n"
                           "zip:\n"
                           "  size: {head_dim: [8, 16], learning_rate: [0.1, 0.05]}\n"
                           "exclude:\n"
                           "  - {snr: 1, encoding: rope, head_dim: 16}\n";

static int load_text(const char *yaml, void **state)
{
    char path[] = "/tmp/lgsweep-select-XXXXXX";
    struct cli_sweep *sweep = calloc(1, sizeof *sweep);
    struct status status = {0};
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, yaml, strlen(yaml)) != (ssize_t)strlen(yaml))
        return -1;
    close(fd);
    enum status_code code = cli_sweep_load(path, CLI_GRID_LIMIT, sweep, &status);
    if (code)
        print_error("%s\n", status.text);
    unlink(path);
    *state = sweep;
    return (int)code;
}

static int load(void **state)
{
    return load_text(text, state);
}

static int unload(void **state)
{
    cli_sweep_fini(*state);
    free(*state);
    return 0;
}

// Only the model tells how many steps a budget of operations comes to.
static void refuses_more_warm_up_than_a_budget_of_operations_has_steps(void **state)
{
    (void)state;
    static const char long_warmup[] = "task: {kind: accumulator}\n"
                                      "model: {kind: rnn, width: 4}\n"
                                      "train:\n"
                                      "  budget: flops\n"
                                      "  budget_flops: 1e9\n"
                                      "  warmup: %s\n"
                                      "grid: {layers: [1, 2]}\n";
    static const char *const warmups[] = {"0.5", "1", "100000"};
    for (size_t w = 0; w < 3; w++) {
        char path[] = "/tmp/lgsweep-warmup-XXXXXX", written[512];
        struct cli_sweep sweep;
        struct status status = {0};
        const int fd = mkstemp(path), size = snprintf(written, sizeof written, long_warmup, warmups[w]);
        assert_true(fd >= 0 && write(fd, written, (size_t)size) == size);
        close(fd);
        assert_int_equal(cli_sweep_load(path, CLI_GRID_LIMIT, &sweep, &status), w < 2 ? STATUS_OK : STATUS_INVALID);
        if (w == 2) {
            assert_non_null(strstr(status.text, ":6:3: warmup is 100000 steps, but budget_flops = 1e+09 are "));
            assert_non_null(strstr(status.text, "; lower the one or raise the other (at layers=1 replicate=0)"));
        }
        cli_sweep_fini(&sweep);
        unlink(path);
    }
}

static void finds_the_trial_that_is_named(void **state)
{
    const struct grid_trial *trial = NULL;
    struct status status = {0};
    int64_t length = -1;
    assert_int_equal(cli_select(*state, "encoding=rope,snr=4.0,head_dim=16", &trial, &length, &status), STATUS_OK);
    assert_true(trial->settings.task.snr == 4);
    assert_int_equal(trial->settings.model.encoding, ENCODING_ROPE);
    assert_int_equal(trial->settings.model.head_dim, 16);
    assert_true(trial->settings.train.learning_rate == 0.05);
    assert_int_equal(trial->settings.replicate, 0);
    assert_int_equal(length, 0);
}

static void takes_replicate_and_test_length(void **state)
{
    const struct grid_trial *trial = NULL;
    struct status status = {0};
    int64_t length = -1;
    const char *select = "snr=1,encoding=none,learning_rate=0.1,replicate=1,test_length=32,train_length=8";
    assert_int_equal(cli_select(*state, select, &trial, &length, &status), STATUS_OK);
    assert_int_equal(trial->settings.replicate, 1);
    assert_int_equal(trial->settings.model.head_dim, 8);
    assert_int_equal(length, 32);
}

static void takes_spaces_and_multiples_of_the_train_length(void **state)
{
    const struct grid_trial *trial = NULL;
    struct status status = {0};
    int64_t length = -1;
    const char *select = " snr = 1, encoding=none , learning_rate=0.1, replicate= 1, test_length=4x";
    assert_int_equal(cli_select(*state, select, &trial, &length, &status), STATUS_OK);
    assert_int_equal(trial->settings.replicate, 1);
    assert_int_equal(trial->settings.model.encoding, ENCODING_NONE);
    assert_int_equal(length, 32);
}

static void tells_a_trial_by_all_its_axes(void **state)
{
    const struct cli_sweep *sweep = *state;
    struct settings settings = grid_trial(sweep->grid, 0)->settings;
    struct bytes line = {0};
    cli_trial_text(&sweep->sweep, &settings, &line);
    bytes_u8(&line, 0);
    assert_string_equal((const char *)line.data,
                        "snr=1 encoding=none train_length=8 head_dim=8 learning_rate=0.1 replicate=0");
    bytes_clear(&line);
    settings.task.noise_rate = 0.25; // outside the axes
    cli_trial_text(&sweep->sweep, &settings, &line);
    bytes_u8(&line, 0);
    assert_non_null(strstr((const char *)line.data, " noise_rate=0.25 replicate=0"));
    bytes_fini(&line);
}

static void refuses_with_the_remedy(void **state)
{
    static const struct {
        const char *select, *says;
    } rows[] = {
        {"", "axis snr is open; snr is one of 1, 4"},
        {"snr=4,head_dim=8", "axis encoding is open; encoding is one of none, rope"},
        {"snr=3,encoding=none,head_dim=8", "no such value on axis snr; snr is one of 1, 4"},
        {"snr=four,encoding=none,head_dim=8", "--select"},
        {"snr=4,encoding=none,head_dim=8,learning_rate=0.05", "no such value on axis size"},
        {"snr=4,encoding=none,head_dim=8,dim=64", "'dim' is no axis of this sweep"},
        {"snr=4,encoding", "'encoding' is not NAME=VALUE"},
        {"snr=4,encoding=none,head_dim=8,replicate=2", "replicate is from 0 to 1"},
        {"snr=4,encoding=none,head_dim=8,replicate=x", "replicate takes a whole number, not 'x'"},
        {"snr=4,encoding=none,head_dim=8,test_length=9", "test length 9 is not asked for"},
        {"snr=4,encoding=none,head_dim=8,test_length=3x", "test length 3x is not asked for"},
        {"snr=4,encoding=none,head_dim=8,test_length=x", "such as 4x, not 'x'"},
        {"snr=1,encoding=rope,head_dim=16", "excludes this setting"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct grid_trial *trial = NULL;
        struct status status = {0};
        int64_t length = -1;
        assert_int_equal(cli_select(*state, rows[i].select, &trial, &length, &status), STATUS_INVALID);
        assert_null(trial);
        assert_int_equal(length, -1);
        if (!strstr(status.text, rows[i].says))
            fail_msg("'%s': '%s' lacks '%s'", rows[i].select, status.text, rows[i].says);
    }
}

static const char machines[] = "sweep: machines\n"
                               "task: {kind: automaton, automaton: table, samples: 8, noise_rate: 0}\n"
                               "model: {kind: rnn, layers: 1}\n"
                               "grid: {width: [4, 8]}\n"
                               "zip:\n"
                               "  machine:\n"
                               "    table: [[[0, 1], [1, 0]], '0 1 1;1 0 1']\n"
                               "    outputs: [[], [1, 0]]\n";

static void reads_lists_however_they_are_written(void **state)
{
    static const char *const first[] = {
        "table=0 1; 1 0,width=4",   "width=4, table=[[0, 1], [1, 0]]", "table=[[00,+1],[1.0,0]], width=4",
        "width=4,table= 0  1;1 0 ", "table=[0 1; 1 0],width=4",        "width=4,outputs=",
        "outputs=[],width=4"};
    (void)state;
    void *loaded = NULL;
    assert_int_equal(load_text(machines, &loaded), 0);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        const struct grid_trial *trial = NULL;
        struct status status = {0};
        int64_t length;
        if (cli_select(loaded, first[i], &trial, &length, &status))
            fail_msg("'%s': %s", first[i], status.text);
        assert_string_equal(trial->settings.task.table, "0 1; 1 0");
        assert_int_equal(trial->settings.model.width, 4);
    }
    unload(&loaded);
}

static void says_how_lists_and_blocks_are_chosen(void **state)
{
    static const char *const rows[][2] = {
        {"machine=0,width=4", "'machine' is a zip block, which is chosen by its settings: table, outputs"},
        {"table=[[0, 1], [1, 0],width=4", "is no list of rows of integers; write table=0 1; 1 0 or [[0, 1], [1, 0]]"},
        {"table=[[[0, 1], [1, 0]]],width=4", "is no list of rows of integers"},
        {"table=[[0, 1], 1],width=4", "is no list of rows of integers"},
        {"table=[[0, 1]] 2,width=4", "is no list of rows of integers"},
        {"outputs=one,width=4", "'one' is no list of integers; write outputs=0 1 or [0, 1]"},
        {"outputs=0, 1,width=4", "is not NAME=VALUE; integers of a list stand one space apart, or within brackets"},
        {"table=[[0, 1], [0, 1]],width=4", "no such value on axis machine; table is one of 0 1; 1 0, 0 1 1; 1 0 1"},
    };
    (void)state;
    void *loaded = NULL;
    assert_int_equal(load_text(machines, &loaded), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct grid_trial *trial = NULL;
        struct status status = {0};
        int64_t length;
        assert_int_equal(cli_select(loaded, rows[i][0], &trial, &length, &status), STATUS_INVALID);
        if (!strstr(status.text, rows[i][1]))
            fail_msg("'%s': '%s' lacks '%s'", rows[i][0], status.text, rows[i][1]);
    }
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_more_warm_up_than_a_budget_of_operations_has_steps),
        cmocka_unit_test(finds_the_trial_that_is_named),
        cmocka_unit_test(takes_replicate_and_test_length),
        cmocka_unit_test(takes_spaces_and_multiples_of_the_train_length),
        cmocka_unit_test(tells_a_trial_by_all_its_axes),
        cmocka_unit_test(refuses_with_the_remedy),
        cmocka_unit_test(reads_lists_however_they_are_written),
        cmocka_unit_test(says_how_lists_and_blocks_are_chosen),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
