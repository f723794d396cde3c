// SPDX-License-Identifier: MIT
// A saved trial: text "lgsweep trial", u32 version, u32 numerics, u64 identity high, u64 low, u32 lengths, u64 each,
// the items of train_state.h, u64 XXH3 of all before it.
#include "trial.h"
#include "trial_private.h"
#include <string.h>

enum { STATE_VERSION = 1, HASH_BYTES = 8 };
static const char magic[] = "lgsweep trial";

static void save_header(const struct trial *trial, struct bytes *bytes)
{
    struct hash128 identity = settings_identity(&trial->settings);
    bytes_text(bytes, magic);
    bytes_u32(bytes, STATE_VERSION);
    bytes_u32(bytes, NUMERICS);
    bytes_u64(bytes, identity.high);
    bytes_u64(bytes, identity.low);
    bytes_u32(bytes, (uint32_t)trial->lengths_count);
    for (size_t i = 0; i < trial->lengths_count; i++)
        bytes_u64(bytes, (uint64_t)trial->lengths[i]);
}

enum status_code trial_save(const struct trial *trial, struct bytes *ret_state, struct status *status)
{
    struct bytes state = {0};
    save_header(trial, &state);
    train_state_save(train_state(trial->run), &state);
    if (!state.failed)
        bytes_u64(&state, hash_64(state.data, state.size));
    if (state.failed) {
        bytes_fini(&state);
        return status_set(status, STATUS_MEMORY, "out of memory for the saved state of a trial");
    }
    bytes_fini(ret_state);
    *ret_state = state;
    return STATUS_OK;
}

static enum status_code check_header(const struct trial *trial, struct bytes_reader *reader, struct status *status)
{
    size_t length = 0;
    const char *text = bytes_read_text(reader, &length);
    if (!text || length != strlen(magic) || memcmp(text, magic, length) != 0)
        return status_set(status, STATUS_DAMAGED, "this is not the saved state of a trial");
    uint32_t version = bytes_read_u32(reader), numerics = bytes_read_u32(reader);
    if (version != STATE_VERSION || numerics != NUMERICS)
        return status_set(
            status, STATUS_INVALID,
            "the saved state has version %u and numerics %u, this program %d and %d: train the trial from "
            "its start",
            version, numerics, STATE_VERSION, NUMERICS);
    struct hash128 identity;
    identity.high = bytes_read_u64(reader);
    identity.low = bytes_read_u64(reader);
    if (!hash_equal(identity, settings_identity(&trial->settings)))
        return status_set(status, STATUS_INVALID, "the saved state is of a trial with other settings");
    bool same = bytes_read_u32(reader) == trial->lengths_count;
    for (size_t i = 0; same && i < trial->lengths_count; i++)
        same = bytes_read_u64(reader) == (uint64_t)trial->lengths[i];
    if (!same)
        return status_set(status, STATUS_INVALID, "the saved state is of a trial with other test lengths");
    return STATUS_OK;
}

enum status_code trial_load(struct trial *trial, const void *state, size_t size, struct status *status)
{
    size_t body = size < HASH_BYTES ? 0 : size - HASH_BYTES;
    struct bytes_reader tail = bytes_reader((const char *)state + body, size - body);
    if (bytes_read_u64(&tail) != hash_64(state, body) || tail.failed)
        return status_set(status, STATUS_DAMAGED, "the saved state does not have the checksum that it was saved with");
    struct bytes_reader reader = bytes_reader(state, body);
    enum status_code code = check_header(trial, &reader, status);
    if (code == STATUS_OK)
        code = train_state_load(train_state(trial->run), &reader, status);
    if (code == STATUS_OK)
        trial->evaluated = false;
    return code;
}
