// SPDX-License-Identifier: MIT
#include "store_journal.h"
#include "store_path.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_SIZE = 8, SCAN_SIZE = 1 << 16, HEADER_CHECKED = STORE_JOURNAL_HEADER - 8, ENTRY_CHECKED = 32 };
static const char header_magic[MAGIC_SIZE + 1] = "LGSWJRNL", entry_magic[MAGIC_SIZE + 1] = "LGSWENTR";
static const uint32_t payload_limit = 1U << 30;

struct store_journal {
    char *path;
    int fd;
    uint64_t id, size, at, end, damage;
    unsigned char *buffer;
    size_t capacity;
};

char *store_journal_path(const char *store_path)
{
    return store_path_beside(store_path, ".journal");
}

void store_journal_put_header(struct bytes *bytes, uint32_t numerics, uint64_t id)
{
    size_t start = bytes->size;
    bytes_raw(bytes, header_magic, MAGIC_SIZE);
    bytes_u32(bytes, STORE_JOURNAL_VERSION);
    bytes_u32(bytes, numerics);
    bytes_u64(bytes, id);
    if (!bytes->failed)
        bytes_u64(bytes, hash_64(bytes->data + start, HEADER_CHECKED));
}

// Of the head before the checksum and the payload behind it: the hash of both hashes, little-endian.
static uint64_t checksum(const unsigned char *head, const unsigned char *payload, size_t size)
{
    uint64_t parts[2] = {hash_64(head, ENTRY_CHECKED), hash_64(payload, size)};
    unsigned char both[sizeof parts];
    for (size_t i = 0; i < sizeof both; i++)
        both[i] = (unsigned char)(parts[i / 8] >> (8 * (i % 8)));
    return hash_64(both, sizeof both);
}

void store_journal_put(struct bytes *bytes, enum store_entry_kind kind, struct hash128 identity, const void *payload,
                       size_t size)
{
    size_t start = bytes->size;
    bytes_raw(bytes, entry_magic, MAGIC_SIZE);
    bytes_u32(bytes, kind);
    bytes_u32(bytes, (uint32_t)size);
    bytes_u64(bytes, identity.high);
    bytes_u64(bytes, identity.low);
    if (bytes->failed || size > payload_limit) {
        bytes->failed = true;
        return;
    }
    bytes_u64(bytes, checksum(bytes->data + start, payload, size));
    bytes_raw(bytes, payload, size);
}

// Reads up to `size` bytes; *ret_got is less at the end of the file.
static enum status_code read_at(const struct store_journal *journal, uint64_t offset, void *data, size_t size,
                                size_t *ret_got, struct status *status)
{
    size_t got = 0;
    while (got < size) {
        ssize_t count = pread(journal->fd, (char *)data + got, size - got, (off_t)(offset + got));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return store_path_errno(status, errno, "cannot read", journal->path);
        if (count == 0)
            break;
        got += (size_t)count;
    }
    *ret_got = got;
    return STATUS_OK;
}

static enum status_code reserve(struct store_journal *journal, size_t size, struct status *status)
{
    if (size <= journal->capacity)
        return STATUS_OK;
    unsigned char *grown = realloc(journal->buffer, size);
    if (!grown)
        return status_set(status, STATUS_MEMORY, "no memory for %zu bytes of %s", size, journal->path);
    journal->buffer = grown;
    journal->capacity = size;
    return STATUS_OK;
}

