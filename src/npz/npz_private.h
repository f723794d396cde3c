// SPDX-License-Identifier: MIT
// Shared by the files of the layer alone.
#pragma once
#include "npz.h"

// npz_header.c. What stands before the numbers: "\x93NUMPY", version, size of the text, the text.
enum { NPY_PREFIX = 12, NPY_TEXT_LIMIT = 1 << 16, NPY_HEADER = 128 };
// Where the text begins and how long it is, from the first NPY_PREFIX bytes; false where they begin no array.
bool npy_prefix(const unsigned char prefix[NPY_PREFIX], size_t *ret_begin, size_t *ret_size);
// Fills type, dimensions, shape and count; NULL, or what is wrong and what to do.
const char *npy_parse(const char *text, size_t size, struct npz_array *array);
// The header of an array that is written, NPY_HEADER bytes.
void npy_format(const struct npz_array *array, unsigned char ret_header[NPY_HEADER]);
