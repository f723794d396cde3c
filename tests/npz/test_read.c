// SPDX-License-Identifier: MIT
// What numpy wrote (tools/reference/npz.py), and what is damaged or not read here.
#include "npz_fixture.h"
#include "support.h"
#include <math.h>
#include <sys/stat.h>

static void read_whole(struct npz *npz, const char *name, int64_t *ret_numbers, struct npz_array *ret_array)
{
    struct npz_stream *stream = begin(npz, name);
    struct status status = {0};
    *ret_array = *npz_stream_array(stream);
    if (npz_read_whole(stream, ret_array->count, ret_numbers, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    npz_end(stream);
}

static void reads_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum npz_type type;
        int64_t low, high;
    } rows[] = {{"edges/bool", NPZ_BOOL, 0, 1},
                {"edges/int8", NPZ_INT8, -128, 127},
                {"edges/int16", NPZ_INT16, -32768, 32767},
                {"edges/int32", NPZ_INT32, INT32_MIN, INT32_MAX},
                {"edges/int64", NPZ_INT64, INT64_MIN, INT64_MAX},
                {"edges/uint8", NPZ_UINT8, 0, 255},
                {"edges/uint16", NPZ_UINT16, 0, 65535},
                {"edges/uint32", NPZ_UINT32, 0, UINT32_MAX}};
    for (int packed = 0; packed < 2; packed++) {
        struct npz *npz = open_fixture(packed ? "packed.npz" : "stored.npz");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            int64_t numbers[3];
            struct npz_array array;
            read_whole(npz, rows[i].name, numbers, &array);
            assert_int_equal(array.type, rows[i].type);
            assert_true(numbers[0] == rows[i].low && numbers[1] == 1 && numbers[2] == rows[i].high);
        }
        npz_close(npz);
    }
}

static void reads_numbers_as_reals(void **state)
{
    (void)state;
    struct npz *npz = open_fixture("packed.npz");
    struct status status = {0};
    double numbers[3];
    static const char *const names[] = {"edges/float32", "edges/float64", "edges/int8", "edges/uint64"};
    const double want[][3] = {{-1.5, (double)0.1F, (double)1e30F}, {-1.5, 0.1, 1e30}, {-128, 1, 127}, {0, 1, 0x1p64}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct npz_stream *stream = begin(npz, names[i]);
        assert_int_equal(npz_read_real(stream, 3, numbers, &status), STATUS_OK);
        assert_memory_equal(numbers, want[i], sizeof numbers);
        npz_end(stream);
    }
    npz_close(npz);
}

static void reads_shapes_of_up_to_three_dimensions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shape;
        int64_t count, last;
    } rows[] = {{"scalar", "()", 1, 7},
                {"edges/int8", "(3,)", 3, 127},
                {"matrix", "(2, 3)", 6, 5},
                {"block", "(2, 3, 4)", 24, 23}};
    struct npz *npz = open_fixture("stored.npz");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t numbers[24];
        char shape[NPZ_SHAPE_SIZE];
        struct npz_array array;
        read_whole(npz, rows[i].name, numbers, &array);
        assert_string_equal(npz_shape_text(&array, shape), rows[i].shape);
        assert_int_equal(array.count, rows[i].count);
        assert_int_equal(numbers[array.count - 1], rows[i].last);
    }
    struct npz_array empty;
    read_whole(npz, "empty", NULL, &empty);
    assert_int_equal(empty.count, 0);
    npz_close(npz);
}

static void reads_every_version_of_the_format(void **state)
{
    (void)state;
    struct npz *npz = open_fixture("versions.npz");
    char name[NPZ_NAME_SIZE];
    size_t arrays = 0;
    for (size_t i = 0; i < npz_count(npz); i++) {
        int64_t numbers[5];
        struct npz_array array;
        if (!npz_name(npz, i, name))
            continue;
        read_whole(npz, name, numbers, &array);
        assert_int_equal(numbers[4], 4);
        arrays++;
    }
    assert_int_equal(arrays, 3);
    assert_false(npz_has(npz, "readme"));
    npz_close(npz);
}

static void reads_in_pieces_and_side_by_side(void **state)
{
    (void)state;
    struct npz *npz = open_fixture("packed.npz");
    struct npz_stream *block = begin(npz, "block"), *matrix = begin(npz, "matrix");
    struct status status = {0};
    int64_t number;
    for (int64_t i = 0; i < 24; i++) {
        assert_int_equal(npz_read_whole(block, 1, &number, &status), STATUS_OK);
        assert_int_equal(number, i);
        if (i % 4)
            continue;
        assert_int_equal(npz_read_whole(matrix, 1, &number, &status), STATUS_OK);
        assert_int_equal(number, i / 4);
    }
    assert_int_equal(npz_read_whole(block, 1, &number, &status), STATUS_INTERNAL);
    npz_end(block);
    npz_end(matrix);
    npz_close(npz);
}

