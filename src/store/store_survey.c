// SPDX-License-Identifier: MIT
#include "store_names.h"
#include "store_payload.h"
#include "store_plan.h"
#include "store_view_private.h"
#include <stdlib.h>
#include <string.h>

static enum status_code no_memory(const struct plan *plan, struct status *status)
{
    return status_set(status, STATUS_MEMORY, "no memory to publish %s", plan->path);
}

enum status_code store_plan_replay(struct plan *plan, plan_take *take, void *self, struct status *status)
{
    enum status_code code = STATUS_OK;
    for (size_t i = 0; i < plan->pieces_count && code == STATUS_OK; i++) {
        const struct plan_piece *piece = &plan->pieces[i];
        struct store_entry entry;
        struct store_payload payload = {0};
        struct record record = {0};
        code = store_journal_fetch(plan->sources.journal, piece->offset, &entry, status);
        if (code == STATUS_OK)
            code = store_payload_decode(&entry, &payload, status);
        if (code == STATUS_OK)
            code = record_decode(payload.record, payload.record_size, &record, status);
        if (code == STATUS_OK && !hash_equal(record.identity, entry.identity)) {
            record_fini(&record);
            code = status_set(status, STATUS_DAMAGED, "the record of another trial");
        }
        if (code == STATUS_OK) {
            code = take(self, piece->row, piece->offset, &payload, &record, status);
            record_fini(&record);
        } else {
            status_context(status, "%s.journal, offset %llu", plan->path, (unsigned long long)piece->offset);
        }
        store_payload_fini(&payload);
    }
    return code;
}

static const char *keep_text(struct plan *plan, const char *text, size_t length)
{
    return length ? arena_text(plan->arena, text, length) : "";
}

static enum status_code take_head(struct plan *plan, size_t row, const struct store_payload *payload,
                                  const struct record *record, struct status *status)
{
    struct store_row *to = &plan->rows[row];
    const struct index_entry *entry = plan->entries[row];
    *to = (struct store_row){
        .identity = record->identity,
        .settings = record->settings,
        .numerics = record->numerics,
        .status = record->status,
        .twin = entry->twin,
        .attempts = record->attempts,
        .reason = keep_text(plan, record->reason, strlen(record->reason)),
        .exit_status = record->exit_status,
        .signal = record->signal,
        .last_step = record->last_step,
        .host = keep_text(plan, payload->host, payload->host_length),
        .version = keep_text(plan, payload->version, payload->version_length),
        .finished = payload->finished,
    };
    if (record->status == RECORD_FAILED && entry->attempts > to->attempts)
        to->attempts = entry->attempts;
    const bool kept = settings_keep(&to->settings, plan->arena);
    return kept && to->reason && to->host && to->version ? STATUS_OK : no_memory(plan, status);
}

static enum status_code survey_record(void *self, size_t row, uint64_t offset, const struct store_payload *payload,
                                      struct record *record, struct status *status)
{
    struct plan *plan = self;
    const struct index_entry *entry = plan->entries[row];
    enum status_code code = STATUS_OK;
    if (entry->source == offset)
        code = take_head(plan, row, payload, record, status);
    for (size_t i = 0; i < record->parts_count && code == STATUS_OK; i++) {
        const struct record_part *part = &record->parts[i];
        bool training = part->kind == RECORD_TRAINING;
        const struct index_part *wanted = store_index_part(entry, training ? INDEX_TRAINING : part->test_length);
        if (!wanted || wanted->source != offset)
            continue;
        size_t length = training ? 0 : store_plan_length_index(plan, part->test_length);
        uint32_t *layout =
            training ? &plan->training_layout[row] : &plan->test_layout[row * plan->lengths_count + length];
        code = store_schema_part(&plan->schema, part, layout, status);
    }
    return code;
}

// The published file's head of a row, where no entry of the journal replaces it. A trial of which only attempts are
// known has its settings from the grid.
static void survey_head(struct plan *plan, size_t row)
{
    const struct index_entry *entry = plan->entries[row];
    struct store_row *to = &plan->rows[row];
    if (entry->source != INDEX_PUBLISHED)
        return;
    if (entry->row != SIZE_MAX) {
        *to = *store_view_row(plan->sources.view, entry->row);
    } else {
        ptrdiff_t trial = grid_find(plan->grid, entry->identity);
        *to = (struct store_row){
            .identity = entry->identity, .numerics = NUMERICS, .reason = "", .host = "", .version = ""};
        to->settings = grid_trial(plan->grid, (size_t)trial)->settings;
    }
    if (entry->status == RECORD_PENDING)
        to->attempts = entry->attempts;
}

