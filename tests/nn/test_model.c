// SPDX-License-Identifier: MIT
#include "nn_cases.h"

static const struct shape small = {6, 5, 20, 6, 7};

static void encodings_have_the_names_of_spec(void **state)
{
    (void)state;
    const struct setting *row = setting_find("encoding", strlen("encoding"));
    static const char *const tensors[ENCODING_KINDS] = {
        [ENCODING_ABSOLUTE] = "position",
        [ENCODING_RELATIVE] = "relative",
        [ENCODING_TRANSFORMER_XL] = "xl.weight xl.content_bias xl.position_bias",
        [ENCODING_T5] = "t5.bias",
        [ENCODING_KERPLE] = "kerple.scale kerple.rate",
        [ENCODING_FIRE] = "fire.scale fire.threshold fire.in fire.in.bias fire.out fire.out.bias"};
    for (int kind = 0; kind < ENCODING_KINDS; kind++) {
        struct nn_case c = {0};
        struct settings settings = case_settings(small, kind, 0, 0, false);
        char names[200] = "";
        assert_string_equal(nn_encoding_name(kind), row->choices[kind]);
        case_model(&c, &settings, 9);
        for (size_t i = 4; i < nn_tensor_count(c.model); i++) {
            strcat(names, i > 4 ? " " : "");
            strcat(names, nn_tensor(c.model, i)->name);
        }
        assert_string_equal(names, tensors[kind] ? tensors[kind] : "");
        case_close(&c);
    }
}

static void tensors_are_listed_with_their_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        long rows, columns, stride;
    } rows[] = {
        {"query", 20, 6, 16}, {"key", 20, 6, 16}, {"value", 20, 7, 16}, {"readout", 1, 7, 16}, {"relative", 11, 6, 16}};
    struct settings settings = case_settings(small, ENCODING_RELATIVE, 0, READOUT_TRAINED, false);
    struct nn_case c = {0};
    case_model(&c, &settings, 9);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        const struct nn_tensor *tensor = nn_tensor(c.model, i);
        assert_string_equal(tensor->name, rows[i].name);
        assert_true(tensor->rows == rows[i].rows && tensor->columns == rows[i].columns &&
                    tensor->stride == rows[i].stride && !tensor->frozen);
        for (long r = 0; r < tensor->rows; r++)
            for (long k = tensor->columns; k < tensor->stride; k++)
                assert_true(tensor->value[r * tensor->stride + k] == 0);
    }
    assert_int_equal(nn_parameter_count(c.model), 2 * 120 + 140 + 7 + 66);
    case_close(&c);
    settings.model.freeze_attention = true;
    settings.model.readout = READOUT_FIXED;
    case_model(&c, &settings, 9);
    assert_int_equal(nn_parameter_count(c.model), 140);
    case_close(&c);
}

static void initial_weights_are_scaled_normals_keyed_by_name(void **state)
{
    (void)state;
    struct settings settings = case_settings(small, ENCODING_ABSOLUTE, 0, 0, false);
    settings.init_seed = 12;
    settings.replicate = 3;
    struct nn_case c = {0};
    float draw[20];
    case_model(&c, &settings, 9);
    const struct nn_tensor *key = case_tensor(&c, "key"), *position = case_tensor(&c, "position");
    random_normals(random_key(settings.seed, 12, "weight/key"), 19, 0, 6, draw);
    for (long k = 0; k < 6; k++)
        assert_true(key->value[19 * 16 + k] == (float)(settings.model.init_scale * (double)draw[k]));
    random_normals(random_key(settings.seed, 12, "weight/position"), 4, 0, 20, draw);
    for (long k = 0; k < 20; k++)
        assert_true(position->value[4 * 32 + k] == (float)(settings.model.init_scale * (double)draw[k]));
    for (long k = 0; k < 7; k++)
        assert_true(case_tensor(&c, "readout")->value[k] == (k % 2 ? -1 : 1));
    case_close(&c);
}

static void shared_weights_do_not_change_with_widths_or_encoding(void **state)
{
    (void)state;
    struct settings a = case_settings(small, ENCODING_RELATIVE, 0, 0, false), b = a;
    a.model.init_scale = b.model.init_scale = 0.01;
    b.task.dim = 31;
    b.model.head_dim = 18;
    b.task.train_length = 9;
    b.model.relative_clip = 9;
    struct nn_case one = {0}, other = {0};
    case_model(&one, &a, 9);
    case_model(&other, &b, 30);
    static const char *const names[] = {"query", "key", "value"};
    for (int i = 0; i < 3; i++) {
        const struct nn_tensor *x = case_tensor(&one, names[i]), *y = case_tensor(&other, names[i]);
        for (long r = 0; r < x->rows; r++)
            assert_memory_equal(x->value + r * x->stride, y->value + r * y->stride, (size_t)x->columns * sizeof(real));
    }
    const struct nn_tensor *x = case_tensor(&one, "relative"), *y = case_tensor(&other, "relative");
    for (long distance = -5; distance <= 5; distance++)
        assert_memory_equal(x->value + (distance + 5) * x->stride, y->value + (distance + 9) * y->stride,
                            6 * sizeof(real));
    case_close(&one);
    case_close(&other);
}

