// SPDX-License-Identifier: MIT
// What is known of each trial besides its values.
#include "store_names.h"
#include "store_write.h"
#include <stdlib.h>
#include <string.h>

static enum status_code no_memory(const struct writing *writing)
{
    return status_set(writing->h5.status, STATUS_MEMORY, "no memory to publish %s", writing->plan->path);
}

static enum status_code write_settings(struct writing *writing, struct bytes *names)
{
    const struct plan *plan = writing->plan;
    union setting_value *values = calloc(plan->rows_count + 1, sizeof *values);
    enum status_code code = values ? STATUS_OK : no_memory(writing);
    for (size_t s = 0; s < settings_count && code == STATUS_OK; s++) {
        const struct setting *setting = &settings_table[s];
        hid_t dataset = 0;
        if (!store_plan_varies(plan, setting))
            continue;
        for (size_t row = 0; row < plan->rows_count; row++)
            values[row] = setting_get(setting, &plan->rows[row].settings);
        code = store_write_setting(&writing->h5, writing->trials, setting, writing->trials_trial, plan->rows_count,
                                   values, &dataset);
        bytes_raw(names, setting->name, strlen(setting->name));
        bytes_raw(names, " ", 1);
    }
    free(values);
    return code;
}

// The names of the settings with a column, for the attribute `coordinates` of every variable of trials.
static enum status_code write_setting_columns(struct writing *writing)
{
    struct bytes names = {0};
    enum status_code code = write_settings(writing, &names);
    if (code == STATUS_OK) {
        writing->trial_coordinates =
            names.failed ? NULL : arena_text(writing->plan->arena, (const char *)names.data, names.size - 1);
        code = writing->trial_coordinates ? STATUS_OK : no_memory(writing);
    }
    bytes_fini(&names);
    return code;
}

// Columns of struct store_row.
enum place { IN_TRIALS, IN_RUN };
static const struct row_column {
    enum place place;
    const char *name;
    enum h5_type type; // H5_TYPES: a text
    size_t offset, size;
    struct about about;
} row_columns[] = {
#define MEMBER(member) offsetof(struct store_row, member), sizeof((struct store_row *)0)->member
    {IN_TRIALS, NAME_STATUS, H5_U8, MEMBER(status), {"state of the trial", "1", NULL, NULL}},
    {IN_TRIALS,
     NAME_TWIN,
     H5_U8,
     MEMBER(twin),
     {"twin", "1", "1: run along at noise rate 0 for the verdicts, and not in the cube.", NULL}},
    {IN_TRIALS,
     NAME_NUMERICS,
     H5_I32,
     MEMBER(numerics),
     {"version of the arithmetic", "1", "Raised whenever results change; results of different ones are not mixed.",
      NULL}},
    {IN_TRIALS,
     NAME_ATTEMPTS,
     H5_I32,
     MEMBER(attempts),
     {"attempts", "1", "How often the trial was begun and ended without a result.", NULL}},
    {IN_TRIALS,
     NAME_FAILURE_REASON,
     H5_TYPES,
     MEMBER(reason),
     {"reason of the failure", "1", "Empty unless the trial failed.", NULL}},
    {IN_TRIALS,
     NAME_FAILURE_EXIT,
     H5_I32,
     MEMBER(exit_status),
     {"exit status of a failed trainer", "1", "0 unless the trial failed.", NULL}},
    {IN_TRIALS,
     NAME_FAILURE_SIGNAL,
     H5_I32,
     MEMBER(signal),
     {"signal that ended a failed trainer", "1", "0 for none.", NULL}},
    {IN_TRIALS,
     NAME_FAILURE_STEP,
     H5_I64,
     MEMBER(last_step),
     {"last known step of a failed trial", "steps", "0 unless the trial failed.", NULL}},
    {IN_RUN, NAME_HOST, H5_TYPES, MEMBER(host), {"host", "1", "Where the trial was trained.", NULL}},
    {IN_RUN,
     NAME_VERSION,
     H5_TYPES,
     MEMBER(version),
     {"version", "1", "Version of the program that trained it.", NULL}},
    {IN_RUN,
     NAME_FINISHED,
     H5_F64,
     MEMBER(finished),
     {"end of the trial", "seconds since 1970-01-01 00:00:00", "When its result came in.", NULL}},
#undef MEMBER
};

