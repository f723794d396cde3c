// SPDX-License-Identifier: MIT
#include "support.h"

#include "record.h"
#include <string.h>

// What stores hold: id, name, type and dimension of every field. Append only.
static const struct {
    unsigned id;
    const char *name;
    enum record_part_kind part;
    enum record_type type;
    const char *dimension; // NULL: scalar
} frozen[] = {
    {1, "step", RECORD_TRAINING, RECORD_I64, "eval"},
    {2, "train_loss", RECORD_TRAINING, RECORD_F32, "eval"},
    {3, "train_error", RECORD_TRAINING, RECORD_F32, "eval"},
    {4, "train_error_clean", RECORD_TRAINING, RECORD_F32, "eval"},
    {5, "train_error_unflipped", RECORD_TRAINING, RECORD_F32, "eval"},
    {6, "flips_fitted", RECORD_TRAINING, RECORD_F32, "eval"},
    {7, "validation_loss", RECORD_TRAINING, RECORD_F32, "eval"},
    {8, "validation_error", RECORD_TRAINING, RECORD_F32, "eval"},
    {9, "signal_attention", RECORD_TRAINING, RECORD_F32, "eval"},
    {10, "value_norm_signal", RECORD_TRAINING, RECORD_F32, "eval"},
    {11, "value_norm_noise", RECORD_TRAINING, RECORD_F32, "eval"},
    {12, "gradient_norm", RECORD_TRAINING, RECORD_F32, "eval"},
    {13, "weight_norm", RECORD_TRAINING, RECORD_F32, "eval"},
    {14, "tokens_seen", RECORD_TRAINING, RECORD_F64, "eval"},
    {15, "flops", RECORD_TRAINING, RECORD_F64, "eval"},
    {16, "learning_rate_sum", RECORD_TRAINING, RECORD_F64, "eval"},
    {17, "validation_sequence_error", RECORD_TRAINING, RECORD_F32, "eval"},
    {18, "curriculum_length", RECORD_TRAINING, RECORD_F32, "eval"},
    {32, "evaluations", RECORD_TRAINING, RECORD_I64, NULL},
    {33, "flip_count", RECORD_TRAINING, RECORD_I64, NULL},
    {34, "parameters", RECORD_TRAINING, RECORD_I64, NULL},
    {35, "t_fit", RECORD_TRAINING, RECORD_F64, NULL},
    {36, "t_half", RECORD_TRAINING, RECORD_F64, NULL},
    {37, "t_mem", RECORD_TRAINING, RECORD_F64, NULL},
    {38, "t_best", RECORD_TRAINING, RECORD_F64, NULL},
    {39, "t_stable", RECORD_TRAINING, RECORD_F64, NULL},
    {40, "diverged_step", RECORD_TRAINING, RECORD_F64, NULL},
    {41, "final_train_loss", RECORD_TRAINING, RECORD_F32, NULL},
    {42, "final_train_error", RECORD_TRAINING, RECORD_F32, NULL},
    {43, "interpolated", RECORD_TRAINING, RECORD_U8, NULL},
    {44, "snr_norm", RECORD_TRAINING, RECORD_F64, NULL},
    {48, "loss_level", RECORD_TRAINING, RECORD_F32, "loss_level"},
    {49, "loss_level_step", RECORD_TRAINING, RECORD_F64, "loss_level"},
    {56, "phase_start", RECORD_TRAINING, RECORD_F64, "phase"},
    {57, "phase_end", RECORD_TRAINING, RECORD_F64, "phase"},
    {58, "phase_train_loss", RECORD_TRAINING, RECORD_F32, "phase"},
    {59, "phase_validation_error", RECORD_TRAINING, RECORD_F32, "phase"},
    {64, "test_loss", RECORD_TEST, RECORD_F32, "eval"},
    {65, "test_error", RECORD_TEST, RECORD_F32, "eval"},
    {66, "test_signal_attention", RECORD_TEST, RECORD_F32, "eval"},
    {67, "test_sequence_error", RECORD_TEST, RECORD_F32, "eval"},
    {80, "final_test_error", RECORD_TEST, RECORD_F32, NULL},
    {81, "final_test_loss", RECORD_TEST, RECORD_F32, NULL},
    {82, "final_test_count", RECORD_TEST, RECORD_I64, NULL},
    {83, "curve_test_count", RECORD_TEST, RECORD_I64, NULL},
    {84, "chance_error", RECORD_TEST, RECORD_F64, NULL},
    {85, "bayes_error", RECORD_TEST, RECORD_F64, NULL},
    {86, "final_test_sequence_error", RECORD_TEST, RECORD_F32, NULL},
    {96, "loss_level_test_error", RECORD_TEST, RECORD_F32, "loss_level"},
    {104, "phase_test_error", RECORD_TEST, RECORD_F32, "phase"},
    {128, "train_seconds", RECORD_TRAINING, RECORD_F64, NULL},
    {129, "evaluate_seconds", RECORD_TRAINING, RECORD_F64, NULL},
};
enum { FROZEN = sizeof frozen / sizeof frozen[0] };

