// SPDX-License-Identifier: MIT
// A job's bytes, and the trial that it asks for. Station before: dispatch_worker_step; after: trial_create.
#include "base_text.h"
#include "trainer_private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Smaller trials are begun unasked: to find out what is available would cost more than they do.
static const double unchecked_memory = 64 << 20;
enum { TEXTS_BLOCK = 1 << 10 };

void trainer_job_encode(const struct settings *settings, const int64_t *lengths, size_t lengths_count,
                        const struct trainer_files *files, struct bytes *bytes)
{
    const struct trainer_files none = {0};
    files = files ? files : &none;
    settings_encode(settings, bytes);
    bytes_u32(bytes, (uint32_t)lengths_count);
    for (size_t i = 0; i < lengths_count; i++)
        bytes_u64(bytes, (uint64_t)lengths[i]);
    bytes_text(bytes, files->init ? files->init : "");
    bytes_text(bytes, files->store ? files->store : "");
    bytes_u32(bytes, (uint32_t)files->saves_count);
    for (size_t i = 0; i < files->saves_count; i++)
        bytes_u64(bytes, (uint64_t)files->saves[i]);
}

// A list of u32 count and as many numbers, in memory that the caller frees; NULL, with reader->failed unless memory is
// out, where it ends early.
static int64_t *read_numbers(struct bytes_reader *reader, size_t *ret_count)
{
    *ret_count = bytes_read_u32(reader);
    reader->failed |= bytes_left(reader) / 8 < *ret_count;
    int64_t *numbers = reader->failed ? NULL : malloc(8 * *ret_count + 1);
    for (size_t i = 0; numbers && i < *ret_count; i++)
        numbers[i] = (int64_t)bytes_read_u64(reader);
    return numbers;
}

static char *read_path(struct bytes_reader *reader)
{
    size_t length;
    const char *text = bytes_read_text(reader, &length);
    return text ? strndup(text, length) : NULL;
}

enum status_code job_decode(const void *data, size_t size, struct job *ret_job, struct status *status)
{
    struct bytes_reader reader = bytes_reader(data, size);
    struct job job = {.texts = arena_create(TEXTS_BLOCK, 0)};
    if (!job.texts)
        return status_set(status, STATUS_MEMORY, "no memory for a job's settings");
    enum status_code code = settings_decode(&reader, job.texts, &job.settings, status);
    if (code != STATUS_OK) {
        job_fini(&job);
        return status_context(status, "a job for the trainer");
    }
    job.lengths = read_numbers(&reader, &job.lengths_count);
    job.init = read_path(&reader);
    job.store = read_path(&reader);
    job.saves = read_numbers(&reader, &job.saves_count);
    if (reader.failed || bytes_left(&reader) != 0)
        code = status_set(status, STATUS_INTERNAL, "a job for the trainer is malformed");
    else if (!job.lengths || !job.init || !job.store || !job.saves)
        code = status_set(status, STATUS_MEMORY, "no memory for a job's test lengths and paths");
    if (code == STATUS_OK)
        *ret_job = job;
    else
        job_fini(&job);
    return code;
}

void job_fini(struct job *job)
{
    trial_destroy(job->trial);
    free(job->lengths);
    free(job->init);
    free(job->store);
    free(job->saves);
    arena_destroy(job->texts);
    *job = (struct job){0};
}

enum status_code job_begin(struct job *job, bool *ret_refused, struct status *status)
{
    double need = trial_memory(&job->settings, job->lengths, job->lengths_count);
    double have = need > unchecked_memory ? trainer_memory_available() : need;
    char need_text[TEXT_NUMBER_SIZE], have_text[TEXT_NUMBER_SIZE];
    *ret_refused = true;
    if (need > have)
        return status_set(status, STATUS_MEMORY, "needs %s of memory, and %s are available", text_size(need, need_text),
                          text_size(have, have_text));
    enum status_code code = trial_create(&job->settings, job->lengths, job->lengths_count, &job->trial, status);
    if (code == STATUS_OK)
        code = job_read_weights(job, status);
    *ret_refused = code == STATUS_INVALID;
    return code;
}

enum status_code job_advance(struct job *job, double seconds, bool *ret_done, struct status *status)
{
    enum status_code code = trial_advance(job->trial, seconds, ret_done, status);
    return code == STATUS_OK && job->saves_count > 0 ? job_save_weights(job, *ret_done, status) : code;
}

enum status_code job_record(const struct job *job, struct bytes *ret_record, struct status *status)
{
    struct record record = {0};
    enum status_code code = trial_record(job->trial, &record, status);
    if (code == STATUS_OK)
        record_encode(&record, ret_record);
    record_fini(&record);
    if (code == STATUS_OK && ret_record->failed)
        code = status_set(status, STATUS_MEMORY, "no memory for the record");
    return code;
}

void failure_encode(const struct settings *settings, const struct failure *failure, struct bytes *ret_record)
{
    struct record record = {0};
    record_init(&record, settings);
    record.status = RECORD_FAILED;
    snprintf(record.reason, sizeof record.reason, "%s", failure->reason);
    record.exit_status = failure->exit_status;
    record.signal = failure->signal;
    record.last_step = failure->step;
    record_encode(&record, ret_record);
    record_fini(&record);
}
