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
    return settings;
}

static enum status_code decode(const void *data, size_t size, struct settings *ret_settings, struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    return settings_decode(&reader, ret_settings, status);
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
    assert_int_equal(settings_decode(&reader, &returned, NULL), STATUS_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_returns_as_it_was),
        cmocka_unit_test(the_bytes_are_frozen),
        cmocka_unit_test(the_reader_goes_on_behind),
        cmocka_unit_test(any_order_is_read),
        cmocka_unit_test(refuses_what_no_version_writes),
        cmocka_unit_test(no_prefix_is_taken_for_the_whole),
        cmocka_unit_test(a_flipped_bit_gives_an_error_or_valid_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
