// SPDX-License-Identifier: MIT
// The writer keeps the numbers of all arrays in one file without a name, piece by piece as they come, and remembers
// which pieces are whose; the archive then reads them array by array.
#include "npz_private.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

enum { PATH_SIZE = PATH_MAX };

struct piece {
    int64_t at, size;
};

struct part {
    struct npz_array array;
    struct npz_writer *writer; // not owned
    struct piece *pieces;
    size_t pieces_count, pieces_room;
    int64_t size;
    unsigned char header[NPY_HEADER];
    int64_t read; // by the archive so far, the header included
    size_t piece; // that read stands in
    int64_t piece_begin;
    zip_error_t error;
};

struct npz_writer {
    char path[PATH_SIZE], fresh[PATH_SIZE];
    int spool;
    int64_t spool_size;
    bool (*asked)(void *self);
    void *asked_self;
    struct part **parts;
    size_t parts_count;
};

static enum status_code cannot_write(const char *path, int error, struct status *status)
{
    enum status_code code = status_errno(status, error, "cannot write %s", path);
    if (code != STATUS_FULL && error != EFBIG)
        return code;
    return status_set(status, STATUS_FULL, "%s%s; while a file is written it takes twice its size", status->text,
                      error == EFBIG ? " (a limit on the size of files: see ulimit -f)" : "");
}

static bool is_stopped(const struct npz_writer *writer)
{
    return writer->asked && writer->asked(writer->asked_self);
}

static enum status_code stopped(const struct npz_writer *writer, struct status *status)
{
    return status_set(status, STATUS_STOPPED, "stopped before %s was written", writer->path);
}

// What is at `path`, perhaps behind links: nothing or a regular file, whose own name is *ret_target.
static enum status_code find_target(const char *path, char ret_target[PATH_SIZE], struct status *status)
{
    struct stat facts;
    const bool there = lstat(path, &facts) == 0, link = there && S_ISLNK(facts.st_mode);
    if (strlen(path) >= PATH_SIZE - 32)
        return status_set(status, STATUS_INVALID, "the path is too long: %.200s…", path);
    if (link && stat(path, &facts) != 0)
        return status_set(status, STATUS_INVALID,
                          "%s is a link that leads to no file; remove it, or choose another name", path);
    if (there && !S_ISREG(facts.st_mode))
        return status_set(status, STATUS_INVALID, "%s is %s, which is not written over; choose another name", path,
                          S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
    strcpy(ret_target, path);
    if (!link)
        return STATUS_OK;
    if (!realpath(path, ret_target))
        return status_errno(status, errno, "cannot write %s", path);
    return strlen(ret_target) < PATH_SIZE - 32
               ? STATUS_OK
               : status_set(status, STATUS_INVALID, "the path is too long: %.200s…", ret_target);
}

// A file without a name in the folder of `path`.
static int open_spool(const char *path)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%.*s.spool-XXXXXX", PATH_SIZE - 20, path);
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

enum status_code npz_create(const char *path, struct npz_writer **ret_writer, struct status *status)
{
    struct npz_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return status_set(status, STATUS_MEMORY, "no memory to write %s", path);
    writer->spool = -1;
    enum status_code code = find_target(path, writer->path, status);
    if (code == STATUS_OK && (writer->spool = open_spool(writer->path)) < 0)
        code = cannot_write(path, errno, status);
    if (code != STATUS_OK) {
        npz_abandon(writer);
        return code;
    }
    snprintf(writer->fresh, PATH_SIZE, "%.*s.tmp-%d", PATH_SIZE - 32, writer->path, (int)getpid());
    *ret_writer = writer;
    return STATUS_OK;
}

void npz_stop_when(struct npz_writer *writer, bool (*asked)(void *self), void *self)
{
    writer->asked = asked;
    writer->asked_self = self;
}

void npz_abandon(struct npz_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->parts_count; i++) {
        free(writer->parts[i]->pieces);
        free(writer->parts[i]);
    }
    free(writer->parts);
    if (writer->spool >= 0)
        close(writer->spool);
    free(writer);
}