static enum status_code survey_published(struct plan *plan, size_t row, struct status *status)
{
    const struct index_entry *entry = plan->entries[row];
    const struct store_view *view = plan->sources.view;
    enum status_code code = STATUS_OK;
    for (const struct index_part *part = entry->parts; part && code == STATUS_OK; part = part->next) {
        if (part->source != INDEX_PUBLISHED)
            continue;
        bool training = part->test_length == INDEX_TRAINING;
        size_t from = training ? 0 : store_view_length_index(view, part->test_length);
        size_t to = training ? 0 : store_plan_length_index(plan, part->test_length);
        uint32_t old =
            training ? view->training_layout[entry->row] : view->test_layout[entry->row * view->lengths_count + from];
        uint32_t *layout = training ? &plan->training_layout[row] : &plan->test_layout[row * plan->lengths_count + to];
        code = store_schema_import(&plan->schema, &view->schema, old, layout, status);
    }
    return code;
}

// Numbers layouts in the order in which the rows use them, so that the order of arrival leaves no trace.
static enum status_code renumber(struct plan *plan, struct status *status)
{
    struct schema *schema = &plan->schema;
    uint32_t *map = calloc(schema->layouts_count, sizeof *map), next = 1;
    struct layout *layouts = calloc(schema->layouts_count, sizeof *layouts);
    size_t cells = plan->rows_count * plan->lengths_count;
    bool good = map && layouts;
    for (size_t i = 0; good && i < plan->rows_count + cells; i++) {
        uint32_t *number = i < plan->rows_count ? &plan->training_layout[i] : &plan->test_layout[i - plan->rows_count];
        if (*number && !map[*number]) {
            map[*number] = next;
            layouts[next++] = schema->layouts[*number];
        }
        *number = map[*number];
    }
    if (good) {
        memcpy(schema->layouts, layouts, next * sizeof *layouts);
        schema->layouts_count = next;
    }
    free(map);
    free(layouts);
    return good ? STATUS_OK : no_memory(plan, status);
}

enum status_code store_plan_survey(struct plan *plan, struct status *status)
{
    size_t cells = plan->rows_count * plan->lengths_count;
    plan->training_layout = arena_get(plan->arena, plan->rows_count + 1, sizeof *plan->training_layout);
    plan->test_layout = arena_get(plan->arena, cells + 1, sizeof *plan->test_layout);
    if (!plan->training_layout || !plan->test_layout)
        return no_memory(plan, status);
    enum status_code code = store_schema_init(&plan->schema, status);
    for (size_t row = 0; row < plan->rows_count && code == STATUS_OK; row++) {
        survey_head(plan, row);
        code = survey_published(plan, row, status);
    }
    if (code == STATUS_OK)
        code = store_plan_replay(plan, survey_record, plan, status);
    for (size_t trial = 0; trial < grid_trials(plan->grid) && code == STATUS_OK; trial++)
        if (plan->row_of_trial[trial] >= 0)
            plan->rows[plan->row_of_trial[trial]].twin = grid_trial(plan->grid, trial)->twin;
    return code == STATUS_OK ? renumber(plan, status) : code;
}

static const char *const taken[] = {
    NAME_TRIAL,    NAME_TEST_LENGTH,    NAME_IDENTITY,     NAME_NUMERICS,       NAME_STATUS,       NAME_TWIN,
    NAME_ATTEMPTS, NAME_FAILURE_REASON, NAME_FAILURE_EXIT, NAME_FAILURE_SIGNAL, NAME_FAILURE_STEP, GROUP_LAYOUTS,
    NAME_HOST,     NAME_VERSION,        NAME_FINISHED,     NAME_LENGTH_RATIO,   GROUP_TRIALS,      GROUP_RUN,
};

bool store_plan_name_taken(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    if (setting_find(name, length))
        return true;
    size_t suffix = strlen(CODE_SUFFIX);
    return length > suffix && strcmp(name + length - suffix, CODE_SUFFIX) == 0 && setting_find(name, length - suffix);
}
