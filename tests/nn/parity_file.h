// SPDX-License-Identifier: MIT
// Reads tests/nn/fixtures/parity and makes the weights and batches of its cases, as tools/reference/parity.py does.
#pragma once
#include "nn_model.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARITY_NAME = 64, PARITY_ARRAYS = 64, PARITY_CASES = 128 };

struct parity_array {
    char name[PARITY_NAME];
    long rows, columns;
    double *value;
};

struct parity_case {
    char name[PARITY_NAME];
    struct settings settings;
    struct batch_shape shape;
    long samples, length, positions;
    bool masked;
    size_t arrays;
    struct parity_array array[PARITY_ARRAYS];
};

struct parity_file {
    size_t cases;
    struct parity_case *each; // (PARITY_CASES)
};

static inline const struct parity_array *parity_find(const struct parity_case *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->arrays; i++)
        if (!strcmp(fixture->array[i].name, name))
            return &fixture->array[i];
    return NULL;
}

static inline bool parity_is_tensor(const char *name)
{
    return strcmp(name, "logits") != 0 && strcmp(name, "loss") != 0 && strcmp(name, "losses") != 0 &&
           strcmp(name, "far") != 0;
}

static inline double parity_norm(const struct parity_array *array)
{
    double sum = 0;
    for (long i = 0; i < array->rows * array->columns; i++)
        sum += array->value[i] * array->value[i];
    return sqrt(sum);
}

// FNV-1a of name, row and column, then mixed.
static inline uint32_t parity_hash(const char *name, long row, long column)
{
    uint32_t h = 0x811C9DC5u;
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x01000193u;
    h = (h ^ (uint32_t)row) * 0x01000193u;
    h = (h ^ (uint32_t)column) * 0x01000193u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

static inline double parity_unit(const char *name, long row, long column)
{
    return ((double)(parity_hash(name, row, column) & 2047) - 1024) / 2048;
}

static inline double parity_weight(const char *name, long row, long column)
{
    static const char *const positive[] = {"gain", "scale", "rate", "threshold"};
    const double value = parity_unit(name, row, column);
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
        const size_t length = strlen(name), ending = strlen(positive[i]);
        if (length >= ending && !strcmp(name + length - ending, positive[i]))
            return 1 + value / 2;
    }
    return value;
}

