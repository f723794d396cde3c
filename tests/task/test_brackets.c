// SPDX-License-Identifier: MIT
#include "token_cases.h"

#include <math.h>

enum { N = 20, SAMPLES = 2000 };

static struct settings brackets(const char *types, const char *depth, const char *test_depth, const char *supervision)
{
    const char *const pairs[CASE_SETTINGS][2] = {{"task", "brackets"},
                                                 {"bracket_types", types},
                                                 {"depth", depth},
                                                 {"test_depth", test_depth},
                                                 {"supervision", supervision}};
    struct settings settings = case_settings(pairs);
    settings.task.noise_rate = 0;
    return settings;
}

// Position of the innermost bracket that is open after `count` symbols, -1 for none, by looking back for one whose
// inside is balanced.
static long innermost_open(const int32_t *tokens, long count, int types)
{
    long closed = 0;
    for (long t = count - 1; t >= 0; t--) {
        if (tokens[t] >= types)
            closed++;
        else if (closed-- == 0)
            return t;
    }
    return -1;
}

static long open_after(const int32_t *tokens, long count, int types)
{
    long open = 0;
    for (long t = 0; t < count; t++)
        open += tokens[t] < types ? 1 : -1;
    return open;
}

static void targets_are_the_kind_of_the_innermost_open_bracket(void **state)
{
    static const char *const rows[][2] = {{"2", "4"}, {"5", "1"}, {"3", "256"}, {"1024", "2"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = brackets(rows[r][0], rows[r][1], "0", "steps");
        struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        for (long i = 0; i < SAMPLES; i++)
            for (long t = 0; t < N; t++) {
                const int32_t *tokens = batch.tokens + i * N;
                const long at = innermost_open(tokens, t + 1, (int)settings.task.bracket_types);
                assert_int_equal(batch.clean[i * N + t], at < 0 ? 0 : 1 + tokens[at]);
            }
    }
}

static void every_prefix_is_valid_and_reaches_the_depth_of_its_split(void **state)
{
    static const struct {
        const char *depth, *test_depth;
        long most[3]; // training, validation, test
    } rows[] = {{"4", "0", {4, 4, 4}}, {"3", "7", {3, 3, 7}}, {"3", "2", {3, 3, 2}}, {"1", "1", {1, 1, 1}}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int split = SPLIT_TRAIN; split <= SPLIT_TEST; split++) {
            struct settings settings = brackets("3", rows[r].depth, rows[r].test_depth, "steps");
            struct batch batch = make_batch(&settings, (enum task_split)split, N, 0, SAMPLES, *state);
            long most = 0;
            for (long i = 0; i < SAMPLES; i++)
                for (long t = 0; t < N; t++) {
                    const int32_t *tokens = batch.tokens + i * N;
                    const long open = open_after(tokens, t + 1, 3);
                    assert_true(open >= 0);
                    most = open > most ? open : most;
                    if (tokens[t] >= 3)
                        assert_int_equal(tokens[t] - 3, tokens[innermost_open(tokens, t, 3)]);
                }
            assert_int_equal(most, rows[r].most[split]);
        }
}

static void opening_and_closing_are_equally_likely_and_kinds_uniform(void **state)
{
    struct settings settings = brackets("3", "3", "0", "steps");
    struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    long free_moves = 0, opened = 0, kind[3] = {0}, all = 0;
    for (long i = 0; i < SAMPLES; i++)
        for (long t = 0; t < N; t++) {
            const int32_t *tokens = batch.tokens + i * N;
            const long open = open_after(tokens, t, 3);
            const bool opens = tokens[t] < 3;
            assert_true(open > 0 || opens);
            assert_true(open < 3 || !opens);
            free_moves += open > 0 && open < 3;
            opened += open > 0 && open < 3 && opens;
            all += opens;
            if (opens)
                kind[tokens[t]]++;
        }
    assert_true(fabs((double)opened / (double)free_moves - 0.5) < 4 * sqrt(0.25 / (double)free_moves));
    for (int k = 0; k < 3; k++)
        assert_true(fabs((double)kind[k] / (double)all - 1.0 / 3) < 4 * sqrt(2.0 / 9 / (double)all));
}

static void where_the_innermost_opened_is_relevant(void **state)
{
    for (long length = N - 1; length <= N; length++) {
        struct settings settings = brackets("2", "4", "0", "final");
        struct batch batch = make_batch(&settings, SPLIT_VALIDATION, length, 0, SAMPLES, *state);
        long closed = 0;
        assert_int_equal(batch.relevant_count, 1);
        for (long i = 0; i < SAMPLES; i++) {
            const long at = innermost_open(batch.tokens + i * length, length, 2);
            assert_int_equal(batch.relevant[i], at < 0 ? length - 1 : at);
            closed += at < 0;
        }
        assert_int_equal(closed > 0, length % 2 == 0);
    }
}

static void each_target_names_where_its_bracket_opened(void **state)
{
    struct settings settings = brackets("2", "4", "0", "steps");
    struct batch batch = make_batch(&settings, SPLIT_VALIDATION, N, 0, SAMPLES, *state);
    assert_true(batch.relevant_count == 1 && batch.relevant_each);
    for (long i = 0; i < SAMPLES; i++)
        for (long t = 0; t < N; t++)
            assert_int_equal(batch.relevant[i * N + t], innermost_open(batch.tokens + i * N, t + 1, 2));
}

static void depth_changes_no_draw_before_it_is_reached(void **state)
{
    struct settings shallow = brackets("2", "3", "0", "steps"), deep = brackets("2", "9", "0", "steps");
    struct batch a = make_batch(&shallow, SPLIT_TRAIN, N, 0, SAMPLES, *state),
                 b = make_batch(&deep, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    for (long i = 0; i < SAMPLES; i++)
        for (long t = 0; t < N && open_after(b.tokens + i * N, t, 2) < 3; t++)
            assert_int_equal(a.tokens[i * N + t], b.tokens[i * N + t]);
}

static void chance_errors_are_those_known_in_closed_form(void **state)
{
    (void)state;
    static const struct {
        const char *types, *depth, *test_depth, *supervision;
        long length;
        double chance;
    } rows[] = {
        {"2", "4", "0", "final", 1, 0.5},
        {"2", "4", "0", "final", 2, 0.5},      // none with 1/2
        {"2", "4", "0", "steps", 4, 0.53125},  // none at 2 and 4 with 1/2 and 3/8
        {"4", "1", "0", "steps", 1000, 0.375}, // one open, then none, in turn
        {"4", "1", "4", "final", 2, 0.5},
        {"2", "4", "1", "final", 3, 0.5},
        // None and a full stack are half as likely as what lies between, here 1/4 and 1/2 at even lengths.
        {"2", "4", "0", "final", 1 << 24, 0.625},
        {"2", "4", "0", "steps", 1 << 24, 0.5625},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = brackets(rows[r].types, rows[r].depth, rows[r].test_depth, rows[r].supervision);
        const double chance = task_chance_error(&settings, rows[r].length);
        assert_true(fabs(chance - rows[r].chance) < (rows[r].length > 1000 ? 1e-6 : 1e-14));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(targets_are_the_kind_of_the_innermost_open_bracket),
        ROW(every_prefix_is_valid_and_reaches_the_depth_of_its_split),
        ROW(opening_and_closing_are_equally_likely_and_kinds_uniform),
        ROW(where_the_innermost_opened_is_relevant),
        ROW(each_target_names_where_its_bracket_opened),
        ROW(depth_changes_no_draw_before_it_is_reached),
        ROW(chance_errors_are_those_known_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
