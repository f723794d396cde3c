// SPDX-License-Identifier: MIT
#include "train_optimizer.h"

struct train_optimizer {
    struct nn_model *model;
    const struct train_settings *settings;
    void (*step)(struct train_optimizer *optimizer, struct nn_tensor *tensor, size_t index);
    size_t buffers; // for each tensor
    real **buffer;  // (tensors): velocity, or NULL
};

static void step_gd(struct train_optimizer *optimizer, struct nn_tensor *tensor, size_t index)
{
    (void)index;
    nn_step_gd(tensor, &(struct nn_step){.learning_rate = optimizer->settings->learning_rate, .scale = 1});
}

static void step_momentum(struct train_optimizer *optimizer, struct nn_tensor *tensor, size_t index)
{
    nn_step_momentum(tensor, optimizer->buffer[index],
                     &(struct nn_step){.learning_rate = optimizer->settings->learning_rate,
                                       .scale = 1,
                                       .momentum = optimizer->settings->momentum});
}

static const struct {
    void (*step)(struct train_optimizer *optimizer, struct nn_tensor *tensor, size_t index);
    size_t buffers;
} kinds[] = {
    [OPTIMIZER_GD] = {step_gd, 0},
    [OPTIMIZER_MOMENTUM] = {step_momentum, 1},
    [OPTIMIZER_ADAMW] = {step_momentum, 1},
};
_Static_assert(sizeof kinds / sizeof kinds[0] == OPTIMIZER_KINDS, "every optimiser of spec needs a row here");

enum status_code train_optimizer_create(const struct settings *settings, struct nn_model *model, struct arena *arena,
                                        struct train_state *state, struct train_optimizer **ret_optimizer,
                                        struct status *status)
{
    size_t tensors = nn_tensor_count(model);
    struct train_optimizer *optimizer = arena_get(arena, 1, sizeof *optimizer);
    real **buffer = arena_get(arena, tensors, sizeof *buffer);
    if (!optimizer || !buffer)
        return status_set(status, STATUS_MEMORY, "out of memory for the optimizer");
    *optimizer = (struct train_optimizer){.model = model,
                                          .settings = &settings->train,
                                          .step = kinds[settings->train.optimizer].step,
                                          .buffers = kinds[settings->train.optimizer].buffers,
                                          .buffer = buffer};
    for (size_t i = 0; i < tensors && optimizer->buffers > 0; i++) {
        const struct nn_tensor *tensor = nn_tensor(model, i);
        size_t size = (size_t)tensor->rows * (size_t)tensor->stride;
        if (tensor->frozen)
            continue;
        buffer[i] = arena_get(arena, size, sizeof *buffer[i]);
        if (!buffer[i])
            return status_set(status, STATUS_MEMORY, "out of memory for the optimizer's %zu numbers for %s", size,
                              tensor->name);
        train_state_add(state, buffer[i], size, sizeof(real), "velocity/%s", tensor->name);
    }
    *ret_optimizer = optimizer;
    return STATUS_OK;
}

void train_optimizer_step(struct train_optimizer *optimizer)
{
    for (size_t i = 0; i < nn_tensor_count(optimizer->model); i++) {
        struct nn_tensor *tensor = nn_tensor(optimizer->model, i);
        if (!tensor->frozen)
            optimizer->step(optimizer, tensor, i);
    }
}

size_t train_optimizer_bytes(const struct settings *settings, size_t model_bytes)
{
    return kinds[settings->train.optimizer].buffers * model_bytes;
}
