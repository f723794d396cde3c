// SPDX-License-Identifier: MIT
#include "store_path.h"
#include "store_payload.h"
#include "store_sources.h"
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct summary {
    const char *path;
    struct arena *arena;
    struct store_sources sources;
    struct store_summary result;
};

static enum status_code no_memory(const struct summary *summary, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory for the summary of %s", summary->path);
}

static double time_of_change(const char *path)
{
    struct stat facts;
    if (!path || stat(path, &facts) != 0)
        return 0;
    return (double)facts.st_mtim.tv_sec + 1e-9 * (double)facts.st_mtim.tv_nsec;
}

static void count_entry(struct store_summary *result, const struct index_entry *entry)
{
    result->done += entry->status == RECORD_DONE;
    result->diverged += entry->status == RECORD_DIVERGED;
    result->failed += entry->status == RECORD_FAILED;
    result->attempted += entry->status == RECORD_PENDING && entry->attempts;
    bool is_result = entry->status == RECORD_DONE || entry->status == RECORD_DIVERGED;
    for (const struct index_part *part = entry->parts; part && is_result; part = part->next)
        result->parts += part->test_length != INDEX_TRAINING;
}

// A trial's test lengths with results, from its parts.
static bool describe_trial(const struct summary *summary, const struct index_entry *entry,
                           struct store_trial *ret_trial)
{
    size_t count = 0;
    for (const struct index_part *part = entry->parts; part; part = part->next)
        count += part->test_length != INDEX_TRAINING;
    int64_t *lengths = arena_get(summary->arena, count + 1, sizeof *lengths);
    *ret_trial = (struct store_trial){entry->identity, entry->status, count, lengths};
    for (const struct index_part *part = entry->parts; part && lengths; part = part->next)
        if (part->test_length != INDEX_TRAINING)
            *lengths++ = part->test_length;
    return ret_trial->lengths != NULL;
}

const char *store_settings_line(const struct settings *settings, struct arena *arena)
{
    struct bytes lines = {0}, line = {0};
    settings_plain(settings, &lines);
    for (size_t i = 0; i < lines.size; i++) {
        bool last = i + 1 == lines.size;
        if (lines.data[i] != '\n')
            bytes_u8(&line, lines.data[i]);
        else if (!last)
            bytes_raw(&line, ", ", 2);
    }
    const char *text = lines.failed || line.failed ? NULL : arena_text(arena, (const char *)line.data, line.size);
    bytes_fini(&lines);
    bytes_fini(&line);
    return text;
}

static bool put_failure(const struct summary *summary, const struct index_entry *entry, const char *reason,
                        const struct settings *settings, struct store_failure *failure)
{
    failure->identity = entry->identity;
    failure->reason = arena_text(summary->arena, reason, strlen(reason));
    failure->settings = store_settings_line(settings, summary->arena);
    if (entry->attempts > failure->attempts)
        failure->attempts = entry->attempts;
    return failure->reason && failure->settings;
}

static enum status_code describe_failure(struct summary *summary, const struct index_entry *entry,
                                         struct store_failure *ret_failure, struct status *status)
{
    if (entry->source == INDEX_PUBLISHED) {
        const struct store_row *row = store_view_row(summary->sources.view, entry->row);
        *ret_failure = (struct store_failure){.attempts = row->attempts,
                                              .exit_status = row->exit_status,
                                              .signal = row->signal,
                                              .last_step = row->last_step};
        bool put = put_failure(summary, entry, row->reason, &row->settings, ret_failure);
        return put ? STATUS_OK : no_memory(summary, status);
    }
    struct store_entry from;
    struct store_payload payload = {0};
    struct record record = {0};
    enum status_code code = store_journal_fetch(summary->sources.journal, entry->source, &from, status);
    if (code == STATUS_OK)
        code = store_payload_decode(&from, &payload, status);
    if (code == STATUS_OK)
        code = record_decode(payload.record, payload.record_size, &record, status);
    store_payload_fini(&payload);
    if (code != STATUS_OK)
        return code;
    *ret_failure = (struct store_failure){.attempts = record.attempts,
                                          .exit_status = record.exit_status,
                                          .signal = record.signal,
                                          .last_step = record.last_step};
    bool put = put_failure(summary, entry, record.reason, &record.settings, ret_failure);
    record_fini(&record);
    return put ? STATUS_OK : no_memory(summary, status);
}

static int compare_failures(const void *a, const void *b)
{
    const struct store_failure *left = a, *right = b;
    return hash_compare(&left->identity, &right->identity);
}

static enum status_code collect(struct summary *summary, struct status *status)
{
    struct store_summary *result = &summary->result;
    const struct store_index *index = summary->sources.index;
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < store_index_count(index); i++)
        count_entry(result, store_index_at(index, i));
    size_t count = store_index_count(index);
    struct store_failure *failures = arena_get(summary->arena, result->failed + 1, sizeof *failures);
    struct store_trial *trials = arena_get(summary->arena, count + 1, sizeof *trials);
    if (!failures || !trials)
        return no_memory(summary, status);
    for (; result->trials_count < count; result->trials_count++)
        if (!describe_trial(summary, store_index_at(index, result->trials_count), &trials[result->trials_count]))
            return no_memory(summary, status);
    result->trials = trials;
    for (size_t i = 0; i < store_index_count(index) && code == STATUS_OK; i++)
        if (store_index_at(index, i)->status == RECORD_FAILED)
            code = describe_failure(summary, store_index_at(index, i), &failures[result->failures_count++], status);
    if (result->failures_count)
        qsort(failures, result->failures_count, sizeof *failures, compare_failures);
    result->failures = failures;
    return code;
}

static enum status_code describe_files(struct summary *summary, struct status *status)
{
    struct store_summary *result = &summary->result;
    struct store_sources *sources = &summary->sources;
    char *journal_path = store_journal_path(summary->path);
    if (!journal_path)
        return no_memory(summary, status);
    double journal = time_of_change(journal_path), store = time_of_change(summary->path);
    free(journal_path);
    result->changed = journal > store ? journal : store;
    result->owned = store_lock_owner(summary->path, &result->owner);
    result->published = sources->view != NULL;
    if (sources->journal) {
        result->journal_bytes = store_journal_size(sources->journal);
        result->damaged_bytes = store_journal_damage(sources->journal);
    }
    if (!sources->view && !sources->journal && !result->owned)
        return status_set(status, STATUS_SYSTEM, "%s: there is no such store, and no journal of one", summary->path);
    const char *name = sources->sweep.name ? sources->sweep.name : "";
    result->planned = (size_t)sources->sweep.planned;
    result->name = arena_text(summary->arena, name, strlen(name));
    if (sources->sweep.text) {
        result->sweep_text_size = sources->sweep.text_size;
        result->sweep_text = arena_text(summary->arena, sources->sweep.text, sources->sweep.text_size);
    }
    bool kept = result->name && (result->sweep_text || !sources->sweep.text);
    return kept ? STATUS_OK : no_memory(summary, status);
}

enum status_code store_journal_summary(const char *path, struct arena *arena, struct store_summary *ret_summary,
                                       struct bytes *ret_warnings, struct status *status)
{
    struct summary summary = {.path = path, .arena = arena};
    enum status_code code = store_sources_open(path, 0, &summary.sources, ret_warnings, status);
    if (code != STATUS_OK)
        return code;
    code = describe_files(&summary, status);
    if (code == STATUS_OK)
        code = collect(&summary, status);
    store_sources_close(&summary.sources);
    if (code == STATUS_OK)
        *ret_summary = summary.result;
    return code;
}
