// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_text.h"
#include <math.h>
#include <string.h>

static void counts_edits(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } rows[] = {
        {"", "", 0},
        {"snr", "snr", 0},
        {"", "abc", 3},
        {"kitten", "sitting", 3},
        {"lenght", "length", 1},
        {"ab", "ba", 1},
        {"ca", "abc", 3},
        {"noise_rate", "nose_rate", 1},
        {"abcdef", "fedcba", 5},
        {"a", "b", 1},
        {"abc", "axbc", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(text_distance(rows[i].a, rows[i].b, 9), rows[i].distance);
        assert_int_equal(text_distance(rows[i].b, rows[i].a, 9), rows[i].distance);
    }
}

static void stops_behind_the_limit(void **state)
{
    (void)state;
    char many[2000];
    memset(many, 'a', sizeof many);
    many[sizeof many - 1] = 0;
    assert_int_equal(text_distance("kitten", "sitting", 3), 3);
    assert_int_equal(text_distance("kitten", "sitting", 2), 3);
    assert_int_equal(text_distance("abc", "abc", 0), 0);
    assert_int_equal(text_distance(many, "a", 5), 6);
    assert_int_equal(text_distance("a", many, 5), 6);
}

static void finds_the_nearest_name(void **state)
{
    (void)state;
    static const char *const names[] = {"none", "absolute", "relative", "alibi", "rope", "train_length", "test_length"};
    static const struct {
        const char *text, *nearest;
    } rows[] = {
        {"no", "none"},
        {"nope", "none"},
        {"train_lenght", "train_length"},
        {"tets_length", "test_length"},
        {"relativ", "relative"},
        {"absolut", "absolute"},
        {"rop", "rope"},
        {"alibi", "alibi"},
        {"learning_rate", NULL},
        {"x", NULL},
        {"", NULL},
        {"sinusoidal", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *nearest = text_nearest(rows[i].text, names, sizeof names / sizeof *names);
        if (rows[i].nearest)
            assert_string_equal(nearest, rows[i].nearest);
        else
            assert_null(nearest);
    }
    assert_null(text_nearest("rope", names, 0));
}

static void sizes_are_readable(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } rows[] = {
        {0, "0 B"},           {999, "999 B"},         {1023, "1023 B"},      {1024, "1.0 KiB"},
        {1536, "1.5 KiB"},    {12897485, "12.3 MiB"}, {1048575, "1.0 MiB"},  {0x1p40, "1.0 TiB"},
        {0x1p65, "32.0 EiB"}, {-1, "unknown size"},   {NAN, "unknown size"}, {1e30, "unknown size"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_NUMBER_SIZE];
        assert_ptr_equal(text_size(rows[i].bytes, text), text);
        assert_string_equal(text, rows[i].text);
    }
}

static void durations_are_readable(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {
        {0, "0 ms"},
        {0.0123, "12 ms"},
        {0.9994, "999 ms"},
        {0.9999, "1.0 s"},
        {2.34, "2.3 s"},
        {9.96, "10 s"},
        {59.4, "59 s"},
        {59.6, "1 min 0 s"},
        {252, "4 min 12 s"},
        {3599.9, "1 h 0 min"},
        {172799, "47 h 59 min"},
        {172800, "2 d 0 h"},
        {86399999, "999 d 23 h"},
        {86400000, "2.7 years"},
        {9.4e10, "2978.7 years"},
        {1e11, "over 3000 years"},
        {1e300, "over 3000 years"},
        {-1, "unknown time"},
        {NAN, "unknown time"},
        {INFINITY, "unknown time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_NUMBER_SIZE];
        assert_ptr_equal(text_duration(rows[i].seconds, text), text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_edits),           cmocka_unit_test(stops_behind_the_limit),
        cmocka_unit_test(finds_the_nearest_name), cmocka_unit_test(sizes_are_readable),
        cmocka_unit_test(durations_are_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
