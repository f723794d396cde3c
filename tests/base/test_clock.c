// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_clock.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static void time_passes_while_sleeping(void **state)
{
    (void)state;
    double now = clock_now(), cpu = clock_cpu(), wall = clock_wall();
    clock_sleep(0.03);
    assert_true(clock_now() - now >= 0.03);
    assert_true(clock_wall() - wall >= 0.02);
    assert_true(clock_cpu() - cpu < 0.02);
}

static void processor_time_passes_while_working(void **state)
{
    (void)state;
    double cpu = clock_cpu(), now = clock_now();
    volatile double sum = 0;
    while (clock_cpu() - cpu < 0.01)
        sum = sum + 1;
    assert_true(clock_now() - now >= 0.009);
}

static void *work(void *unused)
{
    const double cpu = clock_cpu();
    volatile double sum = 0;
    while (clock_cpu() - cpu < 0.02)
        sum = sum + 1;
    return unused;
}

static void another_thread_takes_the_process_its_time_but_not_this_thread(void **state)
{
    (void)state;
    pthread_t thread;
    const double cpu = clock_cpu(), own = clock_thread();
    assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(clock_cpu() - cpu >= 0.02);
    assert_true(clock_thread() - own < 0.01);
    const double before = clock_thread();
    work(NULL);
    assert_true(clock_thread() - before > 0.01);
}

static void wall_counts_from_1970(void **state)
{
    (void)state;
    assert_true(clock_wall() > 1.7e9 && clock_wall() < 1e11);
}

static void no_time_needs_no_sleep(void **state)
{
    (void)state;
    double now = clock_now();
    clock_sleep(0);
    clock_sleep(-5);
    clock_sleep(NAN);
    assert_true(clock_now() - now < 4);
}

static void ignore(int number)
{
    (void)number;
}

static void sleeps_on_after_a_signal(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = ignore}, old;
    struct itimerval timer = {.it_interval = {0, 5000}, .it_value = {0, 5000}};
    sigaction(SIGALRM, &action, &old);
    setitimer(ITIMER_REAL, &timer, NULL);
    double now = clock_now();
    clock_sleep(0.05);
    double slept = clock_now() - now;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_true(slept >= 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_passes_while_sleeping),
        cmocka_unit_test(processor_time_passes_while_working),
        cmocka_unit_test(another_thread_takes_the_process_its_time_but_not_this_thread),
        cmocka_unit_test(wall_counts_from_1970),
        cmocka_unit_test(no_time_needs_no_sleep),
        cmocka_unit_test(sleeps_on_after_a_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
