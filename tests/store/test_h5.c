// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_h5.h"
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct arena *arena;
static struct status status;
static struct h5 h5;
static hid_t file;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){0});
    arena = arena_create(1 << 12, 0);
    status = (struct status){0};
    h5 = (struct h5){fixture.path, &status};
    return arena && store_h5_create(&h5, &file) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_ok(store_h5_close(&h5, file), &status);
    arena_destroy(arena);
    fixture_fini(&fixture);
    return 0;
}

static hid_t scale(const char *name, size_t count)
{
    int32_t numbers[64];
    hid_t dataset = 0;
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int32_t)i;
    fixture_ok(store_h5_put_coordinate(&h5, file, name, H5_I32, count, numbers, 0, &dataset), &status);
    return dataset;
}

static void attributes_come_back(void **state)
{
    (void)state;
    const double real = -INFINITY;
    const uint64_t large = UINT64_MAX;
    const uint8_t row[3] = {1, 2, 255};
    const char *text = NULL;
    double real_back = 0;
    uint64_t large_back = 0;
    fixture_ok(store_h5_put_text(&h5, file, "text", "größer als 1\nzwei"), &status);
    fixture_ok(store_h5_put_text(&h5, file, "empty", ""), &status);
    fixture_ok(store_h5_put_numbers(&h5, file, "real", H5_F64, 0, &real), &status);
    fixture_ok(store_h5_put_numbers(&h5, file, "large", H5_U64, 0, &large), &status);
    fixture_ok(store_h5_put_numbers(&h5, file, "row", H5_U8, 3, row), &status);
    assert_true(store_h5_has_attribute(file, "text") && !store_h5_has_attribute(file, "test"));
    fixture_ok(store_h5_get_text(&h5, file, "text", arena, &text), &status);
    assert_string_equal(text, "größer als 1\nzwei");
    fixture_ok(store_h5_get_text(&h5, file, "empty", arena, &text), &status);
    assert_string_equal(text, "");
    fixture_ok(store_h5_get_number(&h5, file, "real", H5_F64, &real_back), &status);
    assert_true(real_back == real);
    fixture_ok(store_h5_get_number(&h5, file, "large", H5_U64, &large_back), &status);
    assert_true(large_back == large);
    assert_int_equal(store_h5_get_number(&h5, file, "row", H5_U8, &large_back), STATUS_DAMAGED); // not one number
    assert_int_equal(store_h5_get_number(&h5, file, "none", H5_U8, &large_back), STATUS_DAMAGED);
    assert_non_null(strstr(status.text, "attribute none"));
    assert_int_equal(store_h5_get_text(&h5, file, "none", arena, &text), STATUS_DAMAGED);
}

static void flags_have_values_and_meanings(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "bc", "d", NULL};
    const char *text = NULL;
    hid_t plain = scale("plain", 2), open = scale("open", 2);
    fixture_ok(store_h5_put_flags(&h5, plain, names, false), &status);
    fixture_ok(store_h5_put_flags(&h5, open, names, true), &status);
    fixture_ok(store_h5_get_text(&h5, plain, "flag_meanings", arena, &text), &status);
    assert_string_equal(text, "a bc d");
    fixture_ok(store_h5_get_text(&h5, open, "flag_meanings", arena, &text), &status);
    assert_string_equal(text, "a bc d absent");
    uint8_t values[4] = {9, 9, 9, 9};
    hid_t attribute = H5Aopen(open, "flag_values", H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT8, values) >= 0);
    H5Aclose(attribute);
    assert_true(values[0] == 0 && values[2] == 2 && values[3] == 255);
}

// Element i of a variable; some are the fill value.
static double element(size_t at)
{
    return at % 13 == 5 ? (double)NAN : (double)(at % 200);
}

struct made {
    enum h5_type type;
    size_t unit, most; // elements of a unit; units handed out at once, at most
    unsigned char *buffer;
};

static void put_element(enum h5_type type, double value, unsigned char *to)
{
    float f32 = (float)value;
    bool absent = isnan(value);
    int32_t i32 = absent ? 0 : (int32_t)value;
    int64_t i64 = i32;
    uint64_t u64 = (uint64_t)i64;
    uint8_t u8 = (uint8_t)i32;
    const void *const values[H5_TYPES] = {&f32, &value, &i32, &i64, &u8, &u64};
    memcpy(to, absent ? store_h5_fill(type) : values[type], store_h5_size(type));
}

static const void *make(void *self, size_t first, size_t count)
{
    struct made *made = self;
    size_t size = store_h5_size(made->type), elements = count * made->unit;
    made->most = count > made->most ? count : made->most;
    made->buffer = realloc(made->buffer, elements * size + 1);
    assert_non_null(made->buffer);
    for (size_t i = 0; i < elements; i++)
        put_element(made->type, element(first * made->unit + i), made->buffer + i * size);
    return made->buffer;
}