int npz_add(struct npz_writer *writer, const char *name, enum npz_type type, int dimensions, const int64_t *rest)
{
    struct part **parts = realloc(writer->parts, (writer->parts_count + 1) * sizeof *parts);
    struct part *part = calloc(1, sizeof *part);
    writer->parts = parts ? parts : writer->parts;
    if (!parts || !part) {
        free(part);
        return -1;
    }
    part->writer = writer;
    part->array.type = type;
    part->array.dimensions = dimensions;
    snprintf(part->array.name, sizeof part->array.name, "%s", name);
    for (int d = 1; d < dimensions; d++)
        part->array.shape[d] = rest[d - 1];
    parts[writer->parts_count] = part;
    return (int)writer->parts_count++;
}

static bool add_piece(struct part *part, int64_t at, int64_t size)
{
    struct piece *last = part->pieces_count ? &part->pieces[part->pieces_count - 1] : NULL;
    part->size += size;
    if (last && last->at + last->size == at) {
        last->size += size;
        return true;
    }
    if (part->pieces_count == part->pieces_room) {
        const size_t room = 2 * part->pieces_room + 8;
        struct piece *pieces = realloc(part->pieces, room * sizeof *pieces);
        if (!pieces)
            return false;
        part->pieces = pieces;
        part->pieces_room = room;
    }
    part->pieces[part->pieces_count++] = (struct piece){at, size};
    return true;
}

static bool write_at(int fd, const unsigned char *data, size_t size, int64_t at)
{
    while (size > 0) {
        const ssize_t put = pwrite(fd, data, size, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size -= (size_t)put;
        at += put;
    }
    return true;
}

static bool little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

enum status_code npz_put(struct npz_writer *writer, int array, const void *numbers, size_t count, struct status *status)
{
    enum { BLOCK = 4096 };
    struct part *part = writer->parts[array];
    const size_t width = npz_type_size(part->array.type), size = count * width;
    const int64_t begin = writer->spool_size;
    unsigned char block[BLOCK];
    if (is_stopped(writer))
        return stopped(writer, status);
    for (size_t at = 0, some; at < size; at += some) {
        const unsigned char *from = (const unsigned char *)numbers + at;
        some = little_endian() ? size : size - at < BLOCK ? size - at : BLOCK;
        for (size_t i = 0; !little_endian() && i < some; i++)
            block[i] = from[i - i % width + width - 1 - i % width];
        if (!write_at(writer->spool, little_endian() ? from : block, some, writer->spool_size))
            return cannot_write(writer->path, errno, status);
        writer->spool_size += (int64_t)some;
    }
    if (size > 0 && !add_piece(part, begin, (int64_t)size))
        return status_set(status, STATUS_MEMORY, "no memory to write %s", writer->path);
    return STATUS_OK;
}

// The next bytes of a part: of its header, then of its pieces. -1 for an error.
static zip_int64_t read_part(struct part *part, unsigned char *ret_bytes, zip_uint64_t size)
{
    if (part->read < NPY_HEADER) {
        const int64_t left = NPY_HEADER - part->read, some = (zip_uint64_t)left < size ? left : (int64_t)size;
        memcpy(ret_bytes, part->header + part->read, (size_t)some);
        part->read += some;
        return some;
    }
    const int64_t at = part->read - NPY_HEADER;
    for (; part->piece < part->pieces_count && at >= part->piece_begin + part->pieces[part->piece].size; part->piece++)
        part->piece_begin += part->pieces[part->piece].size;
    if (part->piece == part->pieces_count)
        return 0;
    const struct piece *piece = &part->pieces[part->piece];
    const int64_t skip = at - part->piece_begin, left = piece->size - skip;
    const ssize_t got = pread(part->writer->spool, ret_bytes, (zip_uint64_t)left < size ? (size_t)left : (size_t)size,
                              (off_t)(piece->at + skip));
    if (got <= 0)
        zip_error_set(&part->error, ZIP_ER_READ, got < 0 ? errno : EIO);
    part->read += got > 0 ? got : 0;
    return got > 0 ? got : -1;
}

// What the archive asks of a part.
static zip_int64_t serve(void *self, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    struct part *part = self;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        part->read = part->piece_begin = 0;
        part->piece = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return read_part(part, data, size);
    case ZIP_SOURCE_STAT: {
        zip_stat_t *facts = data;
        zip_stat_init(facts);
        facts->size = (zip_uint64_t)(NPY_HEADER + part->size);
        facts->mtime = 0;
        facts->valid = ZIP_STAT_SIZE | ZIP_STAT_MTIME;
        return sizeof *facts;
    }
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&part->error, data, size);
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:
        return 0;
    }
}

