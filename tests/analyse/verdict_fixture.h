// SPDX-License-Identifier: MIT
// Trials by hand, and what analyse derives from them.
#pragma once
#include "support.h"

#include "analyse.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPLICATES = 5, MOST_TRIALS = 2 * MOST_REPLICATES, LENGTHS = 2 };

// A setting at η = 0.2 in trials 0, 2, 4, … and its twins in 1, 3, 5, …; test lengths 8 = n and 32.
struct fixture {
    struct record_table table;
    size_t group[MOST_TRIALS];
    ptrdiff_t twin[MOST_TRIALS];
    uint8_t status[MOST_TRIALS];
    int64_t train_length[MOST_TRIALS];
    double noise_rate[MOST_TRIALS], interpolated[MOST_TRIALS], flips[MOST_TRIALS];
    double error[MOST_TRIALS * LENGTHS], count[MOST_TRIALS * LENGTHS], chance[MOST_TRIALS * LENGTHS],
        bayes[MOST_TRIALS * LENGTHS];
    const struct record_derived *derived;
    size_t derived_count;
    struct arena *arena;
};

static inline const double *training_column(void *self, enum record_field_id id)
{
    struct fixture *fixture = self;
    return id == FIELD_INTERPOLATED ? fixture->interpolated : id == FIELD_FLIP_COUNT ? fixture->flips : NULL;
}

static inline const double *test_column(void *self, enum record_field_id id)
{
    struct fixture *fixture = self;
    switch (id) {
    case FIELD_FINAL_TEST_ERROR:
        return fixture->error;
    case FIELD_FINAL_TEST_COUNT:
        return fixture->count;
    case FIELD_CHANCE_ERROR:
        return fixture->chance;
    case FIELD_BAYES_ERROR:
        return fixture->bayes;
    default:
        return NULL;
    }
}

// Mean errors {noisy at n, noisy at 32, twin at n, twin at 32}; replicates stand `spread` apart around each, twins half
// as far and the other way.
static inline void fixture_fill(struct fixture *fixture, size_t replicates, const double means[4], double spread)
{
    static const int64_t lengths[LENGTHS] = {8, 32};
    *fixture = (struct fixture){.arena = arena_create(1 << 14, 0)};
    fixture->table = (struct record_table){.trials = 2 * replicates,
                                           .lengths_count = LENGTHS,
                                           .lengths = lengths,
                                           .status = fixture->status,
                                           .group = fixture->group,
                                           .twin = fixture->twin,
                                           .noise_rate = fixture->noise_rate,
                                           .train_length = fixture->train_length,
                                           .self = fixture,
                                           .training = training_column,
                                           .test = test_column};
    for (size_t i = 0; i < 2 * replicates; i++) {
        bool twin = i % 2;
        double offset = spread * ((double)(i / 2) - 0.5 * (double)(replicates - 1)) * (twin ? -0.5 : 1);
        fixture->group[i] = twin ? 3 : 10;
        fixture->twin[i] = (ptrdiff_t)(i | 1);
        fixture->status[i] = RECORD_DONE;
        fixture->train_length[i] = 8;
        fixture->noise_rate[i] = twin ? 0 : 0.2;
        fixture->flips[i] = twin ? 0 : 9;
        fixture->interpolated[i] = !twin;
        for (size_t j = 0; j < LENGTHS; j++) {
            fixture->error[i * LENGTHS + j] = means[2 * twin + j] + offset;
            fixture->count[i * LENGTHS + j] = 1000;
            fixture->chance[i * LENGTHS + j] = 0.5;
            fixture->bayes[i * LENGTHS + j] = 0;
        }
    }
}

static inline void derive(struct fixture *fixture)
{
    struct status status;
    assert_int_equal(
        analyse_verdicts(&fixture->table, fixture->arena, &fixture->derived, &fixture->derived_count, &status),
        STATUS_OK);
}

static inline const struct record_derived *find(const struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->derived_count; i++)
        if (strcmp(fixture->derived[i].name, name) == 0)
            return &fixture->derived[i];
    fail_msg("%s is not derived", name);
    return NULL;
}

static inline double value(const struct fixture *fixture, const char *name, size_t trial, size_t length)
{
    return find(fixture, name)->data[trial * LENGTHS + length];
}

static inline const char *flag(const struct fixture *fixture, const char *name, size_t trial, size_t length)
{
    double index = value(fixture, name, trial, length);
    return isnan(index) ? "absent" : find(fixture, name)->flags[(int)index];
}