static void says_why_an_array_is_not_read(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"fortran", "refused.npz: array fortran is in Fortran order; save numpy.ascontiguousarray of it"},
        {"objects", "refused.npz: array objects holds Python objects"},
        {"big_endian", "array big_endian is big-endian; save it as little-endian"},
        {"records", "array records holds records; save each"},
        {"text", "array text is of a type that is not read; save int8"},
        {"complex", "array complex is of a type that is not read"},
        {"half", "array half is of a type that is not read"},
        {"deep", "array deep has more than 3 dimensions"},
        {"missing", "refused.npz has no array missing; add it"},
    };
    struct npz *npz = open_fixture("refused.npz");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct npz_stream *stream = NULL;
        struct status status = {0};
        assert_int_equal(npz_begin(npz, rows[i][0], &stream, &status), STATUS_INVALID);
        assert_null(stream);
        assert_says(&status, rows[i][1]);
    }
    npz_close(npz);
}

static void refuses_reals_and_huge_numbers_as_whole_ones(void **state)
{
    (void)state;
    struct npz *npz = open_fixture("stored.npz");
    static const char *const rows[][2] = {
        {"edges/float32", "array edges/float32 is float32, but whole numbers belong there; save it as int32"},
        {"edges/uint64", "array edges/uint64 has a number above 2^63 - 1"}};
    for (size_t i = 0; i < 2; i++) {
        int64_t numbers[3];
        struct status status = {0};
        struct npz_stream *stream = begin(npz, rows[i][0]);
        assert_int_equal(npz_read_whole(stream, 3, numbers, &status), STATUS_INVALID);
        assert_says(&status, rows[i][1]);
        npz_end(stream);
    }
    npz_close(npz);
}

static void refuses_what_is_no_archive(void **state)
{
    (void)state;
    struct copy copy = copy_fixture("stored.npz");
    struct npz *npz = NULL;
    struct status status = {0};
    copy.size /= 2; // without its list of members
    write_copy(&copy);
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_INVALID);
    assert_says(&status, "is no .npz file, or its end is missing");
    copy.size = 0;
    write_copy(&copy);
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_INVALID);
    drop_copy(&copy);
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_SYSTEM);
    assert_says(&status, "No such file or directory; it was looked for at /tmp/npz-");
    assert_says(&status, "put it there, or correct its path");
    assert_int_equal(npz_open("no/such.npz", &npz, &status), STATUS_SYSTEM);
    assert_says(&status, "cannot open no/such.npz: No such file or directory; it was looked for at /");
    assert_says(&status, "/no/such.npz: put it there");
    assert_int_equal(npz_open("/tmp", &npz, &status), STATUS_INVALID);
    assert_null(npz);
}

static void refuses_two_members_of_a_name(void **state)
{
    (void)state;
    struct copy copy = copy_fixture("stored.npz");
    struct npz *npz = NULL;
    struct status status = {0};
    for (int place = 0; place < 2; place++) // the member's own header, and the list's
        replace(&copy, 0, "edges/bool.npy", "edges/int8.npy");
    write_copy(&copy);
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_INVALID);
    assert_says(&status, "has edges/int8.npy twice");
    assert_null(npz);
    drop_copy(&copy);
}

static void waits_for_no_pipe(void **state)
{
    (void)state;
    char folder[] = "/tmp/npz-XXXXXX", pipe[64], link[64];
    struct npz *npz = NULL;
    struct status status = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(mkfifo(pipe, 0666), 0);
    assert_int_equal(symlink("pipe", link), 0);
    assert_int_equal(npz_open(pipe, &npz, &status), STATUS_INVALID);
    assert_says(&status, "pipe is no regular file; name an .npz file");
    assert_int_equal(npz_open(link, &npz, &status), STATUS_INVALID);
    assert_null(npz);
    unlink(link);
    unlink(pipe);
    assert_int_equal(rmdir(folder), 0);
}

// The numbers of "block" are the only bytes 0 to 23 in a row.
static size_t place_of_block(const struct copy *copy)
{
    for (size_t at = 0; at + 24 <= copy->size; at++) {
        size_t same = 0;
        while (same < 24 && copy->data[at + same] == same)
            same++;
        if (same == 24)
            return at;
    }
    fail();
    return 0;
}

