// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct settings unusual(void)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = UINT64_MAX;
    settings.replicate = 3;
    settings.init_seed = 0;
    settings.task.snr = INFINITY;
    settings.task.noise_rate = 0.1 + 0.2;
    settings.task.project_noise = false;
    settings.model.encoding = ENCODING_ALIBI;
    settings.train.momentum = 0.25; // without effect, and kept
    settings.evaluate.points = 1;
    settings.task.table = "0 1; 1 0";
    settings.task.outputs = "=\"\\ \xC3\xA9"; // any text is one
    return settings;
}

static struct arena *arena; // of the texts that are read

static int set_up(void **state)
{
    (void)state;
    arena = arena_create(1 << 12, 0);
    return arena ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

static enum status_code decode(const void *data, size_t size, struct settings *ret_settings, struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    return settings_decode(&reader, arena, ret_settings, status);
}

static void every_setting_returns_as_it_was(void **state)
{
    (void)state;
    struct settings cases[2] = {unusual()};
    settings_defaults(&cases[1]);
    for (size_t i = 0; i < 2; i++) {
        struct settings returned;
        struct bytes bytes = {0};
        settings_encode(&cases[i], &bytes);
        assert_int_equal(decode(bytes.data, bytes.size, &returned, NULL), STATUS_OK);
        assert_null(settings_differ(&cases[i], &returned));
        bytes_fini(&bytes);
    }
}

static void the_bytes_are_frozen(void **state)
{
    (void)state;
    struct settings settings;
    struct bytes bytes = {0};
    settings_defaults(&settings);
    settings.task.snr = 4;
    settings.model.encoding = ENCODING_ROPE;
    settings_encode(&settings, &bytes);
    static const char wire[] = "\2\0\3\0\0\0snr\1\0\0\0004\10\0\0\0encoding\4\0\0\0rope";
    assert_int_equal(bytes.size, sizeof wire - 1);
    assert_memory_equal(bytes.data, wire, bytes.size);
    bytes_fini(&bytes);
}

static void the_reader_goes_on_behind(void **state)
{
    (void)state;
    struct settings settings = unusual(), returned;
    struct bytes bytes = {0};
    bytes_u8(&bytes, 7);
    settings_encode(&settings, &bytes);
    bytes_u8(&bytes, 9);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    assert_int_equal(bytes_read_u8(&reader), 7);
    assert_int_equal(settings_decode(&reader, arena, &returned, NULL), STATUS_OK);
    assert_int_equal(bytes_read_u8(&reader), 9);
    assert_int_equal(bytes_left(&reader), 0);
    bytes_fini(&bytes);
}

static void any_order_is_read(void **state)
{
    (void)state;
    struct settings returned;
    static const char wire[] = "\2\0\10\0\0\0encoding\4\0\0\0rope\3\0\0\0snr\1\0\0\0004";
    assert_int_equal(decode(wire, sizeof wire - 1, &returned, NULL), STATUS_OK);
    assert_true(returned.task.snr == 4 && returned.model.encoding == ENCODING_ROPE);
}

static void refuses_what_no_version_writes(void **state)
{
    (void)state;
    const struct {
        const char *wire;
        size_t size;
        enum status_code code;
        const char *message;
    } rows[] = {
#define WIRE(text) (text), sizeof(text) - 1
        {WIRE(""), STATUS_DAMAGED, "settings end early"},
        {WIRE("\1"), STATUS_DAMAGED, "settings end early"},
        {WIRE("\1\0\3\0\0\0snr"), STATUS_DAMAGED, "settings end early"},
        {WIRE("\1\0\377\377\377\377snr"), STATUS_DAMAGED, "settings end early"},
        {WIRE("\1\0\3\0\0\0sns\1\0\0\0004"), STATUS_INVALID,
         "unknown setting 'sns'; it was written by a newer version of lgsweep, use that one"},
        {WIRE("\1\0\0\0\0\0\1\0\0\0004"), STATUS_INVALID,
         "unknown setting ''; it was written by a newer version of lgsweep, use that one"},
        {WIRE("\1\0\3\0\0\0snr\1\0\0\0000"), STATUS_DAMAGED, "setting 'snr' has a value out of its domain"},
        {WIRE("\1\0\3\0\0\0snr\3\0\0\0nan"), STATUS_DAMAGED, "setting 'snr' has a value out of its domain"},
        {WIRE("\1\0\5\0\0\0table\1\0\0\0\n"), STATUS_DAMAGED, "setting 'table' has a value out of its domain"},
        {WIRE("\1\0\5\0\0\0table\1\0\0\0\0"), STATUS_DAMAGED, "setting 'table' has a value out of its domain"},
        {WIRE("\2\0\3\0\0\0snr\1\0\0\0004\3\0\0\0snr\1\0\0\0004"), STATUS_DAMAGED, "setting 'snr' appears twice"},
#undef WIRE
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings untouched = unusual(), returned = untouched;
        struct status status = {0};
        assert_int_equal(decode(rows[i].wire, rows[i].size, &returned, &status), rows[i].code);
        assert_string_equal(status.text, rows[i].message);
        assert_null(settings_differ(&untouched, &returned));
    }
}

// A copy on the heap, so that a sanitizer sees every read past its end.
static enum status_code decode_copy(const unsigned char *data, size_t size, struct settings *ret_settings)
{
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    struct status status;
    enum status_code code = decode(copy, size, ret_settings, &status);
    free(copy);
    return code;
}

static void no_prefix_is_taken_for_the_whole(void **state)
{
    (void)state;
    struct settings settings = unusual(), returned;
    struct bytes bytes = {0};
    settings_encode(&settings, &bytes);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(decode_copy(bytes.data, size, &returned), STATUS_DAMAGED);
    bytes_fini(&bytes);
}

static void a_flipped_bit_gives_an_error_or_valid_settings(void **state)
{
    (void)state;
    struct settings settings = unusual();
    struct bytes bytes = {0};
    size_t refused = 0;
    settings_encode(&settings, &bytes);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        struct settings returned;
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (decode_copy(bytes.data, bytes.size, &returned) == STATUS_OK) {
            struct bytes again = {0};
            struct settings twice;
            settings_encode(&returned, &again);
            assert_int_equal(decode_copy(again.data, again.size, &twice), STATUS_OK);
            assert_null(settings_differ(&returned, &twice));
            bytes_fini(&again);
        } else {
            refused++;
        }
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(refused > 4 * bytes.size);
    bytes_fini(&bytes);
}

static void texts_are_copied_or_memory_is_out(void **state)
{
    (void)state;
    struct settings settings = unusual(), returned, read;
    struct arena *small = arena_create(64, 64);
    struct bytes bytes = {0}, text = {0};
    struct status status = {0};
    char long_text[300];
    memset(long_text, 'a', sizeof long_text);
    long_text[299] = 0;
    settings.task.kind = TASK_AUTOMATON;
    settings.task.automaton = AUTOMATON_TABLE;
    settings.task.table = long_text;
    settings_encode(&settings, &bytes);
    settings_canonical(&settings, &text);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    assert_int_equal(settings_decode(&reader, small, &returned, &status), STATUS_MEMORY);
    assert_string_equal(status.text, "no memory for the text of 'table'");
    assert_int_equal(settings_read((char *)text.data, text.size, small, &returned, &status), STATUS_MEMORY);
    assert_int_equal(decode(bytes.data, bytes.size, &returned, NULL), STATUS_OK);
    assert_int_equal(settings_read((char *)text.data, text.size, arena, &read, NULL), STATUS_OK);
    memset(bytes.data, 0, bytes.size);
    memset(text.data, 0, text.size);
    assert_null(settings_differ(&returned, &settings));
    assert_string_equal(read.task.table, long_text);
    assert_string_equal(read.task.outputs, settings.task.outputs);
    assert_true(hash_equal(settings_identity(&read), settings_identity(&settings)));
    bytes_fini(&bytes);
    bytes_fini(&text);
    arena_destroy(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_returns_as_it_was),
        cmocka_unit_test(the_bytes_are_frozen),
        cmocka_unit_test(the_reader_goes_on_behind),
        cmocka_unit_test(any_order_is_read),
        cmocka_unit_test(refuses_what_no_version_writes),
        cmocka_unit_test(texts_are_copied_or_memory_is_out),
        cmocka_unit_test(no_prefix_is_taken_for_the_whole),
        cmocka_unit_test(a_flipped_bit_gives_an_error_or_valid_settings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
