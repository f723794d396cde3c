// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct setting *row(const char *name)
{
    const struct setting *setting = setting_find(name, strlen(name));
    assert_non_null(setting);
    return setting;
}

static struct axis *make_axes(struct fixture *fixture, const struct fixture_plan *plan)
{
    static const union setting_value snr[] = {{.r = 1}, {.r = 4}, {.r = INFINITY}, {.r = 0.3}, {.r = 16}};
    static const union setting_value reversed[] = {{.r = INFINITY}, {.r = 4}, {.r = 1}};
    static const union setting_value encodings[] = {{.choice = ENCODING_NONE}, {.choice = ENCODING_ROPE}};
    static const union setting_value train[] = {{.i = 4}, {.i = 8}};
    static const union setting_value heads[] = {{.i = 2}, {.i = 4}};
    static const union setting_value rates[] = {{.r = 0.5}, {.r = 0.25}};
    struct axis *axes = arena_get(fixture->arena, 5, sizeof *axes);
    struct axis_column *columns = arena_get(fixture->arena, 5, sizeof *columns);
    size_t count = 0;
    columns[0] = (struct axis_column){.setting = row("train_length"), .values = train};
    columns[1] = (struct axis_column){.setting = row("snr"), .values = plan->reversed ? reversed : snr};
    columns[2] = (struct axis_column){.setting = row("encoding"), .values = encodings};
    columns[3] = (struct axis_column){.setting = row("head_dim"), .values = heads};
    columns[4] = (struct axis_column){.setting = row("learning_rate"), .values = rates};
    if (plan->lengths_axis)
        axes[count++] = (struct axis){.name = "train_length", .count = 2, .columns_count = 1, .columns = &columns[0]};
    if (!plan->no_axes) {
        size_t snr_count = plan->snr_count ? plan->snr_count : 3;
        axes[count++] = (struct axis){.name = "snr", .count = snr_count, .columns_count = 1, .columns = &columns[1]};
        axes[count++] = (struct axis){.name = "encoding", .count = 2, .columns_count = 1, .columns = &columns[2]};
    }
    if (plan->zip)
        axes[count++] = (struct axis){.name = "size", .count = 2, .columns_count = 2, .columns = &columns[3]};
    if (plan->last_axis)
        axes[count++] = plan->last_axis(fixture);
    fixture->sweep.axes_count = count;
    return axes;
}

static struct exclusion *make_exclusions(struct fixture *fixture)
{
    static const union setting_value one = {.r = 1}, four = {.r = 4}, rope = {.choice = ENCODING_ROPE},
                                     none = {.choice = ENCODING_NONE};
    static const struct test_length length = {.value = 4, .relative = true};
    struct exclusion *exclusions = arena_get(fixture->arena, 2, sizeof *exclusions);
    struct exclusion_condition *conditions = arena_get(fixture->arena, 5, sizeof *conditions);
    conditions[0] = (struct exclusion_condition){.setting = row("snr"), .count = 1, .values = &one};
    conditions[1] = (struct exclusion_condition){.setting = row("encoding"), .count = 1, .values = &rope};
    conditions[2] = (struct exclusion_condition){.setting = row("snr"), .count = 1, .values = &four};
    conditions[3] = (struct exclusion_condition){.setting = row("encoding"), .count = 1, .values = &none};
    conditions[4] = (struct exclusion_condition){.count = 1, .lengths = &length};
    exclusions[0] = (struct exclusion){.count = 2, .conditions = conditions};
    exclusions[1] = (struct exclusion){.count = 3, .conditions = conditions + 2};
    fixture->sweep.exclusions_count = 2;
    return exclusions;
}

void fixture_replan(struct fixture *fixture, const struct fixture_plan *plan)
{
    static const struct test_length lengths[] = {
        {.value = 1, .relative = true}, {.value = 4, .relative = true}, {.value = 20}, {.value = 100}};
    struct status status = {0};
    grid_destroy(fixture->grid);
    arena_destroy(fixture->arena);
    fixture->grid = NULL;
    fixture->arena = arena_create(1 << 14, 0);
    assert_non_null(fixture->arena);
    struct sweep *sweep = &fixture->sweep;
    *sweep = (struct sweep){.name = plan->name ? plan->name : "tiny", .path = "tiny.yaml"};
    sweep->text = plan->text ? plan->text : "sweep: tiny\n";
    sweep->text_size = strlen(sweep->text);
    sweep->replicates = plan->replicates ? plan->replicates : 2;
    sweep->twins = plan->twins;
    sweep->lengths = lengths;
    sweep->lengths_count = plan->lengths_count ? plan->lengths_count : 2;
    settings_defaults(&sweep->base);
    sweep->base.task.train_length = 8;
    sweep->base.task.noise_rate = plan->noise_rate > 0 ? plan->noise_rate : plan->noise_rate < 0 ? 0 : 0.25;
    sweep->base.train.steps = plan->steps ? plan->steps : 100;
    sweep->axes = make_axes(fixture, plan);
    if (plan->exclude)
        sweep->exclusions = make_exclusions(fixture);
    sweep->places = arena_get(fixture->arena, settings_count, sizeof *sweep->places);
    fixture_ok(grid_expand(sweep, 1000000, &fixture->grid, &status), &status);
}

