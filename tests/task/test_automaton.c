// SPDX-License-Identifier: MIT
// Targets and symbols of each automaton against its definition in straight loops.
#include "token_cases.h"

#include <math.h>

enum { N = 21, SAMPLES = 500 };

static struct settings automaton(const char *name, const char *order, const char *symbols, const char *supervision)
{
    const char *const pairs[CASE_SETTINGS][2] = {{"task", "automaton"},
                                                 {"automaton", name},
                                                 {"order", order},
                                                 {"group_symbols", symbols},
                                                 {"supervision", supervision}};
    struct settings settings = case_settings(pairs);
    settings.task.noise_rate = 0;
    return settings;
}

static int parity(const int32_t *tokens, long count)
{
    int ones = 0;
    for (long t = 0; t < count; t++)
        ones += tokens[t] == 1;
    return ones % 2;
}

static int cycle_navigation(const int32_t *tokens, long count)
{
    long place = 0;
    for (long t = 0; t < count; t++)
        place += tokens[t] == 1 ? 1 : tokens[t] == 2 ? -1 : 0;
    return (int)((place % 5 + 5) % 5);
}

static int even_pairs(const int32_t *tokens, long count)
{
    int unequal = 0;
    for (long t = 1; t < count; t++)
        unequal += tokens[t] != tokens[t - 1];
    return unequal % 2;
}

// Signed terms, each a product of all that follows without + or -; exact, for terms stay below 4^11.
static int modular_arithmetic(const int32_t *tokens, long count)
{
    long sum = 0;
    count -= count % 2 == 0;
    for (long t = 0; t < count;) {
        long term = t > 0 && tokens[t - 1] == 6 ? -tokens[t] : tokens[t];
        for (t += 2; t < count && tokens[t - 1] == 7; t += 2)
            term *= tokens[t];
        sum += term;
    }
    return (int)((sum % 5 + 5) % 5);
}

static int flip_flop(const int32_t *tokens, long count)
{
    while (tokens[count - 1] == 0)
        count--;
    return tokens[count - 1] - 1;
}

static void targets_are_those_of_the_definition(void **state)
{
    static const struct {
        const char *name;
        int (*answer)(const int32_t *tokens, long count);
    } rows[] = {
        {"parity", parity},         {"cycle_navigation", cycle_navigation},
        {"even_pairs", even_pairs}, {"modular_arithmetic", modular_arithmetic},
        {"flip_flop", flip_flop},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = automaton(rows[r].name, "5", "elements", "steps");
        struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        for (long i = 0; i < SAMPLES; i++)
            for (long t = 0; t < N; t++)
                assert_int_equal(batch.clean[i * N + t], rows[r].answer(batch.tokens + i * N, t + 1));
    }
}

static void cyclic_words_are_sums(void **state)
{
    static const char *const orders[] = {"2", "7", "256"};
    for (size_t o = 0; o < 3; o++)
        for (int generators = 0; generators < 2; generators++) {
            struct settings settings = automaton("cyclic", orders[o], generators ? "generators" : "elements", "steps");
            struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
            for (long i = 0; i < SAMPLES; i++)
                for (long t = 0, sum = 0; t < N; t++) {
                    sum += batch.tokens[i * N + t];
                    assert_int_equal(batch.clean[i * N + t], sum % settings.task.order);
                }
        }
}

// Corner c of a polygon with n corners is mirrored to -c and then turned.
static void dihedral_words_move_corners(void **state)
{
    static const char *const orders[] = {"3", "4", "17"};
    for (size_t o = 0; o < 3; o++)
        for (int generators = 0; generators < 2; generators++) {
            struct settings settings =
                automaton("dihedral", orders[o], generators ? "generators" : "elements", "steps");
            struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
            const int n = (int)settings.task.order;
            for (long i = 0; i < SAMPLES; i++) {
                int corner[2] = {0, 1}; // where the first two corners have gone
                for (long t = 0; t < N; t++) {
                    const int token = batch.tokens[i * N + t], answer = batch.clean[i * N + t];
                    const int element = !generators ? token : token == 0 ? 1 : n;
                    for (int c = 0; c < 2; c++) {
                        corner[c] = ((element < n ? corner[c] : n - corner[c]) + element % n) % n;
                        assert_int_equal(corner[c], ((answer < n ? c : n - c) + answer % n) % n);
                    }
                }
            }
        }
}

// All permutations, the even ones alone for A_5, in lexicographic order, found by trying all digits.
static int list_permutations(int points, bool even, int ret_list[120][5])
{
    int count = 0, most = 1;
    for (int i = 0; i < points; i++)
        most *= points;
    for (int code = 0; code < most; code++) {
        int digit[5], seen = 0, inversions = 0;
        for (int i = points - 1, rest = code; i >= 0; i--, rest /= points) {
            digit[i] = rest % points;
            seen |= 1 << digit[i];
        }
        for (int i = 0; i < points; i++)
            for (int j = i + 1; j < points; j++)
                inversions += digit[j] < digit[i];
        if (seen == (1 << points) - 1 && (!even || inversions % 2 == 0))
            memcpy(ret_list[count++], digit, sizeof digit);
    }
    return count;
}

