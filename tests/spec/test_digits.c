// SPDX-License-Identifier: MIT
// Settings of the arithmetic tasks: how long sequences are, how many symbols there are, and what is refused.
#include "combination.h"

static const struct combination combinations[] = {
    {{{"task", "addition"}, {"model", "transformer"}}, NULL, NULL},
    {{{"task", "multiplication"}, {"model", "rnn"}}, NULL, NULL},
    {{{"task", "modular"}, {"model", "lstm"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"operand_offset", "7"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"operand_offset", "8"}},
     "operand_offset",
     "operand_offset is 8, but numbers of train_length = 8 digits leave none to the second operand then; lower the one "
     "or raise the other"},
    {{{"task", "multiplication"}, {"model", "rnn"}, {"operand_offset", "8"}, {"multiplier_digits", "1"}}, NULL, NULL},
    {{{"task", "modular"}, {"model", "rnn"}, {"operand_offset", "8"}, {"index_hints", "1"}, {"base", "65536"}},
     NULL,
     NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"test_operand_offset", "8"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"index_hints", "9"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"index_hints", "8"}},
     "index_hints",
     "index_hints is 8, too few for the 9 digits of an answer at train_length = 8; raise it to at least 9, or write 0 "
     "for none"},
    {{{"task", "multiplication"}, {"model", "rnn"}, {"index_hints", "15"}},
     "index_hints",
     "index_hints is 15, too few for the 16 digits of an answer at train_length = 8; raise it to at least 16, or write "
     "0 for none"},
    {{{"task", "multiplication"}, {"model", "rnn"}, {"index_hints", "15"}, {"multiplier_digits", "7"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"test_base", "1"}},
     "test_base",
     "test_base is 1, but a base has at least the digits 0 and 1; take 2 or more, or 0 for base"},
    {{{"task", "modular"}, {"model", "rnn"}, {"test_modulus", "1"}},
     "test_modulus",
     "test_modulus is 1, so that every sum is 0; take 2 or more, or 0 for modulus"},
    {{{"task", "addition"}, {"model", "rnn"}, {"base", "65533"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"base", "65534"}},
     "base",
     "base is 65534, so that the vocabulary has 65537 symbols with signs and hints, more than 65536; lower it to at "
     "most 65533"},
    {{{"task", "addition"}, {"model", "rnn"}, {"test_base", "65530"}, {"index_hints", "9"}},
     "test_base",
     "test_base is 65530, so that the vocabulary has 65542 symbols with signs and hints, more than 65536; lower it to "
     "at most 65524"},
    {{{"task", "addition"}, {"model", "rnn"}, {"index_hints", "65530"}},
     "index_hints",
     "index_hints is 65530, so that the vocabulary has 65543 symbols with signs and digits, more than 65536; lower it "
     "to at most 65523"},
    {{{"task", "modular"}, {"model", "rnn"}, {"modulus", "65534"}},
     "modulus",
     "modulus is 65534, so that the vocabulary has 65537 symbols with signs and hints, more than 65536; lower it to at "
     "most 65533"},
    {{{"task", "modular"}, {"model", "rnn"}, {"test_modulus", "65535"}},
     "test_modulus",
     "test_modulus is 65535, so that the vocabulary has 65538 symbols with signs and hints, more than 65536; lower it "
     "to at most 65533"},
    {{{"task", "addition"}, {"model", "transformer"}, {"attention_mask", "bidirectional"}},
     "attention_mask",
     "attention_mask is bidirectional, but then a model that writes the next symbol has already seen it; write "
     "attention_mask: causal"},
    {{{"task", "addition"}, {"model", "transformer"}, {"train_length", "21844"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"train_length", "21845"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "transformer"}, {"train_length", "21845"}},
     "train_length",
     "train_length is 21845, so that sequences have 65538 tokens, more than the 65536 that a transformer takes; lower "
     "it"},
    {{{"task", "addition"}, {"model", "rnn"}, {"pooling", "last"}},
     "pooling",
     "pooling is last, but in task addition each position says the next symbol; write pooling: per_position"},
    {{{"task", "addition"}, {"model", "rnn"}, {"pooling", "per_position"}, {"supervision", "final"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"noise_on", "final"}}, NULL, NULL},
    {{{"task", "addition"}, {"model", "rnn"}, {"noise_on", "chain"}},
     "noise_on",
     "noise_on: chain corrupts a state that goes on whatever it is: of the accumulator, and of automata but "
     "even_pairs, "
     "modular_arithmetic and flip_flop; take noise_on: target or final here"},
};

static void blames_what_arithmetic_cannot_make(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++)
        check_combination(&combinations[i]);
}