static enum status_code check_header(struct store_journal *journal, const unsigned char *head, uint32_t numerics,
                                     struct status *status)
{
    struct bytes_reader reader = bytes_reader(head, STORE_JOURNAL_HEADER);
    bytes_read_raw(&reader, MAGIC_SIZE);
    uint32_t version = bytes_read_u32(&reader), written = bytes_read_u32(&reader);
    journal->id = bytes_read_u64(&reader);
    if (version != STORE_JOURNAL_VERSION)
        return status_set(status, STATUS_INVALID,
                          "%s: a journal of version %" PRIu32 ", and this program writes version %d; finish the sweep "
                          "with the lgsweep that began it",
                          journal->path, version, STORE_JOURNAL_VERSION);
    if (bytes_read_u64(&reader) != hash_64(head, HEADER_CHECKED))
        return status_set(status, STATUS_DAMAGED, "%s: its first %d bytes contradict their checksum", journal->path,
                          STORE_JOURNAL_HEADER);
    if (numerics && written != numerics)
        return status_set(status, STATUS_INVALID,
                          "%s: results of numerics %" PRIu32 ", and this program computes numerics %" PRIu32
                          "; finish the sweep with the lgsweep that began it, or begin another store with -o",
                          journal->path, written, numerics);
    return STATUS_OK;
}

// *ret_torn: the file ends within a header that is sound so far.
static enum status_code read_header(struct store_journal *journal, uint32_t numerics, bool *ret_torn,
                                    struct status *status)
{
    unsigned char head[STORE_JOURNAL_HEADER];
    size_t got = 0;
    struct stat facts;
    if (fstat(journal->fd, &facts) != 0)
        return store_path_errno(status, errno, "cannot read", journal->path);
    journal->size = (uint64_t)facts.st_size;
    bool regular = S_ISREG(facts.st_mode);
    enum status_code code = regular ? read_at(journal, 0, head, sizeof head, &got, status) : STATUS_OK;
    if (code != STATUS_OK)
        return code;
    if (!regular || memcmp(head, header_magic, got < MAGIC_SIZE ? got : MAGIC_SIZE) != 0)
        return status_set(status, STATUS_INVALID, "%s: not a journal of lgsweep; move it away or choose another store",
                          journal->path);
    *ret_torn = got < sizeof head;
    return *ret_torn ? STATUS_OK : check_header(journal, head, numerics, status);
}

enum status_code store_journal_open(const char *store_path, uint32_t numerics, struct store_journal **ret_journal,
                                    struct status *status)
{
    bool torn = false;
    enum status_code code = STATUS_OK;
    struct store_journal *journal = calloc(1, sizeof *journal);
    if (journal)
        journal->fd = -1;
    if (!journal || !(journal->path = store_journal_path(store_path))) {
        code = status_set(status, STATUS_MEMORY, "no memory for the journal of %s", store_path);
        goto out;
    }
    journal->fd = open(journal->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // it may be a pipe
    bool missing = journal->fd < 0 && errno == ENOENT;
    if (!missing)
        code = journal->fd < 0 ? store_path_errno(status, errno, "cannot open", journal->path)
                               : read_header(journal, numerics, &torn, status);
    if (code != STATUS_OK)
        goto out;
    if (missing || torn) {
        *ret_journal = NULL;
        goto out;
    }
    journal->at = journal->end = STORE_JOURNAL_HEADER;
    *ret_journal = journal;
    return STATUS_OK;
out:
    store_journal_close(journal);
    return code;
}

void store_journal_close(struct store_journal *journal)
{
    if (!journal)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal->buffer);
    free(journal->path);
    free(journal);
}