static void finds_changed_numbers_by_their_checksum(void **state)
{
    (void)state;
    struct copy copy = copy_fixture("stored.npz");
    int64_t numbers[24];
    struct status status = {0};
    copy.data[place_of_block(&copy) + 5] ^= 4;
    write_copy(&copy);
    struct npz *npz = NULL;
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_OK);
    struct npz_stream *stream = begin(npz, "block");
    assert_int_equal(npz_read_whole(stream, 24, numbers, &status), STATUS_DAMAGED);
    assert_says(&status, "array block is damaged: its checksum or size is wrong");
    npz_end(stream);
    npz_close(npz);
    drop_copy(&copy);
}

// Headers of the same size that say something else; their checksum is never reached.
static void believes_no_shape_that_the_member_has_no_room_for(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *want;
    } rows[] = {
        {"'shape': (2, 3, 4)", "'shape': (2, 3, 9)",
         "of shape (2, 3, 9) and type uint8 has 24 bytes of numbers, not 54"},
        {"'shape': (2, 3, 4)", "'shape': (9999999)", "array block of shape (9999999,)"},
        {"'shape': (2, 3, 4), }      ", "'shape': (9223372036854775807)}", "has an absurd shape"},
        {"'shape': (2, 3, 4), }       ", "'shape': (99999999999999999999)}", "has an absurd shape"},
        {"'shape': (2, 3, 4)", "'shape': (2, -3, 4", "has a header without a shape"},
        {"'shape': (2, 3, 4)", "'shape'; (2, 3, 4)", "array block has a malformed header; save it again"},
        {"'descr': '|u1'", "'descr': '|u1 ", "is of a type that is not read"},
        {"'descr': '|u1'", "'descr': ''   ", "is of a type that is not read"},
        {"'fortran_order': False", "'fortran_order': Maybe", "has a header that names no order"},
        {"'descr': '|u1', 'fortran_order': False", "'fortran_order': False                 ", "has a malformed header"},
        {"'descr': '|u1', 'fortran_order': False", "'fortran_order': True , 'shape': (1,)   ", "in Fortran order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct copy copy = copy_fixture("stored.npz");
        struct npz *npz = NULL;
        struct npz_stream *stream = NULL;
        struct status status = {0};
        replace(&copy, place_of_block(&copy) - 128, rows[i].from, rows[i].to);
        write_copy(&copy);
        assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_OK);
        assert_true(npz_begin(npz, "block", &stream, &status) != STATUS_OK);
        assert_says(&status, rows[i].want);
        npz_close(npz);
        drop_copy(&copy);
    }
}

static void the_hash_is_of_the_bytes_that_were_opened(void **state)
{
    (void)state;
    struct copy copy = copy_fixture("stored.npz");
    struct npz *npz = NULL, *other = NULL;
    struct status status = {0};
    uint64_t hash[3];
    write_copy(&copy);
    assert_int_equal(npz_open(copy.path, &npz, &status), STATUS_OK);
    assert_int_equal(npz_hash(npz, &hash[0], &status), STATUS_OK);
    copy.data[place_of_block(&copy)] = 77;
    drop_copy(&copy);
    write_copy(&copy);
    assert_int_equal(npz_open(copy.path, &other, &status), STATUS_OK);
    assert_int_equal(npz_hash(npz, &hash[1], &status), STATUS_OK);
    assert_int_equal(npz_hash(other, &hash[2], &status), STATUS_OK);
    assert_true(hash[0] == hash[1] && hash[0] != hash[2] && hash[0] != 0);
    npz_close(npz);
    npz_close(other);
    drop_copy(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type),
        cmocka_unit_test(reads_numbers_as_reals),
        cmocka_unit_test(reads_shapes_of_up_to_three_dimensions),
        cmocka_unit_test(reads_every_version_of_the_format),
        cmocka_unit_test(reads_in_pieces_and_side_by_side),
        cmocka_unit_test(says_why_an_array_is_not_read),
        cmocka_unit_test(refuses_reals_and_huge_numbers_as_whole_ones),
        cmocka_unit_test(refuses_what_is_no_archive),
        cmocka_unit_test(refuses_two_members_of_a_name),
        cmocka_unit_test(waits_for_no_pipe),
        cmocka_unit_test(finds_changed_numbers_by_their_checksum),
        cmocka_unit_test(believes_no_shape_that_the_member_has_no_room_for),
        cmocka_unit_test(the_hash_is_of_the_bytes_that_were_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