// The upper six bytes of a double, little-endian.
static inline double parity_double(const unsigned char *byte)
{
    uint64_t bits = 0;
    for (int i = 0; i < 6; i++)
        bits |= (uint64_t)byte[i] << 8 * (i + 2);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool parity_read_array(FILE *file, const char *line, struct parity_case *fixture)
{
    if (fixture->arrays == PARITY_ARRAYS)
        return false;
    struct parity_array *array = &fixture->array[fixture->arrays++];
    if (sscanf(line, "values %63s %ld %ld", array->name, &array->rows, &array->columns) != 3)
        return false;
    const size_t count = (size_t)(array->rows * array->columns);
    array->value = malloc(count * sizeof *array->value);
    unsigned char byte[6];
    for (size_t i = 0; array->value && i < count; i++) {
        if (fread(byte, sizeof byte, 1, file) != 1)
            return false;
        array->value[i] = parity_double(byte);
    }
    return array->value && fgetc(file) == '\n';
}

static inline bool parity_read_setting(const char *line, struct settings *settings)
{
    char name[PARITY_NAME], text[PARITY_NAME];
    struct status status = {0};
    union setting_value value;
    if (sscanf(line, "set %63s %63s", name, text) != 2)
        return false;
    const struct setting *setting = setting_find(name, strlen(name));
    if (!setting || setting_parse(setting, text, strlen(text), &value, &status) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", name, setting ? status.text : "no such setting");
        return false;
    }
    setting_put(setting, settings, value);
    return true;
}

static inline bool parity_read_line(FILE *file, const char *line, struct parity_case *fixture)
{
    struct batch_shape *shape = &fixture->shape;
    int flag = 0;
    if (!strncmp(line, "set ", 4))
        return parity_read_setting(line, &fixture->settings);
    if (!strncmp(line, "values ", 7))
        return parity_read_array(file, line, fixture);
    if (sscanf(line, "shape %ld %ld %d %d", &shape->dim, &shape->vocabulary, &shape->classes, &flag) == 4) {
        shape->binary = flag != 0;
        return true;
    }
    if (sscanf(line, "batch %ld %ld %ld %d", &fixture->samples, &fixture->length, &fixture->positions, &flag) == 4) {
        fixture->masked = flag != 0;
        return true;
    }
    return false;
}

static inline void parity_file_close(struct parity_file *file)
{
    for (size_t i = 0; i < file->cases; i++)
        for (size_t k = 0; k < file->each[i].arrays; k++)
            free(file->each[i].array[k].value);
    free(file->each);
}

static inline bool parity_file_open(struct parity_file *ret_file)
{
    char path[4096], line[256];
    snprintf(path, sizeof path, "%s/tests/nn/fixtures/parity", getenv("SOURCE_ROOT"));
    *ret_file = (struct parity_file){.each = calloc(PARITY_CASES, sizeof *ret_file->each)};
    FILE *file = fopen(path, "rb");
    bool good = file && ret_file->each;
    while (good && fgets(line, sizeof line, file)) {
        struct parity_case *fixture = ret_file->each + ret_file->cases;
        if (sscanf(line, "case %63s", fixture->name) == 1) {
            good = ++ret_file->cases < PARITY_CASES;
            settings_defaults(&fixture->settings);
        } else {
            good = ret_file->cases > 0 && parity_read_line(file, line, fixture - 1);
        }
    }
    if (file)
        fclose(file);
    return good && ret_file->cases > 0;
}

struct parity_batch {
    struct batch batch;
    real *logits; // (samples, positions, outputs)
    float *vectors;
    int32_t *tokens, *targets;
    uint8_t *mask;
};

static inline void *parity_zeros(long count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    assert_non_null(memory);
    return memory;
}

// Integers below `below`, keyed "NAME.WHAT".
static inline int32_t parity_integer(const char *name, const char *what, long row, long column, uint32_t below)
{
    char key[PARITY_NAME];
    snprintf(key, sizeof key, "%s.%s", name, what);
    return (int32_t)(parity_hash(key, row, column) % below);
}

static inline void parity_fill_inputs(const struct parity_case *fixture, const char *name, struct parity_batch *batch)
{
    char key[PARITY_NAME];
    snprintf(key, sizeof key, "%s.vectors", name);
    const long length = batch->batch.length, dim = fixture->shape.dim;
    for (long row = 0; row < fixture->samples * length; row++) {
        for (long c = 0; c < dim; c++)
            batch->vectors[row * dim + c] = (float)(4 * parity_unit(key, row, c));
        if (dim == 0)
            batch->tokens[row] =
                parity_integer(name, "tokens", row / length, row % length, (uint32_t)fixture->shape.vocabulary);
    }
}

static inline struct parity_batch parity_batch_open(const struct parity_case *fixture, const char *name, long length)
{
    const long samples = fixture->samples, positions = fixture->positions == 1 ? 1 : length;
    struct parity_batch batch = {
        .logits = parity_zeros(samples * positions * fixture->shape.classes, sizeof(real)),
        .vectors = parity_zeros(samples * length * fixture->shape.dim, sizeof(float)),
        .tokens = parity_zeros(samples * length, sizeof(int32_t)),
        .targets = parity_zeros(samples * positions, sizeof(int32_t)),
        .mask = parity_zeros(samples * positions, 1),
    };
    batch.batch = (struct batch){.samples = samples, .length = length, .dim = fixture->shape.dim};
    parity_fill_inputs(fixture, name, &batch);
    for (long t = 0; t < samples * positions; t++) {
        const long row = t / positions, column = t % positions;
        batch.targets[t] = parity_integer(name, "targets", row, column, (uint32_t)fixture->shape.classes);
        batch.mask[t] = parity_integer(name, "mask", row, column, 4) > 0;
    }
    batch.batch.vectors = fixture->shape.dim ? batch.vectors : NULL;
    batch.batch.tokens = fixture->shape.dim ? NULL : batch.tokens;
    batch.batch.positions = positions;
    batch.batch.targets = batch.batch.clean = batch.targets;
    batch.batch.mask = fixture->masked ? batch.mask : NULL;
    batch.batch.classes = fixture->shape.classes;
    batch.batch.binary = fixture->shape.binary;
    batch.batch.set = !strcmp(name, "train") ? "train" : "test";
    return batch;
}

static inline void parity_batch_close(struct parity_batch *batch)
{
    free(batch->logits);
    free(batch->vectors);
    free(batch->tokens);
    free(batch->targets);
    free(batch->mask);
}