static const int *moves_of(const char *name, bool generators, int token, int points, int list[120][5])
{
    static const int swap[5] = {1, 0, 2, 3, 4}, three[5] = {1, 2, 0, 3, 4},
                     round[6][5] = {
                         [3] = {1, 2, 0},
                         [4] = {1, 2, 3, 0},
                         [5] = {1, 2, 3, 4, 0},
                     };
    if (!generators)
        return list[token];
    return token == 1 ? round[points] : strcmp(name, "alternating5") == 0 ? three : swap;
}

static void permutation_words_move_points(void **state)
{
    static const struct {
        const char *name, *order;
        int points, count;
    } rows[] = {
        {"symmetric", "3", 3, 6},
        {"symmetric", "4", 4, 24},
        {"symmetric", "5", 5, 120},
        {"alternating5", "9", 5, 60},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int generators = 0; generators < 2; generators++) {
            struct settings settings =
                automaton(rows[r].name, rows[r].order, generators ? "generators" : "elements", "steps");
            struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
            int list[120][5] = {{0}};
            assert_int_equal(list_permutations(rows[r].points, r == 3, list), rows[r].count);
            for (long i = 0; i < SAMPLES; i++) {
                int place[5] = {0, 1, 2, 3, 4};
                for (long t = 0; t < N; t++) {
                    const int *moves =
                        moves_of(rows[r].name, generators, batch.tokens[i * N + t], rows[r].points, list);
                    for (int p = 0; p < rows[r].points; p++) {
                        place[p] = moves[place[p]];
                        assert_int_equal(place[p], list[batch.clean[i * N + t]][p]);
                    }
                }
            }
        }
}

