// SPDX-License-Identifier: MIT
#include "combination.h"

// A setting, what makes it apply, and what then makes it idle.
static const struct {
    const char *name, *where[3][2], *unless[2];
} uses[] = {
    {"snr", {{"task", "signal"}}, {"task", "accumulator"}},
    {"snr", {{"task", "accumulator"}, {"model", "rnn"}, {"embeddings", "orthonormal"}}, {"embeddings", "trained"}},
    {"samples", {{"data", "stream"}}, {"batch_size", "8"}},
    {"samples", {{"batch_size", "8"}}, {"data", "stream"}},
    {"dim", {{NULL}}, {"task", "accumulator"}},
    {"signal_tokens", {{NULL}}, {"task", "accumulator"}},
    {"signal_position", {{NULL}}, {"task", "accumulator"}},
    {"signal_geometry", {{NULL}}, {"task", "accumulator"}},
    {"project_noise", {{NULL}}, {"task", "accumulator"}},
    {"signal_noise", {{NULL}}, {"task", "accumulator"}},
    {"modulus", {{"task", "accumulator"}}, {"task", "signal"}},
    {"modulus", {{"task", "modular"}}, {"task", "addition"}},
    {"modulus", {{"task", "modular_arithmetic_brackets"}}, {"task", "compute_sqrt"}},
    {"modulus", {{"task", "solve_equation"}}, {"task", "odds_first"}},
    {"test_modulus", {{"task", "modular"}}, {"task", "accumulator"}},
    {"test_modulus", {{"task", "modular"}}, {"task", "solve_equation"}},
    {"alphabet", {{"task", "reverse_string"}}, {"task", "stack_manipulation"}},
    {"alphabet", {{"task", "duplicate_string"}}, {"task", "binary_addition"}},
    {"alphabet", {{"task", "missing_duplicate_string"}}, {"task", "solve_equation"}},
    {"alphabet", {{"task", "odds_first"}}, {"task", "brackets"}},
    {"alphabet", {{"task", "bucket_sort"}}, {"task", "binary_multiplication"}},
    {"supervision", {{"task", "accumulator"}}, {"task", "reverse_string"}},
    {"begin_token", {{"task", "automaton"}}, {"task", "duplicate_string"}},
    {"base", {{"task", "addition"}}, {"task", "modular"}},
    {"test_base", {{"task", "multiplication"}}, {"task", "brackets"}},
    {"digit_order", {{"task", "multiplication"}}, {"task", "modular"}},
    {"zero_padding", {{"task", "addition"}}, {"task", "modular"}},
    {"index_hints", {{"task", "addition"}}, {"task", "modular"}},
    {"operand_offset", {{"task", "addition"}, {"multiplier_digits", "2"}}, {"task", "multiplication"}},
    {"operand_offset", {{"task", "multiplication"}}, {"multiplier_digits", "2"}},
    {"test_operand_offset", {{"task", "multiplication"}}, {"task", "modular"}},
    {"multiplier_digits", {{"task", "multiplication"}}, {"task", "addition"}},
    {"supervision", {{"task", "accumulator"}}, {"task", "addition"}},
    {"min_length", {{"length_distribution", "uniform"}}, {"length_distribution", "list"}},
    {"min_length", {{"length_distribution", "exponential"}}, {"length_distribution", "fixed"}},
    {"lengths", {{"length_distribution", "list"}}, {"length_distribution", "uniform"}},
    {"length_mixing", {{"length_distribution", "list"}, {"data", "stream"}}, {"data", "finite"}},
    {"length_mixing", {{"length_distribution", "uniform"}, {"data", "stream"}}, {"length_distribution", "fixed"}},
    {"noise_on", {{"task", "brackets"}}, {"task", "signal"}},
    {"noise_on", {{"task", "addition"}}, {"task", "signal"}},
    {"begin_token", {{"task", "automaton"}}, {"task", "modular"}},
    {"query_token", {{"task", "automaton"}, {"supervision", "final"}}, {"supervision", "steps"}},
    {"query_token", {{"task", "brackets"}, {"supervision", "final"}}, {"task", "signal"}},
    {"automaton", {{"task", "automaton"}}, {"task", "brackets"}},
    {"order", {{"task", "automaton"}, {"automaton", "symmetric"}}, {"automaton", "flip_flop"}},
    {"order", {{"task", "automaton"}, {"automaton", "cyclic"}}, {"automaton", "alternating5"}},
    {"order", {{"task", "automaton"}, {"automaton", "dihedral"}}, {"task", "accumulator"}},
    {"group_symbols", {{"task", "automaton"}, {"automaton", "alternating5"}}, {"automaton", "parity"}},
    {"group_symbols", {{"task", "automaton"}, {"automaton", "cyclic"}}, {"automaton", "table"}},
    {"table", {{"task", "automaton"}, {"automaton", "table"}}, {"automaton", "alternating5"}},
    {"outputs", {{"task", "automaton"}, {"automaton", "table"}}, {"automaton", "parity"}},
    {"start", {{"task", "automaton"}, {"automaton", "table"}}, {"task", "brackets"}},
    {"bracket_types", {{"task", "brackets"}}, {"task", "automaton"}},
    {"depth", {{"task", "brackets"}}, {"task", "signal"}},
    {"test_depth", {{"task", "brackets"}}, {"task", "accumulator"}},
    {"supervision", {{"task", "file"}}, {"task", "signal"}},
    {"path", {{"task", "file"}}, {"task", "signal"}},
    {"file_hash", {{"task", "file"}}, {"task", "brackets"}},
    {"file_vocabulary", {{"task", "file"}}, {"task", "accumulator"}},
    {"file_classes", {{"task", "file"}}, {"task", "accumulator"}},
    {"file_shortest", {{"task", "file"}}, {"task", "accumulator"}},
    {"file_relevant", {{"task", "file"}}, {"task", "accumulator"}},
    {"file_masked", {{"task", "file"}}, {"task", "accumulator"}},
    {"encoding", {{"model", "transformer"}}, {"model", "rnn"}},
    {"encoding", {{"model", "two_layer"}}, {"model", "lstm"}},
    {"head_dim", {{NULL}}, {"model", "transformer"}},
    {"value_dim", {{NULL}}, {"model", "transformer"}},
    {"readout", {{NULL}}, {"model", "transformer"}},
    {"activation", {{NULL}}, {"model", "transformer"}},
    {"freeze_attention", {{NULL}}, {"model", "transformer"}},
    {"init_scale", {{NULL}}, {"model", "transformer"}},
    {"relative_clip", {{"encoding", "relative"}}, {"model", "rnn"}},
    {"relative_clip", {{"encoding", "relative"}}, {"encoding", "rope"}},
    {"alibi_slope", {{"encoding", "alibi"}}, {"model", "transformer"}},
    {"rope_base", {{"encoding", "rope"}}, {"encoding", "none"}},
    {"rope_base", {{"encoding", "rope"}, {"model", "transformer"}}, {"model", "rnn"}},
    {"sinusoidal_scale", {{"encoding", "sinusoidal"}}, {"encoding", "absolute"}},
    {"layers", {{"model", "rnn"}}, {"model", "two_layer"}},
    {"width", {{"model", "lstm"}}, {"model", "two_layer"}},
    {"embeddings", {{"model", "transformer"}, {"task", "accumulator"}}, {"task", "signal"}},
    {"heads", {{"model", "transformer"}}, {"model", "rnn"}},
    {"ffn_factor", {{"model", "transformer"}}, {"model", "rnn"}},
    {"norm", {{"model", "transformer"}}, {"model", "rnn"}},
    {"ffn_activation", {{"model", "transformer"}}, {"model", "rnn"}},
    {"attention_mask", {{"model", "transformer"}}, {"model", "two_layer"}},
    {"pooling", {{"model", "rnn"}}, {"model", "two_layer"}},
    {"head_bias", {{"model", "rnn"}}, {"model", "two_layer"}},
    {"attention_bias", {{"model", "transformer"}}, {"model", "rnn"}},
    {"tied", {{"model", "rnn"}, {"task", "accumulator"}}, {"model", "two_layer"}},
    {"tied", {{"model", "rnn"}, {"task", "accumulator"}}, {"task", "signal"}},
    {"tied", {{"model", "transformer"}, {"task", "accumulator"}}, {"embeddings", "orthonormal"}},
    {"dropout", {{"model", "rnn"}}, {"model", "two_layer"}},
    {"attention_noise", {{"model", "transformer"}}, {"model", "rnn"}},
    {"init_gain", {{"model", "rnn"}}, {"model", "two_layer"}},
    {"value_gain", {{"model", "transformer"}}, {"model", "rnn"}},
    {"parametrization", {{"model", "transformer"}}, {"model", "rnn"}},
    {"base_width", {{"model", "transformer"}, {"parametrization", "mup"}}, {"parametrization", "standard"}},
    {"base_width", {{"model", "transformer"}, {"parametrization", "ntk"}}, {"model", "rnn"}},
    {"position_scale", {{"model", "transformer"}, {"encoding", "absolute"}}, {"model", "two_layer"}},
    {"position_scale", {{"model", "transformer"}, {"encoding", "relative"}}, {"encoding", "t5"}},
    {"position_scale", {{"model", "transformer"}, {"encoding", "transformer_xl"}}, {"model", "two_layer"}},
    {"t5_buckets", {{"encoding", "t5"}}, {"encoding", "fire"}},
    {"t5_distance", {{"encoding", "t5"}}, {"model", "rnn"}},
    {"fire_width", {{"encoding", "fire"}}, {"encoding", "kerple"}},
    {"fire_threshold", {{"encoding", "fire"}}, {"model", "rnn"}},
    {"random_positions", {{"encoding", "alibi"}}, {"encoding", "none"}},
    {"random_positions", {{"encoding", "rope"}}, {"model", "lstm"}},
    {"rope_scaling", {{"encoding", "rope"}}, {"encoding", "alibi"}},
    {"momentum", {{"optimizer", "momentum"}}, {"optimizer", "adam"}},
    {"steps", {{"epochs", "0"}}, {"epochs", "1"}},
    {"steps", {{"data", "stream"}, {"epochs", "1"}}, {"data", "finite"}},
    {"steps", {{NULL}}, {"budget", "tokens"}},
    {"epochs", {{NULL}}, {"data", "stream"}},
    {"epochs", {{NULL}}, {"budget", "flops"}},
    {"budget_tokens", {{"budget", "tokens"}}, {"budget", "flops"}},
    {"budget_flops", {{"budget", "flops"}}, {"budget", "steps"}},
    {"curriculum_start", {{"curriculum", "schedule"}}, {"curriculum", "none"}},
    {"curriculum_keep", {{"curriculum", "validation"}}, {"curriculum", "none"}},
    {"curriculum_share", {{"curriculum", "schedule"}}, {"curriculum", "validation"}},
    {"curriculum_threshold", {{"curriculum", "validation"}}, {"curriculum", "schedule"}},
    {"curriculum_increment", {{"curriculum", "validation"}}, {"curriculum", "none"}},
    {"curriculum_every", {{"curriculum", "validation"}}, {"curriculum", "schedule"}},
    {"beta1", {{"optimizer", "adam"}}, {"optimizer", "gd"}},
    {"beta2", {{"optimizer", "adamw"}}, {"optimizer", "momentum"}},
    {"epsilon", {{"optimizer", "adamw"}}, {"optimizer", "gd"}},
    {"final_rate", {{"schedule", "cosine"}}, {"schedule", "step"}},
    {"decay_every", {{"schedule", "step"}}, {"schedule", "constant"}},
    {"decay_factor", {{"schedule", "step"}}, {"schedule", "inverse_sqrt"}},
};

static void settings_apply_where_they_have_an_effect(void **state)
{
    (void)state;
    enum { ROWS = sizeof uses / sizeof uses[0] };
    for (size_t i = 0; i < settings_count; i++) {
        bool here = false;
        for (size_t r = 0; r < ROWS; r++)
            here |= strcmp(uses[r].name, settings_table[i].name) == 0;
        assert_int_equal(here, settings_table[i].applies != NULL);
    }
    for (size_t i = 0; i < ROWS; i++) {
        struct settings settings;
        settings_defaults(&settings);
        const struct setting *row = setting_find(uses[i].name, strlen(uses[i].name));
        for (size_t k = 0; k < 3 && uses[i].where[k][0]; k++)
            set(&settings, uses[i].where[k][0], uses[i].where[k][1]);
        assert_true(setting_applies(row, &settings));
        set(&settings, uses[i].unless[0], uses[i].unless[1]);
        assert_false(setting_applies(row, &settings));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_apply_where_they_have_an_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