static bool add_member(zip_t *archive, struct part *part)
{
    struct npz_array *array = &part->array;
    char name[NPZ_NAME_SIZE + 4];
    const uint16_t midnight = 0, first_of_1980 = 1 << 5 | 1;
    int64_t row = 1;
    for (int d = 1; d < array->dimensions; d++)
        row *= array->shape[d];
    if (array->dimensions > 0)
        array->shape[0] = row > 0 ? part->size / (int64_t)npz_type_size(array->type) / row : 0;
    npy_format(array, part->header);
    snprintf(name, sizeof name, "%s.npy", array->name);
    zip_source_t *source = zip_source_function(archive, serve, part);
    const zip_int64_t index = source ? zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, (zip_uint64_t)index, midnight, first_of_1980, 0) == 0;
}

static enum status_code refused(const struct npz_writer *writer, zip_t *archive, struct status *status)
{
    zip_error_t *error = zip_get_error(archive);
    if (zip_error_system_type(error) == ZIP_ET_SYS)
        return cannot_write(writer->path, zip_error_code_system(error), status);
    if (zip_error_code_zip(error) == ZIP_ER_CANCELLED)
        return stopped(writer, status);
    return status_set(status, zip_error_code_zip(error) == ZIP_ER_MEMORY ? STATUS_MEMORY : STATUS_SYSTEM,
                      "cannot write %s: %s", writer->path, zip_error_strerror(error));
}

static int ask(zip_t *archive, void *writer)
{
    (void)archive;
    return is_stopped(writer);
}

static enum status_code write_archive(struct npz_writer *writer, struct status *status)
{
    int error = 0;
    zip_t *archive = zip_open(writer->fresh, ZIP_CREATE | ZIP_TRUNCATE, &error);
    bool good = archive != NULL;
    if (!archive)
        return cannot_write(writer->path, errno, status);
    if (writer->asked)
        good = zip_register_cancel_callback_with_state(archive, ask, NULL, writer) == 0;
    for (size_t i = 0; good && i < writer->parts_count; i++)
        good = add_member(archive, writer->parts[i]);
    if (good && zip_close(archive) == 0)
        return STATUS_OK;
    enum status_code code = refused(writer, archive, status);
    zip_discard(archive);
    return code;
}

static enum status_code publish(const struct npz_writer *writer, struct status *status)
{
    char target[PATH_SIZE]; // other things may have come in the meantime
    if (find_target(writer->path, target, status) != STATUS_OK)
        return status->code;
    if (strcmp(target, writer->path) != 0)
        return status_set(status, STATUS_INVALID, "%s has become a link in the meantime; choose another name",
                          writer->path);
    const int fd = open(writer->fresh, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (!error && rename(writer->fresh, writer->path) != 0)
        error = errno;
    return error ? cannot_write(writer->path, error, status) : STATUS_OK;
}

enum status_code npz_finish(struct npz_writer *writer, struct status *status)
{
    enum status_code code = write_archive(writer, status);
    if (code == STATUS_OK && is_stopped(writer))
        code = stopped(writer, status);
    if (code == STATUS_OK)
        code = publish(writer, status);
    if (code != STATUS_OK)
        unlink(writer->fresh);
    npz_abandon(writer);
    return code;
}
