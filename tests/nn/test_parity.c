// SPDX-License-Identifier: MIT
// Models against an independent implementation in PyTorch: logits, loss, every gradient tensor, 20 AdamW steps, and
// logits beyond the train length. tools/reference/parity.py makes tests/nn/fixtures/parity and describes it.
#include "support.h"

#include "parity_file.h"

#ifdef NN_DOUBLE
#define TOLERANCE 1e-9
#else
#define TOLERANCE 1e-4
#endif

enum { STEPS = 20, FAR = 4 };
// A gradient that vanishes but for rounding (a bias of keys, which softmax does not see) is held against all of them.
#define VANISHING 1e-12

struct run {
    const struct parity_case *fixture;
    struct arena *arena;
    struct nn_model *model;
    double total; // norm of all gradients expected
    double worst;
    const char *worst_name;
};

static void judge(struct run *run, const char *name, double error, double limit)
{
    if (!(error <= limit))
        fail_msg("%s: %s is off by %.3g, more than %.0e", run->fixture->name, name, error, limit);
    if (error / limit > run->worst) {
        run->worst = error / limit;
        run->worst_name = name;
    }
}

static double gradient_norm(const struct parity_case *fixture)
{
    double sum = 0;
    for (size_t i = 0; i < fixture->arrays; i++)
        if (parity_is_tensor(fixture->array[i].name))
            sum += pow(parity_norm(&fixture->array[i]), 2);
    return sqrt(sum);
}

static struct nn_tensor *tensor_of(struct nn_model *model, const char *name)
{
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        if (!strcmp(nn_tensor(model, i)->name, name))
            return nn_tensor(model, i);
    return NULL;
}

static void put_weights(struct nn_model *model)
{
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        struct nn_tensor *tensor = nn_tensor(model, i);
        for (long row = 0; row < tensor->rows; row++)
            for (long column = 0; column < tensor->columns; column++)
                tensor->value[nn_tensor_at(tensor, row, column)] = (real)parity_weight(tensor->name, row, column);
    }
}

static struct run run_open(const struct parity_case *fixture)
{
    struct run run = {.fixture = fixture, .arena = arena_create(1 << 16, 0), .total = gradient_norm(fixture)};
    struct status status = {0};
    assert_non_null(run.arena);
    const long longest = FAR * fixture->length;
    if (nn_model_create(&fixture->settings, &fixture->shape, longest, run.arena, &run.model, &status) != STATUS_OK)
        fail_msg("%s: %s", fixture->name, status.text);
    put_weights(run.model);
    return run;
}

static void compare_logits(struct run *run, const char *name, const real *logits)
{
    const struct parity_array *expected = parity_find(run->fixture, name);
    double difference = 0;
    for (long i = 0; i < expected->rows * expected->columns; i++)
        difference += pow((double)logits[i] - expected->value[i], 2);
    judge(run, name, sqrt(difference) / parity_norm(expected), TOLERANCE);
}

static void compare_gradient(struct run *run, const struct nn_tensor *tensor)
{
    const struct parity_array *expected = parity_find(run->fixture, tensor->name);
    if (tensor->frozen) {
        assert_null(expected);
        return;
    }
    if (!expected)
        fail_msg("%s: no gradient of %s is expected", run->fixture->name, tensor->name);
    if (expected->rows != tensor->rows || expected->columns != tensor->columns)
        fail_msg("%s: %s is %ld x %ld", run->fixture->name, tensor->name, tensor->rows, tensor->columns);
    double difference = 0;
    for (long row = 0; row < tensor->rows; row++)
        for (long column = 0; column < tensor->columns; column++)
            difference += pow((double)tensor->gradient[nn_tensor_at(tensor, row, column)] -
                                  expected->value[row * tensor->columns + column],
                              2);
    const double norm = parity_norm(expected);
    judge(run, tensor->name, sqrt(difference) / (norm > VANISHING * run->total ? norm : run->total), TOLERANCE);
}

static void compare_gradients(struct run *run)
{
    for (size_t i = 0; i < nn_tensor_count(run->model); i++)
        compare_gradient(run, nn_tensor(run->model, i));
    for (size_t i = 0; i < run->fixture->arrays; i++) {
        const char *name = run->fixture->array[i].name;
        if (parity_is_tensor(name) && !tensor_of(run->model, name))
            fail_msg("%s: the model has no tensor %s", run->fixture->name, name);
    }
}

