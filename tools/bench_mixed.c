// SPDX-License-Identifier: MIT
// bench_mixed [MODEL]: what a token of a batch of sequences of mixed lengths, uniform in 1 … 2 L, costs beside one of a
// batch of as many sequences of length L: medians over rounds that take the two in turn. The last line is the largest
// ratio.
#include "base_isa.h"
#include "base_random.h"
#include "nn_model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VOCABULARY = 32, TOKENS = 2048, ROUNDS = 21, LAYERS = 2 };
static const double SECONDS = 0.02; // of each half of a round

static const struct kind {
    const char *name;
    int model;
} kinds[] = {{"transformer", MODEL_TRANSFORMER}, {"rnn", MODEL_RNN}, {"lstm", MODEL_LSTM}};

struct race {
    struct arena *arena;
    struct nn_model *model;
    struct batch even, mixed;
    int32_t *tokens;
    real *logits;
};

static int32_t below(const char *stream, long i, uint32_t end)
{
    return (int32_t)random_below(random_key(1, 0, stream), (uint64_t)i, 0, 0, end);
}

// Lengths as evenly spread as can be, in random order.
static void draw_offsets(long samples, long longest, int64_t *ret_offsets)
{
    ret_offsets[0] = 0;
    for (long s = 0; s < samples; s++)
        ret_offsets[s + 1] = 1 + s * longest / samples;
    for (long s = samples; s > 1; s--) {
        const long other = 1 + below("lengths", s, (uint32_t)s);
        const int64_t length = ret_offsets[s];
        ret_offsets[s] = ret_offsets[other];
        ret_offsets[other] = length;
    }
    for (long s = 0; s < samples; s++)
        ret_offsets[s + 1] += ret_offsets[s];
}

static enum status_code race_create(int model, long width, long length, struct race *ret_race, struct status *status)
{
    const long samples = TOKENS / length, rows = samples * (2 * length);
    const struct batch_shape shape = {.vocabulary = VOCABULARY, .classes = VOCABULARY};
    struct race race = {.arena = arena_create(1 << 20, 0)};
    struct settings settings;
    *ret_race = race;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.train_length = 2 * length;
    settings.model.kind = model;
    settings.model.layers = LAYERS;
    settings.model.width = width;
    settings.model.encoding = ENCODING_ABSOLUTE;
    int64_t *offsets = race.arena ? arena_get(race.arena, (size_t)samples + 1, sizeof *offsets) : NULL;
    race.tokens = offsets ? arena_get(race.arena, (size_t)rows, sizeof *race.tokens) : NULL;
    race.logits = race.tokens ? arena_get(race.arena, (size_t)(rows * VOCABULARY), sizeof *race.logits) : NULL;
    if (!race.logits)
        return status_set(status, STATUS_MEMORY, "out of memory");
    for (long r = 0; r < rows; r++)
        race.tokens[r] = below("tokens", r, VOCABULARY);
    draw_offsets(samples, 2 * length, offsets);
    race.even = (struct batch){.samples = samples,
                               .length = length,
                               .tokens = race.tokens,
                               .positions = length,
                               .targets = race.tokens,
                               .classes = VOCABULARY,
                               .set = "train"};
    race.mixed = race.even;
    race.mixed.length = race.mixed.positions = 2 * length;
    race.mixed.offsets = offsets;
    const enum status_code code = nn_model_create(&settings, &shape, 2 * length, race.arena, &race.model, status);
    *ret_race = race;
    return code;
}

static void pass(struct race *race, const struct batch *batch, bool gradient)
{
    double loss;
    if (gradient)
        nn_gradient(race->model, batch, &(struct nn_pass){.step = 0}, race->logits, &loss);
    else
        nn_predict(race->model, batch, &(struct nn_outputs){.logits = race->logits});
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Nanoseconds a token, of the processor's time.
static double cost(struct race *race, const struct batch *batch, bool gradient)
{
    const double start = seconds();
    double passes = 0;
    do {
        pass(race, batch, gradient);
        passes++;
    } while (seconds() - start < SECONDS);
    return 1e9 * (seconds() - start) / passes / (double)batch_row(batch, batch->samples);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers)
{
    qsort(numbers, ROUNDS, sizeof *numbers, ascending);
    return numbers[ROUNDS / 2];
}

static double compare(struct race *race, bool gradient, double *ret_even, double *ret_mixed)
{
    double even[ROUNDS], mixed[ROUNDS], ratio[ROUNDS];
    for (int warm = 0; warm < 2; warm++)
        pass(race, warm ? &race->mixed : &race->even, gradient);
    for (int round = 0; round < ROUNDS; round++) {
        even[round] = cost(race, &race->even, gradient);
        mixed[round] = cost(race, &race->mixed, gradient);
        ratio[round] = mixed[round] / even[round];
    }
    *ret_even = median(even);
    *ret_mixed = median(mixed);
    return median(ratio);
}

static enum status_code run(const struct kind *kind, double *worst, struct status *status)
{
    static const long widths[] = {64, 128}, lengths[] = {20, 64};
    enum status_code code = STATUS_OK;
    for (int i = 0; i < 8 && code == STATUS_OK; i++) {
        const long width = widths[i / 4], length = lengths[i / 2 % 2];
        const bool gradient = i % 2 == 0;
        struct race race;
        double even, mixed;
        code = race_create(kind->model, width, length, &race, status);
        if (code == STATUS_OK) {
            const double ratio = compare(&race, gradient, &even, &mixed);
            printf("%-11s width %3ld  L %2ld  %-8s  %7.1f ns a token, mixed %7.1f ns: %.3f\n", kind->name, width,
                   length, gradient ? "gradient" : "predict", even, mixed, ratio);
            *worst = ratio > *worst ? ratio : *worst;
        }
        arena_destroy(race.arena);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct status status = {0};
    double worst = 0;
    enum status_code code = isa_check(&status);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && code == STATUS_OK; k++)
        if (argc < 2 || strcmp(argv[1], kinds[k].name) == 0)
            code = run(&kinds[k], &worst, &status);
    if (code == STATUS_OK && worst == 0)
        code = status_set(&status, STATUS_INVALID, "no model %s; there are transformer, rnn and lstm", argv[1]);
    if (code == STATUS_OK)
        printf("ratio %.3f\n", worst);
    else
        fprintf(stderr, "bench_mixed: %s\n", status.text);
    return code == STATUS_OK ? 0 : 1;
}
