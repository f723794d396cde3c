// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_settings.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static const struct setting *row_of(const char *name)
{
    const struct setting *row = setting_find(name, strlen(name));
    assert_non_null(row);
    return row;
}

static void reads_text_to_its_canonical_form(void **state)
{
    (void)state;
    const struct {
        const char *name, *text, *canonical;
    } rows[] = {
        {"noise_rate", "1e-3", "0.001"},
        {"noise_rate", "5e-3", "0.005"},
        {"noise_rate", "1E-3", "0.001"},
        {"noise_rate", ".5", "0.5"},
        {"noise_rate", "0.", "0"},
        {"noise_rate", "-0", "0"},
        {"noise_rate", "-0.0", "0"},
        {"noise_rate", "0.99999999999999989", "0.9999999999999999"},
        {"snr", "+1", "1"},
        {"snr", "1.", "1"},
        {"snr", "010", "10"},
        {"snr", ".inf", "inf"},
        {"snr", "inf", "inf"},
        {"snr", "0.1000000000000000055511151231257827", "0.1"},
        {"steps", "3e6", "3000000"},
        {"steps", "010", "10"},
        {"steps", "64.0", "64"},
        {"steps", "0", "0"},
        {"steps", "1000000000", "1000000000"},
        {"seed", "18446744073709551615", "18446744073709551615"},
        {"seed", "9007199254740993", "9007199254740993"},
        {"seed", "0", "0"},
        {"data_seed", "9007199254740991", "9007199254740991"},
        {"encoding", "none", "none"},
        {"encoding", "rope", "rope"},
        {"project_noise", "no", "false"},
        {"project_noise", "off", "false"},
        {"project_noise", "False", "false"},
        {"project_noise", "YES", "true"},
        {"project_noise", "on", "true"},
        {"project_noise", "true", "true"},
        {"table", "0 1; 1 0", "0 1; 1 0"},
        {"table", "  caf\xC3\xA9  =#,", "  caf\xC3\xA9  =#,"},
        {"table", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting *row = row_of(rows[i].name);
        union setting_value value, again;
        char text[SETTING_TEXT_SIZE];
        assert_int_equal(setting_parse(row, rows[i].text, strlen(rows[i].text), &value, NULL), STATUS_OK);
        const char *canonical = setting_text(row, value, text);
        assert_string_equal(canonical, rows[i].canonical);
        assert_int_equal(setting_parse(row, canonical, strlen(canonical), &again, NULL), STATUS_OK);
        assert_int_equal(setting_compare(row, value, again), 0);
    }
}

static void refuses_what_is_outside_and_says_why(void **state)
{
    (void)state;
    const struct {
        const char *name, *text, *message;
    } rows[] = {
        {"steps", "", "steps: '' is not an integer; allowed: integer from 0 to 1000000000"},
        {"steps", "8.5", "steps: '8.5' is not an integer; allowed: integer from 0 to 1000000000"},
        {"steps", "no", "steps: 'no' is not an integer; allowed: integer from 0 to 1000000000"},
        {"steps", "nan", "steps: 'nan' is not an integer; allowed: integer from 0 to 1000000000"},
        {"steps", ".inf", "steps: '.inf' is not an integer; allowed: integer from 0 to 1000000000"},
        {"steps", "-1", "steps: '-1' is out of range; allowed: integer from 0 to 1000000000"},
        {"steps", "1000000001", "steps: '1000000001' is out of range; allowed: integer from 0 to 1000000000"},
        {"steps", "1e30", "steps: '1e30' is out of range; allowed: integer from 0 to 1000000000"},
        {"steps", "9223372036854775808",
         "steps: '9223372036854775808' is out of range; allowed: integer from 0 to 1000000000"},
        {"dim", "2", "dim: '2' is out of range; allowed: integer from 3 to 65536"},
        {"data_seed", "-1", "data_seed: '-1' is out of range; allowed: integer from 0 to 9007199254740991"},
        {"seed", "18446744073709551616",
         "seed: '18446744073709551616' is out of range; allowed: integer from 0 to 18446744073709551615"},
        {"seed", "-1", "seed: '-1' is out of range; allowed: integer from 0 to 18446744073709551615"},
        {"snr", "nan", "snr: 'nan' is never a value; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", ".NaN", "snr: '.NaN' is never a value; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "-.inf", "snr: '-.inf' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "0", "snr: '0' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "2e30", "snr: '2e30' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "1e31", "snr: '1e31' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "1e400", "snr: '1e400' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "-1e400", "snr: '-1e400' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "1e-400", "snr: '1e-400' is out of range; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "1,5", "snr: '1,5' is not a number; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "1 2", "snr: '1 2' is not a number; allowed: number above 0 to 1e+30, or .inf"},
        {"snr", "0x10", "snr: '0x10' is not a number; allowed: number above 0 to 1e+30, or .inf"},
        {"noise_rate", "1", "noise_rate: '1' is out of range; allowed: number from 0 to below 1"},
        {"noise_rate", "-1e-9", "noise_rate: '-1e-9' is out of range; allowed: number from 0 to below 1"},
        {"noise_rate", ".inf", "noise_rate: '.inf' is out of range; allowed: number from 0 to below 1"},
        {"rope_base", "1", "rope_base: '1' is out of range; allowed: number above 1 to 1e+30"},
        {"encoding", "no",
         "encoding: 'no' is not known, did you mean 'none'?; allowed: one of none, sinusoidal, absolute, relative, "
         "alibi, rope, transformer_xl, t5, kerple, fire"},
        {"encoding", "xxxxxxxxx",
         "encoding: 'xxxxxxxxx' is not known; allowed: one of none, sinusoidal, absolute, relative, alibi, rope, "
         "transformer_xl, t5, kerple, fire"},
        {"encoding", "NONE",
         "encoding: 'NONE' is not known; allowed: one of none, sinusoidal, absolute, relative, alibi, rope, "
         "transformer_xl, t5, kerple, fire"},
        {"project_noise", "1", "project_noise: '1' is neither true nor false; allowed: true or false"},
        {"table", "0 1\n1 0", "table: '0 1?1 0' has control characters; allowed: rows of integers, as in 0 1; 1 0"},
        {"path", "\x7F", "path: '?' has control characters; allowed: text"},
        {"path", "a\xC2\x85z", "path: 'a\xC2\x85z' has control characters; allowed: text"},
        {"project_noise", "", "project_noise: '' is neither true nor false; allowed: true or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        union setting_value value = {.u = 77};
        struct status status = {0};
        const char *text = rows[i].text;
        assert_int_equal(setting_parse(row_of(rows[i].name), text, strlen(text), &value, &status), STATUS_INVALID);
        assert_string_equal(status.text, rows[i].message);
        assert_int_equal(value.u, 77);
    }
}

static void shows_long_and_wild_text_on_one_short_line(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'a', sizeof text);
    text[0] = '\n', text[1] = '\033', text[2] = '\0', text[3] = 127;
    for (size_t i = 0; i < settings_count; i++) {
        struct status status = {0};
        union setting_value value;
        assert_int_equal(setting_parse(&settings_table[i], text, sizeof text, &value, &status), STATUS_INVALID);
        assert_true(strlen(status.text) < 400);
        assert_non_null(strstr(status.text, "'????aaaa"));
        assert_non_null(strstr(status.text, "aaa...'"));
    }
}

static void reads_only_the_bytes_it_is_given(void **state)
{
    (void)state;
    union setting_value value;
    assert_int_equal(setting_parse(row_of("steps"), "12345", 2, &value, NULL), STATUS_OK);
    assert_int_equal(value.i, 12);
    assert_int_equal(setting_parse(row_of("encoding"), "rope!", 4, &value, NULL), STATUS_OK);
    assert_int_equal(value.choice, ENCODING_ROPE);
    assert_int_equal(setting_parse(row_of("encoding"), "rope", 3, &value, NULL), STATUS_INVALID);
    assert_int_equal(setting_parse(row_of("signal_noise"), "one", 2, &value, NULL), STATUS_OK);
    assert_true(value.b);
}

static void reals_round_trip_by_their_text(void **state)
{
    (void)state;
    const struct setting *row = row_of("snr");
    uint64_t bits = 0x9E3779B97F4A7C15;
    for (int i = 0; i < 2000; i++) {
        bits = bits * 6364136223846793005 + 1442695040888963407;
        double number;
        uint64_t pattern = bits >> 1;
        memcpy(&number, &pattern, sizeof number);
        if (!(number > 0 && number <= 1e30))
            continue;
        union setting_value value = {.r = number}, again;
        char text[SETTING_TEXT_SIZE];
        setting_text(row, value, text);
        assert_int_equal(setting_parse(row, text, strlen(text), &again, NULL), STATUS_OK);
        assert_memory_equal(&again.r, &number, sizeof number);
    }
}

static void takes_numbers_of_a_range(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double number;
        const char *text; // NULL: refused
    } rows[] = {
        {"steps", 800, "800"},       {"steps", 8.5, NULL},
        {"steps", -1, NULL},         {"steps", 1e9 + 1, NULL},
        {"steps", INFINITY, NULL},   {"data_seed", 9007199254740991.0, "9007199254740991"},
        {"data_seed", 0x1p63, NULL}, {"seed", 0x1p63, "9223372036854775808"},
        {"seed", 0x1p64, NULL},      {"seed", 18446744073709549568.0, "18446744073709549568"},
        {"seed", -0.0, "0"},         {"snr", 0.3, "0.3"},
        {"snr", INFINITY, "inf"},    {"snr", -INFINITY, NULL},
        {"snr", NAN, NULL},          {"steps", NAN, NULL},
        {"noise_rate", -0.0, "0"},   {"noise_rate", 1, NULL},
        {"encoding", 1, NULL},       {"project_noise", 1, NULL},
        {"table", 1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct setting *row = row_of(rows[i].name);
        union setting_value value = {.u = 77};
        struct status status = {0};
        char text[SETTING_TEXT_SIZE];
        enum status_code code = setting_from_real(row, rows[i].number, &value, &status);
        assert_int_equal(code, rows[i].text ? STATUS_OK : STATUS_INVALID);
        if (rows[i].text) {
            assert_string_equal(setting_text(row, value, text), rows[i].text);
        } else {
            assert_int_equal(value.u, 77);
            assert_non_null(strstr(status.text, "; allowed: "));
        }
    }
}

static void both_ways_in_lead_to_the_same_bits(void **state)
{
    (void)state;
    union setting_value text, number;
    assert_int_equal(setting_parse(row_of("noise_rate"), "-0", 2, &text, NULL), STATUS_OK);
    assert_int_equal(setting_from_real(row_of("noise_rate"), -0.0, &number, NULL), STATUS_OK);
    assert_false(signbit(text.r) || signbit(number.r));
    char shown[SETTING_TEXT_SIZE];
    assert_string_equal(setting_text(row_of("noise_rate"), (union setting_value){.r = -0.0}, shown), "0");
}

static void does_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        union setting_value value;
        char text[SETTING_TEXT_SIZE];
        assert_int_equal(setting_parse(row_of("snr"), "1.5", 3, &value, NULL), STATUS_OK);
        assert_string_equal(setting_text(row_of("snr"), value, text), "1.5");
        assert_int_equal(setting_parse(row_of("snr"), "1,5", 3, &value, NULL), STATUS_INVALID);
    }
    setlocale(LC_ALL, "C");
}

