// SPDX-License-Identifier: MIT
// Whatever a file contains: an answer, in bounded time, and no more memory than the arena gives back.
#include "support.h"

#include "base_clock.h"
#include "fixture.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sample[] = "sweep: quickstart\nseed: 1\nreplicates: 3\n"
                             "task:  {kind: signal, dim: 64, samples: 128}\n"
                             "model:\n  kind: two_layer\n  head_dim: 32 # wide\n"
                             "grid:\n"
                             "  snr: {from: 1, to: 64, points: 7, scale: log}\n"
                             "  noise_rate: [0, 0.1, \"0.2\"]\n"
                             "  test_length: [1x, 4x, 256]\n"
                             "  encoding:\n    - none\n    - 'rope'\n"
                             "zip:\n  size: {learning_rate: [1e-3, 5e-4], value_dim: [2, 4]}\n"
                             "exclude:\n  - {noise_rate: 0.2, snr: [1, 2]}\n";

static void assert_sound(const struct sweep *sweep)
{
    assert_non_null(sweep->name);
    assert_true(sweep->replicates >= 1 && sweep->lengths_count >= 1);
    for (size_t a = 0; a < sweep->axes_count; a++) {
        assert_true(sweep->axes[a].count >= 1 && sweep->axes[a].columns_count >= 1);
        for (size_t c = 0; c < sweep->axes[a].columns_count; c++)
            assert_non_null(sweep->axes[a].columns[c].setting);
    }
    for (size_t e = 0; e < sweep->exclusions_count; e++)
        assert_true(sweep->exclusions[e].count >= 1);
}

static void feed(const char *text, size_t size)
{
    struct parsed parsed;
    double start = clock_cpu();
    parse_bytes(text, size, &parsed);
    if (parsed.code == STATUS_OK)
        assert_sound(&parsed.sweep);
    else
        assert_true(parsed.code == STATUS_INVALID && strncmp(parsed.status.text, "s.yaml:", 7) == 0);
    parsed_fini(&parsed);
    assert_true(clock_cpu() - start < 20);
}

static void answers_every_file_of_the_corpus(void **state)
{
    (void)state;
    char path[512], *data = malloc(CONFIG_MAX_BYTES);
    size_t files = 0;
    snprintf(path, sizeof path, "%s/tests/config/corpus", getenv("SOURCE_ROOT"));
    DIR *folder = opendir(path);
    assert_non_null(data);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/tests/config/corpus/%.200s", getenv("SOURCE_ROOT"), entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t size = fread(data, 1, CONFIG_MAX_BYTES, file);
        fclose(file);
        feed(data, size);
        files++;
    }
    closedir(folder);
    free(data);
    assert_true(files >= 30);
}

static void answers_every_beginning_of_a_file(void **state)
{
    (void)state;
    for (size_t size = 0; size <= strlen(sample); size++)
        feed(sample, size);
}

static void answers_a_file_with_any_byte_changed(void **state)
{
    (void)state;
    static const char bytes[] = "\0\t\n\r !\"#%&'*,-:>?@[]`{|}~\x7F\xC3\xFFx0.";
    size_t size = strlen(sample);
    char copy[sizeof sample];
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, sample, size);
        copy[i] = bytes[(i * 7 + 3) % (sizeof bytes - 1)];
        feed(copy, size);
        copy[i] = bytes[(i * 11 + 5) % (sizeof bytes - 1)];
        feed(copy, size);
    }
}

static void answers_a_file_with_any_piece_doubled_or_dropped(void **state)
{
    (void)state;
    size_t size = strlen(sample);
    char copy[2 * sizeof sample];
    for (size_t i = 0; i < size; i += 3)
        for (size_t length = 1; length < 40 && i + length <= size; length += 6) {
            memcpy(copy, sample, i + length);
            memcpy(copy + i + length, sample + i, size - i);
            feed(copy, size + length);
            memcpy(copy, sample, i);
            memcpy(copy + i, sample + i + length, size - i - length);
            feed(copy, size - length);
        }
}

// A megabyte of one thing, after a start.
static void answers_a_large_file_in_bounded_time(void **state)
{
    (void)state;
    const struct {
        const char *start, *piece;
    } rows[] = {
        {"", "["},
        {"", "{"},
        {"", "- "},
        {"", "? "},
        {"", "a: "},
        {"", ":"},
        {"", "#"},
        {"", "&a"},
        {"", "\""},
        {"", "'"},
        {"", "|\n"},
        {"", "a\n"},
        {"", "\t"},
        {"", " "},
        {"", "---\n"},
        {"", "%a\n"},
        {"", "!"},
        {"", "a,"},
        {"", "- a\n"},
        {"", "a: 1\n"},
        {"seed: ", "1"},
        {"seed: ", "é"},
        {"sweep: ", "word "},
        {"seed: \"", "\\x41"},
        {"grid: {snr: [", "1,"},
        {"grid: {snr: [", "1, "},
        {"grid: {snr: 1}\nexclude:\n", "- {snr: 1}\n"},
        {"grid: {snr: [", "*a,"},
        {"x: &x [a]\ny: [", "*x,"},
        {"task:\n", "  dim: 8\n"},
        {"grid: {snr: {from: ", "9"},
    };
    char *text = malloc(CONFIG_MAX_BYTES);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t size = strlen(rows[i].start), piece = strlen(rows[i].piece);
        memcpy(text, rows[i].start, size);
        for (; size + piece <= CONFIG_MAX_BYTES; size += piece)
            memcpy(text + size, rows[i].piece, piece);
        feed(text, size);
    }
    free(text);
}

// As much work as a file can ask for: axes as long as they may be, and conditions on their last values.
static void answers_the_most_laborious_file_in_bounded_time(void **state)
{
    (void)state;
    static const char *const names[] = {"snr",        "samples",      "steps", "learning_rate",
                                        "init_scale", "output_scale", "seed"};
    struct bytes text = {0};
    char line[64];
    bytes_raw(&text, "grid:\n", 6);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        bytes_raw(&text, line,
                  (size_t)snprintf(line, sizeof line, "  %s: {from: 1, to: 10000, points: 10000}\n", names[i]));
    bytes_raw(&text, "exclude:\n", 9);
    for (int i = 0; i < 1000; i++)
        bytes_raw(&text, line, (size_t)snprintf(line, sizeof line, "- {snr: %d, steps: %d}\n", 9000 + i, 9000 + i));
    feed((const char *)text.data, text.size);
    bytes_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_every_file_of_the_corpus),
        cmocka_unit_test(answers_every_beginning_of_a_file),
        cmocka_unit_test(answers_a_file_with_any_byte_changed),
        cmocka_unit_test(answers_a_file_with_any_piece_doubled_or_dropped),
        cmocka_unit_test(answers_a_large_file_in_bounded_time),
        cmocka_unit_test(answers_the_most_laborious_file_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
