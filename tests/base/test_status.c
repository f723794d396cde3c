// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_status.h"
#include <errno.h>
#include <string.h>

static void set_fills_and_returns_the_code(void **state)
{
    (void)state;
    struct status status = {0};
    assert_int_equal(status_set(&status, STATUS_INVALID, "%s is %d", "snr", -1), STATUS_INVALID);
    assert_int_equal(status.code, STATUS_INVALID);
    assert_string_equal(status.text, "snr is -1");
}

static void accepts_no_status(void **state)
{
    (void)state;
    assert_int_equal(status_set(NULL, STATUS_DAMAGED, "gone"), STATUS_DAMAGED);
    assert_int_equal(status_errno(NULL, ENOSPC, "gone"), STATUS_FULL);
    assert_int_not_equal(status_context(NULL, "gone"), STATUS_OK);
}

static void errno_decides_the_code(void **state)
{
    (void)state;
    static const struct {
        int error;
        enum status_code code;
        const char *text;
    } rows[] = {
        {ENOSPC, STATUS_FULL, "a.h5: No space left on device"},
        {EDQUOT, STATUS_FULL, "a.h5: Disk quota exceeded"},
        {ENOMEM, STATUS_MEMORY, "a.h5: Cannot allocate memory"},
        {ENOENT, STATUS_SYSTEM, "a.h5: No such file or directory"},
        {EACCES, STATUS_SYSTEM, "a.h5: Permission denied"},
        {EPIPE, STATUS_SYSTEM, "a.h5: Broken pipe"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct status status = {0};
        assert_int_equal(status_errno(&status, rows[i].error, "%s", "a.h5"), rows[i].code);
        assert_int_equal(status.code, rows[i].code);
        assert_string_equal(status.text, rows[i].text);
    }
}

static void context_goes_in_front(void **state)
{
    (void)state;
    struct status status = {0};
    (void)status_set(&status, STATUS_FULL, "no space");
    assert_int_equal(status_context(&status, "trial %d", 7), STATUS_FULL);
    assert_int_equal(status_context(&status, "run"), STATUS_FULL);
    assert_string_equal(status.text, "run: trial 7: no space");
}

static void success_gets_no_context(void **state)
{
    (void)state;
    struct status status = {0};
    assert_int_equal(status_context(&status, "run"), STATUS_OK);
    assert_string_equal(status.text, "");
}

static void arguments_may_be_the_old_text(void **state)
{
    (void)state;
    struct status status = {0};
    (void)status_set(&status, STATUS_SYSTEM, "old");
    (void)status_set(&status, STATUS_INVALID, "new, was %s", status.text);
    assert_string_equal(status.text, "new, was old");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    struct status status = {0};
    char text[3 * sizeof status.text];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    (void)status_set(&status, STATUS_INVALID, "%s", text);
    assert_int_equal(strlen(status.text), sizeof status.text - 1);
    assert_int_equal(status_context(&status, "%s", text), STATUS_INVALID);
    assert_int_equal(strlen(status.text), sizeof status.text - 1);
    assert_int_equal(status_errno(&status, EIO, "%s", text), STATUS_SYSTEM);
    assert_int_equal(strlen(status.text), sizeof status.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_and_returns_the_code),
        cmocka_unit_test(accepts_no_status),
        cmocka_unit_test(errno_decides_the_code),
        cmocka_unit_test(context_goes_in_front),
        cmocka_unit_test(success_gets_no_context),
        cmocka_unit_test(arguments_may_be_the_old_text),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
