// SPDX-License-Identifier: MIT
// Golden hashes of 50 training steps for each encoding, activation and read-out, the same for every instruction set,
// compiler and optimisation.
#include "base_hash.h"
#include "golden.h"
#include "nn_cases.h"

enum { HASHES = 4 * ENCODING_KINDS, TENSORS = 10 };

static const uint64_t golden[HASHES] = {
    0x80a6afbb84dd5e16, 0x1b9e6a31668d9d61, 0xef34ea5a74bf6f88, 0xe7b13e4651c2d660, 0x984f35cda9622992,
    0xe77e9fa0076c492e, 0x628b23a465d50fb7, 0x7159afda22248528, 0xcdd8fa9c06a45caf, 0xef4a9a499fe9a045,
    0x11660720f08726af, 0x9a48a0ccfc1f989a, 0x4d6823834cf298ab, 0xab9b12451838a1d8, 0x04118058472c1eb1,
    0xf8d42c0ce932505a, 0x5ea3b87a55155d0d, 0xcc8124003980cec1, 0xd350c8ac7ca8afda, 0xa0f9611b5e2525fb,
    0x4ac23c220a17f8b9, 0x18682143a12ce525, 0x161718bf4ac1997b, 0x667394b90139e1d0, 0x599ffccc5dd3cdd4,
    0x79e84f505d7e262b, 0xd0901215f0be0d1e, 0xd063bf04e72532ce, 0x4acca6af90200537, 0xcced5e8920ad2fa8,
    0xc6e2ffc97ae07bbd, 0x427d3fa7e67538d6, 0x4e01aa842a2fe9ce, 0x9540bf0f67161d39, 0x136dc1991a4cf83c,
    0x5b96cf2dad89f8eb, 0x6871123206f13d2c, 0x38326ea6e623a133, 0x0c496c020f94bc56, 0x77c2c4400811a5c8,
};

// A sample of one block of queries and one of several, widths off the vectors', the latter at random positions too.
static const struct shape shapes[] = {{11, 7, 21, 6, 5}, {3, 19, 12, 10, 18}, {3, 19, 12, 10, 18}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint64_t trained(const struct settings *settings, uint64_t seed)
{
    struct nn_case c = {0};
    real logits[16];
    double loss = 0;
    uint64_t parts[TENSORS + 3] = {seed};
    case_open(&c, settings);
    for (int step = 0; step < 50; step++) {
        nn_gradient(c.model, &c.batch, &(struct nn_pass){.step = step}, logits, &loss);
        for (size_t i = 0; i < nn_tensor_count(c.model); i++)
            nn_step_gd(nn_tensor(c.model, i), &(struct nn_step){.learning_rate = 0.1, .scale = 1});
    }
    if (!(loss < 0.6))
        fail_msg("encoding %d does not train: loss %g", settings->model.encoding, loss);
    parts[1] = hash_64(logits, (size_t)c.batch.samples * sizeof *logits);
    parts[2] = hash_64(&loss, sizeof loss);
    for (size_t i = 0; i < nn_tensor_count(c.model); i++) {
        const struct nn_tensor *tensor = nn_tensor(c.model, i);
        parts[3 + i] = hash_64(tensor->value, (size_t)(tensor->rows * tensor->stride) * sizeof(real));
    }
    case_close(&c);
    return hash_64(parts, sizeof parts);
}

static uint64_t train(size_t option)
{
    uint64_t hash = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        struct settings settings = case_settings(shapes[shape], (int)option / 4, option & 1, option >> 1 & 1, false);
        settings.model.random_positions = shape == 2 ? 50 : 0;
        hash = trained(&settings, hash);
    }
    return hash;
}

static void describe(size_t option, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "encoding %zu, activation %zu, readout %zu", option / 4, option & 1, option >> 1 & 1);
}

int main(int argc, char **argv)
{
    return golden_main(&(struct golden){HASHES, golden, train, describe}, argc, argv);
}