static enum status_code write_texts(struct writing *writing, hid_t parent, hid_t scale, const struct row_column *from)
{
    const struct plan *plan = writing->plan;
    hid_t dataset = 0;
    const char **texts = malloc((plan->rows_count + 1) * sizeof *texts);
    if (!texts)
        return no_memory(writing);
    for (size_t row = 0; row < plan->rows_count; row++)
        memcpy(&texts[row], (const char *)&plan->rows[row] + from->offset, sizeof texts[row]);
    enum status_code code =
        store_h5_put_texts(&writing->h5, parent, from->name, plan->rows_count, texts, scale, &dataset);
    free(texts);
    return code == STATUS_OK ? store_write_about(&writing->h5, dataset, &from->about) : code;
}

static enum status_code write_numbers(struct writing *writing, hid_t parent, hid_t scale, const struct row_column *from,
                                      hid_t *ret_dataset)
{
    const struct plan *plan = writing->plan;
    size_t size = store_h5_size(from->type);
    unsigned char *data = malloc(plan->rows_count * size + 1);
    if (!data)
        return no_memory(writing);
    for (size_t row = 0; row < plan->rows_count; row++) {
        const char *member = (const char *)&plan->rows[row] + from->offset;
        // An enum or a bool is stored in one byte.
        if (size == from->size)
            memcpy(data + row * size, member, size);
        else
            data[row] = (unsigned char)*(const int *)(const void *)member;
    }
    enum status_code code = store_h5_put_coordinate(&writing->h5, parent, from->name, from->type, plan->rows_count,
                                                    data, scale, ret_dataset);
    free(data);
    return code == STATUS_OK ? store_write_about(&writing->h5, *ret_dataset, &from->about) : code;
}

static enum status_code write_row_columns(struct writing *writing)
{
    static const char *const truth[] = {"no", "yes", NULL};
    const char *states[RECORD_STATUSES + 1] = {0};
    enum status_code code = STATUS_OK;
    memcpy(states, record_status_names, sizeof record_status_names);
    for (size_t i = 0; i < sizeof row_columns / sizeof row_columns[0] && code == STATUS_OK; i++) {
        const struct row_column *from = &row_columns[i];
        hid_t parent = from->place == IN_RUN ? writing->run : writing->trials, dataset = 0;
        hid_t scale = from->place == IN_RUN ? writing->run_trial : writing->trials_trial;
        code = from->type == H5_TYPES ? write_texts(writing, parent, scale, from)
                                      : write_numbers(writing, parent, scale, from, &dataset);
        if (code == STATUS_OK && from->type == H5_U8)
            code =
                store_h5_put_flags(&writing->h5, dataset, strcmp(from->name, NAME_TWIN) == 0 ? truth : states, false);
    }
    return code;
}

static enum status_code write_identities(struct writing *writing)
{
    static const struct about about = {"identity", "1",
                                       "Hash of the settings that apply and differ from their defaults.", NULL};
    const struct plan *plan = writing->plan;
    hid_t dataset = 0;
    char(*hexadecimal)[HASH_TEXT_SIZE] = malloc((plan->rows_count + 1) * sizeof *hexadecimal);
    const char **texts = malloc((plan->rows_count + 1) * sizeof *texts);
    enum status_code code = hexadecimal && texts ? STATUS_OK : no_memory(writing);
    for (size_t row = 0; row < plan->rows_count && code == STATUS_OK; row++) {
        hash_text(plan->rows[row].identity, hexadecimal[row]);
        texts[row] = hexadecimal[row];
    }
    if (code == STATUS_OK)
        code = store_h5_put_texts(&writing->h5, writing->trials, NAME_IDENTITY, plan->rows_count, texts,
                                  writing->trials_trial, &dataset);
    if (code == STATUS_OK)
        code = store_write_about(&writing->h5, dataset, &about);
    free(texts);
    free(hexadecimal);
    return code;
}