static void memory_is_what_was_announced(void **state)
{
    (void)state;
    for (int kind = 0; kind < ENCODING_KINDS; kind++)
        for (int activation = 0; activation < 2; activation++) {
            struct settings settings = case_settings(small, kind, activation, 0, false);
            const struct batch_shape task = case_task(&settings);
            const size_t need = nn_model_bytes(&settings, &task, 300);
            struct nn_model *model;
            struct status status = {0};
            struct arena *arena = arena_create(need, need);
            assert_int_equal(nn_model_create(&settings, &task, 300, arena, &model, &status), STATUS_OK);
            assert_true(arena_used(arena) <= need);
            arena_destroy(arena);
            model = (struct nn_model *)&status;
            arena = arena_create(need, need - 64);
            assert_int_equal(nn_model_create(&settings, &task, 300, arena, &model, &status), STATUS_MEMORY);
            assert_non_null(strstr(status.text, "shorten sequences"));
            assert_ptr_equal(model, &status);
            arena_destroy(arena);
        }
}

static void memory_grows_linearly_with_length(void **state)
{
    (void)state;
    for (int kind = 0; kind < ENCODING_KINDS; kind++) {
        struct settings settings = case_settings(small, kind, 1, 0, false);
        settings.model.relative_clip = 65536;
        const struct batch_shape task = case_task(&settings);
        const double once = (double)nn_model_bytes(&settings, &task, 30000),
                     twice = (double)nn_model_bytes(&settings, &task, 60000);
        assert_true(twice <= 2.01 * once);
        settings.task.train_length = 30000;
        assert_true((double)nn_model_bytes(&settings, &task, 30000) < 3 * once);
    }
}

static void steps_follow_their_formulas(void **state)
{
    (void)state;
    real value[32] = {1, -2, 3}, gradient[32] = {0.5, 4, 0}, velocity[32] = {0};
    struct nn_tensor tensor = {
        .name = "x", .rows = 2, .columns = 3, .stride = 16, .storage = 32, .value = value, .gradient = gradient};
    nn_step_gd(&tensor, &(struct nn_step){.learning_rate = 0.25, .scale = 1});
    assert_true(value[0] == 0.875 && value[1] == -3 && value[2] == 3);
    nn_step_momentum(&tensor, velocity, &(struct nn_step){.learning_rate = 0.25, .scale = 1, .momentum = 0.5});
    assert_true(velocity[1] == 4 && value[1] == -4);
    nn_step_momentum(&tensor, velocity, &(struct nn_step){.learning_rate = 0.25, .scale = 1, .momentum = 0.5});
    assert_true(velocity[1] == 6 && value[1] == -5.5);
    assert_true(nn_square_norm(&tensor, true) == 16.25);
    value[17] = 2;
    assert_true(nn_square_norm(&tensor, false) == (double)(value[0] * value[0]) + 30.25 + 9 + 4);
    tensor.frozen = true;
    nn_step_gd(&tensor, &(struct nn_step){.learning_rate = 0.25, .scale = 1});
    nn_step_momentum(&tensor, velocity, &(struct nn_step){.learning_rate = 0.25, .scale = 1, .momentum = 0.5});
    assert_true(value[1] == -5.5 && velocity[1] == 6);
}

static void operations_are_counted_as_in_the_benchmark(void **state)
{
    (void)state;
    struct settings settings =
        case_settings((struct shape){128, 16, 64, 64, 64}, ENCODING_NONE, ACTIVATION_RELU, READOUT_TRAINED, false);
    const struct batch_shape task = case_task(&settings);
    assert_true(nn_gradient_flops(&settings, &task, 128, 16) == 2.0 * 6 * 128 * 16 * 64 * (64 + 16));
    assert_true(nn_predict_flops(&settings, &task, 128, 16) == 2.0 * 128 * 16 * 64 * (3 * 64 + 2 * 16));
    settings.model.activation = ACTIVATION_NONE;
    settings.model.freeze_attention = true;
    assert_true(nn_gradient_flops(&settings, &task, 1, 1) == 2.0 * (64 * 130 + 66));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_have_the_names_of_spec),
        cmocka_unit_test(tensors_are_listed_with_their_shapes),
        cmocka_unit_test(initial_weights_are_scaled_normals_keyed_by_name),
        cmocka_unit_test(shared_weights_do_not_change_with_widths_or_encoding),
        cmocka_unit_test(memory_is_what_was_announced),
        cmocka_unit_test(memory_grows_linearly_with_length),
        cmocka_unit_test(steps_follow_their_formulas),
        cmocka_unit_test(operations_are_counted_as_in_the_benchmark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
