// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_index.h"
#include "store_payload.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct store_index *sources;

static int set_up(void **state)
{
    struct status status = {0};
    (void)state;
    return store_index_create(&sources, &status) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    store_index_destroy(sources);
    store_index_destroy(NULL);
    return 0;
}

static const struct hash128 name = {1, 2};

static void add(enum record_status state, uint64_t source, bool trained, size_t count, const int64_t *lengths)
{
    struct status status = {0};
    const struct index_source from = {.identity = name,
                                      .status = state,
                                      .trained = trained,
                                      .source = source,
                                      .row = source == INDEX_PUBLISHED ? 3 : SIZE_MAX,
                                      .lengths_count = count,
                                      .lengths = lengths};
    fixture_ok(store_index_add(sources, &from, &status), &status);
}

static void assert_part(int64_t length, int64_t source)
{
    const struct index_part *part = store_index_part(store_index_find(sources, name), length);
    assert_int_equal(part ? (int64_t)part->source : -1, source);
}

static void the_first_source_of_a_part_wins(void **state)
{
    (void)state;
    add(RECORD_DONE, INDEX_PUBLISHED, true, 1, (const int64_t[]){8});
    add(RECORD_DONE, 100, true, 3, (const int64_t[]){8, 4, 32});
    add(RECORD_DONE, 200, true, 2, (const int64_t[]){16, 32});
    assert_int_equal(store_index_count(sources), 1);
    assert_part(INDEX_TRAINING, INDEX_PUBLISHED);
    assert_part(4, 100);
    assert_part(8, INDEX_PUBLISHED);
    assert_part(16, 200);
    assert_part(32, 100);
    assert_part(64, -1);
    int64_t last = -1;
    for (const struct index_part *part = store_index_find(sources, name)->parts; part; part = part->next) {
        assert_true(part->test_length > last);
        last = part->test_length;
    }
    assert_int_equal(store_index_find(sources, name)->row, 3);
    assert_int_equal(store_index_find(sources, name)->source, INDEX_PUBLISHED);
}

