// SPDX-License-Identifier: MIT
// Random small sweeps against the plainest reading of the rules: walk every cell, ask every condition, gather
// identities.
#include "support.h"

#include "fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 400, MAX_TRIALS = 4096, MAX_LENGTHS = 64 };

static const struct {
    const char *name, *values[4];
} pool[] = {
    {"encoding", {"none", "rope", "alibi", "relative"}},
    {"rope_base", {"10", "100", "10000", "7"}},
    {"relative_clip", {"4", "16", "2", "1"}},
    {"noise_rate", {"0", "0.1", "0.2", "0.3"}},
    {"train_length", {"8", "16", "12", "4"}},
    {"snr", {"1", "64", "4", "inf"}},
    {"optimizer", {"gd", "momentum", "", ""}},
    {"momentum", {"0.5", "0.9", "0.1", "0.2"}},
};
enum { POOL = sizeof pool / sizeof pool[0] };
static const char *const length_pool[] = {"1x", "2x", "4x", "16", "32", "0.5x"};

struct expected {
    struct hash128 identity;
    struct settings settings;
    size_t cell;
    bool twin;
    size_t count;
    int64_t lengths[MAX_LENGTHS]; // ascending
};

struct model {
    const struct sweep *sweep;
    size_t count;
    struct expected *trial; // (MAX_TRIALS)
};

static uint32_t draw(uint32_t *random, uint32_t bound)
{
    *random = *random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*random >> 4) * bound >> 28);
}

// Some of the values that row `p` of the pool has, at least one, between separators.
static void draw_values(uint32_t *random, size_t p, const char *separator, char ret_text[64])
{
    ret_text[0] = '\0';
    for (size_t v = 0; v < 4; v++)
        if (pool[p].values[v][0] && draw(random, 2))
            snprintf(ret_text + strlen(ret_text), 64 - strlen(ret_text), "%s%s", ret_text[0] ? separator : "",
                     pool[p].values[v]);
    if (!ret_text[0])
        strcpy(ret_text, pool[p].values[draw(random, 2)]);
}

static void draw_sweep(uint32_t *random, struct fixture *f)
{
    char text[64];
    fixture_init(f);
    f->sweep.replicates = 1 + draw(random, 3);
    f->sweep.twins = draw(random, 2);
    fixture_set(f, "train_length", "8");
    size_t used[4], axes = draw(random, 5), first = draw(random, POOL);
    for (size_t a = 0; a < axes; a++) {
        used[a] = (first + a * 3) % POOL;
        draw_values(random, used[a], " ", text);
        fixture_axis(f, pool[used[a]].name, text);
    }
    snprintf(text, sizeof text, "%s %s %s", length_pool[draw(random, 6)], length_pool[draw(random, 6)],
             length_pool[draw(random, 6)]);
    fixture_lengths(f, text);
    for (size_t e = draw(random, 3); e > 0; e--) {
        char conditions[256] = "";
        for (size_t a = 0; a < axes; a++)
            if (draw(random, 2)) {
                draw_values(random, used[a], ",", text);
                snprintf(conditions + strlen(conditions), sizeof conditions - strlen(conditions), "%s=%s ",
                         pool[used[a]].name, text);
            }
        if (!conditions[0] || draw(random, 2))
            snprintf(conditions + strlen(conditions), sizeof conditions - strlen(conditions), "test_length=%s",
                     length_pool[draw(random, 6)]);
        fixture_exclude(f, conditions);
    }
}

static bool condition_holds(const struct exclusion_condition *condition, const struct settings *settings,
                            int64_t tokens)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct setting *setting = condition->setting;
        if (setting && setting_compare(setting, condition->values[i], setting_get(setting, settings)) == 0)
            return true;
        if (!setting && test_length_tokens(condition->lengths[i], settings->task.train_length) == tokens)
            return true;
    }
    return false;
}

static bool is_excluded(const struct sweep *sweep, const struct settings *settings, int64_t tokens)
{
    for (size_t e = 0; e < sweep->exclusions_count; e++) {
        bool all = true;
        for (size_t c = 0; c < sweep->exclusions[e].count; c++)
            all = all && condition_holds(&sweep->exclusions[e].conditions[c], settings, tokens);
        if (all)
            return true;
    }
    return false;
}

static struct expected *find_expected(struct model *model, const struct settings *settings, size_t cell, bool twin)
{
    struct hash128 identity = settings_identity(settings);
    for (size_t i = 0; i < model->count; i++)
        if (hash_equal(model->trial[i].identity, identity))
            return &model->trial[i];
    assert_true(model->count < MAX_TRIALS);
    model->trial[model->count] =
        (struct expected){.identity = identity, .settings = *settings, .cell = cell, .twin = twin};
    return &model->trial[model->count++];
}

