// SPDX-License-Identifier: MIT
// A saved model's predictions on data of its task.
#include "cli.h"
#include "spec_sweep.h"
#include "task.h"
#include "trial.h"
#include "weights.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT, LENGTH, COUNT, SPLIT };
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE.csv", "write a line for each target: sample, position, target, class, logits", 0,
     0},
    {"length", 'l', OPTION_COUNT, "T", "length of test sequences (the train length)", 1, TEST_LENGTH_LIMIT},
    {"count", 'n', OPTION_COUNT, "K", "sequences (those of the final test)", 1, 1e7},
    {"split", 0, OPTION_TEXT, "NAME", "test (default), validation or train", 0, 0},
    {0},
};

struct predictor {
    struct settings settings;
    struct arena *arena;
    struct nn_model *model;
    struct task_set set;
    long count;
    FILE *file;
    double targets, wrong, wrong_sequences, loss;
};

static enum status_code take_line(struct settings *settings, const char *line, size_t length, struct status *status)
{
    const char *equals = memchr(line, '=', length);
    const size_t name = equals ? (size_t)(equals - line) : length;
    const struct setting *setting = setting_find(line, name);
    union setting_value value;
    if (!equals || !setting)
        return status_set(status, STATUS_INVALID, "its settings have \"%.*s\", which this version does not know",
                          (int)(length < 80 ? length : 80), line);
    enum status_code code = setting_parse(setting, equals + 1, length - name - 1, &value, status);
    if (code == STATUS_OK)
        setting_put(setting, settings, value);
    return code;
}

// The settings that stand in a file's metadata.
static enum status_code read_settings(const char *path, struct settings *ret_settings, struct status *status)
{
    struct bytes text = {0};
    settings_defaults(ret_settings);
    enum status_code code = weights_read_note(path, "settings", &text, status);
    for (size_t at = 0; code == STATUS_OK && at < text.size;) {
        const char *line = (const char *)text.data + at, *end = memchr(line, '\n', text.size - at);
        const size_t length = end ? (size_t)(end - line) : text.size - at;
        code = take_line(ret_settings, line, length, status);
        at += length + 1;
        if (code != STATUS_OK)
            status_context(status, "%s", path);
    }
    bytes_fini(&text);
    return code;
}

static bool find_split(const char *name, enum task_split *ret_split)
{
    static const char *const names[] = {
        [SPLIT_TRAIN] = "train", [SPLIT_VALIDATION] = "validation", [SPLIT_TEST] = "test"};
    for (enum task_split split = SPLIT_TRAIN; split <= SPLIT_TEST; split++)
        if (!strcmp(name, names[split])) {
            *ret_split = split;
            return true;
        }
    return false;
}

static enum status_code open_model(struct predictor *p, const char *path, struct status *status)
{
    struct batch_shape shape;
    task_shape(&p->settings, &shape);
    p->arena = arena_create(1 << 20, 0);
    if (!p->arena)
        return status_set(status, STATUS_MEMORY, "no memory for a model");
    enum status_code code = nn_model_create(&p->settings, &shape, p->set.length, p->arena, &p->model, status);
    return code == STATUS_OK ? weights_read(p->model, path, status) : code;
}

static void write_target(const struct predictor *p, const struct batch *batch, long sample, long position,
                         int32_t class, const real *logits)
{
    const long at = sample * batch->positions + position, outputs = nn_outputs_width(p->model);
    fprintf(p->file, "%" PRId64 ",%ld,%" PRId32 ",%" PRId32, batch_index(batch, sample), position, batch->targets[at],
            class);
    for (long c = 0; c < outputs; c++)
        fprintf(p->file, ",%.9g", (double)logits[at * outputs + c]);
    fprintf(p->file, "\n");
}

static void tally(struct predictor *p, const struct batch *batch, const real *logits, const real *losses,
                  const int32_t *classes)
{
    for (long s = 0; s < batch->samples; s++) {
        bool wrong = false;
        for (long t = 0; t < batch->positions; t++) {
            const long at = s * batch->positions + t;
            if (batch->mask && !batch->mask[at])
                continue;
            p->targets += 1;
            p->loss += (double)losses[at];
            p->wrong += classes[at] != batch->targets[at];
            wrong |= classes[at] != batch->targets[at];
            if (p->file)
                write_target(p, batch, s, t, classes[at], logits);
        }
        p->wrong_sequences += wrong;
    }
}