struct moments {
    real *mean, *square;
};

static void step_adamw(struct nn_model *model, const struct moments *moments, int taken)
{
    double square = 0;
    for (size_t i = 0; i < nn_tensor_count(model); i++)
        square += nn_tensor(model, i)->frozen ? 0 : nn_square_norm(nn_tensor(model, i), true);
    const struct nn_step step = {.scale = fmin(1, 1 / (sqrt(square) + 1e-6)),
                                 .learning_rate = 1e-3,
                                 .decay = 0.01,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .epsilon = 1e-8,
                                 .correction1 = 1 - pow(0.9, taken + 1),
                                 .correction2 = 1 - pow(0.999, taken + 1),
                                 .decoupled = true};
    for (size_t i = 0; i < nn_tensor_count(model); i++) {
        if (!nn_tensor(model, i)->frozen)
            nn_step_adam(nn_tensor(model, i), moments[i].mean, moments[i].square, &step);
    }
}

static void compare_training(struct run *run, const struct batch *batch, real *logits)
{
    const struct parity_array *expected = parity_find(run->fixture, "losses");
    const size_t tensors = nn_tensor_count(run->model);
    struct moments *moments = arena_get(run->arena, tensors, sizeof *moments);
    assert_non_null(moments);
    for (size_t i = 0; i < tensors; i++) {
        const size_t storage = (size_t)nn_tensor(run->model, i)->storage;
        moments[i].mean = arena_get(run->arena, storage, sizeof(real));
        moments[i].square = arena_get(run->arena, storage, sizeof(real));
        assert_true(moments[i].mean && moments[i].square);
    }
    assert_int_equal(expected->columns, STEPS);
    for (int taken = 0; taken < STEPS; taken++) {
        double loss = NAN;
        nn_gradient(run->model, batch, &(struct nn_pass){0}, logits, &loss);
        judge(run, "losses", fabs(loss - expected->value[taken]) / expected->value[taken], TOLERANCE);
        step_adamw(run->model, moments, taken);
    }
}

static void compare_far(struct run *run)
{
    if (!parity_find(run->fixture, "far"))
        return;
    struct parity_batch far = parity_batch_open(run->fixture, "far", FAR * run->fixture->length);
    nn_predict(run->model, &far.batch, &(struct nn_outputs){.logits = far.logits});
    compare_logits(run, "far", far.logits);
    parity_batch_close(&far);
}

static void agrees_with_pytorch(void **state)
{
    struct run run = run_open(*state);
    struct parity_batch train = parity_batch_open(run.fixture, "train", run.fixture->length);
    double loss = NAN;
    nn_gradient(run.model, &train.batch, &(struct nn_pass){0}, train.logits, &loss);
    const double expected = parity_find(run.fixture, "loss")->value[0];
    compare_logits(&run, "logits", train.logits);
    judge(&run, "loss", fabs(loss - expected) / expected, TOLERANCE);
    compare_gradients(&run);
    nn_predict(run.model, &train.batch, &(struct nn_outputs){.logits = train.logits});
    if (run.fixture->settings.model.random_positions == 0) // else a prediction draws positions of its own
        compare_logits(&run, "logits", train.logits);
    compare_far(&run);
    compare_training(&run, &train.batch, train.logits);
    print_message("%-28s at most %.2g of what is allowed (%s)\n", run.fixture->name, run.worst, run.worst_name);
    parity_batch_close(&train);
    arena_destroy(run.arena);
}

// With a pattern such as 'rope*', only cases of such names.
int main(int argc, char **argv)
{
    struct parity_file file;
    if (!parity_file_open(&file)) {
        fprintf(stderr, "tests/nn/fixtures/parity cannot be read\n");
        return 1;
    }
    struct CMUnitTest *tests = calloc(file.cases, sizeof *tests);
    if (!tests)
        return 1;
    for (size_t i = 0; i < file.cases; i++)
        tests[i] = (struct CMUnitTest){
            .name = file.each[i].name, .test_func = agrees_with_pytorch, .initial_state = &file.each[i]};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = _cmocka_run_group_tests("agrees_with_pytorch", tests, file.cases, NULL, NULL);
    free(tests);
    parity_file_close(&file);
    return failed;
}
