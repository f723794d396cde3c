// SPDX-License-Identifier: MIT
#include "nn_encoding.h"
#include <assert.h>
#include <stdio.h>

#define ROW(kind, name) [ENCODING_##kind] = &nn_encoding_##name,

const struct nn_encoding *nn_encoding(int kind)
{
    static const struct nn_encoding *const table[] = {NN_ENCODINGS(ROW)};
    _Static_assert(sizeof table / sizeof table[0] == ENCODING_KINDS, "a row for each encoding of spec");
    assert(kind >= 0 && kind < ENCODING_KINDS && table[kind]);
    return table[kind];
}

const char *nn_encoding_name(int encoding)
{
    return nn_encoding(encoding)->name;
}

void nn_site_layout(struct nn_site *site, struct nn_builder *builder)
{
    const struct nn_encoding *encoding = nn_encoding(site->model->settings.model.encoding);
    site->encoding = encoding->input == site->input ? encoding : &nn_encoding_none;
    if (site->width == 0)
        site->width = site->heads * site->head_dim;
    if (site->encoding->layout)
        site->encoding->layout(site, builder);
}

void nn_site_fill(struct nn_site *site)
{
    if (site->encoding->fill)
        site->encoding->fill(site);
}

void nn_site_begin(struct nn_site *site, long length, bool gradient)
{
    site->gradient = gradient && !site->frozen;
    if (site->encoding->begin)
        site->encoding->begin(site, length, gradient);
}

void nn_site_add(const struct nn_site *site, real *x, long stride, long count, const int32_t *positions)
{
    if (site->encoding->add)
        site->encoding->add(site, x, stride, count, positions);
}

bool nn_site_learns_input(const struct nn_site *site)
{
    return site->encoding->add_gradient && !site->frozen;
}

void nn_site_add_gradient(const struct nn_site *site, const real *x_gradient, long stride, long count,
                          const int32_t *positions)
{
    if (nn_site_learns_input(site))
        site->encoding->add_gradient(site, x_gradient, stride, count, positions);
}

void nn_site_rotate(const struct nn_site *site, real *rows, long stride, long count, const int32_t *positions,
                    bool back)
{
    if (site->encoding->rotate)
        site->encoding->rotate(site, rows, stride, count, positions, back);
}

bool nn_site_biases(const struct nn_site *site)
{
    return site->encoding->bias != NULL;
}

void nn_site_bias(struct nn_site *site, struct nn_attention *block)
{
    if (site->encoding->bias)
        site->encoding->bias(site, block);
}

void nn_site_bias_gradient(struct nn_site *site, struct nn_attention *block)
{
    if (site->encoding->bias_gradient)
        site->encoding->bias_gradient(site, block);
}

void nn_site_bias_next(struct nn_site *site, struct nn_next *next)
{
    if (site->encoding->bias_next)
        site->encoding->bias_next(site, next);
}

void nn_site_end(struct nn_site *site, long length)
{
    if (site->encoding->end && site->gradient)
        site->encoding->end(site, length);
}

double nn_site_bias_flops(const struct nn_site *site, long length)
{
    return site->encoding->bias_flops ? site->encoding->bias_flops(site, length) : 0;
}

void nn_site_tensor(struct nn_site *site, struct nn_builder *builder, int which, enum nn_role role,
                    struct nn_tensor tensor)
{
    enum { NAME_SIZE = 64 };
    char *name = nn_take_structs(builder, NAME_SIZE, 1);
    if (!name)
        return;
    snprintf(name, NAME_SIZE, "%s%s", site->prefix, tensor.name);
    tensor.name = name;
    tensor.frozen = site->frozen;
    tensor.rate = nn_scaling(&site->model->settings, role).rate;
    site->tensor[which] = nn_add_tensor(site->model, builder, tensor);
}
