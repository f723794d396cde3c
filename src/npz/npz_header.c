// SPDX-License-Identifier: MIT
// The header of an array: a dictionary in Python's notation, "{'descr': '<i4', 'fortran_order': False,
// 'shape': (3, 4), }", padded with spaces up to a newline.
#include "npz_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *description; // without the byte order
    size_t size;
} types[] = {
    [NPZ_BOOL] = {"bool", "b1", 1},       [NPZ_INT8] = {"int8", "i1", 1},       [NPZ_INT16] = {"int16", "i2", 2},
    [NPZ_INT32] = {"int32", "i4", 4},     [NPZ_INT64] = {"int64", "i8", 8},     [NPZ_UINT8] = {"uint8", "u1", 1},
    [NPZ_UINT16] = {"uint16", "u2", 2},   [NPZ_UINT32] = {"uint32", "u4", 4},   [NPZ_UINT64] = {"uint64", "u8", 8},
    [NPZ_FLOAT32] = {"float32", "f4", 4}, [NPZ_FLOAT64] = {"float64", "f8", 8},
};
_Static_assert(sizeof types / sizeof *types == NPZ_TYPES, "every type needs a row here");

const char *npz_type_name(enum npz_type type)
{
    return types[type].name;
}

size_t npz_type_size(enum npz_type type)
{
    return types[type].size;
}

bool npz_type_whole(enum npz_type type)
{
    return type < NPZ_FLOAT32;
}

char *npz_shape_text(const struct npz_array *array, char ret_text[NPZ_SHAPE_SIZE])
{
    int at = snprintf(ret_text, NPZ_SHAPE_SIZE, "(");
    for (int d = 0; d < array->dimensions; d++)
        at += snprintf(ret_text + at, NPZ_SHAPE_SIZE - (size_t)at, "%s%" PRId64, d ? ", " : "", array->shape[d]);
    snprintf(ret_text + at, NPZ_SHAPE_SIZE - (size_t)at, array->dimensions == 1 ? ",)" : ")");
    return ret_text;
}

bool npy_prefix(const unsigned char prefix[NPY_PREFIX], size_t *ret_begin, size_t *ret_size)
{
    const int version = prefix[6];
    if (memcmp(prefix, "\x93NUMPY", 6) != 0 || version < 1 || version > 3)
        return false;
    *ret_begin = version == 1 ? 10 : 12;
    *ret_size = prefix[8] | (size_t)prefix[9] << 8;
    if (version > 1)
        *ret_size |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    return *ret_size <= NPY_TEXT_LIMIT;
}

struct cursor {
    const char *at, *end;
};

static void skip_spaces(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n' || *cursor->at == '\t'))
        cursor->at++;
}

static bool take(struct cursor *cursor, const char *word)
{
    skip_spaces(cursor);
    const size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

// A text in quotes, without escapes.
static bool take_text(struct cursor *cursor, char ret_text[24])
{
    skip_spaces(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"'))
        return false;
    const char quote = *cursor->at++;
    size_t length = 0;
    while (cursor->at < cursor->end && *cursor->at != quote && length < 23)
        ret_text[length++] = *cursor->at++;
    ret_text[length] = '\0';
    return cursor->at < cursor->end && *cursor->at++ == quote;
}

// INT64_MAX for one that is larger.
static bool take_number(struct cursor *cursor, int64_t *ret_number)
{
    skip_spaces(cursor);
    const char *from = cursor->at;
    int64_t number = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
        number = number > (INT64_MAX - 9) / 10 ? INT64_MAX : 10 * number + (*cursor->at - '0');
    *ret_number = number;
    take(cursor, "L"); // as Python 2 wrote it
    return cursor->at > from;
}

static const char *read_type(struct cursor *cursor, struct npz_array *array)
{
    char text[24] = "";
    if (take(cursor, "["))
        return "holds records; save each of their fields as an array of its own";
    if (!take_text(cursor, text))
        return "has a header that names no type; save it again with numpy.savez";
    if (strchr(text, 'O'))
        return "holds Python objects, which are not read; save numbers, all sequences in one array, with offsets where "
               "their lengths differ";
    for (int type = 0; type < NPZ_TYPES; type++)
        if (strcmp(text + 1, types[type].description) == 0) {
            array->type = (enum npz_type)type;
            if (text[0] == '>' && types[type].size > 1)
                return "is big-endian; save it as little-endian: a.astype(a.dtype.newbyteorder('<'))";
            return strchr("<|>", text[0]) ? NULL : "has no byte order; save it again with numpy.savez";
        }
    return "is of a type that is not read; save int8 to int64, uint8 to uint64, float32, float64 or bool";
}

static const char *read_order(struct cursor *cursor)
{
    if (take(cursor, "False"))
        return NULL;
    return take(cursor, "True") ? "is in Fortran order; save numpy.ascontiguousarray of it"
                                : "has a header that names no order; save it again with numpy.savez";
}

static const char *read_shape(struct cursor *cursor, struct npz_array *array)
{
    static const char *const none = "has a header without a shape; save it again with numpy.savez";
    array->dimensions = 0;
    array->count = 1;
    if (!take(cursor, "("))
        return none;
    while (!take(cursor, ")")) {
        int64_t extent;
        if (!take_number(cursor, &extent))
            return none;
        if (array->dimensions == NPZ_DIMENSIONS)
            return "has more than 3 dimensions; save one of at most 3";
        array->shape[array->dimensions++] = extent;
        if (__builtin_mul_overflow(array->count, extent, &array->count) || array->count > INT64_MAX / 16)
            return "has an absurd shape; the file is damaged: save it again";
        if (!take(cursor, ",")) {
            if (!take(cursor, ")"))
                return none;
            break;
        }
    }
    return NULL;
}

const char *npy_parse(const char *text, size_t size, struct npz_array *array)
{
    struct cursor cursor = {text, text + size};
    static const char *const malformed = "has a malformed header; save it again with numpy.savez";
    const char *wrong = NULL;
    int found = 0;
    if (!take(&cursor, "{"))
        return malformed;
    while (!wrong && !take(&cursor, "}")) {
        char key[24];
        int bit;
        if (!take_text(&cursor, key) || !take(&cursor, ":"))
            return malformed;
        if (strcmp(key, "descr") == 0)
            bit = 1, wrong = read_type(&cursor, array);
        else if (strcmp(key, "fortran_order") == 0)
            bit = 2, wrong = read_order(&cursor);
        else if (strcmp(key, "shape") == 0)
            bit = 4, wrong = read_shape(&cursor, array);
        else
            return malformed;
        if (!wrong && (found & bit))
            return malformed;
        found |= bit;
        if (!wrong && !take(&cursor, ",") && (cursor.at == cursor.end || *cursor.at != '}'))
            return malformed;
    }
    skip_spaces(&cursor);
    return wrong ? wrong : found == 7 && cursor.at == cursor.end ? NULL : malformed;
}

void npy_format(const struct npz_array *array, unsigned char ret_header[NPY_HEADER])
{
    enum { PREFIX = 10 };
    char shape[NPZ_SHAPE_SIZE], text[NPY_HEADER];
    const int length =
        snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                 types[array->type].size > 1 ? '<' : '|', types[array->type].description, npz_shape_text(array, shape));
    memset(ret_header, ' ', NPY_HEADER);
    memcpy(ret_header, "\x93NUMPY\x01\x00", 8);
    ret_header[8] = NPY_HEADER - PREFIX;
    ret_header[9] = 0;
    memcpy(ret_header + PREFIX, text, (size_t)length);
    ret_header[NPY_HEADER - 1] = '\n';
}
