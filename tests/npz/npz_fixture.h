// SPDX-License-Identifier: MIT
// Files of tests/npz/fixtures, and copies of them to damage.
#pragma once
#include "npz.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_LIMIT = 1 << 16 };
struct copy {
    char path[64];
    size_t size;
    unsigned char data[COPY_LIMIT];
};

static inline void assert_says(const struct status *status, const char *part)
{
    if (!strstr(status->text, part))
        fail_msg("\"%s\" does not say \"%s\"", status->text, part);
}

static inline void fixture_path(const char *name, char ret_path[512])
{
    const char *root = getenv("SOURCE_ROOT");
    snprintf(ret_path, 512, "%s/tests/npz/fixtures/%s", root ? root : ".", name);
}

static inline struct npz *open_path(const char *path)
{
    struct npz *npz = NULL;
    struct status status = {0};
    if (npz_open(path, &npz, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return npz;
}

static inline struct npz *open_fixture(const char *name)
{
    char path[512];
    fixture_path(name, path);
    return open_path(path);
}

static inline struct npz_stream *begin(struct npz *npz, const char *name)
{
    struct npz_stream *stream = NULL;
    struct status status = {0};
    if (npz_begin(npz, name, &stream, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return stream;
}

static inline struct copy copy_fixture(const char *name)
{
    struct copy copy = {.path = "/tmp/npz-XXXXXX"};
    char path[512];
    fixture_path(name, path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    copy.size = fread(copy.data, 1, COPY_LIMIT, file);
    fclose(file);
    const int fd = mkstemp(copy.path);
    assert_true(fd >= 0);
    close(fd);
    return copy;
}

static inline void write_copy(const struct copy *copy)
{
    FILE *file = fopen(copy->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(copy->data, 1, copy->size, file), copy->size);
    assert_int_equal(fclose(file), 0);
}

static inline void drop_copy(const struct copy *copy)
{
    assert_int_equal(unlink(copy->path), 0);
}

// The text `from` behind `at` becomes `to`, which is as long.
static inline void replace(struct copy *copy, size_t at, const char *from, const char *to)
{
    unsigned char *place = memmem(copy->data + at, copy->size - at, from, strlen(from));
    assert_non_null(place);
    memset(place, ' ', strlen(from));
    memcpy(place, to, strlen(to));
}
