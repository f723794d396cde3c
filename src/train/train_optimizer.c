// SPDX-License-Identifier: MIT
#include "train_optimizer.h"
#include "base_math.h"
#include <math.h>

enum { BUFFERS = 2, ALIGNMENT = 64 };
#define CLIP_EPSILON 1e-6

static void step_gd(struct nn_tensor *tensor, real *const buffer[BUFFERS], const struct nn_step *step)
{
    (void)buffer;
    nn_step_gd(tensor, step);
}

static void step_momentum(struct nn_tensor *tensor, real *const buffer[BUFFERS], const struct nn_step *step)
{
    nn_step_momentum(tensor, buffer[0], step);
}

static void step_adam(struct nn_tensor *tensor, real *const buffer[BUFFERS], const struct nn_step *step)
{
    nn_step_adam(tensor, buffer[0], buffer[1], step);
}

static const struct train_optimizer_kind {
    void (*step)(struct nn_tensor *tensor, real *const buffer[BUFFERS], const struct nn_step *step);
    const char *buffer[BUFFERS + 1]; // their names in the state, ended by NULL
    bool decoupled;
} kinds[] = {
    [OPTIMIZER_GD] = {step_gd, {NULL}, false},
    [OPTIMIZER_MOMENTUM] = {step_momentum, {"velocity"}, false},
    [OPTIMIZER_ADAM] = {step_adam, {"mean", "square"}, false},
    [OPTIMIZER_ADAMW] = {step_adam, {"mean", "square"}, true},
};
_Static_assert(sizeof kinds / sizeof kinds[0] == OPTIMIZER_KINDS, "every optimiser of spec needs a row here");

struct train_optimizer {
    struct nn_model *model;
    const struct train_settings *settings;
    const struct train_optimizer_kind *kind;
    real *(*buffer)[BUFFERS]; // (tensors): NULL where the kind or the tensor has none
    int64_t steps;            // made so far
};

static size_t buffers_of(const struct train_optimizer_kind *kind)
{
    size_t count = 0;
    while (kind->buffer[count])
        count++;
    return count;
}

static enum status_code create_buffers(struct train_optimizer *optimizer, size_t index, struct arena *arena,
                                       struct train_state *state, struct status *status)
{
    const struct nn_tensor *tensor = nn_tensor(optimizer->model, index);
    const size_t size = (size_t)tensor->storage;
    for (size_t b = 0; optimizer->kind->buffer[b] && !tensor->frozen; b++) {
        real *buffer = arena_get(arena, size, sizeof *buffer);
        if (!buffer)
            return status_set(status, STATUS_MEMORY, "out of memory for the optimizer's %zu numbers for %s", size,
                              tensor->name);
        optimizer->buffer[index][b] = buffer;
        train_state_add(state, buffer, size, sizeof *buffer, "%s/%s", optimizer->kind->buffer[b], tensor->name);
    }
    return STATUS_OK;
}

enum status_code train_optimizer_create(const struct settings *settings, struct nn_model *model, struct arena *arena,
                                        struct train_state *state, struct train_optimizer **ret_optimizer,
                                        struct status *status)
{
    const size_t tensors = nn_tensor_count(model);
    struct train_optimizer *optimizer = arena_get(arena, 1, sizeof *optimizer);
    real *(*buffer)[BUFFERS] = arena_get(arena, tensors, sizeof *buffer);
    if (!optimizer || !buffer)
        return status_set(status, STATUS_MEMORY, "out of memory for the optimizer");
    *optimizer = (struct train_optimizer){
        .model = model, .settings = &settings->train, .kind = &kinds[settings->train.optimizer], .buffer = buffer};
    train_state_add(state, &optimizer->steps, 1, sizeof optimizer->steps, "optimizer/steps");
    for (size_t i = 0; i < tensors; i++) {
        enum status_code code = create_buffers(optimizer, i, arena, state, status);
        if (code != STATUS_OK)
            return code;
    }
    *ret_optimizer = optimizer;
    return STATUS_OK;
}

double train_norm(struct nn_model *model, bool gradient)
{
    double sum = 0;
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        const struct nn_tensor *tensor = nn_tensor(model, i);
        if (!tensor->frozen)
            sum += nn_square_norm(tensor, gradient);
    }
    return sqrt(sum);
}

static double clipped(const struct train_optimizer *optimizer, double scale)
{
    if (isinf(optimizer->settings->clip))
        return scale;
    const double factor = optimizer->settings->clip / (scale * train_norm(optimizer->model, true) + CLIP_EPSILON);
    return factor >= 1 ? scale : scale * factor;
}

void train_optimizer_step(struct train_optimizer *optimizer, double learning_rate, double scale)
{
    const struct train_settings *settings = optimizer->settings;
    const double made = (double)++optimizer->steps;
    const struct nn_step step = {.learning_rate = learning_rate,
                                 .scale = clipped(optimizer, scale),
                                 .decay = settings->weight_decay,
                                 .momentum = settings->momentum,
                                 .beta1 = settings->beta1,
                                 .beta2 = settings->beta2,
                                 .epsilon = settings->epsilon,
                                 .correction1 = 1 - math_pow(settings->beta1, made),
                                 .correction2 = 1 - math_pow(settings->beta2, made),
                                 .decoupled = optimizer->kind->decoupled};
    for (size_t i = 0; i < nn_tensor_count(optimizer->model); i++) {
        struct nn_tensor *tensor = nn_tensor(optimizer->model, i);
        if (!tensor->frozen)
            optimizer->kind->step(tensor, optimizer->buffer[i], &step);
    }
}

size_t train_optimizer_bytes(const struct settings *settings, size_t bytes, size_t tensors)
{
    const size_t buffers = buffers_of(&kinds[settings->train.optimizer]);
    return buffers * (bytes + tensors * ALIGNMENT) + tensors * BUFFERS * sizeof(real *) +
           sizeof(struct train_optimizer) + 2 * ALIGNMENT;
}

size_t train_optimizer_items(const struct settings *settings, size_t tensors)
{
    return 1 + tensors * buffers_of(&kinds[settings->train.optimizer]);
}
