// SPDX-License-Identifier: MIT
// A bar on a terminal; plain lines at growing intervals elsewhere.
#include "base_clock.h"
#include "base_text.h"
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void describe(const struct dispatch_figures *at, char *ret_text, size_t size)
{
    char eta[TEXT_NUMBER_SIZE], elapsed[TEXT_NUMBER_SIZE];
    size_t over = at->done + at->failed;
    int length = snprintf(ret_text, size, "%zu of %zu trials", over, at->total);
    if (at->failed)
        length += snprintf(ret_text + length, size - (size_t)length, ", %zu failed", at->failed);
    length += snprintf(ret_text + length, size - (size_t)length, ", %d at work, %s", at->workers,
                       text_duration(at->elapsed, elapsed));
    if (at->draining)
        length += snprintf(ret_text + length, size - (size_t)length, ", stopping");
    else if (isfinite(at->eta) && over < at->total)
        length += snprintf(ret_text + length, size - (size_t)length, ", about %s left", text_duration(at->eta, eta));
    if (at->silent)
        snprintf(ret_text + length, size - (size_t)length, ", %d without a sign of life", at->silent);
}

static void draw_bar(struct run_progress *progress, const struct dispatch_figures *at, const char *text)
{
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    double share = at->total_cost > 0 ? at->done_cost / at->total_cost : 1;
    int full = (int)(share * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = 0;
    int columns = cli_columns();
    fprintf(stderr, "\r[%s] %.*s\033[K", bar, columns > WIDTH + 4 ? columns - WIDTH - 4 : 0, text);
    fflush(stderr);
    progress->drawn = 1;
}

void run_progress_show(struct run_progress *progress, const struct dispatch_figures *figures)
{
    char text[256];
    if (progress->quiet || !cli_takes_line(STDERR_FILENO, 0))
        return;
    describe(figures, text, sizeof text);
    if (progress->terminal) {
        draw_bar(progress, figures, text);
        return;
    }
    if (figures->elapsed < progress->next)
        return;
    if (progress->interval > 0)
        fprintf(stderr, "lgsweep: %s\n", text);
    progress->interval = progress->interval > 0 ? fmin(progress->interval * 1.5, 60) : 2;
    progress->next = figures->elapsed + progress->interval;
}

void run_progress_clear(struct run_progress *progress)
{
    if (progress->drawn && cli_takes_line(STDERR_FILENO, 0))
        fprintf(stderr, "\r\033[K");
    progress->drawn = 0;
}

void run_progress_line(struct run_progress *progress, const char *text)
{
    run_progress_clear(progress);
    if (cli_takes_line(STDERR_FILENO, 0))
        fprintf(stderr, "%s\n", text);
}

static void show_figures(void *self, const struct dispatch_figures *figures)
{
    struct run *run = self;
    run_publish_poll(run, clock_now());
    run_progress_show(&run->progress, figures);
}

static void show_notice(void *self, const char *text)
{
    struct run *run = self;
    char line[512];
    snprintf(line, sizeof line, "lgsweep: %s", text);
    run_progress_line(&run->progress, line);
}

struct dispatch_watch run_watch(struct run *run)
{
    return (struct dispatch_watch){run, show_figures, show_notice};
}