void fixture_init(struct fixture *fixture, const struct fixture_plan *plan)
{
    *fixture = (struct fixture){0};
    const char *base = getenv("TMPDIR");
    snprintf(fixture->folder, sizeof fixture->folder, "%s/lgsweep store é.XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/测试 s.h5", fixture->folder);
    fixture_replan(fixture, plan);
}

static void each_file(const struct fixture *fixture, void (*visit)(int folder, const char *name, void *client),
                      void *client)
{
    DIR *names = opendir(fixture->folder);
    assert_non_null(names);
    for (struct dirent *entry = readdir(names); entry; entry = readdir(names))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visit(dirfd(names), entry->d_name, client);
    closedir(names);
}

static void remove_one(int folder, const char *name, void *client)
{
    (void)client;
    unlinkat(folder, name, 0);
}

void fixture_fini(struct fixture *fixture)
{
    each_file(fixture, remove_one, NULL);
    rmdir(fixture->folder);
    grid_destroy(fixture->grid);
    arena_destroy(fixture->arena);
}

struct prefix {
    const char *text;
    size_t count;
};

static void count_one(int folder, const char *name, void *client)
{
    struct prefix *prefix = client;
    (void)folder;
    prefix->count += strncmp(name, prefix->text, strlen(prefix->text)) == 0;
}

size_t fixture_count(const struct fixture *fixture, const char *prefix)
{
    struct prefix found = {prefix, 0};
    each_file(fixture, count_one, &found);
    return found.count;
}

char *fixture_file(const struct fixture *fixture, const char *suffix, char ret_path[FIXTURE_PATH])
{
    snprintf(ret_path, FIXTURE_PATH, "%.*s%s", FIXTURE_PATH - 32, fixture->path, suffix);
    return ret_path;
}

// A number in [0, 1) with few trailing zeros, of trial, field and element.
static double made_up(const struct record *record, unsigned field, int64_t length, size_t element)
{
    uint64_t key[4] = {record->identity.low, field, (uint64_t)length, element};
    return (double)(hash_64(key, sizeof key) >> 11) / 9007199254740992.0;
}

static void fill(const struct record *record, const struct record_part *part, const struct record_field *field,
                 void *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = made_up(record, field->id, part->test_length, i);
        bool absent = i % 5 == 4;
        if (field->id == FIELD_LOSS_LEVEL)
            ((float *)data)[i] = record_loss_levels[i];
        else if (field->type == RECORD_F32)
            ((float *)data)[i] = absent ? NAN : (float)value;
        else if (field->type == RECORD_F64)
            ((double *)data)[i] = absent ? (double)NAN : value;
        else if (field->type == RECORD_I64)
            ((int64_t *)data)[i] = field->id == FIELD_STEP ? (int64_t)(i * i) : (int64_t)(1e6 * value);
        else if (field->type == RECORD_U8)
            ((uint8_t *)data)[i] = value < 0.5;
    }
}

static uint32_t extent_of(const char *dimension, uint32_t evals)
{
    if (strcmp(dimension, "eval") == 0)
        return evals;
    return strcmp(dimension, "phase") == 0 ? RECORD_PHASES : RECORD_LOSS_LEVELS;
}

static void fill_part(struct record *record, struct record_part *part, uint32_t evals)
{
    for (size_t i = 0; i < record_fields_count; i++) {
        const struct record_field *field = &record_fields[i];
        uint32_t extents[4] = {1, 1, 1, 1};
        size_t count = 1;
        if (field->part != part->kind)
            continue;
        for (size_t d = 0; d < record_field_dimensions(field); d++)
            count *= extents[d] = extent_of(field->dimension[d], evals);
        void *data = record_add(part, field->id, extents);
        assert_non_null(data);
        fill(record, part, field, data, count);
    }
}

void fixture_record(const struct grid_trial *trial, uint32_t evals, struct record *ret_record)
{
    record_init(ret_record, &trial->settings);
    ret_record->status = ret_record->identity.low % 7 == 0 ? RECORD_DIVERGED : RECORD_DONE;
    fill_part(ret_record, record_part(ret_record, RECORD_TRAINING, 0, true), evals);
    for (size_t i = 0; i < trial->lengths_count; i++)
        fill_part(ret_record, record_part(ret_record, RECORD_TEST, trial->lengths[i], true), evals);
}

