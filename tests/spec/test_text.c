// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct setting *table(void)
{
    return setting_find("table", 5);
}

static void texts_are_ordered_by_their_bytes(void **state)
{
    (void)state;
    static const char *const ordered[] = {"", "0 1", "0 1; 1 0", "a", "\xC3\xA9"};
    const struct setting *row = table();
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            // Equal texts at different addresses are equal.
            char a[16], b[16];
            strcpy(a, ordered[i]);
            strcpy(b, ordered[j]);
            int order = setting_compare(row, (union setting_value){.text = a}, (union setting_value){.text = b});
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    assert_true(isnan(setting_real(row, (union setting_value){.text = "1"})));
}

static void zeroed_settings_have_empty_texts(void **state)
{
    (void)state;
    const struct settings zeroed = {0};
    for (size_t i = 0; i < settings_count; i++)
        if (settings_table[i].type == SETTING_TEXT)
            assert_string_equal(setting_get(&settings_table[i], &zeroed).text, "");
}

static void kept_texts_outlive_what_they_came_from(void **state)
{
    (void)state;
    struct arena *arena = arena_create(256, 0), *small = arena_create(64, 64);
    struct settings settings, standard;
    settings_defaults(&settings);
    settings_defaults(&standard);
    char text[] = "0 1; 1 0", outputs[512];
    memset(outputs, '1', sizeof outputs);
    outputs[511] = 0;
    settings.task.table = text;
    settings.task.outputs = outputs;
    assert_false(settings_keep(&settings, small));
    assert_true(settings_keep(&settings, arena));
    memset(text, 'x', sizeof text - 1);
    memset(outputs, 'x', sizeof outputs - 1);
    assert_string_equal(settings.task.table, "0 1; 1 0");
    assert_int_equal(strspn(settings.task.outputs, "1"), 511);
    assert_true(settings_keep(&standard, small)); // empty texts take nothing
    arena_destroy(small);
    arena_destroy(arena);
}

static void a_text_has_a_longest_length(void **state)
{
    (void)state;
    char *text = malloc(SETTING_BYTES + 2);
    struct status status = {0};
    union setting_value value = {.u = 77};
    memset(text, 'a', SETTING_BYTES + 1);
    text[SETTING_BYTES + 1] = 0;
    assert_int_equal(setting_parse(table(), text, SETTING_BYTES + 1, &value, &status), STATUS_INVALID);
    assert_string_equal(status.text, "table: a text of 65536 bytes is longer than 65535; shorten it");
    assert_int_equal(value.u, 77);
    text[SETTING_BYTES] = 0;
    assert_int_equal(setting_parse(table(), text, SETTING_BYTES, &value, &status), STATUS_OK);
    assert_ptr_equal(value.text, text);
    free(text);
}

static void people_see_long_texts_cut(void **state)
{
    (void)state;
    const struct {
        const char *text, *brief;
    } rows[] = {
        {"", ""},
        {"0 1; 1 0", "0 1; 1 0"},
        {"01234567890123456789012345678901234567890123456", "01234567890123456789012345678901234567890123456"},
        {"012345678901234567890123456789012345678901234567", "01234567890123456789012345678901234567890123…"},
        // No character is cut in two.
        {"0123456789012345678901234567890123456789012\xC3\xA9 and more",
         "0123456789012345678901234567890123456789012…"},
    };
    char shown[SETTING_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(setting_brief(table(), (union setting_value){.text = rows[i].text}, shown), rows[i].brief);
    assert_string_equal(setting_brief(setting_find("snr", 3), (union setting_value){.r = 0.1}, shown), "0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_ordered_by_their_bytes),
        cmocka_unit_test(zeroed_settings_have_empty_texts),
        cmocka_unit_test(kept_texts_outlive_what_they_came_from),
        cmocka_unit_test(a_text_has_a_longest_length),
        cmocka_unit_test(people_see_long_texts_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
