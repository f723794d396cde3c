// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_sweep.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_lengths_are_whole_tokens(void **state)
{
    (void)state;
    const struct {
        double value;
        bool relative;
        int64_t train_length, tokens; // 0: refused
        const char *text;
    } rows[] = {
        {256, false, 8, 256, "256"},
        {1, false, 8, 1, "1"},
        {0, false, 8, 0, "0"},
        {8.5, false, 8, 0, "8.5"},
        {TEST_LENGTH_LIMIT, false, 8, TEST_LENGTH_LIMIT, "16777216"},
        {TEST_LENGTH_LIMIT + 1, false, 8, 0, "16777217"},
        {1, true, 8, 8, "1x"},
        {16, true, 8, 128, "16x"},
        {1.5, true, 8, 12, "1.5x"},
        {1.5, true, 5, 0, "1.5x"},
        {0.1, true, 30, 3, "0.1x"},
        {0.1, true, 8, 0, "0.1x"},
        {0.7, true, 10, 7, "0.7x"},
        {256, true, 65536, TEST_LENGTH_LIMIT, "256x"},
        {257, true, 65536, 0, "257x"},
        {INFINITY, false, 8, 0, "inf"},
        {NAN, true, 8, 0, "nanx"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test_length length = {.value = rows[i].value, .relative = rows[i].relative};
        char text[SETTING_TEXT_SIZE];
        assert_int_equal(test_length_tokens(length, rows[i].train_length), rows[i].tokens);
        assert_string_equal(test_length_text(length, text), rows[i].text);
    }
}

static void assert_described(const char *text, int line, int column, const char *expected)
{
    struct sweep sweep = {.path = "a.yaml", .text = text, .text_size = strlen(text)};
    struct source_place place = {.line = line, .column = column};
    struct bytes described = {0};
    sweep_describe(&sweep, place, "wrong", &described);
    bytes_u8(&described, 0);
    assert_false(described.failed);
    assert_string_equal((const char *)described.data, expected);
    bytes_fini(&described);
}

static void shows_the_line_and_a_caret(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int line, column;
        const char *expected;
    } rows[] = {
        {"seed: 1\n", 0, 0, "a.yaml: wrong"},
        {"seed: 1\n", 1, 1, "a.yaml:1:1: wrong\n     1 | seed: 1\n       | ^"},
        {"seed: 1\n", 1, 7, "a.yaml:1:7: wrong\n     1 | seed: 1\n       |       ^"},
        {"a\r\nb: 2\r\n", 2, 1, "a.yaml:2:1: wrong\n     2 | b: 2\n       | ^"},
        {"a\rb: 2", 2, 4, "a.yaml:2:4: wrong\n     2 | b: 2\n       |    ^"},
        {"a\n", 2, 1, "a.yaml:2:1: wrong\n     2 | \n       | ^"},
        {"a\n", 3, 1, "a.yaml:3:1: wrong"},
        {"", 1, 1, "a.yaml:1:1: wrong\n     1 | \n       | ^"},
        {"\xEF\xBB\xBFseed: x", 1, 7, "a.yaml:1:7: wrong\n     1 | seed: x\n       |       ^"},
        {"\tb", 1, 2, "a.yaml:1:2: wrong\n     1 | \tb\n       | \t^"},
        {"\xC3\xA9t\xC3\xA9: 1", 1, 6, "a.yaml:1:6: wrong\n     1 | \xC3\xA9t\xC3\xA9: 1\n       |      ^"},
        {"a\033[2Jb\xFF\xC2\x9B", 1, 2, "a.yaml:1:2: wrong\n     1 | a?[2Jb??\n       |  ^"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_described(rows[i].text, rows[i].line, rows[i].column, rows[i].expected);
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    char text[1001], expected[600];
    for (int i = 0; i < 1000; i++)
        text[i] = (char)('a' + i % 26);
    text[1000] = '\0';
    snprintf(expected, sizeof expected, "a.yaml:1:1: wrong\n     1 | %.100s...\n       | ^", text);
    assert_described(text, 1, 1, expected);
    snprintf(expected, sizeof expected, "a.yaml:1:500: wrong\n     1 | ...%.100s...\n       |    %70s^", text + 429,
             "");
    assert_described(text, 1, 500, expected);
}

static void descriptions_follow_each_other_on_lines_of_their_own(void **state)
{
    (void)state;
    struct sweep sweep = {.path = "b.yaml", .text = "", .text_size = 0};
    struct bytes described = {0};
    sweep_describe(&sweep, (struct source_place){0}, "one", &described);
    sweep_describe(&sweep, (struct source_place){0}, "two", &described);
    bytes_u8(&described, 0);
    assert_string_equal((const char *)described.data, "b.yaml: one\nb.yaml: two");
    bytes_fini(&described);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_are_whole_tokens),
        cmocka_unit_test(shows_the_line_and_a_caret),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(descriptions_follow_each_other_on_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