static void generators_reach_every_element(void **state)
{
    static const struct {
        const char *name, *order;
    } rows[] = {{"cyclic", "12"},   {"dihedral", "5"},  {"dihedral", "6"},    {"symmetric", "3"},
                {"symmetric", "4"}, {"symmetric", "5"}, {"alternating5", "5"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = automaton(rows[r].name, rows[r].order, "generators", "steps");
        struct batch batch = make_batch(&settings, SPLIT_TRAIN, 60, 0, SAMPLES, *state);
        bool seen[120] = {false};
        for (long i = 0; i < SAMPLES * 60; i++)
            seen[batch.clean[i]] = true;
        for (int c = 0; c < batch.classes; c++)
            assert_true(seen[c]);
    }
}

// Counts of symbols at the positions from `first` on, two apart, against equal shares of `from` … `to` - 1.
// A table of the first machines has their symbols and labels.
static void tables_of_known_automata_give_their_sequences(void **state)
{
    static const struct {
        const char *name, *table, *outputs, *start;
    } rows[] = {
        {"parity", "0 1; 1 0", "", "0"},
        {"cycle_navigation", "0 1 4; 1 2 0; 2 3 1; 3 4 2; 4 0 3", "", "0"},
        {"cycle_navigation", "0 1 3; 1 4 0; 2 3 4; 3 0 2; 4 2 1", "2 3 0 1 4", "2"}, // the places by other numbers
        {"even_pairs", "1 4; 1 2; 1 2; 3 4; 3 4", "0 0 1 1 0", "0"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings known = automaton(rows[r].name, "5", "elements", "steps");
        struct settings settings = automaton("table", "5", "elements", "steps");
        put_setting(&settings, "table", rows[r].table);
        put_setting(&settings, "outputs", rows[r].outputs);
        put_setting(&settings, "start", rows[r].start);
        known.task.noise_rate = settings.task.noise_rate = 0.2;
        struct batch expected = make_batch(&known, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
        assert_same(batch.tokens, expected.tokens, SAMPLES * N);
        assert_same(batch.clean, expected.clean, SAMPLES * N);
        assert_same(batch.targets, expected.targets, SAMPLES * N);
        for (long length = 2; length < 30; length += 9)
            assert_true(task_chance_error(&settings, length) == task_chance_error(&known, length));
    }
}

static void assert_uniform(const struct batch *batch, long first, long apart, int from, int to)
{
    long seen[128] = {0}, all = 0;
    const double share = 1.0 / (to - from);
    for (long i = 0; i < batch->samples; i++)
        for (long t = first; t < batch->length; t += apart, all++)
            seen[batch->tokens[i * batch->length + t]]++;
    for (int symbol = 0; symbol < 128; symbol++) {
        const double expected = symbol >= from && symbol < to ? share : 0;
        assert_true(fabs((double)seen[symbol] / (double)all - expected) <=
                    5 * sqrt(expected * (1 - expected) / (double)all));
    }
}

static void symbols_are_uniform_among_those_that_may_come(void **state)
{
    static const struct {
        const char *name, *symbols;
        long first, apart;
        int from, to;
    } rows[] = {
        {"parity", "elements", 0, 1, 0, 2},
        {"cycle_navigation", "elements", 0, 1, 0, 3},
        {"even_pairs", "elements", 0, 1, 0, 2},
        {"modular_arithmetic", "elements", 0, 2, 0, 5},
        {"modular_arithmetic", "elements", 1, 2, 5, 8},
        {"flip_flop", "elements", 0, N, 1, 3},
        {"flip_flop", "elements", 1, 1, 0, 3},
        {"dihedral", "elements", 0, 1, 0, 10},
        {"symmetric", "elements", 0, 1, 0, 120},
        {"symmetric", "generators", 0, 1, 0, 2},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = automaton(rows[r].name, "5", rows[r].symbols, "steps");
        struct batch batch = make_batch(&settings, SPLIT_TEST, N, 0, 2000, *state);
        assert_uniform(&batch, rows[r].first, rows[r].apart, rows[r].from, rows[r].to);
    }
}

static void the_last_write_of_a_flip_flop_is_relevant(void **state)
{
    struct settings settings = automaton("flip_flop", "5", "elements", "final");
    struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    assert_int_equal(batch.relevant_count, 1);
    for (long i = 0; i < SAMPLES; i++) {
        const int32_t *tokens = batch.tokens + i * N;
        assert_int_equal(tokens[batch.relevant[i]], 1 + batch.clean[i]);
        for (long t = batch.relevant[i] + 1; t < N; t++)
            assert_int_equal(tokens[t], 0);
    }
    settings.task.automaton = AUTOMATON_PARITY;
    assert_int_equal(make_batch(&settings, SPLIT_TRAIN, N, 0, 3, *state).relevant_count, 0);
}

static void each_target_of_a_flip_flop_names_the_last_write(void **state)
{
    struct settings settings = automaton("flip_flop", "5", "elements", "steps");
    struct batch batch = make_batch(&settings, SPLIT_TRAIN, N, 0, SAMPLES, *state);
    assert_true(batch.relevant_count == 1 && batch.relevant_each);
    for (long i = 0; i < SAMPLES; i++)
        for (long t = 0, last = 0; t < N; t++) {
            last = batch.tokens[i * N + t] ? t : last;
            assert_int_equal(batch.relevant[i * N + t], last);
        }
    settings.task.automaton = AUTOMATON_PARITY;
    batch = make_batch(&settings, SPLIT_TRAIN, N, 0, 3, *state);
    assert_true(batch.relevant_count == 0 && !batch.relevant_each);
}

static void chance_errors_are_those_known_in_closed_form(void **state)
{
    (void)state;
    static const struct {
        const char *name, *order, *symbols, *supervision;
        long length;
        double chance;
    } rows[] = {
        {"parity", "5", "elements", "steps", 1, 0.5},
        {"parity", "5", "elements", "final", 100000, 0.5},
        {"even_pairs", "5", "elements", "steps", 10, 0.45},
        {"even_pairs", "5", "elements", "final", 10, 0.5},
        {"flip_flop", "5", "elements", "steps", 1000000, 0.5},
        {"cycle_navigation", "5", "elements", "final", 1, 2.0 / 3},
        {"cycle_navigation", "5", "elements", "final", 1000000, 0.8},
        {"cyclic", "256", "elements", "steps", 5, 255.0 / 256},
        {"cyclic", "3", "generators", "final", 2, 0.5},
        {"dihedral", "3", "elements", "final", 9, 5.0 / 6},
        {"dihedral", "4", "generators", "final", 1000001, 0.75},
        {"symmetric", "5", "elements", "final", 1 << 24, 119.0 / 120},
        {"symmetric", "4", "generators", "steps", 1 << 24, 11.0 / 12},
        {"symmetric", "3", "generators", "final", 1 << 20, 5.0 / 6},
        {"alternating5", "5", "generators", "final", 1 << 20, 59.0 / 60},
        {"modular_arithmetic", "5", "elements", "final", 1, 0.8},
        {"modular_arithmetic", "5", "elements", "final", 3, 0.8 - 4.0 / 75},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = automaton(rows[r].name, rows[r].order, rows[r].symbols, rows[r].supervision);
        const double chance = task_chance_error(&settings, rows[r].length);
        assert_true(fabs(chance - rows[r].chance) < (rows[r].length > 1000 ? 1e-5 : 1e-14));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(targets_are_those_of_the_definition),
        ROW(cyclic_words_are_sums),
        ROW(dihedral_words_move_corners),
        ROW(permutation_words_move_points),
        ROW(generators_reach_every_element),
        ROW(tables_of_known_automata_give_their_sequences),
        ROW(symbols_are_uniform_among_those_that_may_come),
        ROW(the_last_write_of_a_flip_flop_is_relevant),
        ROW(each_target_of_a_flip_flop_names_the_last_write),
        ROW(chance_errors_are_those_known_in_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
