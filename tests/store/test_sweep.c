// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include "store_sweep.h"
#include <stdio.h>
#include <string.h>

static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    fixture_init(&fixture, &(struct fixture_plan){.zip = true, .text = "sweep: tiny # ü\n"});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_fini(&fixture);
    return 0;
}

static void round_trip(struct store_sweep *ret_sweep)
{
    struct status status = {0};
    struct bytes bytes = {0};
    store_sweep_encode(&fixture.sweep, 77, &bytes);
    assert_false(bytes.failed);
    fixture_ok(store_sweep_decode(bytes.data, bytes.size, ret_sweep, &status), &status);
    bytes_fini(&bytes);
}

static void a_sweep_is_read_back(void **state)
{
    (void)state;
    struct store_sweep sweep;
    round_trip(&sweep);
    assert_string_equal(sweep.name, "tiny");
    assert_string_equal(sweep.text, "sweep: tiny # ü\n");
    assert_int_equal(sweep.text_size, strlen(sweep.text));
    assert_int_equal(sweep.planned, 77);
    assert_null(settings_differ(&sweep.base, &fixture.sweep.base));
    for (size_t i = 0; i < settings_count; i++) {
        static const char axes[] = " snr encoding head_dim learning_rate ";
        char word[64];
        snprintf(word, sizeof word, " %s ", settings_table[i].name);
        assert_int_equal(sweep.is_axis[i], strstr(axes, word) != NULL);
    }
    store_sweep_fini(&sweep);
    store_sweep_fini(&sweep);
}

static void a_cut_description_is_damage(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    store_sweep_encode(&fixture.sweep, 77, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct store_sweep sweep;
        struct status status = {0};
        assert_int_equal(store_sweep_decode(bytes.data, size, &sweep, &status), STATUS_DAMAGED);
    }
    bytes_fini(&bytes);
}

static void an_unknown_axis_needs_the_program_that_wrote_it(void **state)
{
    (void)state;
    struct store_sweep sweep;
    struct status status = {0};
    struct bytes bytes = {0};
    store_sweep_encode(&fixture.sweep, 77, &bytes);
    unsigned char *at = memmem(bytes.data, bytes.size, "head_dim", 8);
    assert_non_null(at);
    memcpy(at, "mystery_", 8);
    assert_int_equal(store_sweep_decode(bytes.data, bytes.size, &sweep, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "mystery_"));
    bytes_fini(&bytes);
}

static void fixed_settings_must_stay(void **state)
{
    static const struct {
        const char *setting, *value, *fragment;
    } rows[] = {
        {"steps", "101", "steps is 100 there and 101"},
        {"optimizer", "momentum", "optimizer is gd there and momentum"},
        {"freeze_attention", "true", "freeze_attention is false there and true"},
        {"seed", "18446744073709551615", "seed is 1 there and 18446744073709551615"},
        {"noise_rate", "0.5", "noise_rate is 0.25 there and 0.5"},
        {"data_seed", "0", "data_seed is -1 there and 0"},
        {"alibi_slope", "1", "alibi_slope is 0.00390625 there and 1"}, // even where it has no effect
    };
    (void)state;
    struct store_sweep stored;
    round_trip(&stored);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct status status = {0};
        union setting_value value;
        struct settings kept = fixture.sweep.base;
        const struct setting *setting = setting_find(rows[i].setting, strlen(rows[i].setting));
        fixture_ok(setting_parse(setting, rows[i].value, strlen(rows[i].value), &value, &status), &status);
        setting_put(setting, &fixture.sweep.base, value);
        assert_int_equal(store_sweep_check(&stored, &fixture.sweep, "a.h5", &status), STATUS_INVALID);
        fixture.sweep.base = kept;
        assert_non_null(strstr(status.text, "a.h5"));
        assert_non_null(strstr(status.text, rows[i].fragment));
        fixture_ok(store_sweep_check(&stored, &fixture.sweep, "a.h5", &status), &status);
    }
    store_sweep_fini(&stored);
}

static void what_does_not_touch_results_may_change(void **state)
{
    static const struct fixture_plan plans[] = {
        {.zip = true, .replicates = 9}, {.zip = true, .twins = true},     {.zip = true, .lengths_count = 4},
        {.zip = true, .snr_count = 1},  {.zip = true, .reversed = true},  {.zip = true, .exclude = true},
        {.zip = true, .name = "other"}, {.zip = true, .text = "other\n"}, {.zip = false}, // an axis less
    };
    (void)state;
    struct store_sweep stored;
    round_trip(&stored);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        struct status status = {0};
        fixture_replan(&fixture, &plans[i]);
        fixture_ok(store_sweep_check(&stored, &fixture.sweep, "a.h5", &status), &status);
    }
    store_sweep_fini(&stored);
}

// head_dim was 16 for all; an axis without 16 contradicts what is stored, and a long one is shown in part.
static void a_new_axis_must_have_the_old_value(void **state)
{
    (void)state;
    struct store_sweep stored;
    struct status status = {0};
    union setting_value values[10];
    fixture_replan(&fixture, &(struct fixture_plan){0});
    round_trip(&stored);
    for (int i = 0; i < 10; i++)
        values[i].i = i + 1;
    struct axis_column column = {.setting = setting_find("head_dim", 8), .values = values};
    struct axis axis = {.name = "head_dim", .count = 10, .columns_count = 1, .columns = &column};
    fixture.sweep.axes = &axis;
    fixture.sweep.axes_count = 1;
    assert_int_equal(store_sweep_check(&stored, &fixture.sweep, "a.h5", &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "head_dim is 16 there and [1, 2, 3, 4, 5, 6, 7, 8, …]"));
    values[9].i = 16;
    fixture_ok(store_sweep_check(&stored, &fixture.sweep, "a.h5", &status), &status);
    store_sweep_fini(&stored);
}

int main(void)
{
#define UNIT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        UNIT(a_sweep_is_read_back),
        UNIT(a_cut_description_is_damage),
        UNIT(an_unknown_axis_needs_the_program_that_wrote_it),
        UNIT(fixed_settings_must_stay),
        UNIT(what_does_not_touch_results_may_change),
        UNIT(a_new_axis_must_have_the_old_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
