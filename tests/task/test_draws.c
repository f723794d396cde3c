// SPDX-License-Identifier: MIT
// How training sequences draw their lengths.
#include "lengths_fixture.h"

#include "base_random.h"
#include <stdio.h>

// Counts of lengths 0 … N.
static void count_lengths(const struct task_set *set, long samples, long ret_count[N + 1])
{
    memset(ret_count, 0, (N + 1) * sizeof *ret_count);
    for (long i = 0; i < samples; i++) {
        const long length = task_length(set, i);
        assert_in_range(length, 1, N);
        assert_int_equal(task_tokens(set, i), length);
        ret_count[length]++;
    }
}

// A table whose answers differ where the number of symbols is 1 modulo `period` alone.
static void put_wheel(struct settings *settings, int period, char text[4096])
{
    size_t used = (size_t)sprintf(text, "1 2");
    for (int state = 1; state <= 2; state++)
        used += (size_t)sprintf(text + used, "; %d %d", period == 2 ? 0 : 3, period == 2 ? 0 : 3);
    for (int state = 3; state <= period; state++)
        used += (size_t)sprintf(text + used, "; %d %d", state < period ? state + 1 : 0, state < period ? state + 1 : 0);
    static char outputs[1024];
    used = (size_t)sprintf(outputs, "0 0 1");
    for (int state = 3; state <= period; state++)
        used += (size_t)sprintf(outputs + used, " 0");
    put_setting(settings, "task", "automaton");
    put_setting(settings, "automaton", "table");
    put_setting(settings, "supervision", "final");
    settings->task.table = text;
    settings->task.outputs = outputs;
}

static void lengths_are_distributed_as_stated(void **state)
{
    (void)state;
    struct settings uniform = settings_of("uniform"), exponential = settings_of("exponential"),
                    list = settings_of("list");
    uniform.task.min_length = exponential.task.min_length = 3;
    list.task.lengths = "5 7 7 20";
    double all = 0;
    for (int l = 3; l <= N; l++)
        all += exp(-3.0 * l / N);
    const struct settings *cases[] = {&uniform, &exponential, &list};
    for (int c = 0; c < 3; c++) {
        long count[N + 1];
        check(cases[c]);
        const struct task_set set = set_of(cases[c]);
        count_lengths(&set, SAMPLES, count);
        for (int l = 1; l <= N; l++) {
            const double shares[] = {l < 3 ? 0 : 1.0 / (N - 2), l < 3 ? 0 : exp(-3.0 * l / N) / all,
                                     l == 7              ? 0.5
                                     : l == 5 || l == 20 ? 0.25
                                                         : 0};
            assert_share(count[l], SAMPLES, shares[c]);
        }
    }
}

static void lengths_that_a_task_cannot_make_are_left_out(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "task", "automaton");
    put_setting(&settings, "automaton", "modular_arithmetic");
    put_setting(&settings, "supervision", "final");
    settings.task.train_length = N - 1;
    check(&settings);
    struct task_set set = set_of(&settings);
    long count[N + 1];
    count_lengths(&set, SAMPLES, count);
    for (int l = 1; l < N; l++)
        assert_share(count[l], SAMPLES, l % 2 ? 0.1 : 0);
    put_setting(&settings, "automaton", "even_pairs");
    set = set_of(&settings);
    count_lengths(&set, SAMPLES, count);
    assert_int_equal(count[1], 0);
    assert_share(count[2], SAMPLES, 1.0 / (N - 2));
}

// However few the lengths that are possible, they keep their proportions.
static void rare_lengths_keep_their_proportions(void **state)
{
    (void)state;
    static const char *const distributions[] = {"uniform", "exponential"};
    char text[4096];
    for (size_t d = 0; d < 2; d++)
        for (int c = 0; c < 4; c++) {
            static const struct {
                int64_t train_length, first, step;
            } rows[] = {{110, 101, 1}, {1010, 1001, 1}, {211, 1, 70}, {601, 1, 200}};
            struct settings settings = settings_of(distributions[d]);
            settings.task.train_length = rows[c].train_length;
            settings.task.operand_offset = rows[c].first - 1;
            put_setting(&settings, "task", "addition");
            if (rows[c].step > 1)
                put_wheel(&settings, (int)rows[c].step, text);
            check(&settings);
            const struct task_set set = set_of(&settings);
            long count[1024] = {0};
            double all = 0;
            for (long i = 0; i < SAMPLES; i++)
                count[task_length(&set, i)]++;
            const double rate = d ? 3.0 / (double)settings.task.train_length : 0;
            for (int64_t l = rows[c].first; l <= settings.task.train_length; l += rows[c].step)
                all += exp(-rate * (double)l);
            for (int64_t l = 1; l <= settings.task.train_length; l++) {
                const bool possible = l >= rows[c].first && (l - rows[c].first) % rows[c].step == 0;
                assert_int_equal(settings_length_possible(&settings, l), possible);
                assert_share(count[l], SAMPLES, possible ? exp(-rate * (double)l) / all : 0);
            }
        }
}