static void rows_of_integers_have_one_text(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *becomes;
    } rows[] = {
        {"table", "", ""},
        {"table", "0 1; 1 0", "0 1; 1 0"},
        {"table", "0 1;1 0", "0 1; 1 0"},
        {"table", "  00\t+1\n;\r1.0   -0 ", "0 1; 1 0"},
        {"table", "1e1 10.0 010", "10 10 10"},
        {"table", "0 - ~ NULL;1", "0 ~ ~ ~; 1"},
        {"table", ";1;", "; 1; "},
        {"outputs", "-3  -0004", "-3 -4"},
        {"lengths", "9223372036854775807", "9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes text = {0};
        struct status status = {0};
        assert_int_equal(setting_rows(row_of(rows[i].name), rows[i].text, strlen(rows[i].text), &text, &status),
                         STATUS_OK);
        bytes_u8(&text, 0);
        assert_string_equal((char *)text.data, rows[i].becomes);
        bytes_fini(&text);
    }
}

static void rows_of_anything_else_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"0 1; 1 0.5", "table: '0.5' is not an integer; allowed: rows of integers, as in 0 1; 1 0"},
        {"0, 1", "table: '0,' is not an integer; allowed: rows of integers, as in 0 1; 1 0"},
        {"0 9223372036854775808",
         "table: '9223372036854775808' is out of range; allowed: rows of integers, as in 0 1; 1 0"},
        {"0 -- 1", "table: '--' is not an integer; allowed: rows of integers, as in 0 1; 1 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes text = {0};
        struct status status = {0};
        assert_int_equal(setting_rows(row_of("table"), rows[i][0], strlen(rows[i][0]), &text, &status), STATUS_INVALID);
        assert_string_equal(status.text, rows[i][1]);
        bytes_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_text_to_its_canonical_form),
        cmocka_unit_test(refuses_what_is_outside_and_says_why),
        cmocka_unit_test(rows_of_integers_have_one_text),
        cmocka_unit_test(rows_of_anything_else_are_refused),
        cmocka_unit_test(shows_long_and_wild_text_on_one_short_line),
        cmocka_unit_test(reads_only_the_bytes_it_is_given),
        cmocka_unit_test(reals_round_trip_by_their_text),
        cmocka_unit_test(takes_numbers_of_a_range),
        cmocka_unit_test(both_ways_in_lead_to_the_same_bits),
        cmocka_unit_test(does_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
