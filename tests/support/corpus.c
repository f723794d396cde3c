// SPDX-License-Identifier: MIT
// The unit that goes with each fuzzer: what its corpus holds, and damaged forms of it. The folder is the argument.
#include "support.h"

#include "fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, TRIES = 60 }; // of each kind of damage, a file

struct corpus {
    const char *folder;
    unsigned char *data, *copy;
};

typedef void visit_file(struct corpus *corpus, size_t size);

static void each_file(struct corpus *corpus, visit_file *visit)
{
    size_t files = 0;
    DIR *folder = opendir(corpus->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", corpus->folder, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        visit(corpus, fread(corpus->data, 1, FILE_LIMIT, file));
        fclose(file);
        files++;
    }
    closedir(folder);
    assert_true(files > 0);
}

// In memory of exactly this size, so that a sanitizer sees every byte read beyond the end.
static void feed(const unsigned char *data, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, data, size);
    assert_int_equal(LLVMFuzzerTestOneInput(exact, size), 0);
    free(exact);
}

static void feed_whole(struct corpus *corpus, size_t size)
{
    feed(corpus->data, size);
}

static size_t stride(size_t size)
{
    return size / TRIES + 1;
}

static void feed_beginnings(struct corpus *corpus, size_t size)
{
    for (size_t length = 0; length < size; length += stride(size))
        feed(corpus->data, length);
}

static void feed_changed(struct corpus *corpus, size_t size)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x20};
    for (size_t at = 0; at < size; at += stride(size)) {
        memcpy(corpus->copy, corpus->data, size);
        corpus->copy[at] ^= masks[at % sizeof masks];
        feed(corpus->copy, size);
    }
}

static void feed_shifted(struct corpus *corpus, size_t size)
{
    for (size_t at = 0; at + 1 < size; at += stride(size)) {
        size_t length = 1 + at % 9 < size - at ? 1 + at % 9 : 1;
        memcpy(corpus->copy, corpus->data, at);
        memcpy(corpus->copy + at, corpus->data + at + length, size - at - length);
        feed(corpus->copy, size - length);
        memcpy(corpus->copy, corpus->data, at + length);
        memcpy(corpus->copy + at + length, corpus->data + at, size - at);
        feed(corpus->copy, size + length);
    }
}

static void answers_every_file_of_the_corpus(void **state)
{
    each_file(*state, feed_whole);
}

static void answers_every_beginning_of_one(void **state)
{
    each_file(*state, feed_beginnings);
}

static void answers_one_with_a_byte_changed(void **state)
{
    each_file(*state, feed_changed);
}

static void answers_one_with_bytes_doubled_or_dropped(void **state)
{
    each_file(*state, feed_shifted);
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    struct corpus corpus = {arguments[1], malloc(FILE_LIMIT), malloc(FILE_LIMIT + 16)};
    struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(answers_every_file_of_the_corpus, &corpus),
        cmocka_unit_test_prestate(answers_every_beginning_of_one, &corpus),
        cmocka_unit_test_prestate(answers_one_with_a_byte_changed, &corpus),
        cmocka_unit_test_prestate(answers_one_with_bytes_doubled_or_dropped, &corpus),
    };
    int failed = corpus.data && corpus.copy ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
    free(corpus.data);
    free(corpus.copy);
    return failed;
}
