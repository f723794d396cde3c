// SPDX-License-Identifier: MIT
// libFuzzer's entry; the corpus is beside it, meson.build says how it is built. To run:
//   build-fuzz/tests/config/fuzz_config /tmp/found tests/config/corpus
#include "config.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct arena *arena = arena_create(1 << 12, 0);
    struct sweep sweep;
    struct status status;
    struct bytes warnings = {0};
    if (!arena)
        return 0;
    enum status_code code = config_parse("fuzz.yaml", (const char *)data, size, arena, &sweep, &warnings, &status);
    if (code != STATUS_OK && code != STATUS_INVALID)
        abort();
    bytes_fini(&warnings);
    arena_destroy(arena);
    return 0;
}
