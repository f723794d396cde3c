// SPDX-License-Identifier: MIT
#include "combination.h"

static const struct combination combinations[] = {
    {{{NULL}}, NULL, NULL},
    {{{"encoding", "rope"}}, NULL, NULL},
    {{{"encoding", "rope"}, {"head_dim", "15"}},
     "head_dim",
     "head_dim is 15, but encoding rope turns pairs of coordinates; make it even"},
    {{{"encoding", "alibi"}, {"head_dim", "15"}}, NULL, NULL},
    {{{"encoding", "rope"}, {"head_dim", "15"}, {"model", "transformer"}}, NULL, NULL},
    {{{"task", "accumulator"}},
     "model",
     "model two_layer reads vectors, but task accumulator gives tokens; take model transformer, rnn or lstm, or task "
     "signal"},
    {{{"task", "accumulator"}, {"model", "lstm"}}, NULL, NULL},
    {{{"task", "automaton"}},
     "model",
     "model two_layer reads vectors, but task automaton gives tokens; take model transformer, rnn or lstm, or task "
     "signal"},
    {{{"task", "automaton"}, {"model", "rnn"}, {"tied", "true"}}, NULL, NULL},
    {{{"task", "automaton"}, {"model", "rnn"}, {"automaton", "cycle_navigation"}, {"tied", "true"}},
     "tied",
     "tied is true, so that a class takes a symbol's vector, but task automaton has 5 classes and 3 symbols; write "
     "tied: false"},
    {{{"task", "brackets"}, {"model", "rnn"}, {"tied", "true"}}, NULL, NULL},
    {{{"model", "transformer"}, {"width", "30"}},
     "width",
     "width is 30, which heads = 4 do not divide; take a multiple of 4 as width, or other heads"},
    {{{"model", "rnn"}, {"width", "30"}}, NULL, NULL},
    {{{"model", "transformer"}, {"width", "36"}}, NULL, NULL},
    {{{"model", "transformer"}, {"width", "36"}, {"encoding", "rope"}},
     "width",
     "width is 36 and heads is 4, so that a head is 9 wide, but encoding rope turns pairs of coordinates; make width a "
     "multiple of 8"},
    {{{"model", "transformer"}, {"width", "36"}, {"encoding", "t5"}}, NULL, NULL},
    {{{"model", "lstm"}, {"width", "36"}, {"encoding", "rope"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"tied", "true"}}, NULL, NULL},
    {{{"model", "transformer"}, {"tied", "true"}}, NULL, NULL},
    {{{"model", "transformer"}, {"pooling", "per_position"}},
     "pooling",
     "pooling is per_position, but task signal has one target a sequence; write pooling: last or mean"},
    {{{"pooling", "per_position"}}, NULL, NULL},
    {{{"model", "transformer"}, {"pooling", "last"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"pooling", "mean"}},
     "pooling",
     "pooling is mean, but under supervision steps each position has a target; write pooling: per_position, or "
     "supervision: "
     "final"},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"pooling", "mean"}, {"supervision", "final"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"pooling", "per_position"}, {"supervision", "final"}},
     "pooling",
     "pooling is per_position, but task accumulator under supervision final has one target a sequence; write pooling: "
     "last "
     "or mean"},
    {{{"encoding", "absolute"}, {"random_positions", "8"}}, NULL, NULL},
    {{{"encoding", "absolute"}, {"random_positions", "7"}},
     "random_positions",
     "random_positions is 7, fewer than the 8 tokens that need one each; raise it, or write 0 for "
     "positions as they are"},
    {{{"encoding", "none"}, {"random_positions", "7"}}, NULL, NULL},
    {{{"model", "rnn"}, {"encoding", "rope"}, {"random_positions", "7"}}, NULL, NULL},
    {{{"encoding", "t5"}, {"t5_buckets", "30"}},
     "t5_buckets",
     "t5_buckets is 30, but bidirectional attention shares them out by 4; make it a multiple of that"},
    {{{"encoding", "t5"}, {"t5_buckets", "30"}, {"attention_mask", "causal"}},
     "t5_buckets",
     "t5_buckets is 30, but bidirectional attention shares them out by 4; make it a multiple of that"},
    {{{"model", "transformer"}, {"encoding", "t5"}, {"t5_buckets", "30"}, {"attention_mask", "causal"}}, NULL, NULL},
    {{{"model", "transformer"}, {"encoding", "t5"}, {"t5_buckets", "31"}, {"attention_mask", "causal"}},
     "t5_buckets",
     "t5_buckets is 31, but causal attention shares them out by 2; make it a multiple of that"},
    {{{"encoding", "t5"}, {"t5_distance", "9"}}, NULL, NULL},
    {{{"encoding", "t5"}, {"t5_distance", "8"}},
     "t5_distance",
     "t5_distance is 8, but of t5_buckets = 32 the first 8 are for a single distance each; raise the one or lower the "
     "other"},
    {{{"model", "transformer"}, {"encoding", "t5"}, {"t5_distance", "16"}, {"attention_mask", "causal"}},
     "t5_distance",
     "t5_distance is 16, but of t5_buckets = 32 the first 16 are for a single distance each; raise the one or lower "
     "the other"},
    {{{"model", "transformer"}, {"parametrization", "mup"}, {"base_width", "30"}},
     "base_width",
     "base_width is 30, which heads = 4 do not divide, as mup needs for the scale of scores; take a multiple of 4"},
    {{{"model", "transformer"}, {"parametrization", "ntk"}, {"base_width", "30"}}, NULL, NULL},
    {{{"epochs", "3"}, {"data", "stream"}},
     "epochs",
     "epochs is 3, but under data: stream no sample comes twice; write epochs: 0 and say how many steps"},
    {{{"epochs", "3"}, {"budget", "tokens"}, {"budget_tokens", "1e5"}},
     "epochs",
     "epochs is 3, but budget: tokens ends training; write epochs: 0, or budget: steps"},
    {{{"epochs", "3"}, {"budget", "flops"}},
     "epochs",
     "epochs is 3, but budget: flops ends training; write epochs: 0, or budget: steps"},
    {{{"epochs", "3"}, {"budget_tokens", "1"}}, NULL, NULL},
    {{{"budget", "tokens"}, {"budget_tokens", "1e12"}, {"batch_size", "4"}},
     "budget_tokens",
     "budget_tokens = 1000000000000 are 31250000000 steps, more than 1000000000; lower it or raise batch_size"},
    {{{"budget", "tokens"},
      {"budget_tokens", "1e12"},
      {"batch_size", "80"},
      {"accumulation", "1"},
      {"data", "stream"},
      {"train_length", "16"}},
     NULL,
     NULL},
    {{{"budget", "flops"}, {"budget_flops", "1e30"}}, NULL, NULL},
    {{{"budget", "tokens"}, {"budget_tokens", "64000"}, {"warmup", "100"}}, NULL, NULL},
    {{{"budget", "tokens"}, {"budget_tokens", "64000"}, {"warmup", "101"}},
     "warmup",
     "warmup is 101 steps, but training has 100; lower the one or raise the other"},
    {{{"budget", "flops"}, {"warmup", "1e6"}}, NULL, NULL},
    {{{"curriculum", "schedule"}, {"data", "stream"}}, NULL, NULL},
    {{{"curriculum", "validation"}, {"length_distribution", "uniform"}, {"batch_size", "40"}, {"accumulation", "3"}},
     NULL,
     NULL},
    {{{"epochs", "1e9"}, {"batch_size", "40"}},
     "epochs",
     "epochs = 1000000000 are 2000000000 steps of 40 samples, more than 1000000000; lower epochs or raise batch_size"},
    {{{"batch_size", "40"}, {"accumulation", "2"}}, NULL, NULL},
    {{{"batch_size", "40"}, {"accumulation", "3"}},
     "accumulation",
     "accumulation is 3, but samples = 80 are 2 micro-batches of 40, so that a step would see samples twice; lower "
     "accumulation or batch_size"},
    {{{"accumulation", "2"}},
     "accumulation",
     "accumulation is 2, but samples = 80 are 1 micro-batch of 80, so that a step would see samples twice; lower "
     "accumulation or batch_size"},
    {{{"accumulation", "2"}, {"data", "stream"}}, NULL, NULL},
    {{{"warmup", "800"}}, NULL, NULL},
    {{{"warmup", "0.99"}, {"steps", "3"}}, NULL, NULL},
    {{{"warmup", "801"}}, "warmup", "warmup is 801 steps, but training has 800; lower the one or raise the other"},
    {{{"warmup", "3"}, {"epochs", "2"}},
     "warmup",
     "warmup is 3 steps, but training has 2; lower the one or raise the other"},
    {{{"warmup", "1.5"}},
     "warmup",
     "warmup is 1.5, neither a count nor a share; write an integer from 1, or a share below 1"},
    {{{"schedule", "step"}, {"decay_every", "1.5"}},
     "decay_every",
     "decay_every is 1.5, neither a count nor a share; write an integer from 1, or a share below 1"},
    {{{"decay_every", "1.5"}}, NULL, NULL},
    {{{"schedule", "step"}, {"decay_every", "0.1"}}, NULL, NULL},
    {{{"optimizer", "gd"}, {"batch_size", "16"}, {"clip", "1"}}, NULL, NULL},
};

