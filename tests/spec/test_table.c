// SPDX-License-Identifier: MIT
#include "support.h"

#include "../../src/spec/spec_private.h"
#include <stdio.h>
#include <string.h>

// Every setting with its frozen default and its domain: a change here reruns what users have.
static const struct {
    const char *section, *name, *standard, *domain, *unit;
} frozen[] = {
    {"", "seed", "1", "integer from 0 to 18446744073709551615", "1"},
    {"", "replicate", "0", "integer from 0 to 9007199254740991", "1"},
    {"", "data_seed", "-1", "integer from 0 to 9007199254740991", "1"},
    {"", "init_seed", "-1", "integer from 0 to 9007199254740991", "1"},
    {"", "init_source", "0", "integer from 0 to 18446744073709551615", "1"},
    {"", "file_hash", "0", "integer from 0 to 18446744073709551615", "1"},
    {"task", "task", "signal",
     "one of signal, accumulator, automaton, brackets, addition, multiplication, modular, file, stack_manipulation, "
     "reverse_string, modular_arithmetic_brackets, solve_equation, duplicate_string, missing_duplicate_string, "
     "odds_first, binary_addition, binary_multiplication, compute_sqrt, bucket_sort",
     "1"},
    {"task", "train_length", "8", "integer from 1 to 65536", "tokens"},
    {"task", "length_distribution", "fixed", "one of fixed, uniform, exponential, list", "1"},
    {"task", "min_length", "1", "integer from 1 to 65536", "tokens"},
    {"task", "lengths", "", "integers, as in 0 1", "tokens"},
    {"task", "length_mixing", "samples", "one of samples, batches", "1"},
    {"task", "snr", "64", "number above 0 to 1e+30, or .inf", "1"},
    {"task", "noise_rate", "0.1", "number from 0 to below 1", "1"},
    {"task", "noise_on", "target", "one of target, final, chain", "1"},
    {"task", "samples", "80", "integer from 1 to 10000000", "sequences"},
    {"task", "dim", "64", "integer from 3 to 65536", "1"},
    {"task", "signal_tokens", "1", "number above 0 to 65536", "1"},
    {"task", "signal_position", "random", "one of random, first", "1"},
    {"task", "signal_geometry", "orthogonal", "one of orthogonal, antipodal", "1"},
    {"task", "project_noise", "true", "true or false", "1"},
    {"task", "signal_noise", "false", "true or false", "1"},
    {"task", "modulus", "5", "integer from 2 to 65536", "1"},
    {"task", "supervision", "steps", "one of steps, final", "1"},
    {"train", "budget", "steps", "one of steps, tokens, flops", "1"},
    {"train", "budget_tokens", "1000000", "integer from 1 to 9007199254740991", "tokens"},
    {"train", "budget_flops", "1000000000000", "number above 0 to 1e+30", "1"},
    {"train", "curriculum", "none", "one of none, schedule, validation", "1"},
    {"train", "curriculum_start", "2", "integer from 1 to 65536", "tokens"},
    {"train", "curriculum_share", "0.4", "number from 0 to 1", "1"},
    {"train", "curriculum_threshold", "0.95", "number from 0 to 1", "1"},
    {"train", "curriculum_increment", "1", "integer from 1 to 65536", "tokens"},
    {"train", "curriculum_every", "50", "integer from 1 to 1000000000", "steps"},
    {"train", "curriculum_keep", "0", "number from 0 to 1", "1"},
    {"task", "begin_token", "false", "true or false", "1"},
    {"task", "query_token", "false", "true or false", "1"},
    {"task", "automaton", "parity",
     "one of parity, cycle_navigation, even_pairs, modular_arithmetic, flip_flop, cyclic, dihedral, symmetric, "
     "alternating5, table",
     "1"},
    {"task", "order", "5", "integer from 2 to 256", "1"},
    {"task", "group_symbols", "elements", "one of elements, generators", "1"},
    {"task", "table", "", "rows of integers, as in 0 1; 1 0", "1"},
    {"task", "outputs", "", "integers, as in 0 1", "1"},
    {"task", "start", "0", "integer from 0 to 511", "1"},
    {"task", "bracket_types", "2", "integer from 2 to 1024", "1"},
    {"task", "depth", "4", "integer from 1 to 256", "1"},
    {"task", "test_depth", "0", "integer from 0 to 256", "1"},
    {"task", "base", "10", "integer from 2 to 65536", "1"},
    {"task", "test_base", "0", "integer from 0 to 65536", "1"},
    {"task", "digit_order", "plain", "one of plain, reversed", "1"},
    {"task", "zero_padding", "true", "true or false", "1"},
    {"task", "index_hints", "0", "integer from 0 to 65536", "1"},
    {"task", "operand_offset", "0", "integer from 0 to 65535", "digits"},
    {"task", "test_operand_offset", "-1", "integer from -1 to 65535", "digits"},
    {"task", "multiplier_digits", "0", "integer from 0 to 65536", "digits"},
    {"task", "test_modulus", "0", "integer from 0 to 65536", "1"},
    {"task", "alphabet", "2", "integer from 2 to 1024", "1"},
    {"task", "path", "", "text", "1"},
    {"task", "file_vocabulary", "0", "integer from 0 to 65536", "1"},
    {"task", "file_classes", "0", "integer from 0 to 65536", "1"},
    {"task", "file_shortest", "0", "integer from 0 to 65536", "tokens"},
    {"task", "file_relevant", "0", "integer from 0 to 9007199254740991", "1"},
    {"task", "file_masked", "false", "true or false", "1"},
    {"model", "model", "two_layer", "one of two_layer, transformer, rnn, lstm", "1"},
    {"model", "encoding", "none",
     "one of none, sinusoidal, absolute, relative, alibi, rope, transformer_xl, t5, kerple, fire", "1"},
    {"model", "head_dim", "16", "integer from 1 to 4096", "1"},
    {"model", "value_dim", "8", "integer from 1 to 4096", "1"},
    {"model", "readout", "fixed", "one of fixed, trained", "1"},
    {"model", "activation", "none", "one of none, relu", "1"},
    {"model", "freeze_attention", "false", "true or false", "1"},
    {"model", "init_scale", "0.01", "number from 0 to 1e+30", "1"},
    {"model", "output_scale", "1", "number above 0 to 1e+30", "1"},
    {"model", "relative_clip", "16", "integer from 1 to 65536", "tokens"},
    {"model", "alibi_slope", "0.00390625", "number above 0 to 1e+30", "1"},
    {"model", "rope_base", "10000", "number above 1 to 1e+30", "1"},
    {"model", "sinusoidal_scale", "1", "number from 0 to 1e+30", "1"},
    {"model", "layers", "2", "integer from 1 to 64", "1"},
    {"model", "width", "64", "integer from 1 to 8192", "1"},
    {"model", "embeddings", "trained", "one of trained, orthonormal", "1"},
    {"model", "heads", "4", "integer from 1 to 256", "1"},
    {"model", "ffn_factor", "4", "integer from 1 to 64", "1"},
    {"model", "norm", "layer", "one of layer, rms", "1"},
    {"model", "ffn_activation", "gelu", "one of gelu, gelu_tanh, relu", "1"},
    {"model", "attention_mask", "auto", "one of auto, causal, bidirectional", "1"},
    {"model", "pooling", "auto", "one of auto, per_position, last, mean", "1"},
    {"model", "head_bias", "true", "true or false", "1"},
    {"model", "attention_bias", "true", "true or false", "1"},
    {"model", "tied", "false", "true or false", "1"},
    {"model", "dropout", "0", "number from 0 to below 1", "1"},
    {"model", "attention_noise", "0", "number from 0 to 1e+30", "1"},
    {"model", "init_gain", "1", "number from 0 to 1e+30", "1"},
    {"model", "value_gain", "1", "number from 0 to 1e+30", "1"},
    {"model", "parametrization", "standard", "one of standard, ntk, mup", "1"},
    {"model", "base_width", "64", "integer from 1 to 8192", "1"},
    {"model", "position_scale", "0.02", "number from 0 to 1e+30", "1"},
    {"model", "t5_buckets", "32", "integer from 4 to 4096", "1"},
    {"model", "t5_distance", "128", "integer from 2 to 1000000", "tokens"},
    {"model", "fire_width", "32", "integer from 1 to 1024", "1"},
    {"model", "fire_threshold", "512", "number above 0 to 1e+30", "tokens"},
    {"model", "random_positions", "0", "integer from 0 to 1000000", "tokens"},
    {"model", "rope_scaling", "none", "one of none, interpolation, ntk, yarn", "1"},
    {"train", "optimizer", "gd", "one of gd, momentum, adam, adamw", "1"},
    {"train", "learning_rate", "0.05", "number above 0 to 1e+30", "1"},
    {"train", "momentum", "0.9", "number from 0 to below 1", "1"},
    {"train", "steps", "800", "integer from 0 to 1000000000", "steps"},
    {"train", "epochs", "0", "integer from 0 to 1000000000", "1"},
    {"train", "data", "finite", "one of finite, stream", "1"},
    {"train", "batch_size", "0", "integer from 0 to 10000000", "sequences"},
    {"train", "accumulation", "1", "integer from 1 to 1000000", "1"},
    {"train", "beta1", "0.9", "number from 0 to below 1", "1"},
    {"train", "beta2", "0.999", "number from 0 to below 1", "1"},
    {"train", "epsilon", "1e-08", "number above 0 to 1e+30", "1"},
    {"train", "weight_decay", "0", "number from 0 to 1e+30", "1"},
    {"train", "clip", "inf", "number above 0 to 1e+30, or .inf", "1"},
    {"train", "schedule", "constant", "one of constant, cosine, step, inverse_sqrt", "1"},
    {"train", "warmup", "0", "number from 0 to 1000000000", "steps"},
    {"train", "final_rate", "0", "number from 0 to 1", "1"},
    {"train", "decay_every", "0.25", "number above 0 to 1000000000", "steps"},
    {"train", "decay_factor", "0.5", "number above 0 to 1", "1"},
    {"evaluate", "points", "64", "integer from 1 to 100000", "1"},
    {"evaluate", "test_samples", "1000", "integer from 200 to 10000000", "sequences"},
    {"evaluate", "curve_samples", "200", "integer from 200 to 10000000", "sequences"},
    {"evaluate", "validation_samples", "1000", "integer from 200 to 10000000", "sequences"},
};
enum { FROZEN = sizeof frozen / sizeof frozen[0] };

