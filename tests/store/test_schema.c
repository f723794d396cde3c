// SPDX-License-Identifier: MIT
#include "support.h"

#include "store_schema.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct schema schema;

static int set_up(void **state)
{
    struct status status = {0};
    (void)state;
    return store_schema_init(&schema, &status) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    store_schema_fini(&schema);
    store_schema_fini(&schema); // a zeroed one is accepted
    return 0;
}

static struct column column_of(enum record_part_kind part, uint16_t id, const char *name, uint8_t type)
{
    struct column column = {.part = part, .id = id, .type = type};
    snprintf(column.name, sizeof column.name, "%s", name);
    return column;
}

static struct column curve(uint16_t id, const char *name, const char *dimension)
{
    struct column column = column_of(RECORD_TRAINING, id, name, RECORD_F32);
    column.dimensions = 1;
    snprintf(column.dimension[0], sizeof column.dimension[0], "%s", dimension);
    return column;
}

static ptrdiff_t add(struct column column)
{
    ptrdiff_t at = store_schema_column(&schema, &column);
    assert_true(at >= 0);
    return at;
}

// The column array moves while it grows, so that it is looked at afterwards.
static const struct record_field *field_of(struct column column)
{
    ptrdiff_t at = add(column);
    return schema.columns[at].field;
}

static bool takes_nothing(const char *name)
{
    (void)name;
    return false;
}

static bool takes_snr(const char *name)
{
    return strcmp(name, "snr") == 0;
}

static void a_column_is_all_that_its_description_says(void **state)
{
    (void)state;
    struct column base = curve(1, "step", "eval");
    ptrdiff_t at = add(base);
    assert_int_equal(add(base), at);
    struct column others[6] = {base, base, base, base, base, base};
    others[0].part = RECORD_TEST;
    others[1].id = 2;
    others[2].type = RECORD_F64;
    strcpy(others[3].name, "stem");
    strcpy(others[4].dimension[0], "phase");
    others[5].dimensions = 0;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(store_schema_find(&schema, &others[i]), -1);
        assert_int_equal(add(others[i]), i + 1);
    }
    assert_int_equal(schema.columns_count, 7);
}

static void a_field_is_known_only_as_its_table_has_it(void **state)
{
    (void)state;
    struct column step = curve(FIELD_STEP, "step", "eval");
    step.type = RECORD_I64;
    struct column real = step, renamed = step, flat = step, elsewhere = step;
    real.type = RECORD_F64;
    strcpy(renamed.name, "steps");
    flat.dimensions = 0;
    strcpy(elsewhere.dimension[0], "phase");
    ptrdiff_t known = add(step);
    assert_non_null(schema.columns[known].field);
    assert_null(field_of(real));
    assert_null(field_of(renamed));
    assert_null(field_of(flat));
    assert_null(field_of(elsewhere));
}

static void equal_layouts_have_one_number(void **state)
{
    (void)state;
    struct layout_value values[2] = {{.column = (uint32_t)add(curve(1, "a", "eval")), .extent = {5}},
                                     {.column = (uint32_t)add(curve(2, "b", "eval")), .extent = {5}}};
    uint32_t both = store_schema_layout(&schema, values, 2), one = store_schema_layout(&schema, values, 1);
    uint32_t none = store_schema_layout(&schema, values, 0);
    assert_true(both && one && none && both != one && one != none);
    assert_int_equal(store_schema_layout(&schema, values, 2), both);
    assert_int_equal(store_schema_layout(&schema, values, 0), none);
    values[1].extent[0] = 7;
    uint32_t longer = store_schema_layout(&schema, values, 2);
    assert_true(longer != both);
    assert_int_equal(schema.columns[values[1].column].extent[0], 7);
    assert_int_equal(schema.columns[values[0].column].extent[0], 5);
    store_schema_unify(&schema); // both lie along eval
    assert_int_equal(schema.columns[values[0].column].extent[0], 7);
    assert_int_equal(schema.layouts[both].values[1].extent[0], 5); // layouts keep what each trial has
}

