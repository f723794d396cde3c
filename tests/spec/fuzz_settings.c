// SPDX-License-Identifier: MIT
// Settings in a job, a record or a journal's description of its sweep.
#include "fuzz.h"
#include "spec_settings.h"
#include <stdlib.h>

static void check_round_trip(const struct settings *settings, struct arena *arena)
{
    struct bytes bytes = {0};
    struct settings again;
    struct status status = {0};
    settings_encode(settings, &bytes);
    struct bytes_reader reader = bytes_reader(bytes.data, bytes.size);
    if (bytes.failed || settings_decode(&reader, arena, &again, &status) != STATUS_OK || bytes_left(&reader) ||
        settings_differ(settings, &again) || !hash_equal(settings_identity(settings), settings_identity(&again)))
        abort();
    bytes_fini(&bytes);
}

static void check(struct arena *arena, const unsigned char *data, size_t size)
{
    struct bytes_reader reader = bytes_reader(data, size);
    struct settings settings;
    struct status status = {0};
    const struct setting *blamed = NULL;
    enum status_code code = settings_decode(&reader, arena, &settings, &status);
    if (code != STATUS_OK) {
        if ((code != STATUS_DAMAGED && code != STATUS_INVALID) || !*status.text)
            abort();
        return;
    }
    check_round_trip(&settings, arena);
    if (settings_check(&settings, &blamed, &status) != STATUS_OK && !blamed)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct arena *arena = arena_create(1 << 10, 0);
    if (!arena)
        return 0;
    check(arena, data, size);
    arena_destroy(arena);
    return 0;
}
