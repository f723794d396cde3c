// SPDX-License-Identifier: MIT
// An .npz file from anywhere. Where an array opens, it has as many numbers as it says, or is damaged.
#include "fuzz.h"
#include "npz.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_memory(const unsigned char *data, size_t size, char ret_path[64])
{
    const int fd = memfd_create("npz", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(ret_path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void read_all(struct npz_stream *stream, int64_t most)
{
    const struct npz_array *array = npz_stream_array(stream);
    double numbers[64];
    char shape[NPZ_SHAPE_SIZE];
    struct status status = {0};
    npz_shape_text(array, shape);
    if (array->count < 0 || array->count > most)
        abort();
    for (int64_t left = array->count; left > 0;) {
        const int64_t some = left < 64 ? left : 64;
        enum status_code code = npz_read_real(stream, some, numbers, &status);
        if (code != STATUS_OK && (code != STATUS_DAMAGED || !*status.text))
            abort();
        left = code == STATUS_OK ? left - some : 0;
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[64], name[NPZ_NAME_SIZE];
    struct npz *npz = NULL;
    struct status status = {0};
    const int fd = open_memory(data, size, path);
    if (npz_open(path, &npz, &status) == STATUS_OK) {
        for (size_t i = 0; i < npz_count(npz); i++) {
            struct npz_stream *stream = NULL;
            if (!npz_name(npz, i, name))
                continue;
            if (npz_begin(npz, name, &stream, &status) == STATUS_OK)
                read_all(stream, (int64_t)size * 1040);
            else if (!*status.text)
                abort();
            npz_end(stream);
        }
    } else if (!*status.text || npz) {
        abort();
    }
    npz_close(npz);
    close(fd);
    return 0;
}