static void defaults_and_domains_are_frozen(void **state)
{
    (void)state;
    struct settings settings;
    settings_defaults(&settings);
    for (size_t i = 0; i < FROZEN; i++) {
        const struct setting *row = setting_find(frozen[i].name, strlen(frozen[i].name));
        char text[SETTING_TEXT_SIZE], domain[SETTING_DOMAIN_SIZE];
        assert_non_null(row);
        assert_string_equal(section_names[row->section], frozen[i].section);
        assert_string_equal(setting_text(row, row->standard, text), frozen[i].standard);
        assert_string_equal(setting_text(row, setting_get(row, &settings), text), frozen[i].standard);
        assert_string_equal(setting_domain(row, domain, sizeof domain), frozen[i].domain);
        assert_string_equal(row->unit, frozen[i].unit);
        assert_true(setting_is_default(row, &settings));
    }
}

static void lists_every_setting_here(void **state)
{
    (void)state;
    assert_int_equal(settings_count, FROZEN);
}

static void rows_are_complete_and_names_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_count; i++) {
        const struct setting *row = &settings_table[i];
        assert_true(row->help && row->help[0] && row->unit && row->unit[0]);
        assert_true(strlen(row->name) < SETTING_NAME_LIMIT);
        assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz_0123456789"), strlen(row->name));
        assert_int_equal(setting_index(row), i);
        assert_ptr_equal(setting_find(row->name, strlen(row->name)), row);
        assert_int_equal(row->type == SETTING_CHOICE, row->choices != NULL);
        assert_string_not_equal(row->name, "kind");
    }
}

