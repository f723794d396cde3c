// SPDX-License-Identifier: MIT
#include "config_syntax.h"
#include <stdint.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

// The character at `at`; its bytes, or 0 when they are no UTF-8.
static size_t decode(const unsigned char *at, size_t left, uint32_t *ret_character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = at[0] < 0x80 ? 1 : at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF8 ? 4 : 0;
    if (!size || size > left)
        return 0;
    uint32_t character = size == 1 ? at[0] : at[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (at[i] & 0x3Fu);
    }
    *ret_character = character;
    bool surrogate = character >= 0xD800 && character < 0xE000;
    return character < least[size] || surrogate || character > 0x10FFFF ? 0 : size;
}

static bool is_allowed(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    if (character >= 0x7F && character < 0xA0)
        return character == 0x85;
    return character != 0xFEFF && character != 0xFFFE && character != 0xFFFF;
}

static bool is_break(uint32_t character)
{
    return character == '\n' || character == '\r' || character == 0x85 || character == 0x2028 || character == 0x2029;
}

static void report_byte(struct report *report, struct source_place place, unsigned char byte, size_t size,
                        uint32_t character)
{
    if (size && character == 0)
        report_error(report, place, "a zero byte: this is not a text file");
    else if (size)
        report_error(report, place, "the control character U+%04X cannot be in a sweep file; remove it", character);
    else
        report_error(report, place, "the byte 0x%02X is not UTF-8; save the file as UTF-8", byte);
}

bool syntax_check_bytes(struct report *report, const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    if (size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        report_error(report, (struct source_place){1, 1}, "the file is UTF-16; save it as UTF-8");
        return false;
    }
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    struct source_place place = {1, 1};
    while (at < end) {
        uint32_t character = 0;
        size_t length = decode(at, (size_t)(end - at), &character);
        if (!length || !is_allowed(character)) {
            report_byte(report, place, *at, length, character);
            return false;
        }
        at += length;
        place.column++;
        if (is_break(character) && !(character == '\r' && at < end && *at == '\n'))
            place = (struct source_place){place.line + 1, 1};
    }
    return true;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r' || c == 0;
}

char *syntax_without_idle_tabs(struct report *report, const char *text, size_t size)
{
    char *copy = arena_text(report->arena, text, size);
    report->no_memory |= !copy;
    for (char *line = copy; copy && line < copy + size; line++) {
        char *content = line + strspn(line, " \t");
        bool idle = is_line_end(*content) || *content == '#';
        for (; idle && line < content; line++)
            *line = *line == '\t' ? ' ' : *line;
        line += strcspn(line, "\r\n");
    }
    return copy;
}

struct source_place syntax_place(yaml_mark_t mark)
{
    return (struct source_place){(int)mark.line + 1, (int)mark.column + 1};
}

// The text from `place` on; NULL beyond the end.
static const char *text_at(const char *text, size_t size, struct source_place place)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    struct source_place here = {1, 1};
    at += size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < end && (here.line < place.line || (here.line == place.line && here.column < place.column))) {
        uint32_t character = 0;
        at += decode(at, (size_t)(end - at), &character);
        here.column++;
        if (is_break(character) && !(character == '\r' && at < end && *at == '\n'))
            here = (struct source_place){here.line + 1, 1};
    }
    return at < end ? (const char *)at : NULL;
}

// Where the line's indentation has its first tab; true when it has one.
static bool find_indenting_tab(const char *text, size_t size, int line, struct source_place *ret_place)
{
    const char *start = text_at(text, size, (struct source_place){line, 1});
    size_t spaces = start ? strspn(start, " ") : 0;
    *ret_place = (struct source_place){line, (int)spaces + 1};
    return start && start[spaces] == '\t';
}

static void report_start(struct report *report, struct source_place place, const char *text, size_t size)
{
    const char *at = text_at(text, size, place);
    if (at && *at == '\t')
        report_error(report, place, "a tab cannot stand here; use spaces");
    else
        report_error(report, place, "'%c' cannot start a value; put the value in quotes", at ? *at : ' ');
}

// What libyaml says, and what it comes from.
static const struct {
    const char *problem, *message;
} phrases[] = {
    {"mapping values are not allowed in this context",
     "a ':' cannot stand here; check the indentation, or put the value in quotes"},
    {"mapping keys are not allowed in this context", "a '?' cannot stand here; put the value in quotes"},
    {"block sequence entries are not allowed in this context",
     "a '-' cannot start a list here; put it on a line of its own, or write the list as [a, b]"},
    {"could not find expected ':'", "a key without ':'; write 'key: value'"},
    {"did not find expected key", "a key should stand here; check the indentation, quotes and brackets before it"},
    {"did not find expected '-' indicator",
     "a '-' should stand here, like the entries before it; check the indentation"},
    {"did not find expected ',' or ']'", "a ',' or ']' is missing in the list"},
    {"did not find expected ',' or '}'", "a ',' or '}' is missing in the mapping"},
    {"did not find expected node content", "a value is missing here"},
    {"found unexpected end of stream", "the file ends within quotes; close them"},
    {"found unexpected document indicator", "a document mark within quotes; close them"},
    {"found unknown escape character", "an unknown escape after '\\'; use single quotes"},
    {"did not find expected <document start>", "text after the end of the document; a file has one sweep"},
    {"found unexpected ':'", "a ':' cannot stand here; put a space behind it, or the value in quotes"},
    {"found undefined tag handle", "tags ('!') are not supported; remove it"},
    {"found unknown directive name", "a '%' starts a directive, and this one is unknown; remove it"},
    {"found incompatible YAML document", "another version of YAML than 1.1 and 1.2; remove the line"},
};

// What libyaml was reading, by a word of its context.
static const struct {
    const char *word, *name;
} contexts[] = {
    {"mapping", "the mapping starts"}, {"sequence", "the list starts"}, {"collection", "the list starts"},
    {"quoted", "the quotes open"},     {"key", "the key stands"},
};

static void report_problem(struct report *report, const yaml_parser_t *parser, const char *problem)
{
    size_t phrase = 0, context = 0;
    while (phrase < COUNT_OF(phrases) && strcmp(phrases[phrase].problem, problem) != 0)
        phrase++;
    while (parser->context && context < COUNT_OF(contexts) && !strstr(parser->context, contexts[context].word))
        context++;
    bool elsewhere = parser->context && parser->context_mark.line != parser->problem_mark.line;
    struct source_place place = syntax_place(parser->problem_mark);
    if (phrase == COUNT_OF(phrases))
        report_error(report, place, "this is not YAML: %s", problem);
    else if (strstr(problem, "':'") && elsewhere)
        report_error(report, syntax_place(parser->context_mark), "%s", phrases[phrase].message);
    else if (elsewhere && context < COUNT_OF(contexts))
        report_error(report, place, "%s (%s at line %d)", phrases[phrase].message, contexts[context].name,
                     (int)parser->context_mark.line + 1);
    else
        report_error(report, place, "%s", phrases[phrase].message);
}

void syntax_report(struct report *report, const yaml_parser_t *parser, const char *text, size_t size)
{
    const char *problem = parser->problem ? parser->problem : "unreadable";
    struct source_place place = syntax_place(parser->problem_mark), tab;
    bool starts = strcmp(problem, "found character that cannot start any token") == 0;
    if (parser->error == YAML_MEMORY_ERROR)
        report->no_memory = true;
    else if ((starts || strstr(problem, "tab character")) && find_indenting_tab(text, size, place.line, &tab))
        report_error(report, tab, "tab used for indentation; use spaces");
    else if (starts)
        report_start(report, place, text, size);
    else
        report_problem(report, parser, problem);
}
