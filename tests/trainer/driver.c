// SPDX-License-Identifier: MIT
#include "driver.h"
#include "base_clock.h"
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct trainer *open_trainer(bool in_process, const char *wrap, double time_limit)
{
    struct trainer_options options = {.in_process = in_process, .wrap = wrap, .time_limit = time_limit};
    struct trainer *trainer = NULL;
    struct status status = {0};
    if (trainer_create(&options, &trainer, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return trainer;
}

static void describe_job(enum script script, int64_t steps, int64_t milliseconds, struct bytes *ret_job)
{
    static const int64_t lengths[] = {8, 16};
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = script;
    settings.replicate = milliseconds;
    settings.train.steps = steps;
    trainer_job_encode(&settings, lengths, 2, NULL, ret_job);
}

void start_script(struct trainer *trainer, enum script script, int64_t steps, int64_t milliseconds)
{
    struct bytes job = {0};
    struct status status = {0};
    describe_job(script, steps, milliseconds, &job);
    if (trainer_start(trainer, job.data, job.size, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    bytes_fini(&job);
}

enum record_run await_end(struct trainer *trainer, struct record *ret_record)
{
    struct record_run_event event = {.state = RUN_RUNNING};
    struct status status = {0};
    double end = clock_now() + 30;
    while (event.state == RUN_RUNNING) {
        struct pollfd news = {.fd = trainer_fd(trainer), .events = POLLIN};
        assert_true(clock_now() < end);
        if (news.fd >= 0)
            poll(&news, 1, 20);
        if (trainer_poll(trainer, &event, &status) != STATUS_OK)
            fail_msg("%s", status.text);
    }
    if (ret_record != NULL)
        assert_int_equal(record_decode(event.record, event.size, ret_record, &status), STATUS_OK);
    return event.state;
}

enum record_run run_script(struct trainer *trainer, enum script script, struct record *ret_record)
{
    start_script(trainer, script, 5, 0);
    return await_end(trainer, ret_record);
}

int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count - 3;
}

bool process_exists(int pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state != 'Z' && state != 'X';
}

bool process_ends(int pid)
{
    double end = clock_now() + 2;
    while (process_exists(pid) && clock_now() < end)
        clock_sleep(1e-3);
    return !process_exists(pid);
}

int driver_main(int count, char **arguments, int (*all_tests)(void))
{
    if (count > 1 && strcmp(arguments[1], "trainer") == 0)
        return trainer_command(count - 2, arguments + 2);
    return all_tests();
}
