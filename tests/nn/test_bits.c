// SPDX-License-Identifier: MIT
// Golden hashes of 50 training steps for each encoding, activation and read-out, the same for every instruction set,
// compiler and optimisation. They change with NUMERICS alone. `test_nn_bits print` prints the table.
#include "base_hash.h"
#include "base_isa.h"
#include "nn_cases.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HASHES = 4 * ENCODING_KINDS, TENSORS = 5 };

static const uint64_t golden[HASHES] = {
    0xc78bf381cd1f7682, 0x57e878d39dc480c3, 0x7610285263abc621, 0xbe41d5b50d5293c4, 0x9ad0ac85e6e2a50c,
    0x90fd2205e8a53693, 0x8d808b22c917a8c3, 0xa00e71b910cfbd55, 0xf9e7e7dfc8d35bcd, 0xc34990ce466ab81d,
    0x5ba479b0b4f68bd2, 0x7bb1de4b91141f3c, 0xff88f503b08c7f2f, 0x846c765374a03a2c, 0x82f7a2ca393a6ce2,
    0x88cad34a0dc93ee8, 0x87c5fe352f36b64d, 0xd5ef4fb19fb02b62, 0x2400f094dbd4d756, 0x49d0dfaf81f3bcd6,
    0x9959c07663460ae1, 0x15f7b93a56af33c9, 0xfa0612fa13302286, 0x2e69fc4880fe84a2,
};

// A sample of one block of queries and one of several, widths off the vectors'.
static const struct shape shapes[] = {{11, 7, 21, 6, 5}, {3, 19, 12, 10, 18}};

static uint64_t trained(const struct settings *settings, uint64_t seed)
{
    struct nn_case c = {0};
    real logits[16];
    double loss = 0;
    uint64_t parts[TENSORS + 3] = {seed};
    case_open(&c, settings);
    for (int step = 0; step < 50; step++) {
        nn_gradient(c.model, &c.batch, &(struct nn_pass){0}, logits, &loss);
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

static void train_all(uint64_t hash[HASHES])
{
    for (int option = 0; option < HASHES; option++) {
        hash[option] = 0;
        for (int shape = 0; shape < 2; shape++) {
            struct settings settings = case_settings(shapes[shape], option / 4, option & 1, option >> 1 & 1, false);
            hash[option] = trained(&settings, hash[option]);
        }
    }
}

// A process of its own, since the instruction set is chosen once in each. False when it fails.
static bool hashes_of(enum isa isa, uint64_t ret_hash[HASHES])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        uint64_t hash[HASHES];
        setenv("LGSWEEP_ISA", isa_name(isa), 1);
        if (isa_current() == isa)
            train_all(hash);
        _exit(write(ends[1], hash, sizeof hash) != sizeof hash);
    }
    close(ends[1]);
    size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < HASHES * sizeof *ret_hash; size += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], (char *)ret_hash + size, HASHES * sizeof *ret_hash - size);
    close(ends[0]);
    int code;
    return waitpid(child, &code, 0) == child && code == 0 && size == HASHES * sizeof *ret_hash;
}

static void training_gives_the_golden_bits(void **state)
{
    uint64_t hash[HASHES];
    assert_true(hashes_of((enum isa)(intptr_t)*state, hash));
    for (int option = 0; option < HASHES; option++)
        if (hash[option] != golden[option])
            fail_msg("%s: encoding %d, activation %d, readout %d: %016llx, not %016llx",
                     isa_name((enum isa)(intptr_t)*state), option / 4, option & 1, option >> 1 & 1,
                     (unsigned long long)hash[option], (unsigned long long)golden[option]);
}

static int print(void)
{
    uint64_t hash[HASHES];
    train_all(hash);
    for (int option = 0; option < HASHES; option++)
        printf("    0x%016llx,\n", (unsigned long long)hash[option]);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return print();
    struct CMUnitTest tests[ISA_COUNT];
    size_t count = 0;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        if (isa_supported(isa))
            tests[count++] = (struct CMUnitTest){.name = isa_name(isa),
                                                 .test_func = training_gives_the_golden_bits,
                                                 .initial_state = (void *)(intptr_t)isa};
    return _cmocka_run_group_tests("golden bits", tests, count, NULL, NULL);
}