static const struct length_combination lengths[] = {
    {{{"task", "addition"}, {"index_hints", "20"}}, 19, NULL, NULL},
    {{{"task", "addition"}, {"index_hints", "20"}},
     20,
     "index_hints",
     "index_hints is 20, too few for the 21 digits of an answer at test_length = 20; raise it to at least 21, or write "
     "0 for none"},
    {{{"task", "multiplication"}, {"index_hints", "20"}, {"test_operand_offset", "4"}}, 12, NULL, NULL},
    {{{"task", "multiplication"}, {"index_hints", "20"}, {"test_operand_offset", "4"}},
     13,
     "index_hints",
     "index_hints is 20, too few for the 22 digits of an answer at test_length = 13; raise it to at least 22, or write "
     "0 for none"},
    {{{"task", "addition"}, {"operand_offset", "2"}}, 3, NULL, NULL},
    {{{"task", "addition"}, {"operand_offset", "2"}},
     2,
     "operand_offset",
     "operand_offset is 2, but numbers of test_length = 2 digits leave none to the second operand then; lower the one "
     "or raise the other"},
    {{{"task", "addition"}, {"operand_offset", "2"}, {"test_operand_offset", "0"}}, 1, NULL, NULL},
    {{{"task", "addition"}, {"test_operand_offset", "5"}},
     5,
     "test_operand_offset",
     "test_operand_offset is 5, but numbers of test_length = 5 digits leave none to the second operand then; lower the "
     "one or raise the other"},
    {{{"task", "modular"}, {"index_hints", "2"}, {"operand_offset", "5"}}, 5, NULL, NULL},
    {{{"task", "addition"}, {"model", "transformer"}}, 21844, NULL, NULL},
    {{{"task", "addition"}, {"model", "transformer"}, {"encoding", "rope"}, {"random_positions", "64"}},
     20,
     NULL,
     NULL},
    {{{"task", "addition"}, {"model", "transformer"}, {"encoding", "rope"}, {"random_positions", "64"}},
     21,
     "random_positions",
     "test sequences of 66 tokens have more positions than random_positions = 64; raise it to at least the longest "
     "test length"},
};

static void test_lengths_are_refused_that_arithmetic_cannot_make(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_length_combination(&lengths[i]);
}

static void sequences_are_all_symbols_but_the_last(void **state)
{
    (void)state;
    const struct {
        const char *set[SET_LIMIT][2];
        int64_t length, tokens, test_tokens, vocabulary;
    } rows[] = {
        {{{"task", "addition"}}, 5, 18, 18, 13},
        {{{"task", "addition"}, {"index_hints", "14"}}, 5, 34, 34, 27},
        {{{"task", "addition"}, {"operand_offset", "2"}, {"test_operand_offset", "0"}}, 5, 16, 18, 13},
        {{{"task", "multiplication"}, {"base", "2"}, {"test_base", "16"}}, 5, 22, 22, 19},
        {{{"task", "multiplication"}, {"multiplier_digits", "1"}, {"index_hints", "9"}}, 5, 26, 26, 22},
        {{{"task", "modular"}, {"modulus", "7"}, {"index_hints", "9"}}, 5, 11, 11, 10},
        {{{"task", "modular"}, {"modulus", "7"}, {"test_modulus", "5"}}, 1, 3, 3, 10},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct settings settings = settings_with(rows[r].set);
        assert_int_equal(settings_tokens(&settings, false, rows[r].length), rows[r].tokens);
        assert_int_equal(settings_tokens(&settings, true, rows[r].length), rows[r].test_tokens);
        assert_int_equal(settings_vocabulary(&settings), rows[r].vocabulary);
        assert_int_equal(settings_classes(&settings), rows[r].vocabulary);
        assert_true(settings_every_step(&settings) && settings_masked(&settings) && settings_autoregressive(&settings));
        assert_int_equal(settings_begin_tokens(&settings) + settings_query_tokens(&settings), 0);
    }
}

static void lengths_too_short_for_the_offset_are_left_out_of_training(void **state)
{
    (void)state;
    const char *const pairs[SET_LIMIT][2] = {
        {"task", "addition"}, {"operand_offset", "3"}, {"test_operand_offset", "0"}};
    const struct settings settings = settings_with(pairs);
    assert_false(settings_length_possible(&settings, 3));
    assert_true(settings_length_possible(&settings, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_what_arithmetic_cannot_make),
        cmocka_unit_test(test_lengths_are_refused_that_arithmetic_cannot_make),
        cmocka_unit_test(sequences_are_all_symbols_but_the_last),
        cmocka_unit_test(lengths_too_short_for_the_offset_are_left_out_of_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
