// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_journal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static size_t count_done(const struct store *store)
{
    size_t count = 0;
    for (size_t i = 0; i < grid_trials(fixture.grid); i++) {
        const struct grid_trial *trial = grid_trial(fixture.grid, i);
        count += store_done(store, trial->identity, trial->lengths[0]);
    }
    return count;
}

static void assert_refused(enum status_code expected, const char *const *fragments)
{
    struct store *store = NULL;
    struct status status = {0};
    enum status_code code = store_open(fixture.path, &fixture.sweep, fixture.grid, NULL, &store, NULL, &status);
    assert_null(store);
    assert_int_equal(code, expected);
    for (; *fragments; fragments++)
        if (!strstr(status.text, *fragments))
            fail_msg("'%s' is not in: %s", *fragments, status.text);
    assert_int_equal(fixture_count(&fixture, "测试 s.h5.lock"), 0);
}

static void two_cannot_have_one_store(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture), *second = NULL;
    struct status status = {0};
    assert_int_equal(store_open(fixture.path, &fixture.sweep, fixture.grid, NULL, &second, NULL, &status),
                     STATUS_IN_USE);
    assert_non_null(strstr(status.text, "in use by process"));
    fixture_append(&fixture, store, 0, 1); // the first is not disturbed
    store_close(store);
}

// A changed setting is named with both values, whether the store is a journal or a published file.
static void other_settings_are_refused(void **state)
{
    (void)state;
    for (int published = 0; published < 2; published++) {
        static const struct fixture_plan plan = {0}, more = {.steps = 200, .noise_rate = 0.5};
        fixture_replan(&fixture, &plan);
        if (published)
            fixture_run(&fixture);
        else
            store_close(fixture_open(&fixture));
        fixture_replan(&fixture, &more);
        const char *const fragments[] = {"steps is 100 there and 200", "noise_rate is 0.25 there and 0.5", "-o", NULL};
        assert_refused(STATUS_INVALID, fragments);
        fixture_replan(&fixture, &plan);
        store_close(fixture_open(&fixture));
    }
}

static void a_setting_may_become_an_axis_that_has_its_value(void **state)
{
    (void)state;
    static const union setting_value with[] = {{.r = 0}, {.r = 0.25}}, without[] = {{.r = 0}, {.r = 0.5}};
    fixture_run(&fixture);
    struct axis axes[3];
    memcpy(axes, fixture.sweep.axes, 2 * sizeof *axes);
    struct axis_column column = {.setting = setting_find("noise_rate", 10), .values = without};
    axes[2] = (struct axis){.name = "noise_rate", .count = 2, .columns_count = 1, .columns = &column};
    fixture.sweep.axes = axes;
    fixture.sweep.axes_count = 3;
    const char *const fragments[] = {"noise_rate is 0.25 there and [0, 0.5]", NULL};
    assert_refused(STATUS_INVALID, fragments);
    column.values = with;
    grid_destroy(fixture.grid);
    fixture.grid = NULL;
    struct status status = {0};
    fixture_ok(grid_expand(&fixture.sweep, 1000, &fixture.grid, &status), &status);
    struct store *store = fixture_open(&fixture);
    assert_int_equal(count_done(store), grid_trials(fixture.grid) / 2);
    store_close(store);
}

