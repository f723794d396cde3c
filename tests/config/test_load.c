// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/lgsweep_config_XXXXXX");
    if (!folder || !mkdtemp(folder) || chdir(folder))
        return -1;
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
    int left = chdir("/"), removed = system(command);
    free(*state);
    return left || removed;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Loads `path` and wants `code` and, where it fails, a text with `fragment`.
static void assert_loads(const char *path, enum status_code code, const char *fragment)
{
    struct arena *arena = arena_create(1 << 12, 0);
    struct sweep sweep;
    struct status status = {.text = ""};
    assert_non_null(arena);
    assert_int_equal(config_load(path, arena, &sweep, NULL, &status), code);
    if (code != STATUS_OK && !strstr(status.text, fragment))
        fail_msg("'%s' is missing in '%s'", fragment, status.text);
    if (code == STATUS_OK)
        assert_string_equal(sweep.path, path);
    arena_destroy(arena);
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    char text[100000] = "seed: 3\n";
    for (size_t i = strlen(text); i < sizeof text; i++)
        text[i] = i % 50 ? '#' : '\n';
    memcpy(text + sizeof text - 9, "\ntwins: n", 9);
    write_file("a.yaml", text, sizeof text);
    assert_loads("a.yaml", STATUS_INVALID, "twins: 'n' is neither true nor false");
    assert_loads("./a.yaml", STATUS_INVALID, "./a.yaml:");
    write_file("b.yaml", "seed: 3", 7);
    assert_loads("b.yaml", STATUS_OK, "");
}

static void a_file_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    assert_loads("none.yaml", STATUS_SYSTEM, "cannot open the sweep file 'none.yaml': No such file or directory");
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_loads("folder", STATUS_SYSTEM, "cannot read the sweep file 'folder': Is a directory");
    write_file("file", "", 0);
    assert_loads("file/a.yaml", STATUS_SYSTEM, "Not a directory");
    assert_loads("file", STATUS_INVALID, "file: the file is empty");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_loads("loop", STATUS_SYSTEM, "cannot open the sweep file 'loop': ");
}

static void no_permission_is_said(void **state)
{
    (void)state;
    write_file("secret.yaml", "seed: 3", 7);
    assert_int_equal(chmod("secret.yaml", 0), 0);
    assert_int_equal(chmod(".", 0755), 0);
    bool root = geteuid() == 0; // who may read everything, and can become nobody
    if (root && seteuid(65534))
        skip();
    assert_loads("secret.yaml", STATUS_SYSTEM, "cannot open the sweep file 'secret.yaml': Permission denied");
    if (root)
        assert_int_equal(seteuid(0), 0);
}

static void a_large_file_is_refused_unread(void **state)
{
    (void)state;
    write_file("large.yaml", "", 0);
    assert_int_equal(truncate("large.yaml", (off_t)1 << 31), 0);
    assert_loads("large.yaml", STATUS_INVALID, "large.yaml: larger than 1048576 bytes: this is no sweep file");
    assert_loads("/dev/zero", STATUS_INVALID, "/dev/zero: larger than 1048576 bytes");
}

static void a_file_of_the_largest_size_is_read(void **state)
{
    (void)state;
    char *text = malloc(CONFIG_MAX_BYTES);
    assert_non_null(text);
    memset(text, '\n', CONFIG_MAX_BYTES);
    memcpy(text, "seed: 3", 7);
    write_file("largest.yaml", text, CONFIG_MAX_BYTES);
    assert_loads("largest.yaml", STATUS_OK, "");
    free(text);
}

static void a_pipe_is_as_good_as_a_file(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "seed: 3\n", 8), 8);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_loads(path, STATUS_OK, "");
    close(ends[0]);
}

static void paths_may_have_any_bytes(void **state)
{
    (void)state;
    const char *path = "测试 é \xFF.yaml";
    write_file(path, "seed: x", 7);
    assert_loads(path, STATUS_INVALID, "测试 é \xFF.yaml:1:7: seed: 'x' is not an integer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(a_file_that_cannot_be_read_says_why),
        cmocka_unit_test(no_permission_is_said),
        cmocka_unit_test(a_large_file_is_refused_unread),
        cmocka_unit_test(a_file_of_the_largest_size_is_read),
        cmocka_unit_test(a_pipe_is_as_good_as_a_file),
        cmocka_unit_test(paths_may_have_any_bytes),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
