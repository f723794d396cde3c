// SPDX-License-Identifier: MIT
// Trials that need more memory than there is: refused before anything trains, with the settings that make them large.
#include "capacity.h"
#include "base_text.h"
#include "trial.h"
#include <stdio.h>
#include <string.h>

enum { CULPRITS = 3, LEAST_SHARE = 25 }; // names told; percent of the memory that halving one has to save

struct culprit {
    const char *name;
    int64_t value;
    struct source_place place;
    double rest; // what the trial would need with half of it
};

struct culprits {
    size_t count;
    struct culprit list[CULPRITS]; // by rising rest
};

static void keep(struct culprits *culprits, struct culprit culprit)
{
    size_t at = culprits->count < CULPRITS ? culprits->count++ : CULPRITS;
    for (; at && culprit.rest < culprits->list[at - 1].rest; at--)
        if (at < CULPRITS)
            culprits->list[at] = culprits->list[at - 1];
    if (at < CULPRITS)
        culprits->list[at] = culprit;
}

static void try_setting(const struct sweep *sweep, const struct setting *setting, const struct capacity_trial *trial,
                        struct culprits *culprits)
{
    struct settings settings = *trial->settings;
    struct settings_fault fault;
    size_t at = 0;
    const int64_t value = setting_get(setting, &settings).i, half = value - value / 2;
    if (setting->type != SETTING_INT || setting->assigned || (double)half < setting->low ||
        !setting_applies(setting, &settings))
        return;
    setting_put(setting, &settings, (union setting_value){.i = half});
    if (settings_next_fault(&settings, &at, &fault))
        return;
    keep(culprits, (struct culprit){.name = setting->name,
                                    .value = value,
                                    .place = sweep->places[setting_index(setting)],
                                    .rest = trial_memory(&settings, trial->lengths, trial->lengths_count)});
}

static void try_test_length(const struct sweep *sweep, const struct capacity_trial *trial, struct culprits *culprits)
{
    const int64_t longest = trial->lengths[trial->lengths_count - 1], half = longest / 2;
    struct culprit culprit = {.name = "test_length", .value = longest};
    if (longest <= trial->settings->task.train_length)
        return;
    for (size_t l = 0; l < sweep->lengths_count; l++)
        if (test_length_tokens(sweep->lengths[l], trial->settings->task.train_length) == longest)
            culprit.place = sweep->lengths[l].place;
    culprit.rest = trial_memory(trial->settings, &half, 1);
    keep(culprits, culprit);
}

// The names with their values, and the place of the first that the file has.
static struct source_place name_culprits(const struct culprits *culprits, double need, char *ret_text, size_t size)
{
    struct source_place place = {0};
    size_t used = (size_t)snprintf(ret_text, size, "shorten or shrink it");
    for (size_t i = 0; i < culprits->count && used < size; i++) {
        const struct culprit *culprit = &culprits->list[i];
        if (need - culprit->rest < need * LEAST_SHARE / 100)
            break;
        if (i == 0)
            used = 0;
        used += (size_t)snprintf(ret_text + used, size - used, "%s%s (%lld)", i == 0 ? "lower " : " or ", culprit->name,
                                 (long long)culprit->value);
        place = place.line ? place : culprit->place;
    }
    return place;
}

enum status_code capacity_check(const struct sweep *sweep, const struct capacity_trial *trial, double machine,
                                struct status *status)
{
    const double need = trial_memory(trial->settings, trial->lengths, trial->lengths_count);
    struct culprits culprits = {0};
    struct bytes text = {0}, name = {0};
    char message[1024], what[256], size[TEXT_NUMBER_SIZE], all[TEXT_NUMBER_SIZE];
    if (need <= machine)
        return STATUS_OK;
    for (size_t i = 0; i < settings_count; i++)
        try_setting(sweep, &settings_table[i], trial, &culprits);
    try_test_length(sweep, trial, &culprits);
    const struct source_place place = name_culprits(&culprits, need, what, sizeof what);
    cli_trial_text(sweep, trial->settings, &name);
    snprintf(message, sizeof message, "a trial needs %s of memory, but this machine has %s; %s (at %.*s)",
             text_size(need, size), text_size(machine, all), what, (int)name.size,
             name.data ? (const char *)name.data : "");
    sweep_describe(sweep, place, message, &text);
    status_set(status, STATUS_INVALID, "%.*s", (int)text.size, text.data ? (const char *)text.data : message);
    bytes_fini(&text);
    bytes_fini(&name);
    return STATUS_INVALID;
}

enum status_code capacity_check_rest(const struct cli_sweep *sweep, const struct standing *standing, const double *need,
                                     double machine, struct status *status)
{
    size_t largest = SIZE_MAX;
    for (size_t i = 0; i < standing->planned; i++)
        if (standing->state[i] == RECORD_PENDING && (largest == SIZE_MAX || need[i] > need[largest]))
            largest = i;
    if (largest == SIZE_MAX)
        return STATUS_OK;
    const struct grid_trial *trial = grid_trial(sweep->grid, largest);
    const struct capacity_trial what = {&trial->settings, trial->lengths, trial->lengths_count};
    return capacity_check(&sweep->sweep, &what, machine, status);
}
