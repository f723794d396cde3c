// SPDX-License-Identifier: MIT
// A saved model's predictions on data of its task.
#include "base_text.h"
#include "cli_sweep.h"
#include "generate.h"
#include "task_source.h"
#include "trainer.h"
#include "weights.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT, LENGTH, COUNT, SPLIT, GENERATE, DATA };
static const struct cli_option options[] = {
    {"output", 'o', OPTION_TEXT, "FILE.csv", "write a line for each target: sample, position, target, class, logits", 0,
     0},
    {"length", 'l', OPTION_COUNT, "T", "length of test sequences (the train length)", 1, TEST_LENGTH_LIMIT},
    {"count", 'n', OPTION_COUNT, "K", "sequences (those of the final test)", 1, 1e7},
    {"split", 0, OPTION_TEXT, "NAME", "test (default), validation or train", 0, 0},
    {"generate", 0, OPTION_FLAG, NULL, "also answers in which the model reads its own outputs (arithmetic tasks)", 0,
     0},
    {"data", 0, OPTION_TEXT, "FILE.npz", "where the data of task file lie by now (where they lay in training)", 0, 0},
    {0},
};

struct predictor {
    struct settings settings;
    struct arena *texts; // of the settings, and of data that are read
    int64_t step, numerics;
    struct arena *arena;
    struct nn_model *model;
    struct task_set set;
    long count;
    FILE *file;
    char fresh[4096]; // its name until it is whole
    bool generate;
    double targets, wrong, wrong_sequences, loss;
    double made_wrong, made_wrong_sequences; // of what is generated
    long shortest, longest;                  // tokens of the sequences
};

// A line of metadata that holds a number.
static enum status_code read_number(const char *path, const char *key, int64_t *ret_number, struct status *status)
{
    struct bytes text = {0};
    double number = 0;
    enum status_code code = weights_read_note(path, key, &text, status);
    const bool whole = code == STATUS_OK && text_to_real((const char *)text.data, text.size, &number) && number >= 0 &&
                       number <= 1e15 && number == floor(number);
    if (code == STATUS_OK && !whole)
        code = status_set(status, STATUS_DAMAGED, "%s: its metadata's %s is \"%.*s\", which is no count", path, key,
                          (int)(text.size < 40 ? text.size : 40), (const char *)text.data);
    *ret_number = (int64_t)number;
    bytes_fini(&text);
    return code;
}

// The settings that stand in a file's metadata, and whose trial's identity they must have.
static enum status_code read_settings(const char *path, struct predictor *p, struct status *status)
{
    const struct setting *blamed;
    struct bytes text = {0}, trial = {0};
    enum status_code code = weights_read_note(path, "settings", &text, status);
    if (code == STATUS_OK)
        code = weights_read_note(path, "trial", &trial, status);
    if (code == STATUS_OK) {
        p->texts = arena_create(1 << 10, 0);
        code = p->texts ? settings_read((const char *)text.data, text.size, p->texts, &p->settings, status)
                        : status_set(status, STATUS_MEMORY, "no memory");
        if (code == STATUS_OK)
            code = settings_check(&p->settings, &blamed, status);
        if (code != STATUS_OK)
            status_context(status, "the settings in %s", path);
    }
    struct hash128 identity;
    if (code == STATUS_OK && (!hash_parse((const char *)trial.data, trial.size, &identity) ||
                              !hash_equal(identity, settings_identity(&p->settings))))
        code = status_set(status, STATUS_DAMAGED, "%s: the settings in its metadata are not those of its trial", path);
    bytes_fini(&text);
    bytes_fini(&trial);
    if (code == STATUS_OK)
        code = read_number(path, "step", &p->step, status);
    return code == STATUS_OK ? read_number(path, "numerics", &p->numerics, status) : code;
}

