// SPDX-License-Identifier: MIT
// Symbols, labels, noise and relevant positions of 1,000 sequences at several lengths against an independent program:
// tools/reference/tasks.py makes tests/task/fixtures/labels and describes it.
#include "token_cases.h"

#include "base_hash.h"
#include <inttypes.h>
#include <stdio.h>

enum { SAMPLES = 1000, LINE = 4096, CASES_AT_LEAST = 300, LISTS_AT_LEAST = 70 };

static FILE *open_fixture(void)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/tests/task/fixtures/labels", getenv("SOURCE_ROOT"));
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    return file;
}

// "train 20 task=brackets depth=2"
static struct batch read_case(char *text, struct settings *ret_settings, struct arena *arena)
{
    settings_defaults(ret_settings);
    ret_settings->seed = 7;
    const char *split = strtok(text, " ");
    const long length = strtol(strtok(NULL, " "), NULL, 10);
    for (char *pair = strtok(NULL, " "); pair; pair = strtok(NULL, " ")) {
        char *value = strchr(pair, '=');
        assert_non_null(value);
        *value++ = 0;
        for (char *at = value; (at = strchr(at, '+'));)
            *at = ' ';
        put_setting(ret_settings, pair, value);
    }
    const bool train = strcmp(split, "train") == 0;
    assert_true(train || strcmp(split, "test") == 0);
    return make_batch(ret_settings, train ? SPLIT_TRAIN : SPLIT_TEST, length, 0, SAMPLES, arena);
}

// Labels as the fixture has them: -1 where one does not count.
static const int32_t *labels(const struct batch *batch, const int32_t *targets, struct arena *arena)
{
    const long count = batch->samples * batch->positions;
    int32_t *marked = arena_get(arena, (size_t)count, sizeof *marked);
    assert_non_null(marked);
    for (long i = 0; i < count; i++)
        marked[i] = counts(batch, i) ? targets[i] : -1;
    return marked;
}

static void assert_numbers(const char *text, const int32_t *numbers, long count, const char *name)
{
    for (long t = 0; t < count; t++) {
        char *end;
        const long expected = strtol(text, &end, 10);
        assert_true(end != text);
        if (numbers[t] != expected)
            fail_msg("%s: %ld expected at position %ld, not %d", name, expected, t, numbers[t]);
        text = end;
    }
    assert_int_equal(strspn(text, " "), strlen(text));
}

static void assert_hashes(const char *text, const struct batch *batch, const char *name)
{
    const int32_t *parts[] = {batch->tokens, batch->clean, batch->targets};
    char *end = (char *)(uintptr_t)text;
    for (int p = 0; p < 3; p++) {
        const uint64_t expected = strtoull(end, &end, 16);
        const size_t bytes = (size_t)(SAMPLES * (p == 0 ? batch->length : batch->positions)) * sizeof(int32_t);
        if (hash_64(parts[p], bytes) != expected)
            fail_msg("%s: other %s than %016" PRIx64, name, p == 0 ? "tokens" : p == 1 ? "labels" : "noise", expected);
    }
}

// "5 0123456789abcdef"
static void assert_lists(const char *text, const struct batch *batch, const char *name)
{
    char *end;
    const long each = strtol(text, &end, 10);
    const uint64_t expected = strtoull(end, NULL, 16);
    assert_true(batch->relevant_each && batch->relevant_count == each);
    if (hash_64(batch->relevant, (size_t)(SAMPLES * batch->positions * each) * sizeof(int32_t)) != expected)
        fail_msg("%s: other relevant positions than %016" PRIx64, name, expected);
}

static void sequences_are_those_of_the_reference(void **state)
{
    FILE *file = open_fixture();
    struct batch batch = {0};
    struct settings settings;
    char line[LINE], name[LINE] = "";
    long cases = 0, shown = 0, hashes = 0, lists = 0, named = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "case ", 5) == 0) {
            memcpy(name, line, sizeof name);
            arena_reset(*state);
            batch = read_case(line + 5, &settings, *state);
            batch.clean = labels(&batch, batch.clean, *state);
            batch.targets = labels(&batch, batch.targets, *state);
            named += batch.relevant_count > 0;
            cases++;
            shown = 0;
        } else if (strncmp(line, "hash ", 5) == 0) {
            assert_hashes(line + 5, &batch, name);
            hashes++;
        } else if (strncmp(line, "lists ", 6) == 0) {
            assert_lists(line + 6, &batch, name);
            lists++;
        } else if (strncmp(line, "relevant ", 9) == 0) {
            const long count = batch.positions * batch.relevant_count;
            assert_numbers(line + 9, batch.relevant + (shown - 1) * count, count, name);
        } else if (strncmp(line, "tokens ", 7) == 0) {
            assert_numbers(line + 7, batch.tokens + shown * batch.length, batch.length, name);
        } else {
            assert_int_equal(strncmp(line, "clean ", 6), 0);
            assert_numbers(line + 6, batch.clean + shown++ * batch.positions, batch.positions, name);
        }
    }
    fclose(file);
    assert_true(cases >= CASES_AT_LEAST && hashes == cases);
    assert_true(lists >= LISTS_AT_LEAST && lists == named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(sequences_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
