// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <string.h>

static void syntax_errors_say_where_and_what_to_do(void **state)
{
    (void)state;
    const struct {
        const char *text, *fragment;
    } rows[] = {
        {"task: {dim: 8\nseed: 1\n", "2:5: a ',' or '}' is missing in the mapping (the mapping starts at line 1)"},
        {"grid:\n  snr: [1, 2\n  dim: [3]\n", "3:6: a ',' or ']' is missing in the list (the list starts at line 2)"},
        {"task: {dim: 8]\n", "1:14: a ',' or '}' is missing in the mapping"},
        {"snr: [1, 2]]\n", "1:12: a key should stand here; check the indentation, quotes and brackets before it"},
        {"a: b: c\n", "1:5: a ':' cannot stand here; check the indentation, or put the value in quotes"},
        {"task:\n  dim: 8\n samples: 3\n", "3:2: a key should stand here"},
        {"grid:\n  snr:\n    - 1\n   - 2\n", "4:4: a key should stand here"},
        {"task: 1\nfoo\nbar: 2\n", "2:1: a key without ':'; write 'key: value'"},
        {"seed: \"abc\n", "2:1: the file ends within quotes; close them (the quotes open at line 1)"},
        {"seed: 'a\n---\n", "2:1: a document mark within quotes; close them"},
        {"seed: \"a\\qb\"\n", "1:9: an unknown escape after '\\'; use single quotes"},
        {"seed: @x\n", "1:7: '@' cannot start a value; put the value in quotes"},
        {"seed: `x`\n", "1:7: '`' cannot start a value"},
        {"grid:\n  snr: - 1\n", "2:8: a '-' cannot start a list here"},
        {"%FOO\n---\nseed: 1\n", "a '%' starts a directive, and this one is unknown"},
        {"%YAML 3.0\n---\nseed: 1\n", "1:1: another version of YAML than 1.1 and 1.2"},
        {"seed: 1\n...\nfoo: 1\n", "3:1: text after the end of the document; a file has one sweep"},
        {"seed: !x!int 3\n", "1:7: tags ('!') are not supported; remove it"},
        {"seed: !<x 3\n", "1:10: this is not YAML: "},
        {"seed: 1\n---\nseed: 2\n", "2:1: a second document; a file has one sweep"},
        {"--- {seed: 1}\n--- {seed: 2}\n", "2:1: a second document"},
        {"[[[[[[[[[[[[[[[[[[[[[[", "1:17: nested more than 16 deep"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(rows[i].text, rows[i].fragment);
}

static void what_yaml_has_beyond_plain_nodes_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *fragment;
    } rows[] = {
        {"seed: &a 3\n", "1:7: anchors ('&') are not supported; write the values out"},
        {"task: &t {dim: 8}\n", "1:7: anchors ('&') are not supported"},
        {"grid: {snr: &x [1]}\n", "1:13: anchors ('&') are not supported"},
        {"seed: *a\n", "1:7: aliases ('*') are not supported; write the values out"},
        {"grid: {snr: [*a, *b]}\n", "1:18: aliases ('*') are not supported"},
        {"*a : 3\n", "1:1: aliases ('*') are not supported"},
        {"task:\n  <<: {dim: 8}\n", "2:3: merge keys ('<<') are not supported; write the settings out"},
        {"seed: !!int 3\n", "1:7: tags ('!') are not supported; the setting decides the type"},
        {"grid: {snr: !!set [1]}\n", "1:13: tags ('!') are not supported"},
        {"task: !x {dim: 8}\n", "1:7: tags ('!') are not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(rows[i].text, rows[i].fragment);
}

static void tabs_are_refused_as_indentation_alone(void **state)
{
    (void)state;
    const char *const refused[][2] = {
        {"grid:\n\tsnr: 1\n", "s.yaml:2:1: tab used for indentation; use spaces\n     2 | \tsnr: 1\n       | ^"},
        {"task:\n  dim: 8\n\tsamples: 9\n", "3:1: tab used for indentation"},
        {"task:\n  dim: 8\n  \tsamples: 9\n", "3:3: tab used for indentation"},
        {"task: {dim: 8}\n\tseed: 1\n", "2:1: tab used for indentation"},
        {"grid:\n  snr:\n  -\t1\n", "3:4: a tab cannot stand here; use spaces"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_refused(refused[i][0], refused[i][1]);
    const char *const accepted[] = {
        "seed: 1\t# a comment\n",
        "seed:\t1\n",
        "\t# a comment\nseed: 1\n",
        "seed: 1\n\t\n \t # end",
        "task: {dim: 8,\n\tsnr: 4}\n",
        "task:\t\n  dim: 8\t\n",
        "seed: 1\n\t",
    };
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        struct parsed parsed;
        parse_good(accepted[i], &parsed);
        parsed_fini(&parsed);
    }
}

static void lines_are_counted_as_yaml_breaks_them(void **state)
{
    (void)state;
    const char *const rows[][2] = {
        {"seed: 1\r\nfoo: 2\r\n", "s.yaml:2:1: unknown key 'foo'"},
        {"seed: 1\rfoo: 2\r", "s.yaml:2:1: unknown key 'foo'"},
        {"seed: 1\n\n\nfoo: 2", "s.yaml:4:1: unknown key 'foo'"},
        {"seed: 1\xE2\x80\xA8"
         "foo: 2",
         "s.yaml:2:1: unknown key 'foo'"},
        {"seed: 1\xC2\x85"
         "foo: 2",
         "s.yaml:2:1: unknown key 'foo'"},
        {"# é 测试 \xF0\x9F\x98\x80\nfoo: 2", "s.yaml:2:1: unknown key 'foo'"},
        {"{sweep: 测试, foo: 2}", "s.yaml:1:13: unknown key 'foo'"},
        {"\xEF\xBB\xBF"
         "foo: 2",
         "s.yaml:1:1: unknown key 'foo'"},
        {"%YAML 1.1\n--- # a sweep\nfoo: 2\n", "s.yaml:3:1: unknown key 'foo'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused(rows[i][0], rows[i][1]);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
#define BYTES(literal) literal, sizeof literal - 1
    const struct {
        const char *bytes;
        size_t size;
        const char *fragment;
    } rows[] = {
        {BYTES("seed: \xE9\n"), "1:7: the byte 0xE9 is not UTF-8; save the file as UTF-8"},
        {BYTES("a: b\nseed: \xC3"), "2:7: the byte 0xC3 is not UTF-8"},
        {BYTES("\xC0\x80"), "1:1: the byte 0xC0 is not UTF-8"},
        {BYTES("\xED\xA0\x80"), "1:1: the byte 0xED is not UTF-8"},
        {BYTES("\xF4\x90\x80\x80"), "1:1: the byte 0xF4 is not UTF-8"},
        {BYTES("\xF8\x88\x80\x80\x80"), "1:1: the byte 0xF8 is not UTF-8"},
        {BYTES("se\0ed: 1\n"), "1:3: a zero byte: this is not a text file"},
        {BYTES("seed: 1\n\0"), "2:1: a zero byte"},
        {BYTES("\xFF\xFEs\0e\0"), "1:1: the file is UTF-16; save it as UTF-8"},
        {BYTES("\xFE\xFF\0s"), "1:1: the file is UTF-16"},
        {BYTES("a: \x1B[31m\n"), "1:4: the control character U+001B cannot be in a sweep file; remove it"},
        {BYTES("a: \x7F"), "1:4: the control character U+007F"},
        {BYTES("a: \xC2\x80"), "1:4: the control character U+0080"},
        {BYTES("a: \xEF\xBB\xBF"), "1:4: the control character U+FEFF"},
        {BYTES("\x89PNG\r\n\x1A\n"), "1:1: the byte 0x89 is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        parse_bytes(rows[i].bytes, rows[i].size, &parsed);
        assert_int_equal(parsed.code, STATUS_INVALID);
        if (!strstr(parsed.status.text, rows[i].fragment))
            fail_msg("'%s' is missing in\n%s", rows[i].fragment, parsed.status.text);
        parsed_fini(&parsed);
    }
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    struct bytes text = {0};
    struct parsed parsed;
    bytes_raw(&text, "grid: {snr: [", 13);
    for (int i = 0; i <= CONFIG_MAX_VALUES; i++)
        bytes_raw(&text, "1,", 2);
    bytes_raw(&text, "]}", 2);
    parse_bytes((const char *)text.data, text.size, &parsed);
    assert_non_null(strstr(parsed.status.text, "1:13: a list of more than 10000 values"));
    parsed_fini(&parsed);
    bytes_clear(&text);
    for (int i = 0; i <= CONFIG_MAX_KEYS; i++) {
        char line[32];
        bytes_raw(&text, line, (size_t)snprintf(line, sizeof line, "k%d: 1\n", i));
    }
    parse_bytes((const char *)text.data, text.size, &parsed);
    assert_non_null(strstr(parsed.status.text, "1:1: a mapping of more than 256 keys"));
    parsed_fini(&parsed);
    bytes_clear(&text);
    while (text.size <= CONFIG_MAX_BYTES)
        bytes_raw(&text, "#\n", 2);
    parse_bytes((const char *)text.data, text.size, &parsed);
    assert_string_equal(parsed.status.text, "s.yaml: larger than 1048576 bytes: this is no sweep file");
    parsed_fini(&parsed);
    bytes_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_say_where_and_what_to_do),
        cmocka_unit_test(what_yaml_has_beyond_plain_nodes_is_refused),
        cmocka_unit_test(tabs_are_refused_as_indentation_alone),
        cmocka_unit_test(lines_are_counted_as_yaml_breaks_them),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(sizes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
