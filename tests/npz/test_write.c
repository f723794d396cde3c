// SPDX-License-Identifier: MIT
#include "npz_fixture.h"
#include "support.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct folder {
    char path[64], file[96];
};

static struct folder make_folder(void)
{
    struct folder folder = {.path = "/tmp/npz-XXXXXX"};
    assert_non_null(mkdtemp(folder.path));
    snprintf(folder.file, sizeof folder.file, "%s/a.npz", folder.path);
    return folder;
}

static size_t entries(const struct folder *folder)
{
    size_t count = 0;
    DIR *list = opendir(folder->path);
    for (struct dirent *entry; list && (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static void drop_folder(const struct folder *folder)
{
    unlink(folder->file);
    assert_int_equal(rmdir(folder->path), 0); // nothing half-written is left
}

static struct npz_writer *create(const char *path)
{
    struct npz_writer *writer = NULL;
    struct status status = {0};
    if (npz_create(path, &writer, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return writer;
}

static void put(struct npz_writer *writer, int array, const void *numbers, size_t count)
{
    struct status status = {0};
    assert_true(array >= 0);
    if (npz_put(writer, array, numbers, count, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static void finish(struct npz_writer *writer)
{
    struct status status = {0};
    if (npz_finish(writer, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static void reads_what_it_wrote(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    const int32_t small[] = {-1, 2, INT32_MAX, 4, 5, 6};
    const int64_t large[] = {INT64_MIN, 1};
    const uint8_t bytes[] = {0, 255, 1};
    const float singles[] = {0.1F, -3};
    const double doubles[] = {0.1, 1e300};
    struct npz_writer *writer = create(folder.file);
    put(writer, npz_add(writer, "train/tokens", NPZ_INT32, 2, (const int64_t[]){3}), small, 6);
    put(writer, npz_add(writer, "large", NPZ_INT64, 1, NULL), large, 2);
    put(writer, npz_add(writer, "bytes", NPZ_UINT8, 1, NULL), bytes, 3);
    put(writer, npz_add(writer, "singles", NPZ_FLOAT32, 3, (const int64_t[]){1, 2}), singles, 2);
    put(writer, npz_add(writer, "doubles", NPZ_FLOAT64, 1, NULL), doubles, 2);
    put(writer, npz_add(writer, "scalar", NPZ_INT64, 0, NULL), large + 1, 1);
    npz_add(writer, "empty", NPZ_INT32, 2, (const int64_t[]){7});
    finish(writer);
    static const struct {
        const char *name, *shape;
        double first, last;
    } rows[] = {{"train/tokens", "(2, 3)", -1, 6}, {"large", "(2,)", (double)INT64_MIN, 1},
                {"bytes", "(3,)", 0, 1},           {"singles", "(1, 1, 2)", (double)0.1F, -3},
                {"doubles", "(2,)", 0.1, 1e300},   {"scalar", "()", 1, 1}};
    struct npz *npz = open_path(folder.file);
    assert_int_equal(npz_count(npz), 7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double numbers[6];
        char shape[NPZ_SHAPE_SIZE];
        struct status status = {0};
        struct npz_stream *stream = begin(npz, rows[i].name);
        const struct npz_array *array = npz_stream_array(stream);
        assert_string_equal(npz_shape_text(array, shape), rows[i].shape);
        assert_int_equal(npz_read_real(stream, array->count, numbers, &status), STATUS_OK);
        assert_true(numbers[0] == rows[i].first && numbers[array->count - 1] == rows[i].last);
        npz_end(stream);
    }
    npz_close(npz);
    drop_folder(&folder);
}

// Several pieces of each, taken in turns, and more of them than one read of the archive takes.
static void arrays_grow_side_by_side(void **state)
{
    (void)state;
    enum { PIECES = 700, NUMBERS = 113 };
    struct folder folder = make_folder();
    struct npz_writer *writer = create(folder.file);
    const int up = npz_add(writer, "up", NPZ_INT32, 1, NULL), down = npz_add(writer, "down", NPZ_INT64, 1, NULL);
    for (int p = 0; p < PIECES; p++) {
        int32_t a[NUMBERS];
        int64_t b[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) {
            a[i] = p * NUMBERS + i;
            b[i] = -a[i];
        }
        put(writer, up, a, NUMBERS);
        put(writer, down, b, (size_t)(p % NUMBERS));
    }
    finish(writer);
    struct npz *npz = open_path(folder.file);
    struct npz_stream *a = begin(npz, "up"), *b = begin(npz, "down");
    struct status status = {0};
    int64_t number, want = 0;
    for (int p = 0; p < PIECES; p++)
        for (int i = 0; i < NUMBERS; i++, want++) {
            assert_int_equal(npz_read_whole(a, 1, &number, &status), STATUS_OK);
            assert_int_equal(number, want);
            if (i >= p % NUMBERS)
                continue;
            assert_int_equal(npz_read_whole(b, 1, &number, &status), STATUS_OK);
            assert_int_equal(number, -want);
        }
    npz_end(a);
    npz_end(b);
    npz_close(npz);
    drop_folder(&folder);
}

static uint64_t write_and_hash(const struct folder *folder, int32_t number)
{
    struct npz_writer *writer = create(folder->file);
    struct status status = {0};
    uint64_t hash = 0;
    put(writer, npz_add(writer, "a", NPZ_INT32, 1, NULL), &number, 1);
    finish(writer);
    struct npz *npz = open_path(folder->file);
    assert_int_equal(npz_hash(npz, &hash, &status), STATUS_OK);
    npz_close(npz);
    return hash;
}

static void the_same_numbers_give_the_same_bytes(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    const uint64_t first = write_and_hash(&folder, 1), other = write_and_hash(&folder, 2);
    assert_true(first != other);
    assert_true(write_and_hash(&folder, 1) == first);
    drop_folder(&folder);
}

static void the_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    write_and_hash(&folder, 1);
    struct npz_writer *writer = create(folder.file);
    const int32_t number = 5;
    put(writer, npz_add(writer, "a", NPZ_INT32, 1, NULL), &number, 1);
    assert_int_equal(entries(&folder), 1);
    npz_abandon(writer);
    int64_t kept = 0;
    struct status status = {0};
    struct npz *npz = open_path(folder.file);
    struct npz_stream *stream = begin(npz, "a");
    assert_int_equal(npz_read_whole(stream, 1, &kept, &status), STATUS_OK);
    assert_int_equal(kept, 1);
    npz_end(stream);
    npz_close(npz);
    drop_folder(&folder);
}

static void says_where_it_cannot_write(void **state)
{
    (void)state;
    struct npz_writer *writer = NULL;
    struct status status = {0};
    struct folder folder = make_folder();
    char longer[5000];
    assert_int_equal(npz_create("/nowhere/a.npz", &writer, &status), STATUS_SYSTEM);
    assert_says(&status, "cannot write /nowhere/a.npz: No such file or directory");
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(npz_create(longer, &writer, &status), STATUS_INVALID);
    assert_null(writer);
    drop_folder(&folder);
}

static bool count_down(void *left)
{
    return --*(int *)left < 0;
}

// Asked to stop at each of its first chances, in npz_put, while the archive is written and behind it.
static void stops_when_asked_and_leaves_nothing(void **state)
{
    (void)state;
    enum { NUMBERS = 1 << 20, CHANCES = 400 };
    struct folder folder = make_folder();
    int32_t *numbers = calloc(NUMBERS, sizeof *numbers);
    assert_non_null(numbers);
    const uint64_t before = write_and_hash(&folder, 1);
    int stops = 0, left = 0;
    for (int chances = 0; chances < CHANCES; chances += chances < 4 ? 1 : 37) {
        struct npz_writer *writer = create(folder.file);
        struct status status = {0};
        left = chances;
        npz_stop_when(writer, count_down, &left);
        enum status_code code = npz_put(writer, npz_add(writer, "a", NPZ_INT32, 1, NULL), numbers, NUMBERS, &status);
        if (code == STATUS_OK)
            code = npz_finish(writer, &status);
        else
            npz_abandon(writer);
        assert_int_equal(entries(&folder), 1);
        if (code == STATUS_OK)
            break;
        assert_int_equal(code, STATUS_STOPPED);
        assert_says(&status, "stopped before");
        stops++;
    }
    assert_true(stops > 2);
    assert_true(write_and_hash(&folder, 1) == before);
    free(numbers);
    drop_folder(&folder);
}

static void says_that_files_are_limited(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    struct rlimit before, limit;
    struct status status = {0};
    static const int32_t numbers[4096];
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){8192, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    struct npz_writer *writer = create(folder.file);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum status_code code = npz_put(writer, npz_add(writer, "a", NPZ_INT32, 1, NULL), numbers, 4096, &status);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    npz_abandon(writer);
    assert_int_equal(code, STATUS_FULL);
    assert_says(&status, "File too large (a limit on the size of files: see ulimit -f); while a file is written");
    drop_folder(&folder);
}

enum thing { NOTHING, FOLDER, PIPE, LINK_TO_PIPE, LINK_TO_NOTHING, THINGS };

// In the place of the file.
static void put_thing(const struct folder *folder, enum thing thing)
{
    char other[128];
    snprintf(other, sizeof other, "%s/other", folder->path);
    if (thing == FOLDER)
        assert_int_equal(mkdir(folder->file, 0777), 0);
    if (thing == PIPE || thing == LINK_TO_PIPE)
        assert_int_equal(mkfifo(thing == PIPE ? folder->file : other, 0666), 0);
    if (thing == LINK_TO_PIPE || thing == LINK_TO_NOTHING)
        assert_int_equal(symlink("other", folder->file), 0);
}

static void remove_things(const struct folder *folder)
{
    char other[128];
    snprintf(other, sizeof other, "%s/other", folder->path);
    unlink(other);
    assert_int_equal(remove(folder->file), 0);
}

static void writes_over_regular_files_alone(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++)
        for (int thing = FOLDER; thing < (late ? LINK_TO_PIPE : THINGS); thing++) {
            struct folder folder = make_folder();
            struct npz_writer *writer = late ? create(folder.file) : NULL;
            struct status status = {0};
            struct stat before, after;
            put_thing(&folder, thing);
            assert_int_equal(lstat(folder.file, &before), 0);
            const int there = entries(&folder);
            if (late)
                npz_add(writer, "a", NPZ_INT32, 1, NULL);
            assert_int_equal(late ? npz_finish(writer, &status) : npz_create(folder.file, &writer, &status),
                             STATUS_INVALID);
            assert_says(&status, thing == FOLDER            ? "is a folder"
                                 : thing == LINK_TO_NOTHING ? "is a link that leads to no file; remove it"
                                                            : "is no regular file");
            assert_says(&status, "another name");
            assert_int_equal(entries(&folder), there);
            assert_int_equal(lstat(folder.file, &after), 0);
            assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
            remove_things(&folder);
            drop_folder(&folder);
        }
}

static void a_link_that_comes_late_stays(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    struct npz_writer *writer = create(folder.file);
    struct status status = {0};
    struct stat facts;
    char other[128];
    snprintf(other, sizeof other, "%s/other", folder.path);
    fclose(fopen(other, "w"));
    assert_int_equal(symlink("other", folder.file), 0);
    npz_add(writer, "a", NPZ_INT32, 1, NULL);
    assert_int_equal(npz_finish(writer, &status), STATUS_INVALID);
    assert_says(&status, "has become a link");
    assert_int_equal(entries(&folder), 2);
    assert_int_equal(lstat(folder.file, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode) && stat(other, &facts) == 0 && facts.st_size == 0);
    unlink(other);
    drop_folder(&folder);
}

static void a_link_is_followed_and_stays(void **state)
{
    (void)state;
    struct folder folder = make_folder();
    char other[128];
    struct stat facts;
    snprintf(other, sizeof other, "%s/other", folder.path);
    FILE *old = fopen(other, "w");
    assert_non_null(old);
    fclose(old);
    assert_int_equal(symlink("other", folder.file), 0);
    const uint64_t hash = write_and_hash(&folder, 1);
    assert_int_equal(lstat(folder.file, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode) && hash != 0 && entries(&folder) == 2);
    assert_int_equal(stat(other, &facts), 0);
    assert_true(facts.st_size > 0);
    unlink(other);
    drop_folder(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(arrays_grow_side_by_side),
        cmocka_unit_test(the_same_numbers_give_the_same_bytes),
        cmocka_unit_test(the_file_appears_whole_or_not_at_all),
        cmocka_unit_test(says_where_it_cannot_write),
        cmocka_unit_test(stops_when_asked_and_leaves_nothing),
        cmocka_unit_test(says_that_files_are_limited),
        cmocka_unit_test(writes_over_regular_files_alone),
        cmocka_unit_test(a_link_that_comes_late_stays),
        cmocka_unit_test(a_link_is_followed_and_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