static void add_length(struct expected *trial, int64_t tokens)
{
    size_t at = 0;
    while (at < trial->count && trial->lengths[at] < tokens)
        at++;
    if (at < trial->count && trial->lengths[at] == tokens)
        return;
    assert_true(trial->count < MAX_LENGTHS);
    memmove(&trial->lengths[at + 1], &trial->lengths[at], (trial->count - at) * sizeof tokens);
    trial->lengths[at] = tokens;
    trial->count++;
}

// What each cell wants, by the definition; fails the test where the grid says otherwise.
static void walk_cell(struct model *model, const struct grid *grid, const struct settings *settings, size_t cell)
{
    const struct sweep *sweep = model->sweep;
    struct expected *trial = NULL;
    for (size_t l = 0; l < sweep->lengths_count; l++) {
        int64_t tokens = test_length_tokens(sweep->lengths[l], settings->task.train_length);
        bool wanted = !is_excluded(sweep, settings, tokens);
        assert_int_equal(grid_wants(grid, cell, tokens), wanted);
        if (!wanted)
            continue;
        trial = find_expected(model, settings, cell, false);
        add_length(trial, tokens);
    }
    ptrdiff_t index = grid_cell_trial(grid, cell);
    assert_int_equal(index < 0, trial == NULL);
    if (trial)
        assert_true(hash_equal(grid_trial(grid, (size_t)index)->identity, trial->identity));
}

static size_t walk_axes(struct model *model, const struct grid *grid, struct settings settings, size_t axis,
                        size_t cell)
{
    const struct sweep *sweep = model->sweep;
    if (axis == sweep->axes_count) {
        for (int64_t r = 0; r < sweep->replicates; r++) {
            settings.replicate = r;
            walk_cell(model, grid, &settings, cell++);
        }
        return cell;
    }
    for (size_t i = 0; i < sweep->axes[axis].count; i++) {
        setting_put(sweep->axes[axis].columns[0].setting, &settings, sweep->axes[axis].columns[0].values[i]);
        cell = walk_axes(model, grid, settings, axis + 1, cell);
    }
    return cell;
}

static void add_twins(struct model *model)
{
    size_t trials = model->count;
    for (size_t i = 0; model->sweep->twins && i < trials; i++) {
        struct settings settings = model->trial[i].settings;
        if (settings.task.noise_rate == 0)
            continue;
        settings.task.noise_rate = 0;
        struct expected *partner = find_expected(model, &settings, model->trial[i].cell, true);
        add_length(partner, settings.task.train_length);
        for (size_t l = 0; l < model->trial[i].count; l++)
            add_length(partner, model->trial[i].lengths[l]);
    }
}

static void assert_agrees(const struct model *model, const struct grid *grid)
{
    assert_int_equal(grid_trials(grid), model->count);
    for (size_t i = 0; i < model->count; i++) {
        const struct grid_trial *trial = grid_trial(grid, i);
        const struct expected *expected = &model->trial[i];
        assert_true(hash_equal(trial->identity, expected->identity));
        assert_memory_equal(&trial->settings, &expected->settings, sizeof expected->settings);
        assert_int_equal(trial->cell, expected->cell);
        assert_int_equal(trial->twin, expected->twin);
        assert_int_equal(trial->lengths_count, expected->count);
        assert_memory_equal(trial->lengths, expected->lengths, expected->count * sizeof expected->lengths[0]);
        struct settings clean = trial->settings;
        clean.task.noise_rate = 0;
        assert_int_equal(grid_twin(grid, i), grid_find(grid, settings_identity(&clean)));
    }
}

static void random_grids_are_the_brute_force_product(void **state)
{
    (void)state;
    uint32_t random = 20240229;
    size_t grids = 0, trials = 0, twins = 0, excluded = 0;
    struct model model = {.trial = malloc(MAX_TRIALS * sizeof *model.trial)};
    assert_non_null(model.trial);
    for (int i = 0; i < SWEEPS; i++) {
        struct fixture f;
        struct grid *grid = NULL;
        struct status status;
        draw_sweep(&random, &f);
        model.sweep = &f.sweep;
        model.count = 0;
        enum status_code code = grid_expand(&f.sweep, MAX_TRIALS, &grid, &status);
        if (code == STATUS_OK) {
            size_t cells = walk_axes(&model, grid, f.sweep.base, 0, 0);
            assert_int_equal(cells, grid_cell_count(grid));
            for (size_t cell = 0; cell < cells; cell++)
                excluded += grid_cell_trial(grid, cell) < 0;
            add_twins(&model);
            assert_agrees(&model, grid);
            grids++;
            trials += model.count;
            twins += model.trial[model.count - 1].twin;
            grid_destroy(grid);
        } else {
            assert_non_null(strstr(status.text, "no trial is left"));
        }
        fixture_fini(&f);
    }
    free(model.trial);
    // The draws have something of everything.
    assert_true(grids > SWEEPS / 2 && trials > 5 * SWEEPS && twins > SWEEPS / 10 && excluded > SWEEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_grids_are_the_brute_force_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
