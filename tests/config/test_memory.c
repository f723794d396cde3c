// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <string.h>

static const char good[] = "replicates: 2\n"
                           "task: {samples: 128}\n"
                           "grid:\n"
                           "  snr: {from: 1, to: 64, points: 7, scale: log}\n"
                           "  noise_rate: {from: 0, to: 0.2, step: 0.1}\n"
                           "  test_length: [1x, 4x]\n"
                           "zip: {size: {dim: [8, 9], head_dim: [5, 6]}}\n"
                           "exclude:\n"
                           "  - {noise_rate: 0.2, test_length: 4x}\n";
static const char bad[] = "replicates: many\ngrid: {snr: [1, x], dim: []}\nzip: {size: {dmi: [8, 9]}}\n";

static enum status_code parse_within(const char *text, size_t limit, size_t *ret_used)
{
    struct arena *arena = arena_create(256, limit);
    struct sweep sweep;
    struct status status = {.text = ""};
    assert_non_null(arena);
    enum status_code code = config_parse("s.yaml", text, strlen(text), arena, &sweep, NULL, &status);
    if (code == STATUS_MEMORY)
        assert_non_null(strstr(status.text, "s.yaml: out of memory"));
    *ret_used = arena_used(arena);
    arena_destroy(arena);
    return code;
}

// An arena that is full at each possible moment in turn.
static void assert_fails_cleanly(const char *text, enum status_code whole)
{
    size_t need, used, failures = 0;
    assert_int_equal(parse_within(text, 0, &need), whole);
    for (size_t limit = 64; limit < 4 * need; limit += 64) {
        enum status_code code = parse_within(text, limit, &used);
        assert_true(code == STATUS_MEMORY || code == whole);
        failures += code == STATUS_MEMORY;
    }
    assert_true(failures > need / 64 / 2);
    assert_int_equal(parse_within(text, 8 * need, &used), whole);
}

static void a_full_arena_is_no_memory_at_every_allocation(void **state)
{
    (void)state;
    assert_fails_cleanly(good, STATUS_OK);
    assert_fails_cleanly(bad, STATUS_INVALID);
}

static void an_arena_is_modest(void **state)
{
    (void)state;
    size_t used;
    assert_int_equal(parse_within(good, 0, &used), STATUS_OK);
    assert_true(used < 64 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_arena_is_no_memory_at_every_allocation),
        cmocka_unit_test(an_arena_is_modest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
