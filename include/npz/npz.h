// SPDX-License-Identifier: MIT
// Named arrays in a file of numpy's format .npz: a zip archive with a member NAME.npy for each. Both ways in pieces, so
// that an array may be larger than memory. What a file says of itself is never trusted: a shape is accepted only where
// the member has room for it, and a member's size only where its packed bytes can yield as much.
#pragma once
#include "base_status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum npz_type {
    NPZ_BOOL,
    NPZ_INT8,
    NPZ_INT16,
    NPZ_INT32,
    NPZ_INT64,
    NPZ_UINT8,
    NPZ_UINT16,
    NPZ_UINT32,
    NPZ_UINT64,
    NPZ_FLOAT32,
    NPZ_FLOAT64,
    NPZ_TYPES
};
const char *npz_type_name(enum npz_type type); // numpy's name of it
size_t npz_type_size(enum npz_type type);      // bytes of a number
bool npz_type_whole(enum npz_type type);       // integers and bool

enum { NPZ_DIMENSIONS = 3, NPZ_NAME_SIZE = 128, NPZ_SHAPE_SIZE = 72 };

// An array without its numbers, which are in C order: the last dimension is the fastest.
struct npz_array {
    char name[NPZ_NAME_SIZE]; // "train/tokens"
    enum npz_type type;
    int dimensions; // 0 for a single number
    int64_t shape[NPZ_DIMENSIONS];
    int64_t count; // of numbers
};
// "(1000, 41)", "(7,)", "()", as numpy writes it. Returns `ret_text`.
char *npz_shape_text(const struct npz_array *array, char ret_text[NPZ_SHAPE_SIZE]);

// Reading. Errors name file and array, what is wrong and what to do. STATUS_SYSTEM for a file that cannot be read,
// STATUS_INVALID for one that is no archive, has two members of a name or holds what is not read here (Fortran order,
// objects, big-endian numbers, more dimensions), STATUS_DAMAGED for one that ends early or contradicts its checksum.
struct npz;
enum status_code npz_open(const char *path, struct npz **ret_npz, struct status *status) MUST_CHECK;
void npz_close(struct npz *npz); // accepts NULL
// Of the bytes of the file that was opened, whatever has its name by now; never 0.
enum status_code npz_hash(struct npz *npz, uint64_t *ret_hash, struct status *status) MUST_CHECK;
size_t npz_count(const struct npz *npz);
// Name of array `index` below npz_count, cut to `ret_name`; false for a member that is no array.
bool npz_name(const struct npz *npz, size_t index, char ret_name[NPZ_NAME_SIZE]);
bool npz_has(const struct npz *npz, const char *name);

// Opens an array for reading from its first number on; several may be open. npz_end accepts NULL.
struct npz_stream;
enum status_code npz_begin(struct npz *npz, const char *name, struct npz_stream **ret_stream,
                           struct status *status) MUST_CHECK;
void npz_end(struct npz_stream *stream);
const struct npz_array *npz_stream_array(const struct npz_stream *stream);
// The next `count` numbers, no more than there are left. With the last of an array its checksum is verified.
// npz_read_whole is for integers and bool, and refuses numbers that an int64_t does not hold; npz_read_real is for all.
enum status_code npz_read_whole(struct npz_stream *stream, int64_t count, int64_t *ret_numbers,
                                struct status *status) MUST_CHECK;
enum status_code npz_read_real(struct npz_stream *stream, int64_t count, double *ret_numbers,
                               struct status *status) MUST_CHECK;

// Writing. Arrays grow side by side, in a file without a name beside `path`; npz_finish puts them into an archive,
// uncompressed and without times, so that the same numbers give the same bytes, under a temporary name that it then
// renames. Until then `path` is as it was. A link is followed, and stays one; STATUS_INVALID for one that leads
// nowhere, and for whatever is no regular file.
struct npz_writer;
enum status_code npz_create(const char *path, struct npz_writer **ret_writer, struct status *status) MUST_CHECK;
void npz_abandon(struct npz_writer *writer); // without npz_finish; accepts NULL

// Adds an array of `dimensions` whose extents behind the first are `rest`; the first becomes what is put into it (with
// no dimensions, one number). Returns its number, the arrays' count so far; -1 where memory is out.
int npz_add(struct npz_writer *writer, const char *name, enum npz_type type, int dimensions, const int64_t *rest);
// Appends `count` numbers in this machine's form: int32_t for NPZ_INT32 and so on. Types are NPZ_INT32, NPZ_INT64,
// NPZ_UINT8, NPZ_FLOAT32, NPZ_FLOAT64.
enum status_code npz_put(struct npz_writer *writer, int array, const void *numbers, size_t count,
                         struct status *status) MUST_CHECK;
// From then on `asked` is called now and then, and once it is true npz_put and npz_finish end with STATUS_STOPPED.
void npz_stop_when(struct npz_writer *writer, bool (*asked)(void *self), void *self);
// Writes the file, syncs it, and frees the writer whatever happens.
enum status_code npz_finish(struct npz_writer *writer, struct status *status) MUST_CHECK;
