// SPDX-License-Identifier: MIT
// 50 AdamW steps of each model with each encoding and option.
#include "base_hash.h"
#include "base_random.h"
#include "golden.h"
#include "nn_model.h"
#include "written.h"
#include <math.h>
#include <string.h>

// Settings of each case, "name=value …". Those on signal read vectors and have one logit; the others read tokens.
// Behind RAGGED sequences have lengths of their own.
#define RAGGED "ragged "
#define ENCODINGS(others)                                                                                              \
    others " encoding=none", others " encoding=sinusoidal", others " encoding=absolute",                               \
        others " encoding=relative relative_clip=3", others " encoding=transformer_xl",                                \
        others " encoding=t5 t5_buckets=8 t5_distance=16", others " encoding=alibi", others " encoding=rope",          \
        others " encoding=kerple", others " encoding=fire fire_width=5 fire_threshold=9"
static const char *const cases[] = {
    ENCODINGS("model=transformer task=accumulator"),
    ENCODINGS("model=transformer task=signal"),
    ENCODINGS("model=transformer task=accumulator random_positions=40"),
    "model=transformer task=accumulator norm=rms ffn_activation=relu",
    "model=transformer task=accumulator ffn_activation=gelu_tanh attention_mask=bidirectional",
    "model=transformer task=accumulator supervision=final pooling=last",
    "model=transformer task=accumulator supervision=final pooling=mean heads=3",
    "model=transformer task=signal pooling=last attention_mask=causal layers=1",
    "model=transformer task=accumulator embeddings=orthonormal snr=9 head_bias=false",
    "model=transformer task=accumulator dropout=0.2 attention_noise=0.5",
    "model=transformer task=accumulator parametrization=ntk base_width=6 value_gain=0.1",
    "model=transformer task=accumulator parametrization=mup base_width=6 init_gain=0.5",
    "model=rnn task=accumulator",
    "model=rnn task=signal layers=1",
    "model=rnn task=accumulator supervision=final dropout=0.2",
    "model=lstm task=accumulator",
    "model=lstm task=signal layers=1",
    "model=lstm task=accumulator supervision=final dropout=0.2",
    "model=transformer task=accumulator attention_bias=false",
    RAGGED "model=transformer task=accumulator random_positions=40 dropout=0.2 encoding=relative relative_clip=3",
    RAGGED "model=transformer task=signal pooling=mean encoding=transformer_xl",
    RAGGED "model=rnn task=accumulator dropout=0.2",
    RAGGED "model=rnn task=signal layers=1 pooling=mean",
    RAGGED "model=lstm task=accumulator supervision=final pooling=last dropout=0.2",
    RAGGED "model=lstm task=signal layers=1",
};
enum {
    CASES = sizeof cases / sizeof *cases,
    SAMPLES = 3,
    LENGTH = 18,
    DIM = 7,
    CLASSES = 5,
    TARGETS = SAMPLES * LENGTH
};

static const uint64_t golden[CASES] = {
    0xb0efa8905c69a8b9, 0x4b43b1bcd63c9d44, 0xec7703843519a040, 0xc834ada81f00c66f, 0x6ce9c188cad2234c,
    0x2b5ba5cc65f94d7a, 0xd3c4e3f485632734, 0x2b40175f74ce547b, 0xf853c3d48dc4a9c3, 0x5765af245911b095,
    0xa1ac4f6d8b00c78e, 0xd57b0ab04464b63b, 0x87bf52d15fc9b84c, 0x6f2f53de597e7f96, 0x3240ba5f86fd28e3,
    0x8c820db3a56cb837, 0x149de064aeeca878, 0x8e23c0b07048b6fd, 0x5c86b02ea22b9e79, 0xb1058918d3d29922,
    0xb0efa8905c69a8b9, 0x35c12bc1dd4d3024, 0x4d8d023018dc273e, 0xd53ce62a42ef1ba1, 0x3cfd218e4549f612,
    0x2e3e9cee42c43a7d, 0x996fb14c469377c0, 0xb3dbe779b28dde14, 0x37086d825eb631ad, 0xb5ad8505f3e7d543,
    0x6f4e35fc89ca5c9a, 0x46643fb77c7ce044, 0x204099cf8a259f36, 0xb57e69f17c640d08, 0x785db47f3e0bf9a8,
    0xb1f9a30a64e7b6f2, 0xd16b15e5d44f958e, 0xd6badb41abf5368d, 0xd729c2f46275976b, 0xf729f306ab16068e,
    0xa061886ea1237b58, 0xbaff5b104ea1068e, 0x2c91cea2db9b8d64, 0xeca7b3a51e0faaad, 0x4880207a536f5048,
    0xde8c92dda1a8e712, 0xf24ef47539d4a561, 0x0ef3f8a9766115f8, 0x3a06535185e13043, 0x94247e4678fd744f,
    0xfcedb4c9d37c80fd, 0xf8fe4159746722f0,
};

static bool is_ragged(const char *text)
{
    return strncmp(text, RAGGED, strlen(RAGGED)) == 0;
}

