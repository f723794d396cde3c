// SPDX-License-Identifier: MIT
// A finished store as other programs see it: its fixture, and its HDF5 file open for reading.
#pragma once
#include "fixture.h"
#include <hdf5.h>

enum { READER_TEXT = 512 };

struct reader {
    struct fixture fixture;
    hid_t file;
};

void reader_begin(struct reader *reader, const struct fixture_plan *plan); // runs the plan, opens the file
void reader_end(struct reader *reader);
int reader_rank(const struct reader *reader, const char *name, hsize_t *ret_size);
void reader_numbers(const struct reader *reader, const char *name, hid_t type, void *ret_data);
// A text attribute of an object; fails unless it is UTF-8 of variable length. Returns `ret_text`.
char *reader_text(const struct reader *reader, const char *object, const char *name, char ret_text[READER_TEXT]);
// "snr encoding replicate" of a dataset; fails when a dimension has no scale. Returns `ret_text`.
char *reader_dimensions(const struct reader *reader, const char *name, char ret_text[READER_TEXT]);
