// SPDX-License-Identifier: MIT
#include "nn_group.h"
#include <string.h>

enum { GROUP_TOKENS = 4096 };

void nn_group_layout(struct nn_group *group, struct nn_model *model, struct nn_builder *builder)
{
    group->spare = nn_take_structs(builder, (long)model->tensors, sizeof *group->spare);
    for (size_t i = 0; i < model->tensors && group->spare; i++)
        if (!model->tensor[i].frozen)
            group->spare[i] = nn_take_reals(builder, 1, model->tensor[i].storage);
}

long nn_group_samples(long length)
{
    return nn_most(1, GROUP_TOKENS / length);
}

long nn_group_take(const struct batch *batch, long first)
{
    return nn_samples_within(batch, first, GROUP_TOKENS);
}

static bool is_first(const struct nn_pass *pass, long number)
{
    return number == 0 && !pass->add;
}

static void exchange(struct nn_group *group, struct nn_model *model)
{
    for (size_t i = 0; i < model->tensors; i++)
        if (group->spare[i]) {
            real *gradient = model->tensor[i].gradient;
            model->tensor[i].gradient = group->spare[i];
            group->spare[i] = gradient;
        }
}

void nn_group_begin(struct nn_group *group, struct nn_model *model, const struct nn_pass *pass, long number)
{
    if (!is_first(pass, number))
        exchange(group, model);
    nn_clear_gradients(model);
}

void nn_group_end(struct nn_group *group, struct nn_model *model, const struct nn_pass *pass, long number)
{
    if (is_first(pass, number))
        return;
    exchange(group, model);
    for (size_t i = 0; i < model->tensors; i++)
        if (group->spare[i])
            model->kernels->add_scaled(model->tensor[i].gradient, group->spare[i], 1, model->tensor[i].storage);
}
