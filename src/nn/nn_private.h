// SPDX-License-Identifier: MIT
// What all models share: a list of tensors, a row of functions a kind, and memory that is laid out once.
#pragma once
#include "base_arena.h"
#include "nn_kernels.h"
#include <math.h>

static inline long nn_padded(long count)
{
    return (count + NN_LANES - 1) / NN_LANES * NN_LANES;
}

static inline long nn_least(long a, long b)
{
    return a < b ? a : b;
}

static inline long nn_most(long a, long b)
{
    return a > b ? a : b;
}

// Lays a model out. Numbers in bulk are only counted where there is no arena for them: their pointers are NULL then,
// and nothing may be written through them. Structs, names and tensors are always there.
struct nn_builder {
    struct arena *arena;      // of numbers, or NULL
    struct arena *structures; // the same arena, or one for the time of counting
    size_t bytes;             // of both
    bool failed;
};
void *nn_take(struct nn_builder *builder, long count, long count_each, size_t size);
static inline real *nn_take_reals(struct nn_builder *builder, long rows, long columns)
{
    return nn_take(builder, rows, columns, sizeof(real));
}
void *nn_take_structs(struct nn_builder *builder, long count, size_t size); // NULL when memory is out
// "layers.3.attention.query" from a format with at most one number (%ld).
const char *nn_name(struct nn_builder *builder, const char *format, long number);

// The first member of each kind's own struct.
struct nn_model {
    const struct nn_model_kind *kind;
    const struct nn_kernels *kernels;
    struct settings settings;
    struct batch_shape shape;
    long outputs;                        // logits of a target
    long max_length, max_trained_length; // at least train_length; train_length
    long chunk_samples;                  // 0: the kind's own choice
    size_t tensors, tensors_limit;
    struct nn_tensor *tensor; // (tensors_limit)
    float *draw;              // (draw_columns): a row of initial values
    long draw_columns;
};

// How a kind is built and run. A model is laid out without memory too, to count its bytes and operations.
struct nn_model_kind {
    const char *name; // as in spec
    size_t size;      // of its struct
    size_t (*tensors_limit)(const struct settings *settings);
    // Dimensions, tensors and workspace, from model->settings, shape and lengths. Returns early when builder->failed.
    void (*layout)(struct nn_model *model, struct nn_builder *builder);
    void (*fill)(struct nn_model *model); // tables and initial weights
    void (*gradient)(struct nn_model *model, const struct batch *batch, const struct nn_pass *pass, real *ret_logits,
                     double *ret_loss);
    void (*predict)(struct nn_model *model, const struct batch *batch, const struct nn_outputs *outputs);
    // Of a model laid out without memory.
    double (*gradient_flops)(const struct nn_model *model, long samples, long length);
    double (*predict_flops)(const struct nn_model *model, long samples, long length);
};
extern const struct nn_model_kind nn_two_layer, nn_transformer, nn_rnn, nn_lstm;

// Adds a tensor with memory for value (where it has none) and gradient; name, rows, columns, groups and flags are
// given, stride and storage settled here. The pointer holds. NULL when memory is out.
struct nn_tensor *nn_add_tensor(struct nn_model *model, struct nn_builder *builder, struct nn_tensor tensor);

// Draws a row of a tensor's initial values, keyed by its name and `draw_row`: scale * N(0, 1), or uniform in
// [-scale, scale).
void nn_draw_normal(const struct nn_model *model, struct nn_tensor *tensor, long row, uint64_t draw_row, double scale);
void nn_draw_uniform(const struct nn_model *model, struct nn_tensor *tensor, long row, uint64_t draw_row, double scale);

// Where a row of a batch is: its sequence, and which of its rows it is.
struct nn_place {
    long sample, position;
};
struct nn_place nn_place(const struct batch *batch, int64_t row);
static inline void nn_place_next(const struct batch *batch, struct nn_place *place) // of the row behind
{
    if (++place->position < batch_length(batch, place->sample))
        return;
    place->sample++;
    place->position = 0;
}
// How many samples from `first` on have at most `rows` rows together; at least 1.
long nn_samples_within(const struct batch *batch, long first, long rows);
// Whether all sequences have 1 … batch->length rows, and batch->length is at most `longest`.
bool nn_lengths_fit(const struct batch *batch, long longest);

void nn_clear_gradients(struct nn_model *model);
static inline real nn_canonical(real x) // NaN in its one form
{
    return x == x ? x : (real)NAN;
}
// The losses of nn_losses, summed in double in their order; NaN in its one form.
double nn_loss_sum(const struct batch *batch, const real *logits);