static void ids_names_and_shapes_are_frozen(void **state)
{
    (void)state;
    assert_int_equal(record_fields_count, FROZEN);
    for (size_t i = 0; i < FROZEN; i++) {
        const struct record_field *field = &record_fields[i];
        assert_int_equal(field->id, frozen[i].id);
        assert_string_equal(field->name, frozen[i].name);
        assert_int_equal(field->part, frozen[i].part);
        assert_int_equal(field->type, frozen[i].type);
        assert_int_equal(record_field_dimensions(field), frozen[i].dimension != NULL);
        if (frozen[i].dimension)
            assert_string_equal(field->dimension[0], frozen[i].dimension);
    }
}

static void fields_are_found_by_id_and_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < record_fields_count; i++) {
        assert_ptr_equal(record_field_by_id(record_fields[i].id), &record_fields[i]);
        assert_ptr_equal(record_field_by_name(record_fields[i].name), &record_fields[i]);
        assert_true(i == 0 || record_fields[i].id > record_fields[i - 1].id);
    }
    assert_null(record_field_by_id(0));
    assert_null(record_field_by_id(UINT16_MAX));
    assert_null(record_field_by_name(""));
    assert_null(record_field_by_name("test_erro"));
}

static void every_field_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < record_fields_count; i++) {
        const struct record_field *field = &record_fields[i];
        assert_true(field->unit && field->unit[0]);
        assert_true(field->long_name && field->long_name[0]);
        assert_non_null(field->help);
        size_t length = strlen(field->help);
        assert_true(length > 20 && field->help[length - 1] == '.');
        assert_null(strstr(field->help, ". "));
    }
}

static void names_are_fit_for_the_encoding_and_the_store(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    for (size_t i = 0; i < record_fields_count; i++) {
        const struct record_field *field = &record_fields[i];
        assert_true(strlen(field->name) < RECORD_NAME_SIZE);
        assert_int_equal(strspn(field->name, letters), strlen(field->name));
        assert_null(setting_find(field->name, strlen(field->name)));
        for (size_t d = 0; d < record_field_dimensions(field); d++) {
            assert_true(strlen(field->dimension[d]) < RECORD_NAME_SIZE);
            assert_int_equal(strspn(field->dimension[d], letters), strlen(field->dimension[d]));
        }
    }
}

static void only_timings_are_of_the_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < record_fields_count; i++) {
        bool timing = strcmp(record_fields[i].unit, "s") == 0;
        assert_int_equal(record_fields[i].role, timing ? ROLE_RUN : ROLE_SCIENCE);
    }
}

static void types_have_sizes_and_names(void **state)
{
    (void)state;
    const struct {
        enum record_type type;
        size_t size;
        const char *name;
    } rows[] = {{RECORD_F32, 4, "f32"}, {RECORD_F64, 8, "f64"}, {RECORD_I32, 4, "i32"},
                {RECORD_I64, 8, "i64"}, {RECORD_U8, 1, "u8"},   {RECORD_U8 + 1, 0, "?"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(record_type_size(rows[i].type), rows[i].size);
        assert_string_equal(record_type_name(rows[i].type), rows[i].name);
    }
}

static void loss_levels_fall(void **state)
{
    (void)state;
    static const float levels[] = {0.5F, 0.3F, 0.1F, 0.03F, 0.01F};
    assert_int_equal(RECORD_LOSS_LEVELS, sizeof levels / sizeof levels[0]);
    assert_memory_equal(record_loss_levels, levels, sizeof levels);
}

static void statuses_and_phases_have_names(void **state)
{
    (void)state;
    static const char *const statuses[] = {"pending", "done", "diverged", "failed", "excluded"};
    for (size_t i = 0; i < RECORD_STATUSES; i++)
        assert_string_equal(record_status_names[i], statuses[i]);
    for (size_t i = 0; i < RECORD_PHASES; i++)
        assert_true(record_phase_names[i] && record_phase_names[i][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_names_and_shapes_are_frozen),
        cmocka_unit_test(fields_are_found_by_id_and_by_name),
        cmocka_unit_test(every_field_is_described),
        cmocka_unit_test(names_are_fit_for_the_encoding_and_the_store),
        cmocka_unit_test(only_timings_are_of_the_run),
        cmocka_unit_test(types_have_sizes_and_names),
        cmocka_unit_test(loss_levels_fall),
        cmocka_unit_test(statuses_and_phases_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