static void choices_have_a_name_for_every_number(void **state)
{
    (void)state;
    const struct {
        const char *name;
        size_t count;
    } rows[] = {
        {"task", TASK_KINDS},
        {"model", MODEL_KINDS},
        {"encoding", ENCODING_KINDS},
        {"optimizer", OPTIMIZER_KINDS},
        {"schedule", SCHEDULE_KINDS},
        {"ffn_activation", FFN_KINDS},
        {"data", DATA_STREAM + 1},
        {"supervision", SUPERVISION_FINAL + 1},
        {"automaton", AUTOMATON_KINDS},
        {"group_symbols", SYMBOLS_GENERATORS + 1},
        {"digit_order", DIGITS_REVERSED + 1},
        {"embeddings", EMBEDDINGS_ORTHONORMAL + 1},
        {"norm", NORM_RMS + 1},
        {"attention_mask", MASK_BIDIRECTIONAL + 1},
        {"pooling", POOLING_MEAN + 1},
        {"parametrization", PARAMETRIZATION_MUP + 1},
        {"rope_scaling", ROPE_SCALING_YARN + 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting *row = setting_find(rows[i].name, strlen(rows[i].name));
        size_t count = 0;
        for (; row->choices[count]; count++)
            assert_true(strlen(row->choices[count]) < SETTING_TEXT_SIZE);
        assert_int_equal(count, rows[i].count);
    }
}

// A value that no default has.
static union setting_value other_value(const struct setting *row)
{
    switch (row->type) {
    case SETTING_INT:
        return (union setting_value){.i = 12345678901};
    case SETTING_UINT:
        return (union setting_value){.u = UINT64_MAX};
    case SETTING_REAL:
        return (union setting_value){.r = 0.3};
    case SETTING_CHOICE:
        return (union setting_value){.choice = row->standard.choice + 1};
    case SETTING_BOOL:
        return (union setting_value){.b = !row->standard.b};
    case SETTING_TEXT:
        return (union setting_value){.text = "another text"};
    }
    fail();
    return (union setting_value){0};
}

static void a_row_puts_and_gets_its_own_member_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < settings_count; i++) {
        struct settings settings, standard;
        settings_defaults(&settings);
        settings_defaults(&standard);
        const struct setting *row = &settings_table[i];
        union setting_value value = other_value(row);
        setting_put(row, &settings, value);
        assert_int_equal(setting_compare(row, setting_get(row, &settings), value), 0);
        assert_false(setting_is_default(row, &settings));
        assert_ptr_equal(settings_differ(&settings, &standard), row);
        setting_put(row, &settings, row->standard);
        assert_null(settings_differ(&settings, &standard));
        assert_memory_equal(&settings, &standard, sizeof settings);
    }
}

