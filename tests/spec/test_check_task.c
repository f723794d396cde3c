// SPDX-License-Identifier: MIT
#include "combination.h"

static const struct combination combinations[] = {
    {{{"signal_tokens", "8"}}, NULL, NULL},
    {{{"signal_tokens", "0.3"}}, NULL, NULL},
    {{{"signal_tokens", "9"}},
     "signal_tokens",
     "signal_tokens is 9, but sequences have train_length = 8 tokens; lower the one or raise the other"},
    {{{"signal_tokens", "9"}, {"train_length", "9"}}, NULL, NULL},
    {{{"signal_tokens", "1.5"}},
     "signal_tokens",
     "signal_tokens is 1.5, neither a count nor a share; write an integer from 1, or a share below 1"},
    {{{"test_samples", "300"}, {"curve_samples", "300"}}, NULL, NULL},
    {{{"test_samples", "300"}, {"curve_samples", "301"}},
     "curve_samples",
     "curve_samples is 301, but the curve uses the first of test_samples = 300 sequences; lower the one or raise the "
     "other"},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"signal_tokens", "9"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"modulus", "32768"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"modulus", "32769"}},
     "modulus",
     "modulus is 32769, so that the vocabulary has 65538 symbols, more than 65536; lower it to at most 32768"},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"modulus", "32768"}, {"begin_token", "true"}},
     "modulus",
     "modulus is 32768, so that the vocabulary has 65537 symbols with begin_token, more than 65536; lower it to at "
     "most "
     "32767"},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"modulus", "32768"}, {"query_token", "true"}}, NULL, NULL},
    {{{"task", "accumulator"},
      {"model", "rnn"},
      {"modulus", "32768"},
      {"query_token", "true"},
      {"supervision", "final"}},
     "modulus",
     "modulus is 32768, so that the vocabulary has 65537 symbols with query_token, more than 65536; lower it to at "
     "most "
     "32767"},
    {{{"task", "accumulator"},
      {"model", "rnn"},
      {"modulus", "32768"},
      {"begin_token", "true"},
      {"query_token", "true"},
      {"supervision", "final"}},
     "modulus",
     "modulus is 32768, so that the vocabulary has 65538 symbols with begin_token and query_token, more than 65536; "
     "lower it to at most 32767"},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"modulus", "32767"}, {"begin_token", "true"}}, NULL, NULL},
    {{{"modulus", "32769"}}, NULL, NULL},
    {{{"task", "automaton"}, {"model", "rnn"}, {"train_length", "1"}}, NULL, NULL},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "even_pairs"}, {"train_length", "1"}},
     "train_length",
     "train_length is 1, but even_pairs compares the first symbol with the last; take at least 2"},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "modular_arithmetic"}}, NULL, NULL},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "modular_arithmetic"}, {"supervision", "final"}},
     "train_length",
     "train_length is 8, but an expression of modular_arithmetic has numbers in odd places and operators between them; "
     "take an odd length, or supervision: steps"},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "symmetric"}}, NULL, NULL},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "symmetric"}, {"order", "6"}},
     "order",
     "order is 6, but the symmetric group is there for 3 to 5 points; take one of these"},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "dihedral"}, {"order", "2"}},
     "order",
     "order is 2, but a dihedral group turns and mirrors at least 3 corners; take 3 or more"},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "alternating5"}, {"order", "2"}}, NULL, NULL},
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}}, NULL, NULL},
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}, {"supervision", "final"}},
     "train_length",
     "train_length is 8, but with depth = 1 no bracket is open after an even number of symbols, so that every answer "
     "is "
     "the same; take an odd length, more depth, or supervision: steps"},
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}, {"supervision", "final"}, {"train_length", "7"}},
     NULL,
     NULL},
    {{{"task", "reverse_string"}, {"model", "rnn"}, {"train_length", "1"}, {"alphabet", "1024"}}, NULL, NULL},
    {{{"task", "stack_manipulation"}, {"model", "rnn"}, {"train_length", "1"}}, NULL, NULL},
    {{{"task", "missing_duplicate_string"}, {"model", "rnn"}, {"train_length", "7"}}, NULL, NULL},
    {{{"task", "missing_duplicate_string"}, {"model", "rnn"}, {"train_length", "1"}},
     "train_length",
     "train_length is 1, but missing_duplicate_string has a string twice; take at least 2"},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"train_length", "2"}},
     "train_length",
     "train_length is 2, but solve_equation has at least an unknown, = and a number; take at least 3"},
    {{{"task", "binary_addition"}, {"model", "rnn"}, {"train_length", "3"}},
     "train_length",
     "train_length is 3, but binary_addition has the same sum of 1 and 1 in any shorter input; take at least 4"},
    {{{"task", "binary_multiplication"}, {"model", "rnn"}, {"train_length", "4"}}, NULL, NULL},
    {{{"task", "compute_sqrt"}, {"model", "rnn"}, {"train_length", "2"}},
     "train_length",
     "train_length is 2, but compute_sqrt has 1 as the root of any shorter number; take at least 3"},
    {{{"task", "compute_sqrt"}, {"model", "rnn"}, {"train_length", "3"}, {"modulus", "65536"}}, NULL, NULL},
    {{{"task", "modular_arithmetic_brackets"}, {"model", "rnn"}, {"modulus", "1024"}}, NULL, NULL},
    {{{"task", "modular_arithmetic_brackets"}, {"model", "rnn"}, {"modulus", "1025"}},
     "modulus",
     "modulus is 1025, but modular_arithmetic_brackets counts modulo at most 1024; lower it to that"},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"modulus", "65529"}}, NULL, NULL},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"modulus", "65530"}},
     "modulus",
     "modulus is 65530, but solve_equation counts modulo at most 65529; lower it to that"},
    {{{"task", "odds_first"}, {"model", "rnn"}, {"pooling", "last"}},
     "pooling",
     "pooling is last, but in task odds_first each blank has a target; write pooling: per_position"},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"pooling", "mean"}}, NULL, NULL},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"pooling", "per_position"}},
     "pooling",
     "pooling is per_position, but task solve_equation has one target a sequence; write pooling: last or mean"},
    {{{"task", "bucket_sort"}, {"model", "transformer"}, {"noise_on", "final"}}, NULL, NULL},
    {{{"task", "bucket_sort"}, {"model", "transformer"}, {"noise_on", "chain"}},
     "noise_on",
     "noise_on: chain corrupts a state that goes on whatever it is: of the accumulator, and of automata but "
     "even_pairs, "
     "modular_arithmetic and flip_flop; take noise_on: target or final here"},
    {{{"task", "compute_sqrt"}, {"model", "rnn"}, {"length_distribution", "list"}, {"lengths", "3 8"}}, NULL, NULL},
    {{{"task", "compute_sqrt"}, {"model", "rnn"}, {"length_distribution", "list"}, {"lengths", "2 8"}},
     "lengths",
     "lengths has 2: train_length is 2, but compute_sqrt has 1 as the root of any shorter number; take at least 3"},
    {{{"task", "automaton"},
      {"model", "rnn"},
      {"automaton", "modular_arithmetic"},
      {"supervision", "final"},
      {"train_length", "9"},
      {"curriculum", "schedule"}},
     "curriculum",
     "curriculum takes a finite set's short sequences first, but with length_distribution: fixed all are of one "
     "length; "
     "choose another distribution, or data: stream"},
    {{{"task", "automaton"},
      {"model", "rnn"},
      {"automaton", "modular_arithmetic"},
      {"supervision", "final"},
      {"train_length", "9"},
      {"curriculum", "schedule"},
      {"data", "stream"}},
     NULL,
     NULL},
    {{{"task", "solve_equation"}, {"model", "rnn"}, {"curriculum", "schedule"}, {"data", "stream"}},
     "curriculum_start",
     "curriculum_start is 2, but the shortest training sequence has length 3; raise it to at least that"},
    {{{"task", "solve_equation"},
      {"model", "rnn"},
      {"curriculum", "schedule"},
      {"data", "stream"},
      {"length_distribution", "uniform"},
      {"min_length", "5"}},
     "curriculum_start",
     "curriculum_start is 2, but the shortest training sequence has length 5; raise it to at least that"},
    {{{"task", "accumulator"},
      {"model", "rnn"},
      {"curriculum", "validation"},
      {"length_distribution", "list"},
      {"lengths", "8 3 4"}},
     "curriculum_start",
     "curriculum_start is 2, but the shortest training sequence has length 3; raise it to at least that"},
    {{{"curriculum", "schedule"}, {"data", "stream"}, {"train_length", "1"}},
     "curriculum_start",
     "curriculum_start is 2, more than train_length = 1; lower the one or raise the other"},
};

