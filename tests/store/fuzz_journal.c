// SPDX-License-Identifier: MIT
// A journal, and all that is made of it. The first byte of the input chooses: the rest is the file itself (even), or a
// list of entries that are put into a sound one, each a byte kind, a byte identity and a u16 length before the payload.
// An identity below the number of trials is one of the grid; in the payload of a result a record's own is not changed.
#include "support.h"

#include "fixture.h"
#include "fuzz.h"
#include "store_journal.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct place {
    struct fixture fixture;
    char journal[FIXTURE_PATH];
    bool made;
} the_place; // made once for a whole run of the fuzzer; its folder is removed at the end

__attribute__((destructor)) static void clean_up(void)
{
    if (the_place.made)
        fixture_fini(&the_place.fixture);
}

static void make(struct place *place)
{
    static const struct fixture_plan plan = {.snr_count = 1};
    fixture_init(&place->fixture, &plan);
    fixture_file(&place->fixture, ".journal", place->journal);
    place->made = true;
}

static void put_entries(const struct fixture *fixture, const unsigned char *data, size_t size, struct bytes *ret_file)
{
    store_journal_put_header(ret_file, NUMERICS, 77);
    while (size >= 4) {
        size_t length = data[2] | (size_t)data[3] << 8, trials = grid_trials(fixture->grid);
        length = length < size - 4 ? length : size - 4;
        struct hash128 identity = {data[1], 1};
        if (data[1] < trials)
            identity = grid_trial(fixture->grid, data[1])->identity;
        store_journal_put(ret_file, data[0], identity, data + 4, length);
        data += 4 + length;
        size -= 4 + length;
    }
}

// Entries come in order, and are where they say.
static void check_entries(struct store_journal *journal, const struct store_entry *entry)
{
    struct store_entry again;
    if (entry->offset < STORE_JOURNAL_HEADER ||
        entry->offset + STORE_JOURNAL_ENTRY + entry->size > store_journal_size(journal))
        abort();
    uint32_t kind = entry->kind;
    uint64_t offset = entry->offset;
    if (store_journal_fetch(journal, offset, &again, NULL) != STATUS_OK || again.kind != kind || again.offset != offset)
        abort();
}

static void walk(const char *path)
{
    struct store_journal *journal = NULL;
    struct status status = {0};
    uint64_t last = 0;
    bool found = true;
    if (store_journal_open(path, NUMERICS, &journal, &status) != STATUS_OK) {
        if (!*status.text)
            abort();
        return;
    }
    while (journal && found) {
        struct store_entry entry;
        if (store_journal_next(journal, &entry, &found, NULL, &status) != STATUS_OK)
            abort();
        if (found && entry.offset <= last)
            abort();
        if (found) {
            last = entry.offset;
            check_entries(journal, &entry);
        }
    }
    if (journal && (store_journal_end(journal) > store_journal_size(journal) ||
                    store_journal_damage(journal) > store_journal_end(journal)))
        abort();
    store_journal_close(journal);
}

static void summarise(const char *path)
{
    struct arena *arena = arena_create(1 << 12, 0);
    struct store_summary summary;
    struct status status = {0};
    if (!arena || (store_journal_summary(path, arena, &summary, NULL, &status) != STATUS_OK && !*status.text))
        abort();
    arena_destroy(arena);
}

// What could be published can be read, all of it, and published again.
static void publish(const struct fixture *fixture)
{
    struct status status = {0};
    struct store_view *view = NULL;
    for (int round = 0; round < 2; round++) {
        enum status_code code = store_publish(fixture->path, &fixture->sweep, fixture->grid, NULL, NULL, &status);
        if (code != STATUS_OK && (round || !*status.text))
            abort();
        if (code != STATUS_OK)
            return;
    }
    fixture_ok(store_view_open(fixture->path, &view, &status), &status);
    for (size_t row = 0; row < store_view_rows(view); row++) {
        struct record record = {0};
        fixture_ok(store_view_record(view, row, &record, &status), &status);
        if (!hash_equal(record.identity, store_view_row(view, row)->identity))
            abort();
        record_fini(&record);
    }
    store_view_close(view);
    unlink(fixture->path);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct place *place = &the_place;
    struct bytes file = {0};
    if (!place->made)
        make(place);
    if (size == 0)
        return 0;
    if (data[0] % 2)
        put_entries(&place->fixture, data + 1, size - 1, &file);
    else
        bytes_raw(&file, data + 1, size - 1);
    fixture_write(place->journal, file.data, file.size);
    bytes_fini(&file);
    walk(place->fixture.path);
    summarise(place->fixture.path);
    publish(&place->fixture);
    return 0;
}