static void blames_the_setting_that_contradicts_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++)
        check_combination(&combinations[i]);
}

static void tells_every_fault_once(void **state)
{
    (void)state;
    static const char *const expected[] = {"curve_samples", "width", "random_positions", "warmup"};
    struct settings settings;
    struct settings_fault fault;
    size_t at = 0, count = 0;
    settings_defaults(&settings);
    set(&settings, "model", "transformer");
    set(&settings, "encoding", "alibi");
    set(&settings, "width", "6");
    set(&settings, "random_positions", "2");
    set(&settings, "warmup", "1e6");
    set(&settings, "curve_samples", "1e6");
    for (; settings_next_fault(&settings, &at, &fault); count++) {
        assert_true(count < 4);
        assert_string_equal(fault.blamed[0]->name, expected[count]);
        assert_true(fault.blamed[1] && strlen(fault.why.text) > 20);
    }
    assert_int_equal(count, 4);
    assert_false(settings_next_fault(&settings, &at, &fault));
}

static const struct length_combination lengths[] = {
    {{{"model", "transformer"}}, 65536, NULL, NULL},
    {{{"model", "transformer"}},
     65537,
     NULL,
     "test sequences of 65537 tokens are longer than the 65536 that a transformer takes; test at shorter ones"},
    {{{"model", "rnn"}}, 65537, NULL, NULL},
    {{{"model", "two_layer"}}, 65537, NULL, NULL},
    {{{"encoding", "rope"}, {"random_positions", "64"}}, 64, NULL, NULL},
    {{{"encoding", "rope"}, {"random_positions", "64"}},
     65,
     "random_positions",
     "test sequences of 65 tokens have more positions than random_positions = 64; raise it to at least the longest "
     "test length"},
    {{{"encoding", "none"}, {"random_positions", "64"}}, 65, NULL, NULL},
};

static void long_tests_are_refused_where_the_model_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_length_combination(&lengths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_the_setting_that_contradicts_another),
        cmocka_unit_test(tells_every_fault_once),
        cmocka_unit_test(long_tests_are_refused_where_the_model_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
