// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <string.h>

void parse_bytes(const char *text, size_t size, struct parsed *ret_parsed)
{
    *ret_parsed = (struct parsed){.arena = arena_create(1 << 14, 0)};
    assert_non_null(ret_parsed->arena);
    ret_parsed->code = config_parse("s.yaml", text, size, ret_parsed->arena, &ret_parsed->sweep, &ret_parsed->warnings,
                                    &ret_parsed->status);
}

void parse_text(const char *text, struct parsed *ret_parsed)
{
    parse_bytes(text, strlen(text), ret_parsed);
}

void parsed_fini(struct parsed *parsed)
{
    assert_true(parsed->code == STATUS_OK || strlen(parsed->status.text) < sizeof parsed->status.text - 1);
    bytes_fini(&parsed->warnings);
    arena_destroy(parsed->arena);
}

void parse_good(const char *text, struct parsed *ret_parsed)
{
    parse_text(text, ret_parsed);
    if (ret_parsed->code != STATUS_OK)
        fail_msg("refused:\n%s\n%s", text, ret_parsed->status.text);
    if (ret_parsed->warnings.size)
        fail_msg("warned:\n%s\n%.*s", text, (int)ret_parsed->warnings.size, (const char *)ret_parsed->warnings.data);
}

static const char *keep(struct parsed *parsed, struct bytes *text)
{
    const char *kept = arena_text(parsed->arena, (const char *)text->data, text->size);
    assert_false(text->failed);
    assert_non_null(kept);
    bytes_fini(text);
    return kept;
}

static void put(struct bytes *text, const char *word)
{
    if (text->size)
        bytes_raw(text, " ", 1);
    bytes_raw(text, word, strlen(word));
}

const char *column_text(struct parsed *parsed, const struct axis *axis, size_t column)
{
    struct bytes text = {0};
    char word[SETTING_TEXT_SIZE];
    for (size_t i = 0; i < axis->count; i++)
        put(&text, setting_text(axis->columns[column].setting, axis->columns[column].values[i], word));
    return keep(parsed, &text);
}

const char *lengths_text(struct parsed *parsed)
{
    struct bytes text = {0};
    char word[SETTING_TEXT_SIZE];
    for (size_t i = 0; i < parsed->sweep.lengths_count; i++)
        put(&text, test_length_text(parsed->sweep.lengths[i], word));
    return keep(parsed, &text);
}

const char *base_text(struct parsed *parsed, const char *name)
{
    const struct setting *setting = setting_find(name, strlen(name));
    char word[SETTING_TEXT_SIZE];
    assert_non_null(setting);
    const char *text = setting_text(setting, setting_get(setting, &parsed->sweep.base), word);
    return arena_text(parsed->arena, text, strlen(text));
}

void assert_refused(const char *text, const char *fragment)
{
    struct parsed parsed;
    parse_text(text, &parsed);
    if (parsed.code != STATUS_INVALID)
        fail_msg("accepted:\n%s", text);
    if (!strstr(parsed.status.text, fragment))
        fail_msg("'%s' is missing in the answer to\n%s\nwhich is\n%s", fragment, text, parsed.status.text);
    parsed_fini(&parsed);
}