void fixture_failure(const struct grid_trial *trial, struct record *ret_record)
{
    record_init(ret_record, &trial->settings);
    ret_record->status = RECORD_FAILED;
    strcpy(ret_record->reason, "killed by signal 9 (out of memory?)");
    ret_record->signal = 9;
    ret_record->exit_status = -1;
    ret_record->last_step = 40;
    ret_record->attempts = 3;
}

void fixture_add_novel(struct record *record, uint32_t rows, uint32_t columns)
{
    for (size_t p = 0; p < record->parts_count; p++) {
        struct record_part *part = &record->parts[p];
        struct record_value value = {.id = 900,
                                     .type = RECORD_I32,
                                     .dimensions = 2,
                                     .name = "snr",
                                     .dimension = {"layer", "colour"},
                                     .extent = {rows, columns}};
        int32_t *data = malloc((rows * columns + 1) * sizeof *data);
        assert_non_null(data);
        for (uint32_t i = 0; i < rows * columns; i++)
            data[i] = (int32_t)(p * 1000 + i);
        value.data = data;
        part->values = reallocarray(part->values, part->count + 1, sizeof value);
        assert_non_null(part->values);
        part->values[part->count++] = value;
        part->capacity = part->count;
    }
}

static int compare_parts(const void *a, const void *b)
{
    const struct record_part *left = a, *right = b;
    return (left->test_length > right->test_length) - (left->test_length < right->test_length);
}

static void encode_sorted(const struct record *record, struct bytes *bytes)
{
    struct record sorted = *record;
    sorted.parts = malloc((record->parts_count + 1) * sizeof *sorted.parts);
    assert_non_null(sorted.parts);
    if (record->parts_count) {
        memcpy(sorted.parts, record->parts, record->parts_count * sizeof *sorted.parts);
        qsort(sorted.parts, sorted.parts_count, sizeof *sorted.parts, compare_parts);
    }
    record_encode(&sorted, bytes);
    assert_false(bytes->failed);
    free(sorted.parts);
}

void fixture_assert_same(const struct record *a, const struct record *b)
{
    struct bytes left = {0}, right = {0};
    encode_sorted(a, &left);
    encode_sorted(b, &right);
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
    bytes_fini(&left);
    bytes_fini(&right);
}

void fixture_ok(enum status_code code, const struct status *status)
{
    if (code != STATUS_OK)
        fail_msg("status %d: %s", (int)code, status->text);
}

struct store *fixture_open(const struct fixture *fixture)
{
    struct store *store = NULL;
    struct status status = {0};
    fixture_ok(store_open(fixture->path, &fixture->sweep, fixture->grid, NULL, &store, NULL, &status), &status);
    return store;
}

void fixture_append(const struct fixture *fixture, struct store *store, size_t first, size_t last)
{
    struct status status = {0};
    static const struct store_origin origin = {"node1", "0.1.0", 1e9};
    for (size_t i = first; i < last; i++) {
        struct record record;
        fixture_record(grid_trial(fixture->grid, i), FIXTURE_EVALS, &record);
        fixture_ok(store_append_result(store, &record, &origin, NULL, &status), &status);
        record_fini(&record);
    }
    fixture_ok(store_sync(store, &status), &status);
}

void fixture_publish(const struct fixture *fixture)
{
    struct status status = {0};
    fixture_ok(store_publish(fixture->path, &fixture->sweep, fixture->grid, NULL, NULL, &status), &status);
}

void fixture_run(const struct fixture *fixture)
{
    struct status status = {0};
    struct store *store = fixture_open(fixture);
    for (size_t i = 0; i < grid_trials(fixture->grid); i++) {
        const struct grid_trial *trial = grid_trial(fixture->grid, i);
        bool done = true;
        for (size_t j = 0; j < trial->lengths_count; j++)
            done = done && store_done(store, trial->identity, trial->lengths[j]);
        if (!done)
            fixture_append(fixture, store, i, i + 1);
    }
    fixture_publish(fixture);
    fixture_ok(store_finish(store, &status), &status);
    store_close(store);
}

struct store_view *fixture_view(const struct fixture *fixture)
{
    struct store_view *view = NULL;
    struct status status = {0};
    fixture_ok(store_view_open(fixture->path, &view, &status), &status);
    return view;
}

hid_t fixture_hdf5(const struct fixture *fixture)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_file_locking(access, false, true) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0);
    hid_t file = H5Fopen(fixture->path, H5F_ACC_RDONLY, access);
    assert_true(file >= 0);
    H5Pclose(access);
    return file;
}

#ifdef LGSWEEP_SANITIZE
const char *__lsan_default_suppressions(void);

// HDF5 itself loses some memory when it meets a damaged file.
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}
#endif

unsigned char *fixture_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *ret_size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*ret_size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *ret_size, file), *ret_size);
    fclose(file);
    return data;
}

void fixture_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

bool fixture_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}