static void blames_what_a_task_cannot_make(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++)
        check_combination(&combinations[i]);
}

// Its default start is wrong as soon as a curriculum is written.
static void a_start_that_nobody_wrote_is_blamed_on_the_curriculum(void **state)
{
    (void)state;
    const char *const pairs[SET_LIMIT][2] = {
        {"task", "solve_equation"}, {"model", "rnn"}, {"data", "stream"}, {"curriculum", "validation"}};
    const struct settings settings = settings_with(pairs);
    struct settings_fault fault;
    size_t at = 0;
    assert_true(settings_next_fault(&settings, &at, &fault));
    assert_string_equal(fault.blamed[0]->name, "curriculum_start");
    assert_string_equal(fault.blamed[1]->name, "curriculum");
    assert_false(settings_next_fault(&settings, &at, &fault));
}

// Whatever the settings that make symbols.
static void no_vocabulary_is_larger_than_the_limit(void **state)
{
    (void)state;
    static const char *const names[] = {"modulus",     "order",        "bracket_types", "base",           "test_base",
                                        "index_hints", "test_modulus", "alphabet",      "file_vocabulary"};
    size_t refused = 0, kept = 0;
    for (int kind = 0; kind < TASK_KINDS; kind++)
        for (int automaton = 0; automaton < (kind == TASK_AUTOMATON ? AUTOMATON_KINDS : 1); automaton++)
            for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
                for (int divisor = 1; divisor <= 2; divisor++) {
                    const struct setting *row = setting_find(names[n], strlen(names[n])), *blamed;
                    const char *const pairs[SET_LIMIT][2] = {
                        {"begin_token", "true"}, {"query_token", "true"}, {"supervision", "final"}, {"model", "rnn"}};
                    struct settings settings = settings_with(pairs);
                    settings.task.kind = kind;
                    settings.task.automaton = automaton;
                    setting_put(row, &settings, (union setting_value){.i = (int64_t)row->high / divisor});
                    const bool fits = settings_vocabulary(&settings) <= VOCABULARY_LIMIT;
                    if (!fits)
                        assert_int_equal(settings_check(&settings, &blamed, NULL), STATUS_INVALID);
                    refused += !fits;
                    kept += fits;
                }
    assert_true(refused > 8 && kept > 100);
}

