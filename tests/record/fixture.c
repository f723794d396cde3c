// SPDX-License-Identifier: MIT
#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool fill_training(struct record *record)
{
    struct record_part *part = record_part(record, RECORD_TRAINING, 0, true);
    const uint32_t evals[] = {FIXTURE_EVALS}, levels[] = {RECORD_LOSS_LEVELS};
    int64_t *step = part ? record_add(part, FIELD_STEP, evals) : NULL;
    float *loss = part ? record_add(part, FIELD_TRAIN_LOSS, evals) : NULL;
    float *level = part ? record_add(part, FIELD_LOSS_LEVEL, levels) : NULL;
    if (!step || !loss || !level)
        return false;
    memcpy(step, (int64_t[]){0, 7, INT64_MAX}, FIXTURE_EVALS * sizeof *step);
    memcpy(loss, (float[]){0.6931472F, -INFINITY, NAN}, FIXTURE_EVALS * sizeof *loss);
    memcpy(level, record_loss_levels, sizeof record_loss_levels);
    return record_put_real(part, FIELD_T_FIT, 7) == STATUS_OK && record_put_real(part, FIELD_T_MEM, NAN) == STATUS_OK &&
           record_put_real(part, FIELD_INTERPOLATED, 1) == STATUS_OK &&
           record_put_real(part, FIELD_FLIP_COUNT, 11) == STATUS_OK;
}

static bool fill_test(struct record *record, int64_t test_length)
{
    struct record_part *part = record_part(record, RECORD_TEST, test_length, true);
    const uint32_t evals[] = {FIXTURE_EVALS};
    float *error = part ? record_add(part, FIELD_TEST_ERROR, evals) : NULL;
    if (!error)
        return false;
    for (int i = 0; i < FIXTURE_EVALS; i++)
        error[i] = 0.5F / (float)(i + 1);
    return record_put_real(part, FIELD_FINAL_TEST_ERROR, 0.125) == STATUS_OK &&
           record_put_real(part, FIELD_FINAL_TEST_COUNT, 1000) == STATUS_OK;
}

bool fixture_record(struct record *ret_record)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.snr = 4;
    settings.model.encoding = ENCODING_ROPE;
    record_init(ret_record, &settings);
    ret_record->status = RECORD_DONE;
    return fill_training(ret_record) && fill_test(ret_record, 8) && fill_test(ret_record, 128);
}

void fixture_head(struct bytes *bytes)
{
    struct settings settings;
    struct record record;
    settings_defaults(&settings);
    record_init(&record, &settings);
    record_encode(&record, bytes);
    bytes->size -= sizeof(uint32_t);
    record_fini(&record);
}

void fixture_value(struct bytes *bytes, unsigned id, unsigned type, unsigned dimensions, const char *name)
{
    bytes_u16(bytes, (uint16_t)id);
    bytes_u8(bytes, (uint8_t)type);
    bytes_u8(bytes, (uint8_t)dimensions);
    bytes_text(bytes, name);
}

void fixture_part(struct bytes *bytes, unsigned kind, int64_t test_length, unsigned values)
{
    bytes_u32(bytes, kind);
    bytes_u64(bytes, (uint64_t)test_length);
    bytes_u32(bytes, values);
}

void fixture_novel(struct bytes *bytes)
{
    fixture_value(bytes, 999, RECORD_F32, 2, "novel");
    bytes_text(bytes, "head");
    bytes_u32(bytes, 1);
    bytes_text(bytes, "shell");
    bytes_u32(bytes, 2);
    bytes_u64(bytes, 8);
    bytes_u32(bytes, 0xffc00123);
    bytes_u32(bytes, 0x3f800000);
}

enum status_code fixture_decode(const void *data, size_t size, struct record *ret_record, struct status *status)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        return STATUS_MEMORY;
    if (size)
        memcpy(copy, data, size);
    enum status_code code = record_decode(copy, size, ret_record, status);
    free(copy);
    return code;
}
