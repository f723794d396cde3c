// SPDX-License-Identifier: MIT
// Names of a file's arrays: SET/PART, vocabulary and classes.
#include "base_text.h"
#include "task_file.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const parts[] = {"tokens", "targets", "offsets", "clean", "mask", "relevant"};
static const char *const numbers[] = {"vocabulary", "classes"};
enum { PARTS = sizeof parts / sizeof *parts, NUMBERS = sizeof numbers / sizeof *numbers };

// The length in "test/LENGTH/…", with *ret_rest behind it; 0 where there is none.
static int64_t read_length(const char *name, const char **ret_rest)
{
    int64_t length = 0;
    const char *at = name + 5;
    if (strncmp(name, "test/", 5) != 0 || *at == '0')
        return 0;
    for (; *at >= '0' && *at <= '9' && length <= INT32_MAX; at++)
        length = 10 * length + (*at - '0');
    *ret_rest = at;
    return *at == '/' ? length : 0;
}

int64_t file_test_length(const char *name)
{
    const char *rest = "";
    const int64_t length = read_length(name, &rest);
    return strcmp(rest, "/tokens") == 0 ? length : 0;
}

static bool is_read(const char *name)
{
    const char *rest = NULL;
    for (size_t i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i]) == 0)
            return true;
    if (strncmp(name, "train/", 6) == 0)
        rest = name + 5;
    else if (strncmp(name, "validation/", 11) == 0)
        rest = name + 10;
    else if (!read_length(name, &rest))
        return false;
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(rest + 1, parts[i]) == 0)
            return true;
    return false;
}

// Every name that something would read; NULL where memory is out.
static const char **list_names(const struct task_file *file, struct arena *arena, size_t *ret_count)
{
    const size_t count = file->count * PARTS + NUMBERS;
    const char **names = arena_get(arena, count, sizeof *names);
    if (!names)
        return NULL;
    memcpy(names, numbers, sizeof numbers);
    for (size_t i = 0; i < file->count * PARTS; i++) {
        char name[TASK_SET_NAME + 16];
        const int length = snprintf(name, sizeof name, "%s/%s", file->sets[i / PARTS].name, parts[i % PARTS]);
        names[NUMBERS + i] = arena_text(arena, name, (size_t)length);
        if (!names[NUMBERS + i])
            return NULL;
    }
    *ret_count = count;
    return names;
}

enum status_code file_find_strays(const struct npz *npz, struct arena *arena, struct task_file *file,
                                  struct status *status)
{
    char name[NPZ_NAME_SIZE];
    size_t names_count = 0;
    const char **names = list_names(file, arena, &names_count);
    struct task_file_stray *strays = arena_get(arena, TASK_FILE_STRAYS, sizeof *strays);
    bool good = names && strays;
    file->strays = strays;
    for (size_t i = 0; good && i < npz_count(npz) && file->strays_count < TASK_FILE_STRAYS; i++) {
        if (!npz_name(npz, i, name) || is_read(name))
            continue;
        struct task_file_stray *stray = &strays[file->strays_count++];
        *stray =
            (struct task_file_stray){arena_text(arena, name, strlen(name)), text_nearest(name, names, names_count)};
        good = stray->name != NULL;
    }
    return good ? STATUS_OK : status_set(status, STATUS_MEMORY, "out of memory for the names in %s", file->path);
}
