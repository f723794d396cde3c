// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEAL_SIZE = 32 };

static int set_up(void **state)
{
    static const struct fixture_plan plan = {.snr_count = 1, .replicates = 1};
    struct fixture *fixture = malloc(sizeof *fixture);
    assert_non_null(fixture);
    fixture_init(fixture, &plan);
    fixture_run(fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_fini(*state);
    free(*state);
    return 0;
}

static enum status_code open_view(const struct fixture *fixture, struct status *status)
{
    struct store_view *view = NULL;
    *status = (struct status){0};
    enum status_code code = store_view_open(fixture->path, &view, status);
    store_view_close(view);
    return code;
}

static void refuses_a_file_with_any_bit_changed(void **state)
{
    const struct fixture *fixture = *state;
    struct status status;
    size_t size = 0, step;
    unsigned char *data = fixture_read(fixture->path, &size);
    step = size / 300 + 1;
    for (size_t at = 0; at < size - SEAL_SIZE; at += step) {
        data[at] ^= (unsigned char)(1 << at % 8);
        fixture_write(fixture->path, data, size);
        data[at] ^= (unsigned char)(1 << at % 8);
        assert_int_equal(open_view(fixture, &status), at < 8 ? STATUS_INVALID : STATUS_DAMAGED);
        if (at >= 8)
            assert_non_null(strstr(status.text, "was damaged after it was published"));
    }
    free(data);
}

static void refuses_a_seal_that_is_damaged_itself(void **state)
{
    const struct fixture *fixture = *state;
    struct status status;
    size_t size = 0;
    unsigned char *data = fixture_read(fixture->path, &size);
    for (size_t at = size - SEAL_SIZE + 8; at < size; at++) {
        data[at] ^= 0x10;
        fixture_write(fixture->path, data, size);
        data[at] ^= 0x10;
        assert_int_equal(open_view(fixture, &status), STATUS_DAMAGED);
    }
    free(data);
}

// As programs leave a file that they have changed; what HDF5 has to say of it is not asked for here.
static void accepts_a_file_without_a_seal(void **state)
{
    const struct fixture *fixture = *state;
    struct status status;
    size_t size = 0;
    unsigned char *data = fixture_read(fixture->path, &size);
    fixture_write(fixture->path, data, size - SEAL_SIZE);
    fixture_ok(open_view(fixture, &status), &status);
    data[size - SEAL_SIZE] ^= 1;
    fixture_write(fixture->path, data, size);
    fixture_ok(open_view(fixture, &status), &status);
    free(data);
}

static void a_cut_file_is_damaged_whatever_is_left(void **state)
{
    const struct fixture *fixture = *state;
    struct status status;
    size_t size = 0;
    unsigned char *data = fixture_read(fixture->path, &size);
    for (size_t length = 0; length < size - SEAL_SIZE; length += size / 50 + 1) {
        fixture_write(fixture->path, data, length);
        assert_int_equal(open_view(fixture, &status), length < 8 ? STATUS_INVALID : STATUS_DAMAGED);
    }
    free(data);
}

static void a_damaged_file_is_not_published_over(void **state)
{
    const struct fixture *fixture = *state;
    struct status status = {0};
    struct store *store = NULL;
    size_t size = 0, size_after = 0;
    unsigned char *data = fixture_read(fixture->path, &size);
    data[size / 2] ^= 1;
    fixture_write(fixture->path, data, size);
    assert_int_equal(store_open(fixture->path, &fixture->sweep, fixture->grid, NULL, &store, NULL, &status),
                     STATUS_DAMAGED);
    assert_int_equal(store_publish(fixture->path, &fixture->sweep, fixture->grid, NULL, NULL, &status), STATUS_DAMAGED);
    unsigned char *after = fixture_read(fixture->path, &size_after);
    assert_int_equal(size_after, size);
    assert_memory_equal(after, data, size);
    free(after);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses_a_file_with_any_bit_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_seal_that_is_damaged_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(accepts_a_file_without_a_seal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_file_is_damaged_whatever_is_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_not_published_over, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