static size_t product(const struct h5_shape *shape, int from)
{
    size_t count = 1;
    for (int i = from; i < shape->rank; i++)
        count *= (size_t)shape->size[i];
    return count;
}

static void put(const char *name, enum h5_type type, const struct h5_shape *shape, int outer, struct made *made)
{
    *made = (struct made){.type = type, .unit = product(shape, outer)};
    fixture_ok(store_h5_put_variable(&h5, file, name, type, shape, outer, (struct h5_source){make, made}, NULL),
               &status);
    free(made->buffer);
}

static void variables_come_back_whatever_their_shape(void **state)
{
    static const struct {
        struct h5_shape shape;
        int outer;
    } rows[] = {
        {{.rank = 1, .size = {1}}, 1},
        {{.rank = 1, .size = {300000}}, 1},
        {{.rank = 2, .size = {1000, 300}}, 1},
        {{.rank = 3, .size = {7, 11, 5}}, 2},
        {{.rank = 4, .size = {3, 50, 40, 60}}, 2},  // a chunk is a part of the second dimension
        {{.rank = 4, .size = {40, 3, 2, 2000}}, 3}, // or of the first
        {{.rank = 3, .size = {2, 2, 150000}}, 1},   // a unit larger than a chunk should be
        {{.rank = 5, .size = {2, 3, 4, 5, 6}}, 5},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (enum h5_type type = H5_F32; type < H5_TYPES; type++) {
            struct made made;
            char name[32];
            snprintf(name, sizeof name, "v%zu_%d", r, (int)type);
            put(name, type, &rows[r].shape, rows[r].outer, &made);
            size_t count = product(&rows[r].shape, 0), size = store_h5_size(type);
            unsigned char *data = malloc(count * size), expected[8];
            assert_non_null(data);
            fixture_ok(store_h5_get_rows(&h5, file, name, type, 0, (size_t)rows[r].shape.size[0],
                                         product(&rows[r].shape, 1), data),
                       &status);
            for (size_t i = 0; i < count; i++) {
                put_element(type, element(i), expected);
                if (memcmp(data + i * size, expected, size) != 0)
                    fail_msg("%s, element %zu", name, i);
            }
            free(data);
        }
}

// Nothing but the fill value takes no space, and is read all the same.
static const void *make_fill(void *self, size_t first, size_t count)
{
    (void)first;
    struct made *made = self;
    made->buffer = realloc(made->buffer, count * made->unit * sizeof(float));
    assert_non_null(made->buffer);
    for (size_t i = 0; i < count * made->unit; i++)
        memcpy(made->buffer + i * sizeof(float), store_h5_fill(H5_F32), sizeof(float));
    return made->buffer;
}

static void chunks_of_fill_values_are_not_written(void **state)
{
    (void)state;
    struct h5_shape shape = {.rank = 2, .size = {500, 1000}};
    struct made made = {.type = H5_F32, .unit = 1000};
    float row[1000];
    hid_t dataset = 0;
    fixture_ok(
        store_h5_put_variable(&h5, file, "nothing", H5_F32, &shape, 1, (struct h5_source){make_fill, &made}, &dataset),
        &status);
    free(made.buffer);
    assert_int_equal(H5Dget_storage_size(dataset), 0);
    fixture_ok(store_h5_get_rows(&h5, file, "nothing", H5_F32, 499, 1, 1000, row), &status);
    assert_true(isnan(row[0]) && isnan(row[999]));
}

static void large_variables_are_asked_for_in_pieces(void **state)
{
    (void)state;
    struct made made;
    struct h5_shape shape = {.rank = 2, .size = {3000, 500}};
    put("large", H5_F64, &shape, 1, &made);
    assert_true(made.most * 500 * 8 <= 1 << 19);
    shape = (struct h5_shape){.rank = 1, .size = {100}};
    put("small", H5_F64, &shape, 1, &made);
    assert_int_equal(made.most, 100); // at once
}

static void empty_variables_are_there(void **state)
{
    (void)state;
    int rank = 0;
    hsize_t size[H5_RANK];
    struct made made;
    const struct h5_shape shapes[] = {{.rank = 1, .size = {0}}, {.rank = 3, .size = {4, 0, 2}}};
    for (size_t i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "empty%zu", i);
        put(name, H5_I64, &shapes[i], 1, &made);
        fixture_ok(store_h5_extent(&h5, file, name, &rank, size), &status);
        assert_int_equal(rank, shapes[i].rank);
        assert_int_equal(made.most, 0);
    }
}

