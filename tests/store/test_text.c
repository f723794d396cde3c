// SPDX-License-Identifier: MIT
// Settings that are texts, in stores and journals.
#include "support.h"

#include "reader.h"
#include "store_diff.h"
#include <stdlib.h>
#include <string.h>

static const struct setting *row(const char *name)
{
    return setting_find(name, strlen(name));
}

// As many symbols as a text has room for, which lead from two states to both.
static const char *long_table(struct arena *arena)
{
    char *text = arena_get(arena, SETTING_BYTES + 1, 1);
    for (size_t at = 0; at < SETTING_BYTES; at += 2) {
        text[at] = (char)('0' + at / 2 % 2);
        text[at + 1] = at + 1 == SETTING_BYTES ? 0 : at + 1 == SETTING_BYTES / 2 ? ';' : ' ';
    }
    return text;
}

// The task that reads texts, and its axis.
static struct axis table_axis(struct fixture *fixture, size_t count)
{
    union setting_value *tables = arena_get(fixture->arena, 3, sizeof *tables);
    struct axis_column *column = arena_get(fixture->arena, 1, sizeof *column);
    struct settings *base = &fixture->sweep.base;
    base->task.kind = TASK_AUTOMATON;
    base->task.automaton = AUTOMATON_TABLE;
    base->task.outputs = "1 0";
    base->model.kind = MODEL_TRANSFORMER;
    base->model.embeddings = EMBEDDINGS_ORTHONORMAL;
    tables[0].text = "0 1; 1 0";
    tables[1].text = "0 1 1; 1 0 1";
    tables[2].text = long_table(fixture->arena);
    *column = (struct axis_column){.setting = row("table"), .values = tables};
    return (struct axis){.name = "table", .count = count, .columns_count = 1, .columns = column};
}

static struct axis two_tables(struct fixture *fixture)
{
    return table_axis(fixture, 2);
}

static struct axis three_tables(struct fixture *fixture)
{
    return table_axis(fixture, 3);
}

static const struct fixture_plan two = {.last_axis = two_tables}, three = {.last_axis = three_tables};

static const char *table_of(const struct fixture *fixture, size_t index)
{
    const struct sweep *sweep = &fixture->sweep;
    return sweep->axes[sweep->axes_count - 1].columns[0].values[index].text;
}

static void read_texts(const struct reader *reader, const char *name, size_t count, char **ret_texts)
{
    hid_t dataset = H5Dopen2(reader->file, name, H5P_DEFAULT), type = H5Dget_type(dataset),
          space = H5Dget_space(dataset);
    assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, ret_texts) >= 0);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
}

static void other_programs_read_them_as_strings(void **state)
{
    (void)state;
    struct reader reader;
    char text[READER_TEXT], *tables[3], *columns[36];
    reader_begin(&reader, &three);
    read_texts(&reader, "table", 3, tables);
    read_texts(&reader, "trials/table", 36, columns);
    for (size_t i = 0; i < 36; i++)
        assert_string_equal(columns[i], tables[i / 2 % 3]);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(tables[i], table_of(&reader.fixture, i));
    assert_int_equal(strlen(tables[2]), SETTING_BYTES);
    assert_string_equal(reader_text(&reader, "/", "outputs", text), "1 0");
    assert_string_equal(reader_text(&reader, "/", "lengths", text), "");
    assert_string_equal(reader_text(&reader, "table", "units", text), "1");
    assert_string_equal(reader_dimensions(&reader, "test_error", text),
                        "snr encoding table replicate test_length eval");
    for (size_t i = 0; i < 36; i++)
        H5free_memory(columns[i]);
    for (size_t i = 0; i < 3; i++)
        H5free_memory(tables[i]);
    reader_end(&reader);
}