static void a_result_replaces_a_failure_and_never_the_reverse(void **state)
{
    static const struct {
        enum record_status first, second, last;
        uint64_t source;
    } rows[] = {
        {RECORD_FAILED, RECORD_DONE, RECORD_DONE, 200},      {RECORD_FAILED, RECORD_DIVERGED, RECORD_DIVERGED, 200},
        {RECORD_FAILED, RECORD_FAILED, RECORD_FAILED, 200}, // the later failure
        {RECORD_DONE, RECORD_FAILED, RECORD_DONE, 100},      {RECORD_DIVERGED, RECORD_FAILED, RECORD_DIVERGED, 100},
        {RECORD_DONE, RECORD_DIVERGED, RECORD_DONE, 100},    {RECORD_DONE, RECORD_PENDING, RECORD_DONE, 100},
        {RECORD_FAILED, RECORD_PENDING, RECORD_FAILED, 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tear_down(NULL);
        assert_int_equal(set_up(NULL), 0);
        add(rows[i].first, 100, true, 1, (const int64_t[]){8});
        add(rows[i].second, 200, true, 1, (const int64_t[]){8});
        assert_int_equal(store_index_find(sources, name)->status, rows[i].last);
        assert_int_equal(store_index_find(sources, name)->source, rows[i].source);
        assert_part(8, (int64_t)rows[i].source);
    }
}

static void thousands_of_trials_are_found_in_order_of_arrival(void **state)
{
    (void)state;
    struct status status = {0};
    enum { MANY = 5000 };
    for (size_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < MANY; i++) {
            // The low bits alone choose the slot: many of them collide.
            const struct index_source from = {.identity = {i, i % 61}, .status = RECORD_DONE, .source = 100 + i};
            fixture_ok(store_index_add(sources, &from, &status), &status);
        }
    assert_int_equal(store_index_count(sources), MANY);
    for (uint64_t i = 0; i < MANY; i++) {
        const struct index_entry *entry = store_index_find(sources, (struct hash128){i, i % 61});
        assert_ptr_equal(entry, store_index_at(sources, i));
        assert_int_equal(entry->source, 100 + i);
    }
    assert_null(store_index_find(sources, (struct hash128){MANY, 0}));
    assert_null(store_index_part(NULL, 8));
}

// An entry as it stands in a journal.
static struct store_entry entry_of(const struct bytes *payload, enum store_entry_kind kind)
{
    return (struct store_entry){kind, name, 640, payload->data, payload->size};
}

static void payloads_say_what_the_index_needs(void **state)
{
    (void)state;
    struct status status = {0};
    struct record record = {.status = RECORD_DONE, .attempts = 2};
    struct bytes bytes = {0};
    struct store_payload payload;
    const struct store_origin origin = {"node7", "1.2.3", 12.5};
    settings_defaults(&record.settings);
    assert_non_null(record_part(&record, RECORD_TEST, 64, true));
    assert_non_null(record_part(&record, RECORD_TRAINING, 0, true));
    assert_non_null(record_part(&record, RECORD_TEST, 16, true));
    store_payload_encode(&record, true, &origin, &bytes);
    const struct store_entry entry = entry_of(&bytes, STORE_RESULT);
    fixture_ok(store_payload_decode(&entry, &payload, &status), &status);
    assert_int_equal(payload.status, RECORD_DONE);
    assert_true(payload.trained && payload.twin);
    assert_int_equal(payload.lengths_count, 2);
    assert_true(payload.lengths[0] == 64 && payload.lengths[1] == 16);
    assert_int_equal(payload.host_length, 5);
    assert_memory_equal(payload.host, "node7", 5);
    assert_memory_equal(payload.version, "1.2.3", 5);
    assert_true(payload.finished == 12.5);
    assert_int_equal(payload.attempts, 2);
    struct record read;
    fixture_ok(record_decode(payload.record, payload.record_size, &read, &status), &status);
    fixture_assert_same(&record, &read);
    record_fini(&read);
    store_payload_fini(&payload);
    for (size_t size = 0; size + payload.record_size < bytes.size; size++) { // cut short within its head
        const struct store_entry cut = {STORE_RESULT, name, 640, bytes.data, size};
        assert_int_equal(store_payload_decode(&cut, &payload, &status), STATUS_DAMAGED);
        assert_non_null(strstr(status.text, "640"));
        assert_int_equal(store_index_entry(sources, &cut, &status), STATUS_DAMAGED);
    }
    bytes_fini(&bytes);
    record_fini(&record);
}

static void payloads_without_an_origin_are_allowed(void **state)
{
    (void)state;
    struct status status = {0};
    struct record record = {.status = RECORD_FAILED};
    struct bytes bytes = {0};
    struct store_payload payload;
    settings_defaults(&record.settings);
    store_payload_encode(&record, false, NULL, &bytes);
    const struct store_entry entry = entry_of(&bytes, STORE_FAILURE);
    fixture_ok(store_payload_decode(&entry, &payload, &status), &status);
    assert_false(payload.trained || payload.twin);
    assert_int_equal(payload.host_length + payload.version_length + payload.lengths_count, 0);
    assert_true(isnan(payload.finished));
    store_payload_fini(&payload);
    fixture_ok(store_index_entry(sources, &entry, &status), &status);
    assert_int_equal(store_index_find(sources, name)->status, RECORD_FAILED);
    bytes_fini(&bytes);
}

static void counts_that_no_payload_can_hold_are_damage(void **state)
{
    (void)state;
    struct status status = {0};
    struct bytes bytes = {0};
    bytes_u8(&bytes, RECORD_DONE);
    bytes_u8(&bytes, 1);
    bytes_u32(&bytes, 0xffffffff);
    bytes_u64(&bytes, 8);
    const struct store_entry entry = entry_of(&bytes, STORE_RESULT);
    struct store_payload payload;
    assert_int_equal(store_payload_decode(&entry, &payload, &status), STATUS_DAMAGED);
    bytes.data[0] = RECORD_STATUSES;
    memset(bytes.data + 2, 0, 4);
    assert_int_equal(store_payload_decode(&entry, &payload, &status), STATUS_DAMAGED);
    bytes_fini(&bytes);
}

static void attempts_count_up_and_replays_add_nothing(void **state)
{
    (void)state;
    struct status status = {0};
    struct bytes bytes = {0};
    bytes_u32(&bytes, 2);
    const struct store_entry entry = entry_of(&bytes, STORE_ATTEMPT);
    for (int i = 0; i < 3; i++)
        fixture_ok(store_index_entry(sources, &entry, &status), &status);
    assert_int_equal(store_index_find(sources, name)->attempts, 2);
    bytes.data[0] = 1; // an earlier one
    fixture_ok(store_index_entry(sources, &entry, &status), &status);
    assert_int_equal(store_index_find(sources, name)->attempts, 2);
    const struct store_entry empty = {STORE_ATTEMPT, name, 640, bytes.data, 3};
    assert_int_equal(store_index_entry(sources, &empty, &status), STATUS_DAMAGED);
    bytes_fini(&bytes);
}

static void kinds_of_later_versions_are_passed_over(void **state)
{
    (void)state;
    struct status status = {0};
    const struct store_entry entry = {99, name, 640, NULL, 0};
    fixture_ok(store_index_entry(sources, &entry, &status), &status);
    assert_int_equal(store_index_count(sources), 0);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(the_first_source_of_a_part_wins),
        UNIT(a_result_replaces_a_failure_and_never_the_reverse),
        UNIT(thousands_of_trials_are_found_in_order_of_arrival),
        UNIT(payloads_say_what_the_index_needs),
        UNIT(payloads_without_an_origin_are_allowed),
        UNIT(counts_that_no_payload_can_hold_are_damage),
        UNIT(attempts_count_up_and_replays_add_nothing),
        UNIT(kinds_of_later_versions_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