static void scales_are_attached_to_what_uses_them(void **state)
{
    (void)state;
    char name[64];
    struct made made;
    hid_t x = scale("x", 4), y = scale("y", 5);
    struct h5_shape shape = {.rank = 2, .size = {4, 5}, .scale = {x, y}};
    put("plane", H5_F32, &shape, 1, &made);
    store_h5_scale_name(file, "plane", name, sizeof name);
    assert_string_equal(name, "x");
    store_h5_scale_name(file, "y", name, sizeof name);
    assert_string_equal(name, "y");
    const double line[5] = {0};
    fixture_ok(store_h5_put_coordinate(&h5, file, "line", H5_F64, 5, line, y, NULL), &status);
    store_h5_scale_name(file, "line", name, sizeof name);
    assert_string_equal(name, "y");
    shape.scale[0] = shape.scale[1] = 0;
    fixture_ok(store_h5_put_array(&h5, file, "bare", H5_F64, &(struct h5_shape){.rank = 1, .size = {5}}, line, NULL),
               &status);
    store_h5_scale_name(file, "bare", name, sizeof name);
    assert_string_equal(name, "");
    store_h5_scale_name(file, "none", name, sizeof name);
    assert_string_equal(name, "");
    assert_true(store_h5_has(file, "plane") && !store_h5_has(file, "none"));
}

static void texts_come_back(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "größer", "with space and \t tab"};
    const char *back[4];
    hid_t x = scale("x", 4);
    fixture_ok(store_h5_put_texts(&h5, file, "texts", 4, texts, x, NULL), &status);
    fixture_ok(store_h5_get_texts(&h5, file, "texts", 4, arena, back), &status);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(back[i], texts[i]);
    fixture_ok(store_h5_put_texts(&h5, file, "none", 0, NULL, 0, NULL), &status);
    fixture_ok(store_h5_get_texts(&h5, file, "none", 0, arena, back), &status);
    assert_int_equal(store_h5_get_texts(&h5, file, "texts", 3, arena, back), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_texts(&h5, file, "x", 4, arena, back), STATUS_DAMAGED); // numbers
}

// A file may hold anything: what is read never exceeds what was asked for.
static void unexpected_shapes_are_damage(void **state)
{
    (void)state;
    float data[64];
    struct made made;
    const struct h5_shape shape = {.rank = 2, .size = {4, 5}};
    const hsize_t start[2] = {0, 0}, count[2] = {4, 5}, beyond[2] = {4, 6}, late[2] = {5, 0};
    put("plane", H5_F32, &shape, 1, &made);
    fixture_ok(store_h5_get_rows(&h5, file, "plane", H5_F32, 0, 4, 5, data), &status);
    fixture_ok(store_h5_get_box(&h5, file, "plane", H5_F32, 2, start, count, data), &status);
    assert_int_equal(store_h5_get_rows(&h5, file, "plane", H5_F32, 0, 5, 5, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_rows(&h5, file, "plane", H5_F32, 3, 2, 5, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_rows(&h5, file, "plane", H5_F32, SIZE_MAX, 2, 5, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_rows(&h5, file, "plane", H5_F32, 0, 4, 4, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_box(&h5, file, "plane", H5_F32, 1, start, count, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_box(&h5, file, "plane", H5_F32, 2, start, beyond, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_box(&h5, file, "plane", H5_F32, 2, late, count, data), STATUS_DAMAGED);
    assert_int_equal(store_h5_get_rows(&h5, file, "none", H5_F32, 0, 4, 5, data), STATUS_DAMAGED);
    assert_non_null(strstr(status.text, fixture.path));
    assert_non_null(strstr(status.text, "none"));
}

static void errors_name_file_object_and_reason(void **state)
{
    (void)state;
    hid_t group = 0;
    fixture_ok(store_h5_group(&h5, file, "g", &group), &status);
    assert_int_equal(store_h5_group(&h5, file, "g", &group), STATUS_DAMAGED);
    assert_non_null(strstr(status.text, fixture.path));
    assert_non_null(strstr(status.text, "create group g"));
    assert_non_null(strstr(status.text, "exists"));
    const struct h5 other = {"/nonexistent/s.h5", &status};
    hid_t never = 0;
    assert_true(store_h5_create(&other, &never) != STATUS_OK);
    assert_non_null(strstr(status.text, "/nonexistent/s.h5"));
    assert_non_null(strstr(status.text, "No such file"));
    assert_int_equal(store_h5_open(&other, &never), STATUS_SYSTEM);
    assert_int_equal(never, 0);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(attributes_come_back),
        UNIT(flags_have_values_and_meanings),
        UNIT(variables_come_back_whatever_their_shape),
        UNIT(chunks_of_fill_values_are_not_written),
        UNIT(large_variables_are_asked_for_in_pieces),
        UNIT(empty_variables_are_there),
        UNIT(scales_are_attached_to_what_uses_them),
        UNIT(texts_come_back),
        UNIT(unexpected_shapes_are_damage),
        UNIT(errors_name_file_object_and_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