// Sequences at a time.
static long predict_samples(const struct predictor *p)
{
    enum { CHUNK_TOKENS = 8192 };
    return p->set.tokens < CHUNK_TOKENS ? CHUNK_TOKENS / p->set.tokens : 1;
}

// Before memory is taken: whether the weights are of such a model, and whether it fits.
static enum status_code check_model(const struct predictor *p, const char *path, struct status *status)
{
    char need[TEXT_NUMBER_SIZE], have[TEXT_NUMBER_SIZE];
    struct nn_sketch sketch = nn_sketch(&p->settings, &p->set.shape, p->set.tokens);
    enum status_code code = sketch.model ? weights_check(sketch.model, path, status)
                                         : status_set(status, STATUS_MEMORY, "no memory for a model");
    double bytes = (double)sketch.bytes + (double)task_make_bytes(&p->set, 1);
    if (code == STATUS_OK && p->generate)
        bytes += (double)generate_bytes(sketch.model, predict_samples(p), p->set.tokens);
    nn_sketch_fini(&sketch);
    if (code == STATUS_OK && bytes > trainer_memory_available())
        code = status_set(status, STATUS_MEMORY,
                          "sequences of %ld tokens need %s of memory, and %s are available; lower "
                          "--length",
                          p->set.tokens, text_size(bytes, need), text_size(trainer_memory_available(), have));
    return code;
}

static enum status_code open_model(struct predictor *p, const char *path, struct status *status)
{
    enum status_code code = check_model(p, path, status);
    if (code != STATUS_OK)
        return code;
    p->arena = arena_create(1 << 20, 0);
    if (!p->arena)
        return status_set(status, STATUS_MEMORY, "no memory for a model");
    code = nn_model_create(&p->settings, &p->set.shape, p->set.tokens, p->arena, &p->model, status);
    return code == STATUS_OK ? weights_read(p->model, path, status) : code;
}

// What the model says at the targets of a batch.
struct said {
    const real *logits, *losses;
    const int32_t *classes, *generated; // generated: NULL where it is not wanted
};

static void write_target(const struct predictor *p, const struct batch *batch, long sample, long position,
                         const struct said *said)
{
    const int64_t at = batch_target(batch, sample) + position;
    const long outputs = nn_outputs_width(p->model);
    fprintf(p->file, "%" PRId64 ",%ld,%" PRId32 ",%" PRId32, batch_index(batch, sample), position, batch->targets[at],
            said->classes[at]);
    if (said->generated)
        fprintf(p->file, ",%" PRId32, said->generated[at]);
    for (long c = 0; c < outputs; c++)
        fprintf(p->file, ",%.9g", (double)said->logits[at * outputs + c]);
    fprintf(p->file, "\n");
}

static void tally(struct predictor *p, const struct batch *batch, const struct said *said)
{
    for (long s = 0; s < batch->samples; s++) {
        const long tokens = batch_length(batch, s);
        bool wrong = false, made_wrong = false;
        p->shortest = p->longest == 0 || tokens < p->shortest ? tokens : p->shortest;
        p->longest = tokens > p->longest ? tokens : p->longest;
        for (long t = 0; t < batch_targets(batch, s); t++) {
            const int64_t at = batch_target(batch, s) + t;
            const int32_t target = batch->targets[at];
            if (batch->mask && !batch->mask[at])
                continue;
            p->targets += 1;
            p->loss += (double)said->losses[at];
            p->wrong += said->classes[at] != target;
            wrong |= said->classes[at] != target;
            p->made_wrong += said->generated && said->generated[at] != target;
            made_wrong |= said->generated && said->generated[at] != target;
            if (p->file)
                write_target(p, batch, s, t, said);
        }
        p->wrong_sequences += wrong;
        p->made_wrong_sequences += made_wrong;
    }
}