static enum status_code write_layout_texts(struct writing *writing, hid_t group, hid_t scale)
{
    const struct schema *schema = &writing->plan->schema;
    struct bytes all = {0};
    size_t *starts = calloc(schema->layouts_count + 1, sizeof *starts);
    const char **texts = calloc(schema->layouts_count + 1, sizeof *texts);
    enum status_code code = starts && texts ? STATUS_OK : no_memory(writing);
    for (size_t i = 0; i < schema->layouts_count && code == STATUS_OK; i++) {
        starts[i] = all.size;
        store_schema_describe(schema, (uint32_t)i, &all);
        bytes_u8(&all, 0);
    }
    if (code == STATUS_OK && all.failed)
        code = no_memory(writing);
    for (size_t i = 0; i < schema->layouts_count && code == STATUS_OK; i++)
        texts[i] = (const char *)all.data + starts[i];
    hid_t dataset = 0;
    if (code == STATUS_OK)
        code = store_h5_put_texts(&writing->h5, group, NAME_LAYOUT_TEXT, schema->layouts_count, texts, scale, &dataset);
    free(texts);
    free(starts);
    bytes_fini(&all);
    return code;
}

static const void *view_of_layouts(void *self, size_t first, size_t count)
{
    (void)count;
    return (const uint32_t *)self + first;
}

static const void *view_of_tests(void *self, size_t first, size_t count)
{
    const struct plan *plan = self;
    (void)count;
    return plan->test_layout + first * plan->lengths_count;
}

static enum status_code write_layouts(struct writing *writing)
{
    static const struct about about = {"layout", "1",
                                       "Number of a list of values; trials/layouts/training and test say which list a "
                                       "trial's parts follow, 0 when it lacks the part.",
                                       NULL};
    const struct plan *plan = writing->plan;
    const struct h5 *h5 = &writing->h5;
    hid_t group = 0, scale = 0;
    struct h5_shape shape = {
        1, {plan->rows_count, plan->lengths_count}, {writing->trials_trial, writing->trials_length}};
    int32_t *numbers = calloc(plan->schema.layouts_count + 1, sizeof *numbers);
    if (!numbers)
        return no_memory(writing);
    for (size_t i = 0; i < plan->schema.layouts_count; i++)
        numbers[i] = (int32_t)i;
    enum status_code code = store_h5_group(h5, writing->trials, GROUP_LAYOUTS, &group);
    if (code == STATUS_OK)
        code = store_h5_put_coordinate(h5, group, NAME_LAYOUT, H5_I32, plan->schema.layouts_count, numbers, 0, &scale);
    free(numbers);
    if (code == STATUS_OK)
        code = store_write_about(h5, scale, &about);
    if (code == STATUS_OK)
        code = write_layout_texts(writing, group, scale);
    if (code == STATUS_OK)
        code = store_h5_put_variable(h5, group, NAME_LAYOUT_TRAINING, H5_I32, &shape, 1,
                                     (struct h5_source){view_of_layouts, plan->training_layout}, NULL);
    shape.rank = 2;
    if (code == STATUS_OK)
        code = store_h5_put_variable(h5, group, NAME_LAYOUT_TEST, H5_I32, &shape, 1,
                                     (struct h5_source){view_of_tests, writing->plan}, NULL);
    return code;
}

enum status_code store_write_trials(struct writing *writing)
{
    enum status_code code = write_setting_columns(writing);
    if (code == STATUS_OK)
        code = write_identities(writing);
    if (code == STATUS_OK)
        code = write_row_columns(writing);
    return code == STATUS_OK ? write_layouts(writing) : code;
}
