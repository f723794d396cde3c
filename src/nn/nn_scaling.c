// SPDX-License-Identifier: MIT
#include "nn_scaling.h"
#include <math.h>

static double width_ratio(const struct settings *settings)
{
    const struct model_settings *set = &settings->model;
    return set->kind == MODEL_TRANSFORMER ? (double)set->width / (double)set->base_width : 1;
}

static bool is_adaptive(const struct settings *settings)
{
    const int optimizer = settings->train.optimizer;
    return optimizer == OPTIMIZER_ADAM || optimizer == OPTIMIZER_ADAMW;
}

static struct nn_scaling mup(const struct settings *settings, enum nn_role role)
{
    const double m = width_ratio(settings);
    const bool adaptive = is_adaptive(settings);
    switch (role) {
    case ROLE_INPUT:
        return (struct nn_scaling){1, 1, adaptive ? 1 : m};
    case ROLE_HIDDEN:
        return (struct nn_scaling){1, 1, adaptive ? 1 / m : 1};
    case ROLE_HEAD:
        return (struct nn_scaling){1, 1 / sqrt(m), 1 / m};
    case ROLE_TIED_HEAD:
        return (struct nn_scaling){1 / m, 1, adaptive ? 1 : m};
    case ROLE_CONSTANT:
        break;
    }
    return (struct nn_scaling){1, 1, 1};
}

struct nn_scaling nn_scaling(const struct settings *settings, enum nn_role role)
{
    const double root = sqrt(width_ratio(settings));
    if (settings->model.kind == MODEL_TRANSFORMER && settings->model.parametrization == PARAMETRIZATION_MUP)
        return mup(settings, role);
    if (settings->model.parametrization == PARAMETRIZATION_NTK && role != ROLE_INPUT && role != ROLE_CONSTANT)
        return (struct nn_scaling){1 / root, root, 1};
    return (struct nn_scaling){1, 1, 1};
}

double nn_score_scale(const struct settings *settings)
{
    const double head_dim = (double)settings->model.width / (double)settings->model.heads;
    if (settings->model.parametrization == PARAMETRIZATION_MUP)
        return sqrt((double)settings->model.base_width / (double)settings->model.heads) / head_dim;
    return 1 / sqrt(head_dim);
}
