// SPDX-License-Identifier: MIT
#include "base_bytes.h"
#include "base_hash.h"
#include "npz_private.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

enum { BUFFER = 1 << 16, HASH_BLOCK = 1 << 20 };

struct npz {
    char *path;
    int fd; // for the hash
    int64_t size;
    zip_t *archive;
};

struct npz_stream {
    struct npz *npz; // not owned
    zip_file_t *member;
    struct npz_array array;
    int64_t left;
    unsigned char buffer[BUFFER];
};

static enum status_code open_archive(struct npz *npz, struct status *status)
{
    int error = 0;
    const int fd = fcntl(npz->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return status_errno(status, errno, "cannot open %s", npz->path);
    npz->archive = zip_fdopen(fd, 0, &error);
    if (npz->archive)
        return STATUS_OK;
    close(fd);
    if (error == ZIP_ER_MEMORY)
        return status_set(status, STATUS_MEMORY, "no memory for the list of arrays in %s", npz->path);
    return status_set(status, STATUS_INVALID,
                      "%s is no .npz file, or its end is missing; save it with numpy.savez or `lgsweep data -o`",
                      npz->path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// An archive with two of a name has no one answer to what that array is.
static enum status_code refuse_doubles(const struct npz *npz, struct status *status)
{
    enum status_code code = STATUS_OK;
    const size_t count = npz_count(npz);
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return status_set(status, STATUS_MEMORY, "no memory for the list of arrays in %s", npz->path);
    for (size_t i = 0; i < count; i++) {
        const char *name = zip_get_name(npz->archive, i, ZIP_FL_ENC_RAW);
        names[i] = name ? name : "";
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; code == STATUS_OK && i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            code = status_set(status, STATUS_INVALID,
                              "%s has %.100s twice, and which of them counts is unknown; save it again with one",
                              npz->path, names[i]);
    free(names);
    return code;
}

static enum status_code cannot_open(const char *path, int error, struct status *status)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
    enum status_code code = status_errno(status, error, "cannot open %s", path);
    if (error == ENOENT || error == ENOTDIR)
        status_set(status, code, "%s; it was looked for at %s%s%s: put it there, or correct its path", status->text,
                   folder ? folder : "", folder ? "/" : "", path);
    free(folder);
    return code;
}

enum status_code npz_open(const char *path, struct npz **ret_npz, struct status *status)
{
    enum status_code code = STATUS_OK;
    struct stat facts;
    struct npz *npz = calloc(1, sizeof *npz);
    if (!npz || !(npz->path = strdup(path))) {
        free(npz);
        return status_set(status, STATUS_MEMORY, "no memory to read %s", path);
    }
    npz->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // that of a pipe would wait for a writer
    if (npz->fd < 0 || fstat(npz->fd, &facts) != 0)
        code = cannot_open(path, errno, status);
    else if (!S_ISREG(facts.st_mode))
        code = status_set(status, STATUS_INVALID, "%s is %s; name an .npz file", path,
                          S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
    else
        npz->size = (int64_t)facts.st_size;
    if (code == STATUS_OK)
        code = open_archive(npz, status);
    if (code == STATUS_OK)
        code = refuse_doubles(npz, status);
    if (code == STATUS_OK)
        *ret_npz = npz;
    else
        npz_close(npz);
    return code;
}

void npz_close(struct npz *npz)
{
    if (!npz)
        return;
    if (npz->archive)
        zip_discard(npz->archive);
    if (npz->fd >= 0)
        close(npz->fd);
    free(npz->path);
    free(npz);
}

// The chain of its blocks' hashes, so that no more than a block is in memory.
enum status_code npz_hash(struct npz *npz, uint64_t *ret_hash, struct status *status)
{
    struct bytes chain = {0};
    enum status_code code = STATUS_OK;
    unsigned char *block = malloc(HASH_BLOCK);
    if (!block)
        return status_set(status, STATUS_MEMORY, "no memory to read %s", npz->path);
    bytes_u64(&chain, 0);
    for (int64_t at = 0; code == STATUS_OK && at < npz->size;) {
        const size_t want = npz->size - at < HASH_BLOCK ? (size_t)(npz->size - at) : HASH_BLOCK;
        size_t have = 0;
        while (have < want) {
            const ssize_t got = pread(npz->fd, block + have, want - have, (off_t)at + (off_t)have);
            if (got <= 0 && !(got < 0 && errno == EINTR))
                break;
            have += got > 0 ? (size_t)got : 0;
        }
        if (have < want)
            code = status_set(status, STATUS_DAMAGED, "%s became shorter while it was read", npz->path);
        bytes_u64(&chain, hash_64(block, want));
        at += (int64_t)want;
    }
    if (code == STATUS_OK && chain.failed)
        code = status_set(status, STATUS_MEMORY, "no memory to read %s", npz->path);
    if (code == STATUS_OK)
        *ret_hash = hash_64(chain.data, chain.size) | 1;
    bytes_fini(&chain);
    free(block);
    return code;
}

size_t npz_count(const struct npz *npz)
{
    return (size_t)zip_get_num_entries(npz->archive, 0);
}

bool npz_name(const struct npz *npz, size_t index, char ret_name[NPZ_NAME_SIZE])
{
    const char *name = zip_get_name(npz->archive, index, ZIP_FL_ENC_RAW);
    const size_t length = name ? strlen(name) : 0;
    if (length < 5 || strcmp(name + length - 4, ".npy") != 0)
        return false;
    snprintf(ret_name, NPZ_NAME_SIZE, "%.*s", (int)(length - 4 < NPZ_NAME_SIZE ? length - 4 : NPZ_NAME_SIZE - 1), name);
    return true;
}

static zip_int64_t find(const struct npz *npz, const char *name)
{
    char member[NPZ_NAME_SIZE + 4];
    if (snprintf(member, sizeof member, "%s.npy", name) >= (int)sizeof member)
        return -1;
    return zip_name_locate(npz->archive, member, ZIP_FL_ENC_RAW);
}

bool npz_has(const struct npz *npz, const char *name)
{
    return find(npz, name) >= 0;
}

// Deflate yields at most 1032 bytes from one.
static bool plausible(const struct npz *npz, const zip_stat_t *facts)
{
    const zip_uint64_t limit = (zip_uint64_t)npz->size;
    if (facts->comp_size > limit)
        return false;
    return facts->comp_method == ZIP_CM_STORE ? facts->size == facts->comp_size
                                              : facts->size / 1032 <= facts->comp_size + 1;
}

static enum status_code wrong(const struct npz_stream *stream, enum status_code code, const char *what,
                              struct status *status)
{
    return status_set(status, code, "%s: array %s %s", stream->npz->path, stream->array.name, what);
}

static enum status_code read_bytes(struct npz_stream *stream, void *ret_bytes, size_t size, struct status *status)
{
    for (size_t have = 0; have < size;) {
        const zip_int64_t got = zip_fread(stream->member, (unsigned char *)ret_bytes + have, size - have);
        if (got <= 0)
            return wrong(stream, STATUS_DAMAGED, "is damaged: it ends early or cannot be unpacked; save it again",
                         status);
        have += (size_t)got;
    }
    return STATUS_OK;
}

static enum status_code open_member(struct npz_stream *stream, uint64_t *ret_size, struct status *status)
{
    struct npz *npz = stream->npz;
    zip_stat_t facts;
    const zip_int64_t index = find(npz, stream->array.name);
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (index < 0)
        return status_set(status, STATUS_INVALID, "%s has no array %s; add it", npz->path, stream->array.name);
    if (zip_stat_index(npz->archive, (zip_uint64_t)index, 0, &facts) != 0 || (facts.valid & needed) != needed ||
        !plausible(npz, &facts))
        return wrong(stream, STATUS_DAMAGED, "has a size that its bytes cannot have; save the file again", status);
    if (facts.comp_method != ZIP_CM_STORE && facts.comp_method != ZIP_CM_DEFLATE)
        return wrong(stream, STATUS_INVALID, "is packed by a method that is not read; save it with numpy.savez",
                     status);
    stream->member = zip_fopen_index(npz->archive, (zip_uint64_t)index, 0);
    *ret_size = facts.size;
    return stream->member ? STATUS_OK
                          : wrong(stream, STATUS_DAMAGED,
                                  "cannot be opened: the archive is damaged or encrypted; save it again", status);
}

static enum status_code read_header(struct npz_stream *stream, uint64_t size, struct status *status)
{
    unsigned char *buffer = stream->buffer;
    size_t begin, length;
    if (size < NPY_PREFIX)
        return wrong(stream, STATUS_DAMAGED, "is too short to be an array; save it again", status);
    enum status_code code = read_bytes(stream, buffer, NPY_PREFIX, status);
    if (code != STATUS_OK)
        return code;
    if (!npy_prefix(buffer, &begin, &length))
        return wrong(stream, STATUS_INVALID, "does not begin as one of numpy's; save it with numpy.savez", status);
    if (begin + length < NPY_PREFIX || begin + length > size)
        return wrong(stream, STATUS_DAMAGED, "has a header that ends early; save it again", status);
    char *text = malloc(begin + length);
    if (!text)
        return wrong(stream, STATUS_MEMORY, "needs more memory for its header than there is", status);
    memcpy(text, buffer, NPY_PREFIX);
    code = read_bytes(stream, text + NPY_PREFIX, begin + length - NPY_PREFIX, status);
    const char *fault = code == STATUS_OK ? npy_parse(text + begin, length, &stream->array) : NULL;
    free(text);
    if (fault)
        code = wrong(stream, STATUS_INVALID, fault, status);
    const struct npz_array *array = &stream->array;
    char shape[NPZ_SHAPE_SIZE];
    if (code == STATUS_OK && size - begin - length != (uint64_t)array->count * npz_type_size(array->type))
        code = status_set(status, STATUS_DAMAGED,
                          "%s: array %s of shape %s and type %s has %" PRIu64 " bytes of numbers, not %" PRIu64
                          "; save the file again",
                          stream->npz->path, array->name, npz_shape_text(array, shape), npz_type_name(array->type),
                          size - begin - length, (uint64_t)array->count * npz_type_size(array->type));
    stream->left = array->count;
    return code;
}

enum status_code npz_begin(struct npz *npz, const char *name, struct npz_stream **ret_stream, struct status *status)
{
    uint64_t size = 0;
    struct npz_stream *stream = malloc(sizeof *stream);
    if (!stream)
        return status_set(status, STATUS_MEMORY, "no memory to read %s", npz->path);
    stream->npz = npz;
    stream->member = NULL;
    stream->array = (struct npz_array){0};
    snprintf(stream->array.name, sizeof stream->array.name, "%s", name);
    enum status_code code = open_member(stream, &size, status);
    if (code == STATUS_OK)
        code = read_header(stream, size, status);
    if (code == STATUS_OK)
        *ret_stream = stream;
    else
        npz_end(stream);
    return code;
}

void npz_end(struct npz_stream *stream)
{
    if (!stream)
        return;
    if (stream->member)
        zip_fclose(stream->member);
    free(stream);
}

const struct npz_array *npz_stream_array(const struct npz_stream *stream)
{
    return &stream->array;
}

// Up to a buffer of numbers; behind the last of them the archive compares its checksum.
static enum status_code fill(struct npz_stream *stream, int64_t wanted, int64_t *ret_count, struct status *status)
{
    const int64_t size = (int64_t)npz_type_size(stream->array.type), room = BUFFER / size;
    unsigned char beyond;
    *ret_count = wanted < room ? wanted : room;
    if (wanted > stream->left)
        return wrong(stream, STATUS_INTERNAL, "was read beyond its end", status);
    enum status_code code = read_bytes(stream, stream->buffer, (size_t)(*ret_count * size), status);
    stream->left -= code == STATUS_OK ? *ret_count : 0;
    if (code == STATUS_OK && stream->left == 0 && zip_fread(stream->member, &beyond, 1) != 0)
        code = wrong(stream, STATUS_DAMAGED, "is damaged: its checksum or size is wrong; save it again", status);
    return code;
}

static uint64_t word_at(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static bool is_signed(enum npz_type type)
{
    return type >= NPZ_INT8 && type <= NPZ_INT64;
}

static int64_t extended(uint64_t word, size_t size)
{
    const int shift = 64 - 8 * (int)size;
    return (int64_t)(word << shift) >> shift;
}

enum status_code npz_read_whole(struct npz_stream *stream, int64_t count, int64_t *ret_numbers, struct status *status)
{
    const enum npz_type type = stream->array.type;
    const size_t size = npz_type_size(type);
    if (!npz_type_whole(type))
        return status_set(status, STATUS_INVALID,
                          "%s: array %s is %s, but whole numbers belong there; save it as int32", stream->npz->path,
                          stream->array.name, npz_type_name(type));
    for (int64_t some; count > 0; count -= some, ret_numbers += some) {
        enum status_code code = fill(stream, count, &some, status);
        if (code != STATUS_OK)
            return code;
        for (int64_t i = 0; i < some; i++) {
            const uint64_t word = word_at(stream->buffer + (size_t)i * size, size);
            if (type == NPZ_UINT64 && word > INT64_MAX)
                return wrong(stream, STATUS_INVALID, "has a number above 2^63 - 1; save it as int64", status);
            ret_numbers[i] = is_signed(type) ? extended(word, size) : (int64_t)word;
        }
    }
    return STATUS_OK;
}

static double real_at(const unsigned char *bytes, enum npz_type type)
{
    const size_t size = npz_type_size(type);
    const uint64_t word = word_at(bytes, size);
    const uint32_t half = (uint32_t)word;
    float single;
    double number;
    if (type == NPZ_FLOAT32)
        return memcpy(&single, &half, sizeof single), (double)single;
    if (type == NPZ_FLOAT64)
        return memcpy(&number, &word, sizeof number), number;
    return is_signed(type) ? (double)extended(word, size) : (double)word;
}

enum status_code npz_read_real(struct npz_stream *stream, int64_t count, double *ret_numbers, struct status *status)
{
    const size_t size = npz_type_size(stream->array.type);
    for (int64_t some; count > 0; count -= some, ret_numbers += some) {
        enum status_code code = fill(stream, count, &some, status);
        if (code != STATUS_OK)
            return code;
        for (int64_t i = 0; i < some; i++)
            ret_numbers[i] = real_at(stream->buffer + (size_t)i * size, stream->array.type);
    }
    return STATUS_OK;
}
