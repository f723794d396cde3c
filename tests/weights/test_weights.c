// SPDX-License-Identifier: MIT
#include "base_bytes.h"
#include "support.h"
#include "weights.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct batch_shape shape = {.dim = 7, .classes = 2, .binary = true};

struct fixture {
    struct settings settings;
    struct arena *arena;
    struct nn_model *model;
    char folder[64], path[128];
};

static struct nn_model *create(struct fixture *f)
{
    struct nn_model *model;
    struct status status = {0};
    if (nn_model_create(&f->settings, &shape, f->settings.task.train_length, f->arena, &model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return model;
}

static void open_fixture(struct fixture *f)
{
    *f = (struct fixture){.folder = "/tmp/weights-XXXXXX"};
    settings_defaults(&f->settings);
    f->settings.task.dim = shape.dim;
    f->settings.task.train_length = 5;
    f->settings.model.head_dim = 3;
    f->settings.model.encoding = ENCODING_ABSOLUTE;
    f->arena = arena_create(1 << 16, 0);
    assert_non_null(f->arena);
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/a.safetensors", f->folder);
    f->model = create(f);
}

static void close_fixture(struct fixture *f)
{
    unlink(f->path);
    assert_int_equal(rmdir(f->folder), 0); // nothing half-written is left
    arena_destroy(f->arena);
}

static void write_model(struct fixture *f)
{
    struct status status = {0};
    const struct weights_note notes[] = {{"step", "12"}, {"say", "a \"quote\" and a \\"}};
    if (weights_write(f->model, f->path, notes, 2, &status) != STATUS_OK)
        fail_msg("%s", status.text);
}

static void same(struct nn_model *a, struct nn_model *b)
{
    for (size_t i = 0; i < nn_tensor_count(a); i++) {
        const struct nn_tensor *x = nn_tensor(a, i), *y = nn_tensor(b, i);
        assert_memory_equal(x->value, y->value, (size_t)x->storage * sizeof(real));
    }
}

static void reads_what_it_wrote(void **state)
{
    (void)state;
    struct fixture f;
    struct status status = {0};
    open_fixture(&f);
    write_model(&f);
    f.settings.init_seed = 99;
    struct nn_model *other = create(&f);
    assert_memory_not_equal(nn_tensor(other, 0)->value, nn_tensor(f.model, 0)->value, 3 * sizeof(real));
    assert_int_equal(weights_read(other, f.path, &status), STATUS_OK);
    same(f.model, other);
    close_fixture(&f);
}

static void learned_positions_may_be_longer(void **state)
{
    (void)state;
    struct fixture f;
    struct status status = {0};
    open_fixture(&f);
    write_model(&f);
    f.settings.task.train_length = 8;
    f.settings.init_seed = 99;
    struct nn_model *longer = create(&f), *fresh = create(&f);
    assert_int_equal(weights_read(longer, f.path, &status), STATUS_OK);
    size_t at = nn_tensor_count(longer) - 1;
    const struct nn_tensor *got = nn_tensor(longer, at), *old = nn_tensor(f.model, at), *own = nn_tensor(fresh, at);
    assert_string_equal(got->name, "position");
    assert_memory_equal(got->value, old->value, (size_t)(5 * got->stride) * sizeof(real));
    assert_memory_equal(got->value + 5 * got->stride, own->value + 5 * got->stride,
                        (size_t)(3 * got->stride) * sizeof(real));
    close_fixture(&f);
}

static void refuses(struct fixture *f, enum status_code code, const char *word)
{
    struct status status = {0};
    struct nn_model *other = create(f), *fresh = create(f);
    assert_int_equal(weights_read(other, f->path, &status), code);
    if (!strstr(status.text, word) || !strstr(status.text, f->path))
        fail_msg("no \"%s\" in: %s", word, status.text);
    same(other, fresh);
}

static void refuses_other_models(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    write_model(&f);
    f.settings.model.head_dim = 4;
    refuses(&f, STATUS_INVALID, "tensor query is 7 x 3, the model's is 7 x 4");
    f.settings.model.head_dim = 3;
    f.settings.model.encoding = ENCODING_RELATIVE;
    refuses(&f, STATUS_INVALID, "no tensor relative");
    f.settings.model.encoding = ENCODING_NONE;
    refuses(&f, STATUS_INVALID, "a tensor position, which the model lacks");
    close_fixture(&f);
}

static void put_file(const struct fixture *f, const void *data, size_t size)
{
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void refuses_damaged_files(void **state)
{
    (void)state;
    struct fixture f;
    struct bytes bytes = {0};
    open_fixture(&f);
    refuses(&f, STATUS_SYSTEM, "No such file");
    put_file(&f, "abc", 3);
    refuses(&f, STATUS_DAMAGED, "ends early");
    bytes_u64(&bytes, 4);
    bytes_raw(&bytes, "[1] ", 4);
    put_file(&f, bytes.data, bytes.size);
    refuses(&f, STATUS_DAMAGED, "no JSON object");
    bytes.data[8] = '{';
    put_file(&f, bytes.data, bytes.size);
    refuses(&f, STATUS_DAMAGED, "no safetensors");
    bytes_fini(&bytes);
    close_fixture(&f);
}

// A file by hand: `header`, padded to 8 bytes, and `count` numbers.
static void put_by_hand(const struct fixture *f, const char *header, const float *numbers, size_t count)
{
    struct bytes bytes = {0};
    bytes_u64(&bytes, strlen(header));
    bytes_raw(&bytes, header, strlen(header));
    bytes_raw(&bytes, numbers, count * sizeof *numbers);
    put_file(f, bytes.data, bytes.size);
    bytes_fini(&bytes);
}

static void refuses_gaps_overlaps_and_what_is_not_finite(void **state)
{
    (void)state;
    struct fixture f;
    float numbers[50] = {0};
    open_fixture(&f);
    f.settings.model.encoding = ENCODING_NONE;
    f.settings.model.head_dim = f.settings.model.value_dim = 1;
#define ENTRY(name, rows, begin, end)                                                                                  \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":[" #rows ",1],\"data_offsets\":[" #begin "," #end "]}"
#define FILE_OF(key, readout) "{" ENTRY("query", 7, 0, 28) "," key "," ENTRY("value", 7, 56, 84) "," readout "}"
    put_by_hand(&f, FILE_OF(ENTRY("key", 7, 28, 56), ENTRY("readout", 1, 84, 88)), numbers, 22);
    struct status status = {0};
    assert_int_equal(weights_read(create(&f), f.path, &status), STATUS_OK);
    put_by_hand(&f, FILE_OF(ENTRY("key", 7, 28, 56), ENTRY("readout", 1, 84, 88)), numbers, 23);
    refuses(&f, STATUS_DAMAGED, "its size is not that of its tensors");
    put_by_hand(&f, FILE_OF(ENTRY("key", 7, 0, 28), ENTRY("readout", 1, 84, 88)), numbers, 22);
    refuses(&f, STATUS_DAMAGED, "overlap or leave gaps");
    put_by_hand(&f, FILE_OF(ENTRY("key", 7, 28, 56), ENTRY("readout", 1, 88, 92)), numbers, 23);
    refuses(&f, STATUS_DAMAGED, "overlap or leave gaps");
    numbers[9] = NAN;
    put_by_hand(&f, FILE_OF(ENTRY("key", 7, 28, 56), ENTRY("readout", 1, 84, 88)), numbers, 22);
    refuses(&f, STATUS_DAMAGED, "tensor key has a number that is not finite");
    close_fixture(&f);
}

static void a_changed_number_contradicts_the_checksum(void **state)
{
    (void)state;
    struct fixture f;
    struct status status = {0};
    open_fixture(&f);
    write_model(&f);
    assert_int_equal(weights_check(f.model, f.path, &status), STATUS_OK);
    FILE *file = fopen(f.path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -3, SEEK_END), 0);
    assert_int_equal(fputc(0x41, file), 0x41);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(weights_check(f.model, f.path, &status), STATUS_OK); // by the header alone
    refuses(&f, STATUS_DAMAGED, "contradict their checksum");
    close_fixture(&f);
}

// Every file that is cut, or has one byte of its header changed, is read or refused, never trusted beyond its end.
static void survives_any_cut_and_change(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f);
    write_model(&f);
    unsigned char data[8192];
    FILE *file = fopen(f.path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 800 && size < sizeof data);
    for (size_t at = 0; at < 700; at++) {
        struct nn_model *model = create(&f);
        struct status status = {0};
        put_file(&f, data, size - 1 - at);
        assert_true(weights_read(model, f.path, &status) != STATUS_OK);
        data[at] ^= 1;
        put_file(&f, data, size);
        data[at] ^= 1;
        enum status_code code = weights_read(model, f.path, &status);
        assert_true(code == STATUS_OK || status.text[0]);
        arena_reset(f.arena);
        f.model = create(&f);
    }
    close_fixture(&f);
}

static void a_failed_write_leaves_what_stood_there(void **state)
{
    (void)state;
    struct fixture f;
    struct status status = {0};
    open_fixture(&f);
    const char nowhere[] = "/tmp/no-such-folder/a.safetensors";
    assert_int_equal(weights_write(f.model, nowhere, NULL, 0, &status), STATUS_SYSTEM);
    assert_non_null(strstr(status.text, nowhere));
    write_model(&f);
    close_fixture(&f);
}

static void notes_are_read_back(void **state)
{
    (void)state;
    struct fixture f;
    struct bytes value = {0};
    struct status status = {0};
    open_fixture(&f);
    write_model(&f);
    assert_int_equal(weights_read_note(f.path, "say", &value, &status), STATUS_OK);
    assert_int_equal(value.size, strlen("a \"quote\" and a \\"));
    assert_memory_equal(value.data, "a \"quote\" and a \\", value.size);
    assert_int_equal(weights_read_note(f.path, "settings", &value, &status), STATUS_INVALID);
    assert_non_null(strstr(status.text, "no settings in its metadata"));
    bytes_fini(&value);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(learned_positions_may_be_longer),
        cmocka_unit_test(refuses_other_models),
        cmocka_unit_test(refuses_damaged_files),
        cmocka_unit_test(refuses_gaps_overlaps_and_what_is_not_finite),
        cmocka_unit_test(a_changed_number_contradicts_the_checksum),
        cmocka_unit_test(survives_any_cut_and_change),
        cmocka_unit_test(a_failed_write_leaves_what_stood_there),
        cmocka_unit_test(notes_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