static void a_view_gives_them_back(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct store_axis *axes;
    union setting_value value;
    fixture_init(&fixture, &three);
    fixture_run(&fixture);
    struct store_view *view = fixture_view(&fixture);
    assert_int_equal(store_view_axes(view, &axes), 3);
    assert_string_equal(axes[2].name, "table");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(axes[2].values[0][i].text, table_of(&fixture, i));
    assert_true(store_view_fixed(view, row("outputs"), &value));
    assert_string_equal(value.text, "1 0");
    assert_false(store_view_fixed(view, row("table"), &value));
    assert_int_equal(store_view_rows(view), 36);
    for (size_t i = 0; i < 36; i++) {
        const struct store_row *is = store_view_row(view, i);
        assert_true(hash_equal(settings_identity(&is->settings), is->identity));
        struct record record;
        struct status status = {0};
        fixture_ok(store_view_record(view, i, &record, &status), &status);
        assert_string_equal(record.settings.task.table, table_of(&fixture, i / 2 % 3));
        record_fini(&record);
    }
    store_view_close(view);
    fixture_fini(&fixture);
}

static size_t count_rows(const struct fixture *fixture)
{
    struct store_view *view = fixture_view(fixture);
    size_t rows = store_view_rows(view);
    store_view_close(view);
    return rows;
}

static void an_axis_grows_and_is_read_from_the_journal_alone(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture, &two);
    struct store *store = fixture_open(&fixture);
    fixture_append(&fixture, store, 0, 5);
    store_close(store);
    fixture_run(&fixture); // goes on with the journal's description of the sweep
    assert_int_equal(count_rows(&fixture), 24);
    fixture_replan(&fixture, &three);
    store = fixture_open(&fixture);
    for (size_t i = 0; i < grid_trials(fixture.grid); i++) {
        const struct grid_trial *trial = grid_trial(fixture.grid, i);
        const bool old = strcmp(trial->settings.task.table, table_of(&fixture, 2)) != 0;
        assert_int_equal(store_done(store, trial->identity, trial->lengths[0]), old);
    }
    store_close(store);
    fixture_run(&fixture);
    assert_int_equal(count_rows(&fixture), 36);
    fixture_fini(&fixture);
}

static void a_fixed_text_must_stay(void **state)
{
    (void)state;
    struct fixture fixture;
    struct status status = {0};
    fixture_init(&fixture, &two);
    for (int published = 0; published < 2; published++) {
        struct store *store = fixture_open(&fixture);
        fixture_append(&fixture, store, 0, 2);
        store_close(store);
        if (published)
            fixture_run(&fixture);
        fixture_ok(store_accepts(fixture.path, &fixture.sweep, &status), &status);
        fixture.sweep.base.task.outputs = "0 1";
        assert_int_equal(store_accepts(fixture.path, &fixture.sweep, &status), STATUS_INVALID);
        assert_non_null(strstr(status.text, "outputs is 1 0 there and 0 1 here"));
        fixture.sweep.base.task.outputs = "1 0";
    }
    fixture_fini(&fixture);
}

static void differences_name_them(void **state)
{
    (void)state;
    struct fixture first, second;
    struct store_differences found;
    struct status status = {0};
    fixture_init(&first, &two);
    fixture_init(&second, &two);
    fixture_run(&first);
    fixture_run(&second);
    const char *const paths[] = {first.path, second.path};
    fixture_ok(store_diff(paths, 2, 5, first.arena, &found, &status), &status);
    assert_int_equal(found.total, 0);
    fixture_fini(&second);
    fixture_init(&second, &three);
    fixture_run(&second);
    const char *const others[] = {first.path, second.path};
    fixture_ok(store_diff(others, 2, 5, first.arena, &found, &status), &status);
    assert_int_equal(found.total, 12);
    assert_string_equal(found.list[0].field, "trial");
    assert_non_null(strstr(found.list[0].settings, "outputs=1 0"));
    fixture_fini(&first);
    fixture_fini(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_programs_read_them_as_strings),
        cmocka_unit_test(a_view_gives_them_back),
        cmocka_unit_test(an_axis_grows_and_is_read_from_the_journal_alone),
        cmocka_unit_test(a_fixed_text_must_stay),
        cmocka_unit_test(differences_name_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