// Reads the entry at `offset`; *ret_sound is false when there is none.
static enum status_code read_entry(struct store_journal *journal, uint64_t offset, struct store_entry *ret_entry,
                                   bool *ret_sound, struct status *status)
{
    unsigned char head[STORE_JOURNAL_ENTRY];
    size_t got = 0;
    *ret_sound = false;
    enum status_code code = read_at(journal, offset, head, sizeof head, &got, status);
    if (code != STATUS_OK || got < sizeof head || memcmp(head, entry_magic, MAGIC_SIZE) != 0)
        return code;
    struct bytes_reader reader = bytes_reader(head, sizeof head);
    bytes_read_raw(&reader, MAGIC_SIZE);
    struct store_entry entry = {.offset = offset, .kind = bytes_read_u32(&reader)};
    entry.size = bytes_read_u32(&reader);
    entry.identity.high = bytes_read_u64(&reader);
    entry.identity.low = bytes_read_u64(&reader);
    uint64_t wanted = bytes_read_u64(&reader);
    if (entry.size > payload_limit || entry.size > journal->size - offset - sizeof head)
        return STATUS_OK;
    code = reserve(journal, entry.size, status);
    if (code == STATUS_OK)
        code = read_at(journal, offset + sizeof head, journal->buffer, entry.size, &got, status);
    if (code != STATUS_OK || got < entry.size || checksum(head, journal->buffer, entry.size) != wanted)
        return code;
    entry.payload = journal->buffer;
    *ret_entry = entry;
    *ret_sound = true;
    return STATUS_OK;
}

// The first sound entry from `offset` on.
static enum status_code scan(struct store_journal *journal, uint64_t offset, struct store_entry *ret_entry,
                             bool *ret_sound, struct status *status)
{
    unsigned char block[SCAN_SIZE];
    *ret_sound = false;
    while (offset + STORE_JOURNAL_ENTRY <= journal->size) {
        size_t got = 0;
        enum status_code code = read_at(journal, offset, block, sizeof block, &got, status);
        if (code != STATUS_OK || got < MAGIC_SIZE)
            return code;
        const unsigned char *hit = memmem(block, got, entry_magic, MAGIC_SIZE);
        offset += hit ? (size_t)(hit - block) : got - (MAGIC_SIZE - 1);
        if (hit) {
            code = read_entry(journal, offset, ret_entry, ret_sound, status);
            if (code != STATUS_OK || *ret_sound)
                return code;
            offset++;
        } else if (got < sizeof block) {
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static void report_damage(const struct store_journal *journal, uint64_t length, struct bytes *warnings)
{
    char text[1024];
    snprintf(text, sizeof text, "%s: %" PRIu64 " damaged bytes at offset %" PRIu64 " were passed over\n", journal->path,
             length, journal->at);
    if (warnings)
        bytes_raw(warnings, text, strlen(text));
}

enum status_code store_journal_next(struct store_journal *journal, struct store_entry *ret_entry, bool *ret_found,
                                    struct bytes *ret_warnings, struct status *status)
{
    struct store_entry entry = {0};
    bool sound = false;
    enum status_code code = STATUS_OK;
    if (journal->at < journal->size) {
        code = read_entry(journal, journal->at, &entry, &sound, status);
        if (code == STATUS_OK && !sound)
            code = scan(journal, journal->at + 1, &entry, &sound, status);
    }
    if (code != STATUS_OK)
        return code;
    *ret_found = sound;
    if (!sound)
        return STATUS_OK;
    if (entry.offset > journal->at) {
        report_damage(journal, entry.offset - journal->at, ret_warnings);
        journal->damage += entry.offset - journal->at;
    }
    journal->at = journal->end = entry.offset + STORE_JOURNAL_ENTRY + entry.size;
    *ret_entry = entry;
    return STATUS_OK;
}

enum status_code store_journal_fetch(struct store_journal *journal, uint64_t offset, struct store_entry *ret_entry,
                                     struct status *status)
{
    bool sound = false;
    enum status_code code = read_entry(journal, offset, ret_entry, &sound, status);
    if (code == STATUS_OK && !sound)
        return status_set(status, STATUS_DAMAGED, "%s: the entry at offset %" PRIu64 " cannot be read any more",
                          journal->path, offset);
    return code;
}

uint64_t store_journal_id(const struct store_journal *journal)
{
    return journal->id;
}

uint64_t store_journal_size(const struct store_journal *journal)
{
    return journal->size;
}

uint64_t store_journal_end(const struct store_journal *journal)
{
    return journal->end;
}

uint64_t store_journal_damage(const struct store_journal *journal)
{
    return journal->damage;
}