static void read_case(const char *text, struct settings *ret_settings)
{
    settings_defaults(ret_settings);
    ret_settings->task.train_length = LENGTH;
    ret_settings->task.dim = DIM;
    ret_settings->task.modulus = CLASSES;
    ret_settings->model.width = 12;
    ret_settings->model.heads = 2;
    ret_settings->model.ffn_factor = 2;
    written_read(is_ragged(text) ? text + strlen(RAGGED) : text, ret_settings);
}

struct data {
    float vectors[TARGETS * DIM];
    int32_t tokens[TARGETS], targets[TARGETS];
};

static struct batch draw(struct data *data, const struct settings *settings, bool ragged)
{
    static const int64_t offsets[SAMPLES + 1] = {0, 11, 12, 12 + LENGTH};
    const struct random_key key = random_key(5, 0, "test/batch");
    const bool signal = settings->task.kind == TASK_SIGNAL;
    for (int i = 0; i < TARGETS; i++) {
        random_normals(key, (uint64_t)i, 0, DIM, data->vectors + i * DIM);
        data->tokens[i] = (int32_t)random_below(key, (uint64_t)i, 1, 0, 2 * CLASSES);
        data->targets[i] = (int32_t)random_below(key, (uint64_t)i, 2, 0, signal ? 2 : CLASSES);
    }
    return (struct batch){.samples = SAMPLES,
                          .length = LENGTH,
                          .offsets = ragged ? offsets : NULL,
                          .dim = signal ? DIM : 0,
                          .vectors = signal ? data->vectors : NULL,
                          .tokens = signal ? NULL : data->tokens,
                          .positions = settings_pooling(settings) == POOLING_PER_POSITION ? LENGTH : 1,
                          .targets = data->targets,
                          .clean = data->targets,
                          .classes = signal ? 2 : CLASSES,
                          .binary = signal,
                          .set = "train"};
}

static void step(struct nn_model *model, real *moments[], double steps)
{
    double square = 0;
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        square += nn_square_norm(nn_tensor(model, i), true);
    const double norm = sqrt(square);
    double beta1 = 1, beta2 = 1;
    for (double s = 0; s < steps; s++) {
        beta1 *= 0.9;
        beta2 *= 0.999;
    }
    const struct nn_step adamw = {.learning_rate = 5e-3,
                                  .scale = norm > 1 ? 1 / norm : 1,
                                  .decay = 0.01,
                                  .beta1 = 0.9,
                                  .beta2 = 0.999,
                                  .epsilon = 1e-8,
                                  .correction1 = 1 - beta1,
                                  .correction2 = 1 - beta2,
                                  .decoupled = true};
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        nn_step_adam(nn_tensor(model, i), moments[2 * i], moments[2 * i + 1], &adamw);
}

static uint64_t hash_model(struct nn_model *model, const real *logits, size_t count, double loss)
{
    uint64_t hash = hash_64(&loss, sizeof loss);
    uint64_t pair[2] = {hash, hash_64(logits, count * sizeof *logits)};
    hash = hash_64(pair, sizeof pair);
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        const struct nn_tensor *tensor = nn_tensor(model, i);
        pair[0] = hash;
        pair[1] = hash_64(tensor->value, (size_t)tensor->storage * sizeof(real));
        hash = hash_64(pair, sizeof pair);
    }
    return hash;
}

static uint64_t train(size_t index)
{
    enum { STEPS = 50, TENSORS = 64 };
    static struct data data;
    struct settings settings;
    struct status status = {0};
    struct nn_model *model;
    real logits[TARGETS * CLASSES], *moments[2 * TENSORS];
    double loss = NAN, first = NAN;
    read_case(cases[index], &settings);
    const struct batch batch = draw(&data, &settings, is_ragged(cases[index]));
    const struct batch_shape shape = {.dim = batch.dim,
                                      .vocabulary = batch.tokens ? 2 * CLASSES : 0,
                                      .classes = batch.classes,
                                      .binary = batch.binary};
    struct arena *arena = arena_create(1 << 20, 0);
    assert_non_null(arena);
    if (nn_model_create(&settings, &shape, LENGTH, arena, &model, &status) != STATUS_OK)
        fail_msg("%s: %s", cases[index], status.text);
    assert_true(nn_tensor_count(model) <= TENSORS);
    for (size_t i = 0; i < 2 * nn_tensor_count(model); i++)
        moments[i] = arena_get(arena, (size_t)nn_tensor(model, i / 2)->storage, sizeof(real));
    for (int s = 0; s < STEPS; s++) {
        nn_gradient(model, &batch, &(struct nn_pass){.step = s}, logits, &loss);
        first = s == 0 ? loss : first;
        step(model, moments, s + 1);
    }
    if (!(loss < 0.95 * first))
        fail_msg("%s does not train: loss %g, then %g", cases[index], first, loss);
    const uint64_t hash =
        hash_model(model, logits, (size_t)(batch_target(&batch, SAMPLES) * nn_outputs_width(model)), loss);
    arena_destroy(arena);
    return hash;
}

static void describe(size_t index, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "%s", cases[index]);
}

int main(int argc, char **argv)
{
    return golden_main(&(struct golden){CASES, golden, train, describe}, argc, argv);
}