static enum status_code predict_some(struct predictor *p, long first, long count, struct status *status)
{
    struct batch batch;
    enum status_code code = task_make(&p->set, first, count, p->arena, &batch, status);
    if (code != STATUS_OK)
        return code;
    const size_t targets = (size_t)batch_target(&batch, batch.samples);
    real *logits = arena_get(p->arena, targets * (size_t)nn_outputs_width(p->model), sizeof *logits);
    real *losses = arena_get(p->arena, targets, sizeof *losses);
    int32_t *classes = arena_get(p->arena, targets, sizeof *classes);
    int32_t *generated = p->generate ? arena_get(p->arena, targets, sizeof *generated) : NULL;
    if (!logits || !losses || !classes || (p->generate && !generated))
        return status_set(status, STATUS_MEMORY, "no memory for %ld predictions; lower --length", count);
    nn_predict(p->model, &batch, &(struct nn_outputs){.logits = logits});
    nn_losses(&batch, logits, losses);
    nn_classes(&batch, logits, classes);
    if (p->generate)
        code = generate(p->model, &batch, p->arena, generated, status);
    if (code == STATUS_OK)
        tally(p, &batch, &(struct said){logits, losses, classes, generated});
    return code;
}

static enum status_code predict_all(struct predictor *p, struct status *status)
{
    const long most = predict_samples(p);
    enum status_code code = STATUS_OK;
    if (p->file) {
        fprintf(p->file, "sample,position,target,class%s", p->generate ? ",generated" : "");
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

// Tasks that count lengths in other units than tokens are told in both.
static void print_lengths(const struct predictor *p)
{
    if (p->shortest < p->longest)
        printf("%s: %ld sequences of %ld to %ld tokens\n", p->set.name, p->count, p->shortest, p->longest);
    else if (p->longest == p->set.tokens && p->set.tokens != p->set.length)
        printf("%s: %ld sequences of length %ld (%ld tokens)\n", p->set.name, p->count, p->set.length, p->set.tokens);
    else
        printf("%s: %ld sequences of %ld tokens\n", p->set.name, p->count, p->longest);
}

static void print_result(const struct predictor *p)
{
    char identity[HASH_TEXT_SIZE];
    hash_text(settings_identity(&p->settings), identity);
    printf("trial %s after step %" PRId64 "\n", identity, p->step);
    print_lengths(p);
    printf("  loss %.6f   error %.4f   sequences with an error %.4f\n", p->loss / p->targets, p->wrong / p->targets,
           p->wrong_sequences / (double)p->count);
    if (p->generate)
        printf("  reading its own outputs: error %.4f   sequences with an error %.4f   exact matches %.0f\n",
               p->made_wrong / p->targets, p->made_wrong_sequences / (double)p->count,
               (double)p->count - p->made_wrong_sequences);
}

// Predictions appear whole, and never in the place of the weights.
static enum status_code open_output(struct predictor *p, const char *path, const char *output, struct status *status)
{
    struct stat weights, there;
    if (stat(path, &weights) == 0 && stat(output, &there) == 0 && weights.st_dev == there.st_dev &&
        weights.st_ino == there.st_ino)
        return status_set(status, STATUS_INVALID, "-o %s is the file of the weights; choose another", output);
    if (snprintf(p->fresh, sizeof p->fresh, "%s.tmp-%d", output, (int)getpid()) >= (int)sizeof p->fresh)
        return status_set(status, STATUS_INVALID, "the path after -o is too long");
    p->file = fopen(p->fresh, "w");
    return p->file ? STATUS_OK : status_errno(status, errno, "cannot write %s", output);
}

static enum status_code close_output(struct predictor *p, const char *output, enum status_code code,
                                     struct status *status)
{
    const bool failed = ferror(p->file) | fclose(p->file);
    if (code == STATUS_OK && (failed || rename(p->fresh, output) != 0))
        code = status_errno(status, errno, "cannot write %s", output);
    if (code != STATUS_OK)
        unlink(p->fresh);
    return code;
}

static enum status_code predict(struct predictor *p, const char *path, const char *output, struct status *status)
{
    enum status_code code = open_model(p, path, status);
    if (code == STATUS_OK && output)
        code = open_output(p, path, output, status);
    if (code != STATUS_OK)
        return code;
    code = predict_all(p, status);
    if (p->file)
        code = close_output(p, output, code, status);
    if (code == STATUS_OK)
        print_result(p);
    return code;
}

// Of task file: the sets that are wanted, from where they lie now.
static enum status_code open_data(struct predictor *p, const struct cli *cli, struct status *status)
{
    const int64_t length = p->set.length;
    const struct task_source *source;
    if (cli->option[DATA].given)
        p->settings.task.path = cli->option[DATA].text;
    enum status_code code =
        task_source_open(&p->settings, &length, p->set.split == SPLIT_TEST, p->texts, &source, status);
    if (code == STATUS_OK)
        task_set_from(&p->set, source);
    return code;
}

// A finite training set has so many samples and no more, and so has what is read; others are rules without end.
static enum status_code choose_set(struct predictor *p, const struct cli *cli, enum task_split split,
                                   struct status *status)
{
    const bool given = cli->option[COUNT].given;
    const struct settings *settings = &p->settings;
    const long length =
        cli->option[LENGTH].given ? (long)cli->option[LENGTH].number : (long)settings->task.train_length;
    if (split == SPLIT_TEST && cli_check_length(settings, length, status) != STATUS_OK)
        return status->code;
    task_set_init(&p->set, settings, split, length);
    p->count = given ? (long)cli->option[COUNT].number : p->set.samples;
    const bool finite =
        settings->task.kind == TASK_FILE || (split == SPLIT_TRAIN && settings->train.data == DATA_FINITE);
    if (finite && p->count > p->set.samples)
        return status_set(status, STATUS_INVALID, "the set %s has %ld sequences; lower --count", p->set.name,
                          p->set.samples);
    p->generate = cli->option[GENERATE].given;
    if (p->generate && !p->set.shape.autoregressive)
        return status_set(status, STATUS_INVALID,
                          "--generate is for tasks whose targets are the next tokens; this trial's is another");
    return open_data(p, cli, status);
}

static enum cli_exit run(const struct cli *cli)
{
    const char *path = cli->argument[0];
    struct predictor p = {0};
    struct status status = {0};
    enum task_split split = SPLIT_TEST;
    if (cli->option[SPLIT].given && !task_split_named(cli->option[SPLIT].text, &split))
        return cli_usage("predict: --split is train, validation or test, not '%s'", cli->option[SPLIT].text);
    if (cli->option[LENGTH].given && split != SPLIT_TEST)
        return cli_usage("predict: --length goes with --split test; other sequences have the train length");
    enum status_code code = read_settings(path, &p, &status);
    if (code == STATUS_OK)
        code = choose_set(&p, cli, split, &status);
    if (code == STATUS_OK && p.numerics != NUMERICS)
        cli_warn("%s is of numerics %" PRId64 ", this program of %d: predictions differ in their last digits", path,
                 p.numerics, NUMERICS);
    if (code == STATUS_OK)
        code = predict(&p, path, cli->option[OUTPUT].text, &status);
    arena_destroy(p.arena);
    arena_destroy(p.texts);
    return code ? cli_fail(&status) : EXIT_DONE;
}

const struct cli_command command_predict = {
    .name = "predict",
    .arguments = "WEIGHTS.safetensors",
    .summary = "a saved model's predictions on data of its task",
    .help =
        "Takes weights that a sweep with `save: weights` left beside its store and prints loss and error on data of\n"
        "the trial they come from; with -o also every prediction, to check elsewhere. Where a target is the next "
        "token\n"
        "--generate adds answers that the model gives when it reads its own outputs in place of the right ones.\n"
        "  lgsweep predict results/quickstart.h5.weights/IDENTITY-500.safetensors --length 64 -o predictions.csv",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