static enum status_code predict_some(struct predictor *p, long first, long count, struct status *status)
{
    struct batch batch;
    enum status_code code = task_make(&p->set, first, count, p->arena, &batch, status);
    if (code != STATUS_OK)
        return code;
    const size_t targets = (size_t)(count * batch.positions);
    real *logits = arena_get(p->arena, targets * (size_t)nn_outputs_width(p->model), sizeof *logits);
    real *losses = arena_get(p->arena, targets, sizeof *losses);
    int32_t *classes = arena_get(p->arena, targets, sizeof *classes);
    if (!logits || !losses || !classes)
        return status_set(status, STATUS_MEMORY, "no memory for %ld predictions; lower --length", count);
    nn_predict(p->model, &batch, &(struct nn_outputs){.logits = logits});
    nn_losses(&batch, logits, losses);
    nn_classes(&batch, logits, classes);
    tally(p, &batch, logits, losses, classes);
    return STATUS_OK;
}

static enum status_code predict_all(struct predictor *p, struct status *status)
{
    enum { CHUNK_TOKENS = 8192 };
    const long most = p->set.length < CHUNK_TOKENS ? CHUNK_TOKENS / p->set.length : 1;
    enum status_code code = STATUS_OK;
    if (p->file) {
        fprintf(p->file, "sample,position,target,class");
        for (long c = 0; c < nn_outputs_width(p->model); c++)
            fprintf(p->file, ",logit%ld", c);
        fprintf(p->file, "\n");
    }
    for (long at = 0; code == STATUS_OK && at < p->count; at += most) {
        const struct arena_mark mark = arena_mark(p->arena);
        code = predict_some(p, at, p->count - at < most ? p->count - at : most, status);
        arena_release(p->arena, mark);
    }
    return code;
}

static void print_result(const struct predictor *p)
{
    struct bytes canonical = {0};
    settings_canonical(&p->settings, &canonical);
    printf("%.*s", (int)canonical.size, canonical.data ? (const char *)canonical.data : "");
    bytes_fini(&canonical);
    printf("%s: %ld sequences of %ld tokens\n", p->set.name, p->count, p->set.length);
    printf("  loss %.6f   error %.4f   sequences with an error %.4f\n", p->loss / p->targets, p->wrong / p->targets,
           p->wrong_sequences / (double)p->count);
}

static enum status_code predict(struct predictor *p, const char *path, const char *output, struct status *status)
{
    enum status_code code = open_model(p, path, status);
    if (code != STATUS_OK)
        return code;
    p->file = output ? fopen(output, "w") : NULL;
    if (output && !p->file)
        return status_errno(status, errno, "cannot write %s", output);
    code = predict_all(p, status);
    if (p->file && (ferror(p->file) | fclose(p->file)) && code == STATUS_OK)
        code = status_errno(status, errno, "cannot write %s", output);
    if (code == STATUS_OK)
        print_result(p);
    return code;
}

static enum cli_exit run(const struct cli *cli)
{
    const char *path = cli->argument[0];
    struct predictor p = {0};
    struct status status = {0};
    enum task_split split = SPLIT_TEST;
    if (cli->option[SPLIT].given && !find_split(cli->option[SPLIT].text, &split))
        return cli_usage("predict: --split is train, validation or test, not '%s'", cli->option[SPLIT].text);
    if (cli->option[LENGTH].given && split != SPLIT_TEST)
        return cli_usage("predict: --length goes with --split test; other sequences have the train length");
    enum status_code code = read_settings(path, &p.settings, &status);
    if (code != STATUS_OK)
        return cli_fail(&status);
    task_set_init(&p.set, &p.settings, split,
                  cli->option[LENGTH].given ? (long)cli->option[LENGTH].number : (long)p.settings.task.train_length);
    p.count = cli->option[COUNT].given ? (long)cli->option[COUNT].number : p.set.samples;
    code = predict(&p, path, cli->option[OUTPUT].text, &status);
    arena_destroy(p.arena);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_predict = {
    .name = "predict",
    .arguments = "WEIGHTS.safetensors",
    .summary = "a saved model's predictions on data of its task",
    .help =
        "Takes weights that a sweep with `save: weights` left beside its store and prints loss and error on data of\n"
        "the trial they come from; with -o also every prediction, to check elsewhere.\n"
        "  lgsweep predict results/quickstart.h5.weights/IDENTITY-500.safetensors --length 64 -o predictions.csv",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