// What the set found out once is what is asked for each length.
static void possible_lengths_are_those_of_each_alone(void **state)
{
    (void)state;
    char text[4096];
    static uint64_t possible[LENGTH_WORDS];
    for (int c = 0; c < 6; c++)
        for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
            static const char *const kinds[] = {"even_pairs", "modular_arithmetic", "parity"};
            struct settings settings = settings_of("uniform");
            put_setting(&settings, "task", "automaton");
            if (c < 3)
                put_setting(&settings, "automaton", kinds[c]);
            else
                put_wheel(&settings, c, text);
            settings.task.supervision = supervision;
            settings_lengths_possible(&settings, 300, possible);
            for (int64_t l = 1; l < 400; l++)
                assert_int_equal(length_is_in(possible, l), l <= 300 && settings_length_possible(&settings, l));
            settings.task.min_length = 9;
            int64_t shortest = 9;
            while (!settings_length_possible(&settings, shortest))
                shortest++;
            assert_int_equal(settings_shortest_length(&settings), shortest);
        }
}

// The draw of a sample is the first attempt of its number, whatever else the settings say.
static void draws_are_inverses_of_the_distribution(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    settings.task.min_length = 4;
    const struct task_set set = set_of(&settings);
    const struct random_key key = random_key(settings.seed, settings_data_seed(&settings), "train/length");
    for (uint64_t i = 0; i < 200; i++) {
        const double u = random_uniform(key, i, 0, 0);
        assert_int_equal(task_length(&set, (long)i), 4 + (long)(u * (N - 3)));
    }
}

static void a_curriculum_cuts_the_distribution(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "data", "stream");
    put_setting(&settings, "curriculum", "schedule");
    put_setting(&settings, "curriculum_start", "4");
    put_setting(&settings, "curriculum_keep", "0.25");
    check(&settings);
    struct task_set set = set_of(&settings);
    long count[N + 1];
    set.longest = 10;
    count_lengths(&set, SAMPLES, count);
    for (int l = 1; l <= N; l++)
        assert_share(count[l], SAMPLES, l <= 4 ? 0.75 / 10 + 0.25 / 4 : l <= 10 ? 0.75 / 10 : 0);
    put_setting(&settings, "length_distribution", "fixed");
    set = set_of(&settings);
    set.longest = 10;
    count_lengths(&set, SAMPLES, count);
    assert_share(count[10], SAMPLES, 0.75);
    assert_share(count[4], SAMPLES, 0.25);
}

static void a_batch_may_share_one_length(void **state)
{
    (void)state;
    struct settings settings = settings_of("uniform");
    put_setting(&settings, "data", "stream");
    put_setting(&settings, "batch_size", "8");
    put_setting(&settings, "length_mixing", "batches");
    const struct task_set set = set_of(&settings);
    long count[N + 1] = {0};
    for (long batch = 0; batch < SAMPLES / 8; batch++) {
        struct batch made = make(&settings, SPLIT_TRAIN, N, batch * 8, 8, *state);
        assert_null(made.offsets);
        assert_int_equal(made.length, task_length(&set, batch * 8 + 5));
        count[made.length]++;
    }
    for (int l = 1; l <= N; l++)
        assert_share(count[l], SAMPLES / 8, 1.0 / N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(lengths_are_distributed_as_stated),      ROW(lengths_that_a_task_cannot_make_are_left_out),
        ROW(rare_lengths_keep_their_proportions),    ROW(possible_lengths_are_those_of_each_alone),
        ROW(draws_are_inverses_of_the_distribution), ROW(a_curriculum_cuts_the_distribution),
        ROW(a_batch_may_share_one_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