static void many_layouts_and_columns_find_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "field_%u", i);
        struct layout_value value = {.column = (uint32_t)add(curve((uint16_t)i, name, "eval")), .extent = {i}};
        assert_int_equal(store_schema_layout(&schema, &value, 1), i + 1);
    }
    assert_int_equal(schema.columns_count, 300);
    assert_int_equal(schema.layouts[300].values[0].extent[0], 299);
}

// The same columns in another order of arrival end in the same order, and layouts follow them.
static void the_order_of_arrival_leaves_no_trace(void **state)
{
    static const char *const names[] = {"c", "a", "b"};
    (void)state;
    struct status status = {0};
    struct schema other;
    struct layout_value values[3];
    for (uint32_t i = 0; i < 3; i++)
        values[i] = (struct layout_value){.column = (uint32_t)add(curve((uint16_t)(30 - i), names[i], "eval"))};
    uint32_t layout = store_schema_layout(&schema, values, 3);
    assert_int_equal(store_schema_init(&other, &status), STATUS_OK);
    for (uint32_t i = 0; i < 3; i++) {
        struct column column = curve((uint16_t)(28 + i), names[2 - i], "eval");
        assert_int_equal(store_schema_column(&other, &column), i);
    }
    assert_int_equal(store_schema_sort(&schema, takes_nothing, &status), STATUS_OK);
    assert_int_equal(store_schema_sort(&other, takes_nothing, &status), STATUS_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(schema.columns[i].name, other.columns[i].name);
        assert_string_equal(schema.columns[i].path, other.columns[i].path);
        assert_string_equal(schema.columns[schema.layouts[layout].values[i].column].name, names[i]);
    }
    store_schema_fini(&other);
}

static void every_column_gets_a_path_of_its_own(void **state)
{
    static const struct {
        uint16_t id;
        const char *name, *dimension, *path;
    } rows[] = {
        {FIELD_TRAIN_LOSS, "train_loss", "eval", "trials/train_loss"},
        {500, "snr", "eval", "trials/snr_value"},               // a setting's column
        {501, "train_loss", "eval", "trials/train_loss_value"}, // of a later version
        {502, "train_loss", "eval", "trials/train_loss_502_2"},
        {503, "eval", "layer", "trials/eval_value"}, // called like a dimension
        {504, "layer", "layer", "trials/layer_value"},
    };
    (void)state;
    struct status status = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add(curve(rows[i].id, rows[i].name, rows[i].dimension));
    struct column timing = column_of(RECORD_TRAINING, FIELD_TRAIN_SECONDS, "train_seconds", RECORD_F64);
    add(timing);
    assert_int_equal(store_schema_sort(&schema, takes_snr, &status), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct column like = curve(rows[i].id, rows[i].name, rows[i].dimension);
        ptrdiff_t at = store_schema_find(&schema, &like);
        assert_string_equal(schema.columns[at].path, rows[i].path);
        assert_false(store_column_is_run(&schema.columns[at]));
    }
    ptrdiff_t at = store_schema_find(&schema, &timing);
    assert_string_equal(schema.columns[at].path, "run/train_seconds");
    assert_true(store_column_is_run(&schema.columns[at]));
}

