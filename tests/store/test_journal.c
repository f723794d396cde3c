// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_journal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fixture fixture;
static char journal_path[FIXTURE_PATH];

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){0});
    fixture_file(&fixture, ".journal", journal_path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

enum { ENTRIES = 5 };

// Five entries of 0, 10, 20, 30 and 40 bytes; `starts` gets their offsets and the end.
static void make(struct bytes *bytes, size_t starts[ENTRIES + 1])
{
    unsigned char payload[10 * ENTRIES];
    store_journal_put_header(bytes, 7, 99);
    for (int i = 0; i < ENTRIES; i++) {
        starts[i] = bytes->size;
        memset(payload, 'a' + i, sizeof payload);
        store_journal_put(bytes, STORE_ATTEMPT, (struct hash128){0, (uint64_t)i}, payload, 10 * (size_t)i);
    }
    starts[ENTRIES] = bytes->size;
    assert_false(bytes->failed);
}

struct replayed {
    size_t count;
    uint64_t identities[4 * ENTRIES], end, damage;
    struct bytes warnings;
};

static void replay(const void *data, size_t size, struct replayed *ret)
{
    struct status status = {0};
    struct store_journal *journal = NULL;
    *ret = (struct replayed){0};
    fixture_write(journal_path, data, size);
    fixture_ok(store_journal_open(fixture.path, 7, &journal, &status), &status);
    for (bool found = journal != NULL; found;) {
        struct store_entry entry;
        fixture_ok(store_journal_next(journal, &entry, &found, &ret->warnings, &status), &status);
        if (!found)
            break;
        assert_int_equal(entry.size, 10 * entry.identity.low);
        for (size_t i = 0; i < entry.size; i++)
            assert_int_equal(entry.payload[i], 'a' + entry.identity.low);
        ret->identities[ret->count++] = entry.identity.low;
    }
    if (journal) {
        ret->end = store_journal_end(journal);
        ret->damage = store_journal_damage(journal);
    }
    bytes_u8(&ret->warnings, 0);
    store_journal_close(journal);
}

static void entries_come_back_in_order(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    struct replayed got;
    make(&bytes, starts);
    replay(bytes.data, bytes.size, &got);
    assert_int_equal(got.count, ENTRIES);
    for (size_t i = 0; i < ENTRIES; i++)
        assert_int_equal(got.identities[i], i);
    assert_int_equal(got.end, bytes.size);
    assert_int_equal(got.damage, 0);
    bytes_fini(&got.warnings);
    bytes_fini(&bytes);
}

static void a_torn_tail_is_dropped_wherever_it_is_torn(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    make(&bytes, starts);
    for (size_t size = 0; size <= bytes.size; size++) {
        struct replayed got;
        size_t whole = 0;
        while (whole < ENTRIES && starts[whole + 1] <= size)
            whole++;
        replay(bytes.data, size, &got);
        assert_int_equal(got.count, whole);
        assert_int_equal(got.end, size < STORE_JOURNAL_HEADER ? 0 : starts[whole]);
        assert_int_equal(got.damage, 0);
        assert_int_equal(got.warnings.size, 1);
        bytes_fini(&got.warnings);
    }
    bytes_fini(&bytes);
}

static void every_changed_byte_costs_one_entry_at_most(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    make(&bytes, starts);
    for (size_t at = STORE_JOURNAL_HEADER; at < bytes.size; at++) {
        struct replayed got;
        bytes.data[at] ^= 0x20;
        replay(bytes.data, bytes.size, &got);
        bytes.data[at] ^= 0x20;
        assert_int_equal(got.count, ENTRIES - 1);
        bool last = at >= starts[ENTRIES - 1];
        assert_int_equal(got.damage == 0, last); // the last one passes for torn
        assert_int_equal(got.end, last ? starts[ENTRIES - 1] : bytes.size);
        bytes_fini(&got.warnings);
    }
    bytes_fini(&bytes);
}

static void zeros_in_the_middle_are_passed_over_and_reported(void **state)
{
    (void)state;
    enum { ZEROS = 8192 };
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    make(&bytes, starts);
    for (size_t i = 0; i < ENTRIES; i++) {
        struct replayed got;
        char offset[64];
        unsigned char *data = calloc(1, bytes.size + ZEROS);
        assert_non_null(data);
        memcpy(data, bytes.data, starts[i]);
        memcpy(data + starts[i] + ZEROS, bytes.data + starts[i], bytes.size - starts[i]);
        replay(data, bytes.size + ZEROS, &got);
        assert_int_equal(got.count, ENTRIES);
        assert_int_equal(got.damage, ZEROS);
        snprintf(offset, sizeof offset, "8192 damaged bytes at offset %zu", starts[i]);
        assert_non_null(strstr((char *)got.warnings.data, offset));
        bytes_fini(&got.warnings);
        free(data);
    }
    bytes_fini(&bytes);
}

static void zeros_over_an_entry_cost_that_entry(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    struct replayed got;
    make(&bytes, starts);
    memset(bytes.data + starts[1] + 5, 0, starts[3] - starts[1] - 5);
    replay(bytes.data, bytes.size, &got);
    assert_int_equal(got.count, 3);
    assert_int_equal(got.identities[0], 0);
    assert_int_equal(got.identities[1], 3);
    assert_int_equal(got.damage, starts[3] - starts[1]);
    bytes_fini(&got.warnings);
    bytes_fini(&bytes);
}

static void a_length_beyond_the_file_does_not_hide_what_follows(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    struct replayed got;
    make(&bytes, starts);
    memset(bytes.data + starts[1] + 12, 0xff, 4);
    replay(bytes.data, bytes.size, &got);
    assert_int_equal(got.count, ENTRIES - 1);
    bytes_fini(&got.warnings);
    bytes_fini(&bytes);
}

static void an_entry_may_hold_the_magic_word(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    struct status status = {0};
    struct store_journal *journal = NULL;
    struct store_entry entry;
    bool found = false;
    char payload[100000];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = "LGSWENTR"[i % 8];
    store_journal_put_header(&bytes, 7, 1);
    bytes_raw(&bytes, "LGSWENTRLGSWEN", 14); // damage that looks alike
    store_journal_put(&bytes, STORE_RESULT, (struct hash128){1, 2}, payload, sizeof payload);
    fixture_write(journal_path, bytes.data, bytes.size);
    fixture_ok(store_journal_open(fixture.path, 7, &journal, &status), &status);
    fixture_ok(store_journal_next(journal, &entry, &found, NULL, &status), &status);
    assert_true(found);
    assert_int_equal(entry.size, sizeof payload);
    fixture_ok(store_journal_fetch(journal, entry.offset, &entry, &status), &status);
    assert_memory_equal(entry.payload, payload, sizeof payload);
    assert_int_equal(store_journal_fetch(journal, entry.offset + 8, &entry, &status), STATUS_DAMAGED);
    store_journal_close(journal);
    bytes_fini(&bytes);
}

static void other_files_versions_and_numerics_are_refused(void **state)
{
    static const struct {
        size_t at;
        unsigned char value;
        enum status_code code;
        const char *fragment;
    } rows[] = {
        {0, 'X', STATUS_INVALID, "not a journal"}, {8, 2, STATUS_INVALID, "version 2"},
        {12, 8, STATUS_DAMAGED, "checksum"},       {20, 1, STATUS_DAMAGED, "checksum"},
        {31, 1, STATUS_DAMAGED, "checksum"},
    };
    (void)state;
    struct bytes bytes = {0};
    size_t starts[ENTRIES + 1];
    make(&bytes, starts);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct status status = {0};
        struct store_journal *journal = NULL;
        unsigned char kept = bytes.data[rows[i].at];
        bytes.data[rows[i].at] = rows[i].value;
        fixture_write(journal_path, bytes.data, bytes.size);
        bytes.data[rows[i].at] = kept;
        assert_int_equal(store_journal_open(fixture.path, 7, &journal, &status), rows[i].code);
        assert_non_null(strstr(status.text, rows[i].fragment));
        assert_non_null(strstr(status.text, journal_path));
        assert_null(journal);
    }
    struct status status = {0};
    struct store_journal *journal = NULL;
    fixture_write(journal_path, bytes.data, bytes.size);
    assert_int_equal(store_journal_open(fixture.path, 8, &journal, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "numerics 7"));
    fixture_ok(store_journal_open(fixture.path, 0, &journal, &status), &status);
    assert_int_equal(store_journal_id(journal), 99);
    store_journal_close(journal);
    bytes_fini(&bytes);
}

static void no_file_is_no_journal(void **state)
{
    (void)state;
    struct status status = {0};
    struct store_journal *journal = NULL;
    fixture_ok(store_journal_open(fixture.path, 7, &journal, &status), &status);
    assert_null(journal);
    store_journal_close(NULL);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(entries_come_back_in_order),
        UNIT(a_torn_tail_is_dropped_wherever_it_is_torn),
        UNIT(every_changed_byte_costs_one_entry_at_most),
        UNIT(zeros_in_the_middle_are_passed_over_and_reported),
        UNIT(zeros_over_an_entry_cost_that_entry),
        UNIT(a_length_beyond_the_file_does_not_hide_what_follows),
        UNIT(an_entry_may_hold_the_magic_word),
        UNIT(other_files_versions_and_numerics_are_refused),
        UNIT(no_file_is_no_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