static void defaults_are_what_the_members_say(void **state)
{
    (void)state;
    struct settings settings;
    settings_defaults(&settings);
    assert_true(settings.seed == 1 && settings.replicate == 0 && settings.data_seed == -1 && settings.init_seed == -1);
    assert_true(settings.task.train_length == 8 && settings.task.samples == 80 && settings.task.dim == 64);
    assert_true(settings.task.snr == 64 && settings.task.noise_rate == 0.1 && settings.task.project_noise);
    assert_true(settings.model.head_dim == 16 && settings.model.value_dim == 8 && settings.model.init_scale == 0.01);
    assert_true(settings.train.learning_rate == 0.05 && settings.train.steps == 800);
    assert_true(settings.evaluate.test_samples == 1000 && settings.evaluate.curve_samples == 200);
}

static void orders_values_by_their_type(void **state)
{
    (void)state;
    const struct {
        const char *name;
        union setting_value smaller, larger;
    } rows[] = {
        {"data_seed", {.i = -1}, {.i = 0}},
        {"seed", {.u = 1}, {.u = UINT64_MAX}},
        {"snr", {.r = 1e-300}, {.r = 1}},
        {"encoding", {.choice = ENCODING_NONE}, {.choice = ENCODING_ROPE}},
        {"signal_noise", {.b = false}, {.b = true}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting *row = setting_find(rows[i].name, strlen(rows[i].name));
        assert_true(setting_compare(row, rows[i].smaller, rows[i].larger) < 0);
        assert_true(setting_compare(row, rows[i].larger, rows[i].smaller) > 0);
        assert_int_equal(setting_compare(row, rows[i].larger, rows[i].larger), 0);
        assert_true(setting_real(row, rows[i].smaller) < setting_real(row, rows[i].larger));
    }
}

static void finds_the_kind_in_its_section_alone(void **state)
{
    (void)state;
    const struct setting *task = setting_find("task", 4), *model = setting_find("model", 5);
    assert_ptr_equal(setting_find_in(SECTION_TASK, "kind", 4), task);
    assert_ptr_equal(setting_find_in(SECTION_MODEL, "kind", 4), model);
    assert_ptr_equal(setting_find_in(SECTION_TASK, "task", 4), task);
    assert_null(setting_find_in(SECTION_TRAIN, "kind", 4));
    assert_null(setting_find_in(SECTION_SWEEP, "kind", 4));
    assert_null(setting_find_in(SECTION_TASK, "steps", 5));
    assert_null(setting_find("kind", 4));
    assert_null(setting_find("", 0));
    assert_null(setting_find("snr\0", 4));
    assert_non_null(setting_find("snrs", 3));
}

static void names_the_nearest_setting(void **state)
{
    (void)state;
    const struct {
        const char *written;
        enum setting_section section;
        bool any;
        const char *nearest;
    } rows[] = {
        {"train_lenght", SECTION_TASK, false, "train_length"},
        {"train_lenght", SECTION_TRAIN, false, NULL},
        {"train_lenght", SECTION_TRAIN, true, "train_length"},
        {"learningrate", SECTION_TRAIN, false, "learning_rate"},
        {"kinds", SECTION_TASK, false, "kind"},
        {"kinds", SECTION_TRAIN, false, NULL},
        {"replicat", SECTION_SWEEP, false, NULL},
        {"zzzzzzzz", SECTION_SWEEP, true, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *nearest = setting_nearest(rows[i].written, rows[i].section, rows[i].any);
        assert_string_equal(nearest ? nearest : "-", rows[i].nearest ? rows[i].nearest : "-");
    }
}

static void a_domain_is_cut_to_its_room(void **state)
{
    (void)state;
    char whole[SETTING_DOMAIN_SIZE], cut[SETTING_DOMAIN_SIZE];
    for (size_t i = 0; i < settings_count; i++) {
        setting_domain(&settings_table[i], whole, sizeof whole);
        assert_true(strlen(whole) < sizeof whole - 1);
        for (size_t size = 1; size <= strlen(whole); size++) {
            memset(cut, 'x', sizeof cut);
            setting_domain(&settings_table[i], cut, size);
            assert_int_equal(strlen(cut), size - 1);
            assert_memory_equal(cut, whole, size - 1);
            assert_int_equal(cut[size], 'x');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_domains_are_frozen),
        cmocka_unit_test(lists_every_setting_here),
        cmocka_unit_test(rows_are_complete_and_names_unique),
        cmocka_unit_test(choices_have_a_name_for_every_number),
        cmocka_unit_test(a_row_puts_and_gets_its_own_member_alone),
        cmocka_unit_test(defaults_are_what_the_members_say),
        cmocka_unit_test(orders_values_by_their_type),
        cmocka_unit_test(finds_the_kind_in_its_section_alone),
        cmocka_unit_test(names_the_nearest_setting),
        cmocka_unit_test(a_domain_is_cut_to_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
