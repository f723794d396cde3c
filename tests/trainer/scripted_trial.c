// SPDX-License-Identifier: MIT
#include "scripted_trial.h"
#include "base_clock.h"
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct trial {
    struct settings settings;
    int64_t step;
    char *hoard;
};

enum status_code trial_create(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                              struct trial **ret_trial, struct status *status)
{
    (void)lengths;
    if (settings->seed == SCRIPT_INVALID)
        return status_set(status, STATUS_INVALID, "settings that do not go together (%zu lengths)", lengths_count);
    struct trial *trial = calloc(1, sizeof *trial);
    if (trial == NULL)
        return status_set(status, STATUS_MEMORY, "no memory");
    trial->settings = *settings;
    *ret_trial = trial;
    return STATUS_OK;
}

void trial_destroy(struct trial *trial)
{
    if (trial == NULL)
        return;
    free(trial->hoard);
    free(trial);
}

static int sink_hole; // keeps the compiler from seeing through what follows

__attribute__((noinline)) static int overflow(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    sink_hole = depth < 0 ? 0 : overflow(depth + 1) + frame[0];
    return sink_hole;
}

static void whine(void)
{
    for (int i = 0; i < 1000; i++)
        fprintf(stderr, "%099d\n", i);
    printf("and this on standard output\n");
    fflush(stdout);
    fprintf(stderr, "the last words: \x1b[31m\xff tensor 7\n\n");
    abort();
}

static enum status_code hoard(struct trial *trial, struct status *status)
{
    for (size_t size = 1 << 24;; size += 1 << 24) {
        char *more = realloc(trial->hoard, size);
        if (more == NULL)
            return status_set(status, STATUS_MEMORY, "no memory for %zu bytes", size);
        trial->hoard = more;
        memset(more + size - (1 << 24), 1, 1 << 24);
    }
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count - 3; // without ".", ".." and the folder's own
}

// What the test of the child's surroundings looks at, as "name=value" words.
static enum status_code inspect(struct status *status)
{
    static const int asking[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction action;
    sigset_t blocked;
    int ignored = 0, death = 0, oom = 0;
    cpu_set_t cpus;
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        ignored += sigaction(asking[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    prctl(PR_GET_PDEATHSIG, &death);
    FILE *file = fopen("/proc/self/oom_score_adj", "r");
    if (file == NULL || fscanf(file, "%d", &oom) != 1)
        oom = -1;
    if (file != NULL)
        fclose(file);
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    return status_set(status, STATUS_INTERNAL,
                      "launcher=%s kept=%s ignored=%d blocked=%d death=%d oom=%d fds=%d cpus=%d",
                      getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("SLURM_PROCID") ? "yes" : "no",
                      getenv("LGSWEEP_KEPT") != NULL ? getenv("LGSWEEP_KEPT") : "", ignored,
                      sigismember(&blocked, SIGTERM), death, oom, count_descriptors(), CPU_COUNT(&cpus));
}

static enum status_code make_trouble(struct trial *trial, struct status *status)
{
    volatile int zero = 0;
    switch (trial->settings.seed) {
    case SCRIPT_ABORT:
        abort();
    case SCRIPT_SEGV:
        raise(SIGSEGV);
        break;
    case SCRIPT_OVERFLOW:
        return overflow(1) == 0 ? STATUS_OK : STATUS_INTERNAL;
    case SCRIPT_FPE:
        raise(SIGFPE);
        return (enum status_code)zero;
    case SCRIPT_EXIT:
        _exit(3);
    case SCRIPT_WHINE:
        whine();
        break;
    case SCRIPT_HANG:
        for (;;)
            clock_sleep(1);
    case SCRIPT_GARBAGE:
        if (write(4, "this is not a frame, for sure", 29) == 29)
            clock_sleep(60);
        break;
    case SCRIPT_FAIL:
        return status_set(status, STATUS_INTERNAL, "the trial cannot go on");
    case SCRIPT_HUNGRY:
        return hoard(trial, status);
    case SCRIPT_INSPECT:
        return inspect(status);
    default:
        break;
    }
    return STATUS_OK;
}

enum status_code trial_advance(struct trial *trial, double seconds, bool *ret_done, struct status *status)
{
    (void)seconds;
    enum status_code code = trial->step == 3 ? make_trouble(trial, status) : STATUS_OK;
    if (code != STATUS_OK)
        return code;
    clock_sleep(1e-3 * (double)trial->settings.replicate);
    trial->step++;
    *ret_done = trial->step >= trial->settings.train.steps;
    return STATUS_OK;
}

void trial_progress(const struct trial *trial, struct trial_progress *ret_progress)
{
    *ret_progress = (struct trial_progress){.step = trial->step, .steps = trial->settings.train.steps};
}

enum status_code trial_save(const struct trial *trial, struct bytes *ret_state, struct status *status)
{
    (void)status;
    bytes_u64(ret_state, (uint64_t)trial->step);
    return STATUS_OK;
}

enum status_code trial_load(struct trial *trial, const void *state, size_t size, struct status *status)
{
    struct bytes_reader reader = bytes_reader(state, size);
    (void)status;
    trial->step = (int64_t)bytes_read_u64(&reader);
    return STATUS_OK;
}

enum status_code trial_record(const struct trial *trial, struct record *ret_record, struct status *status)
{
    struct settings settings = trial->settings;
    settings.task.samples += settings.seed == SCRIPT_FOREIGN;
    record_init(ret_record, &settings);
    ret_record->status = RECORD_DONE;
    struct record_part *part = record_part(ret_record, RECORD_TRAINING, 0, true);
    uint32_t extents[4] = {settings.seed == SCRIPT_LARGE ? 1u << 20 : 5};
    if (part == NULL || record_add(part, FIELD_TRAIN_LOSS, extents) == NULL)
        return status_set(status, STATUS_MEMORY, "no memory");
    return STATUS_OK;
}

double trial_cost(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    (void)settings;
    (void)lengths;
    return (double)lengths_count;
}

double trial_memory(const struct settings *settings, const int64_t *lengths, size_t lengths_count)
{
    (void)lengths;
    (void)lengths_count;
    return settings->seed == SCRIPT_HUGE ? 1e18 : 1e6;
}