static void a_file_that_is_no_store_is_refused_and_left_alone(void **state)
{
    (void)state;
    size_t size;
    static const char text[] = "snr,error\n1,0.5\n";
    fixture_write(fixture.path, text, sizeof text);
    assert_refused(STATUS_INVALID, (const char *const[]){fixture.path, "not an HDF5 file", NULL});
    unsigned char *kept = fixture_read(fixture.path, &size);
    assert_int_equal(size, sizeof text);
    assert_memory_equal(kept, text, size);
    free(kept);
    fixture_write(fixture.path, "", 0);
    assert_refused(STATUS_INVALID, (const char *const[]){"not an HDF5 file", NULL});
    hid_t file = H5Fcreate(fixture.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    H5Fclose(file);
    assert_refused(STATUS_INVALID, (const char *const[]){"not a store", NULL});
    assert_int_equal(fixture_count(&fixture, ""), 1); // no journal has been begun
}

static void a_cut_file_is_refused(void **state)
{
    (void)state;
    size_t size;
    fixture_run(&fixture);
    unsigned char *file = fixture_read(fixture.path, &size);
    fixture_write(fixture.path, file, size - 1000);
    free(file);
    assert_refused(STATUS_DAMAGED, (const char *const[]){fixture.path, "cannot open the file", "truncated", NULL});
}

static void put_attribute(const char *name, hid_t type, const void *value)
{
    hid_t file = H5Fopen(fixture.path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    H5Adelete(file, name);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
}

static void other_numerics_and_later_schemas_are_refused(void **state)
{
    (void)state;
    const int numerics = NUMERICS + 1, usual = NUMERICS;
    const char *schema = "lgsweep/99";
    char theirs[32], ours[32];
    snprintf(theirs, sizeof theirs, "numerics %d", numerics);
    snprintf(ours, sizeof ours, "numerics %d", usual);
    fixture_run(&fixture);
    put_attribute("numerics", H5T_NATIVE_INT, &numerics);
    assert_refused(STATUS_INVALID, (const char *const[]){fixture.path, theirs, ours, NULL});
    put_attribute("numerics", H5T_NATIVE_INT, &usual);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    put_attribute("schema", text, &schema);
    H5Tclose(text);
    assert_refused(STATUS_INVALID, (const char *const[]){"schema 99", NULL});
}

static void a_journal_of_other_numerics_or_version_is_refused(void **state)
{
    (void)state;
    char path[FIXTURE_PATH], theirs[32];
    struct bytes bytes = {0};
    snprintf(theirs, sizeof theirs, "numerics %d", NUMERICS + 1);
    store_journal_put_header(&bytes, NUMERICS + 1, 5);
    fixture_write(fixture_file(&fixture, ".journal", path), bytes.data, bytes.size);
    assert_refused(STATUS_INVALID, (const char *const[]){path, theirs, NULL});
    bytes.data[8] = STORE_JOURNAL_VERSION + 1;
    fixture_write(path, bytes.data, bytes.size);
    assert_refused(STATUS_INVALID, (const char *const[]){path, "version 2", NULL});
    fixture_write(path, "not a journal at all, but some notes of mine", 44);
    assert_refused(STATUS_INVALID, (const char *const[]){path, "not a journal", NULL});
    assert_int_equal(unlink(path) | mkfifo(path, 0666), 0);
    assert_refused(STATUS_INVALID, (const char *const[]){path, "not a journal", NULL});
    bytes_fini(&bytes);
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct status status = {0};
    assert_int_equal(store_open("/nonexistent/s.h5", &fixture.sweep, fixture.grid, NULL, &store, NULL, &status),
                     STATUS_SYSTEM);
    assert_non_null(strstr(status.text, "/nonexistent/s.h5"));
}

// In a process that is not root, which may write everywhere.
static void a_folder_without_permission_is_named(void **state)
{
    (void)state;
    int how = 0;
    assert_int_equal(chmod(fixture.folder, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store *store = NULL;
        struct status status = {0};
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(1);
        enum status_code code = store_open(fixture.path, &fixture.sweep, fixture.grid, NULL, &store, NULL, &status);
        _exit(code == STATUS_SYSTEM && strstr(status.text, fixture.path) && strstr(status.text, "Permission denied")
                  ? 0
                  : 2);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    chmod(fixture.folder, 0755);
    assert_int_equal(how, 0);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(two_cannot_have_one_store),
        UNIT(other_settings_are_refused),
        UNIT(a_setting_may_become_an_axis_that_has_its_value),
        UNIT(a_file_that_is_no_store_is_refused_and_left_alone),
        UNIT(a_cut_file_is_refused),
        UNIT(other_numerics_and_later_schemas_are_refused),
        UNIT(a_journal_of_other_numerics_or_version_is_refused),
        UNIT(a_missing_folder_is_named),
        UNIT(a_folder_without_permission_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
