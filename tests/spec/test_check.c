// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <string.h>

static void set(struct settings *settings, const char *name, const char *text)
{
    const struct setting *row = setting_find(name, strlen(name));
    union setting_value value;
    assert_int_equal(setting_parse(row, text, strlen(text), &value, NULL), STATUS_OK);
    setting_put(row, settings, value);
}

static const struct combination {
    const char *set[6][2];
    const char *blamed; // NULL: accepted
    const char *message;
} combinations[] = {
    {{{NULL}}, NULL, NULL},
    {{{"encoding", "rope"}}, NULL, NULL},
    {{{"encoding", "rope"}, {"head_dim", "15"}},
     "head_dim",
     "head_dim is 15, but encoding rope turns pairs of coordinates; make it even"},
    {{{"encoding", "alibi"}, {"head_dim", "15"}}, NULL, NULL},
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
    {{{"encoding", "rope"}, {"head_dim", "15"}, {"model", "transformer"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "rnn"}, {"signal_tokens", "9"}}, NULL, NULL},
    {{{"task", "accumulator"}},
     "model",
     "model two_layer reads vectors, but task accumulator gives tokens; take model transformer, rnn or lstm, or task "
     "signal"},
    {{{"task", "accumulator"}, {"model", "lstm"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"modulus", "32768"}}, NULL, NULL},
    {{{"task", "accumulator"}, {"model", "transformer"}, {"modulus", "32769"}},
     "modulus",
     "modulus is 32769, so that the vocabulary has 65538 symbols, more than 65536; lower it to at most 32768"},
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
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}}, NULL, NULL},
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}, {"supervision", "final"}},
     "train_length",
     "train_length is 8, but with depth = 1 no bracket is open after an even number of symbols, so that every answer "
     "is "
     "the same; take an odd length, more depth, or supervision: steps"},
    {{{"task", "brackets"}, {"model", "rnn"}, {"depth", "1"}, {"supervision", "final"}, {"train_length", "7"}},
     NULL,
     NULL},
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
     "random_positions is 7, fewer than the train_length = 8 tokens that need one each; raise it, or write 0 for "
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

static void a_fault_blames_settings_that_its_message_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++) {
        struct settings settings;
        struct settings_fault fault;
        size_t at = 0;
        settings_defaults(&settings);
        for (size_t k = 0; k < 6 && combinations[i].set[k][0]; k++)
            set(&settings, combinations[i].set[k][0], combinations[i].set[k][1]);
        if (!settings_next_fault(&settings, &at, &fault))
            continue;
        assert_non_null(strstr(fault.why.text, fault.blamed[0]->name));
        for (size_t b = 0; b < FAULT_BLAMED && fault.blamed[b]; b++)
            assert_true(setting_applies(fault.blamed[b], &settings) || b > 0 || settings.train.epochs);
    }
}

static void long_tests_are_refused_where_the_model_ends(void **state)
{
    (void)state;
    const struct {
        const char *set[4][2];
        int64_t length;
        const char *blamed, *message;
    } rows[] = {
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
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings;
        struct settings_fault fault = {.blamed = {NULL}};
        settings_defaults(&settings);
        for (size_t k = 0; k < 4 && rows[i].set[k][0]; k++)
            set(&settings, rows[i].set[k][0], rows[i].set[k][1]);
        assert_int_equal(settings_length_fault(&settings, rows[i].length, &fault), rows[i].message != NULL);
        assert_string_equal(fault.why.text, rows[i].message ? rows[i].message : "");
        assert_string_equal(fault.blamed[0] ? fault.blamed[0]->name : "-", rows[i].blamed ? rows[i].blamed : "-");
    }
}

static void blames_the_setting_that_contradicts_another(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++) {
        const struct combination *row = &combinations[i];
        struct settings settings;
        struct status status = {0};
        const struct setting *blamed = NULL;
        settings_defaults(&settings);
        for (size_t k = 0; k < 6 && row->set[k][0]; k++)
            set(&settings, row->set[k][0], row->set[k][1]);
        enum status_code code = settings_check(&settings, &blamed, &status);
        assert_int_equal(code, row->blamed ? STATUS_INVALID : STATUS_OK);
        assert_string_equal(blamed ? blamed->name : "-", row->blamed ? row->blamed : "-");
        assert_string_equal(status.text, row->message ? row->message : "");
    }
}

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
    {"supervision", {{"task", "accumulator"}}, {"task", "signal"}},
    {"automaton", {{"task", "automaton"}}, {"task", "brackets"}},
    {"order", {{"task", "automaton"}, {"automaton", "symmetric"}}, {"automaton", "flip_flop"}},
    {"order", {{"task", "automaton"}, {"automaton", "cyclic"}}, {"automaton", "alternating5"}},
    {"order", {{"task", "automaton"}, {"automaton", "dihedral"}}, {"task", "accumulator"}},
    {"group_symbols", {{"task", "automaton"}, {"automaton", "alternating5"}}, {"automaton", "parity"}},
    {"bracket_types", {{"task", "brackets"}}, {"task", "automaton"}},
    {"depth", {{"task", "brackets"}}, {"task", "signal"}},
    {"test_depth", {{"task", "brackets"}}, {"task", "accumulator"}},
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
    {"epochs", {{NULL}}, {"data", "stream"}},
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
        cmocka_unit_test(blames_the_setting_that_contradicts_another),
        cmocka_unit_test(tells_every_fault_once),
        cmocka_unit_test(a_fault_blames_settings_that_its_message_names),
        cmocka_unit_test(long_tests_are_refused_where_the_model_ends),
        cmocka_unit_test(settings_apply_where_they_have_an_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