static const struct length_combination lengths[] = {
    {{{"task", "automaton"}, {"automaton", "modular_arithmetic"}, {"supervision", "final"}}, 63, NULL, NULL},
    {{{"task", "automaton"}, {"automaton", "modular_arithmetic"}, {"supervision", "final"}},
     64,
     "supervision",
     "test_length is 64, but an expression of modular_arithmetic has numbers in odd places and operators between "
     "them; take an odd length, or supervision: steps"},
    {{{"task", "brackets"}, {"depth", "1"}, {"test_depth", "2"}, {"supervision", "final"}}, 8, NULL, NULL},
    {{{"task", "brackets"}, {"test_depth", "1"}, {"supervision", "final"}},
     8,
     "supervision",
     "test_length is 8, but with test_depth = 1 no bracket is open after an even number of symbols, so that every "
     "answer is the same; take an odd length, more depth, or supervision: steps"},
    {{{"task", "solve_equation"}, {"model", "rnn"}}, 65536, NULL, NULL},
    {{{"task", "solve_equation"}, {"model", "rnn"}},
     65537,
     NULL,
     "test_length is 65537, but solve_equation goes to 65536 symbols; take at most as many"},
    {{{"task", "binary_multiplication"}, {"model", "rnn"}},
     3,
     NULL,
     "test_length is 3, but binary_multiplication has the same product of 1 and 1 in any shorter input; take at least "
     "4"},
    {{{"task", "duplicate_string"}, {"model", "transformer"}}, 21845, NULL, NULL},
    {{{"task", "duplicate_string"}, {"model", "transformer"}},
     21846,
     NULL,
     "test sequences of 65538 tokens are longer than the 65536 that a transformer takes; test at shorter ones"},
};

static void test_lengths_are_refused_that_a_task_cannot_make(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_length_combination(&lengths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_what_a_task_cannot_make),
        cmocka_unit_test(a_start_that_nobody_wrote_is_blamed_on_the_curriculum),
        cmocka_unit_test(no_vocabulary_is_larger_than_the_limit),
        cmocka_unit_test(test_lengths_are_refused_that_a_task_cannot_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