static void a_layout_is_read_back_from_its_text(void **state)
{
    (void)state;
    struct status status = {0};
    struct bytes text = {0};
    struct schema copy;
    struct column wide = curve(7, "wide", "layer");
    wide.dimensions = 3;
    strcpy(wide.dimension[1], "head");
    strcpy(wide.dimension[2], "x_9");
    struct layout_value values[2] = {{.column = (uint32_t)add(wide), .extent = {2, 0, 4294967295U}},
                                     {.column = (uint32_t)add(column_of(RECORD_TRAINING, 65535, "n", RECORD_U8))}};
    uint32_t layout = store_schema_layout(&schema, values, 2), read = 0;
    assert_int_equal(store_schema_sort(&schema, takes_nothing, &status), STATUS_OK);
    store_schema_describe(&schema, layout, &text);
    bytes_u8(&text, 0);
    assert_string_equal((char *)text.data,
                        "7 wide f32 trials/wide layer=2 head=0 x_9=4294967295\n65535 n u8 trials/n\n");
    assert_int_equal(store_schema_init(&copy, &status), STATUS_OK);
    assert_int_equal(store_schema_parse(&copy, RECORD_TRAINING, (char *)text.data, &read, &status), STATUS_OK);
    assert_int_equal(copy.layouts[read].count, 2);
    const struct column *column = &copy.columns[copy.layouts[read].values[0].column];
    assert_string_equal(column->path, "trials/wide");
    assert_string_equal(column->dimension[2], "x_9");
    assert_int_equal(column->dimensions, 3);
    assert_int_equal(copy.layouts[read].values[0].extent[2], 4294967295U);
    bytes_clear(&text);
    store_schema_describe(&copy, read, &text);
    uint32_t imported = 0;
    assert_int_equal(store_schema_import(&schema, &copy, read, &imported, &status), STATUS_OK);
    assert_int_equal(imported, layout);
    bytes_fini(&text);
    store_schema_fini(&copy);
}

static void texts_that_are_no_layout_are_damage(void **state)
{
    static const char *const texts[] = {
        "x",
        "1 step i64",
        "1 step i64 trials/step eval=5x",
        "1 step i64 trials/step eval",
        "1 step i65 trials/step",
        "1 STEP i64 trials/step",
        "1 step i64 trials/step a=1 b=1 c=1 d=1 e=1",
        "1 step i64 trials/step\nrubbish\n",
        "-",
        "1 a_name_that_is_longer_than_any_field_may_have_in_a_record i64 trials/x",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct status status = {0};
        uint32_t layout = 0;
        if (store_schema_parse(&schema, RECORD_TRAINING, texts[i], &layout, &status) != STATUS_DAMAGED)
            fail_msg("taken for a layout: %s", texts[i]);
        assert_int_equal(layout, 0);
    }
    char *line = malloc(2000);
    assert_non_null(line);
    memset(line, ' ', 1999);
    line[1999] = '\0';
    struct status status = {0};
    uint32_t layout = 0;
    assert_int_equal(store_schema_parse(&schema, RECORD_TRAINING, line, &layout, &status), STATUS_DAMAGED);
    free(line);
}

static void a_part_of_a_record_gives_its_layout(void **state)
{
    (void)state;
    struct status status = {0};
    struct record record = {0};
    struct record_part *part = record_part(&record, RECORD_TRAINING, 0, true);
    assert_non_null(record_add(part, FIELD_STEP, (const uint32_t[]){9}));
    assert_non_null(record_add(part, FIELD_T_FIT, NULL));
    uint32_t first = 0, second = 0;
    assert_int_equal(store_schema_part(&schema, part, &first, &status), STATUS_OK);
    assert_int_equal(store_schema_part(&schema, part, &second, &status), STATUS_OK);
    assert_int_equal(first, second);
    const struct layout *layout = &schema.layouts[first];
    assert_int_equal(layout->count, 2);
    assert_int_equal(layout->values[0].extent[0], 9);
    assert_int_equal(schema.columns[layout->values[1].column].id, FIELD_T_FIT);
    record_fini(&record);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(a_column_is_all_that_its_description_says),
        UNIT(a_field_is_known_only_as_its_table_has_it),
        UNIT(equal_layouts_have_one_number),
        UNIT(many_layouts_and_columns_find_room),
        UNIT(the_order_of_arrival_leaves_no_trace),
        UNIT(every_column_gets_a_path_of_its_own),
        UNIT(a_layout_is_read_back_from_its_text),
        UNIT(texts_that_are_no_layout_are_damage),
        UNIT(a_part_of_a_record_gives_its_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
