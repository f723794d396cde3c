// SPDX-License-Identifier: MIT
// bench_step SIZE [START]: training steps a second, as a contender of tools/peers/race.py; its figure is the loss after
// LOSS_STEPS steps. Batch and initial weights are written to START first. LGSWEEP_ISA picks the instruction set.
// By hand: echo 5 | build/tools/bench_step small
#include "base_isa.h"
#include "bench_size.h"
#include <math.h>
#include <stdio.h>

enum { LOSS_STEPS = 10, TENSORS_LIMIT = 1024 };

struct contender {
    struct bench bench; // first, so that a turn finds the whole
    double loss;
    long steps;
    double power1, power2; // beta^steps
    real *mean[TENSORS_LIMIT], *square[TENSORS_LIMIT];
};

static double clip(struct nn_model *model, double largest)
{
    double square = 0;
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        square += nn_square_norm(nn_tensor(model, i), true);
    return sqrt(square) > largest ? largest / sqrt(square) : 1;
}

static void update(struct contender *self)
{
    struct nn_model *model = self->bench.model;
    const struct train_settings *train = &self->bench.settings.train;
    const bool adam = train->optimizer == OPTIMIZER_ADAMW;
    self->power1 *= train->beta1;
    self->power2 *= train->beta2;
    const struct nn_step step = {.learning_rate = train->learning_rate,
                                 .scale = isfinite(train->clip) ? clip(model, train->clip) : 1,
                                 .decay = train->weight_decay,
                                 .beta1 = train->beta1,
                                 .beta2 = train->beta2,
                                 .epsilon = train->epsilon,
                                 .correction1 = 1 - self->power1,
                                 .correction2 = 1 - self->power2,
                                 .decoupled = true};
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        if (adam)
            nn_step_adam(nn_tensor(model, i), self->mean[i], self->square[i], &step);
        else
            nn_step_gd(nn_tensor(model, i), &step);
}

static void turn(struct bench *bench)
{
    struct contender *self = (struct contender *)bench;
    nn_gradient(bench->model, &bench->batch, &(struct nn_pass){.step = self->steps++}, bench->logits, &self->loss);
    update(self);
}

static enum status_code create(struct contender *self, const char *size, struct status *status)
{
    enum status_code code = isa_check(status);
    if (code == STATUS_OK)
        code = bench_create(size, 0, 0, &self->bench, status);
    if (code != STATUS_OK)
        return code;
    self->power1 = self->power2 = 1;
    for (size_t i = 0; i < nn_tensor_count(self->bench.model) && i < TENSORS_LIMIT; i++) {
        const size_t count = (size_t)nn_tensor(self->bench.model, i)->storage;
        self->mean[i] = arena_get(self->bench.arena, count, sizeof(real));
        self->square[i] = arena_get(self->bench.arena, count, sizeof(real));
        if (!self->mean[i] || !self->square[i])
            code = status_set(status, STATUS_MEMORY, "out of memory for the optimiser");
    }
    return code;
}

int main(int argc, char **argv)
{
    static struct contender self;
    struct status status = {0};
    enum status_code code = create(&self, argc > 1 ? argv[1] : "", &status);
    if (code == STATUS_OK && argc > 2)
        code = bench_write(&self.bench, argv[2], &status);
    for (int i = 0; code == STATUS_OK && i <= LOSS_STEPS; i++)
        turn(&self.bench);
    if (code == STATUS_OK)
        bench_answer(turn, &self.bench, self.loss);
    else
        fprintf(stderr, "bench_step: %s\n", status.text);
    bench_destroy(&self.bench);
    return code == STATUS_OK ? 0 : 1;
}
