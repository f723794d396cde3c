// SPDX-License-Identifier: MIT
// Steps a second of the two_layer benchmark: width 64, 16 tokens, d_h = d_v = 64, 128 samples, ReLU, trained read-out;
// a step is a full-batch gradient with its loss and a gradient descent update. LGSWEEP_ISA picks the instruction set,
// SECS the seconds to measure. Prints one line.
#include "base_clock.h"
#include "base_isa.h"
#include "base_random.h"
#include "nn_model.h"
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 64, LENGTH = 16, SAMPLES = 128, CHUNKS = 9, WARM_STEPS = 3 };

static const struct settings *bench_settings(struct settings *settings)
{
    settings_defaults(settings);
    settings->task.dim = DIM;
    settings->task.train_length = LENGTH;
    settings->task.samples = SAMPLES;
    settings->model.head_dim = settings->model.value_dim = DIM;
    settings->model.readout = READOUT_TRAINED;
    settings->model.activation = ACTIVATION_RELU;
    settings->model.init_scale = 0.125;
    return settings;
}

struct bench {
    struct nn_model *model;
    struct batch batch;
    float vectors[SAMPLES * LENGTH * DIM], logits[SAMPLES];
    int32_t targets[SAMPLES];
};

static void draw_batch(struct bench *bench)
{
    struct random_key key = random_key(1, 0, "bench");
    for (int s = 0; s < SAMPLES; s++) {
        bench->targets[s] = (int32_t)random_below(key, (uint64_t)s, LENGTH, 0, 2);
        for (int l = 0; l < LENGTH; l++)
            random_normals(key, (uint64_t)s, (uint32_t)l, DIM, bench->vectors + (s * LENGTH + l) * DIM);
    }
    bench->batch = (struct batch){.samples = SAMPLES,
                                  .length = LENGTH,
                                  .dim = DIM,
                                  .vectors = bench->vectors,
                                  .positions = 1,
                                  .targets = bench->targets,
                                  .clean = bench->targets,
                                  .classes = 2,
                                  .binary = true};
}

static void step(struct bench *bench)
{
    double loss;
    nn_gradient(bench->model, &bench->batch, &(struct nn_pass){0}, bench->logits, &loss);
    for (size_t i = 0; i < nn_tensor_count(bench->model); i++)
        nn_step_gd(nn_tensor(bench->model, i), &(struct nn_step){.learning_rate = 1e-2, .scale = 1});
}

static double seconds_of(struct bench *bench, int steps)
{
    double start = clock_now();
    for (int i = 0; i < steps; i++)
        step(bench);
    return (clock_now() - start) / steps;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct bench *bench, double flops)
{
    const char *wish = getenv("SECS");
    const double budget = wish && atof(wish) > 0 ? atof(wish) : 6;
    double second[CHUNKS];
    seconds_of(bench, WARM_STEPS);
    const int steps = 1 + (int)(budget / CHUNKS / seconds_of(bench, WARM_STEPS));
    for (int i = 0; i < CHUNKS; i++)
        second[i] = seconds_of(bench, steps);
    qsort(second, CHUNKS, sizeof *second, ascending);
    const double median = second[CHUNKS / 2];
    printf("lgsweep two_layer steps/s %.2f (best %.2f) GFLOP/s %.2f MFLOP/step %.1f isa %s\n", 1 / median,
           1 / second[0], flops / median / 1e9, flops / 1e6, isa_name(isa_current()));
}

int main(void)
{
    static struct bench bench;
    const struct batch_shape shape = {.dim = DIM, .classes = 2, .binary = true};
    struct settings settings;
    struct status status = {0};
    int code = 1;
    struct arena *arena = arena_create(nn_model_bytes(bench_settings(&settings), &shape, LENGTH), 0);
    if (isa_check(&status) == STATUS_OK && arena &&
        nn_model_create(&settings, &shape, LENGTH, arena, &bench.model, &status) == STATUS_OK) {
        draw_batch(&bench);
        measure(&bench, nn_gradient_flops(&settings, &shape, SAMPLES, LENGTH));
        code = 0;
    } else
        fprintf(stderr, "bench_two_layer: %s\n", arena ? status.text : "out of memory");
    arena_destroy(arena);
    return code;
}
