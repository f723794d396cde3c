// SPDX-License-Identifier: MIT
// Answers from a model's own outputs, on toy batches.
#include "../../src/cli/generate.h"
#include "base_random.h"
#include "support.h"
#include <string.h>

enum { VOCABULARY = 9, SAMPLES = 70, LONGEST = 20, ROWS = SAMPLES * LONGEST, UNTOUCHED = -7 };

struct toy {
    struct arena *arena;
    struct nn_model *model;
    struct batch batch;
    int64_t offsets[SAMPLES + 1], index[SAMPLES];
    int32_t tokens[ROWS], targets[ROWS];
    uint8_t mask[ROWS];
};

// Sequences of 5 … 20 tokens, of which all but the first and last few count.
static void draw(struct toy *toy, bool ragged)
{
    const struct random_key key = random_key(4, 0, "test/generate");
    for (long s = 0; s < SAMPLES; s++) {
        const long length = ragged ? 5 + 5 * (s % 4) : LONGEST, first = 1 + s % 3, last = length - 1 - s % 2;
        toy->offsets[s + 1] = toy->offsets[s] + length;
        toy->index[s] = 1000 - 3 * s;
        for (long t = 0; t < length; t++) {
            const int64_t at = toy->offsets[s] + t;
            toy->tokens[at] = (int32_t)random_below(key, (uint64_t)s, (uint32_t)t, 0, VOCABULARY);
            toy->mask[at] = t >= first && t <= last;
        }
    }
    toy->batch = (struct batch){.samples = SAMPLES,
                                .length = LONGEST,
                                .offsets = ragged ? toy->offsets : NULL,
                                .tokens = toy->tokens,
                                .positions = LONGEST,
                                .targets = toy->targets,
                                .mask = toy->mask,
                                .classes = VOCABULARY,
                                .set = "test/20",
                                .index = toy->index};
}

static void open_toy(struct toy *toy, int kind, bool ragged)
{
    struct settings settings;
    struct status status = {0};
    const struct batch_shape shape = {.vocabulary = VOCABULARY, .classes = VOCABULARY, .autoregressive = true};
    memset(toy, 0, sizeof *toy);
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.train_length = 6;
    settings.model.kind = kind;
    settings.model.layers = 2;
    settings.model.width = 12;
    settings.model.heads = 2;
    settings.model.encoding = ENCODING_ROPE;
    settings.model.rope_scaling = ROPE_SCALING_NTK; // depends on the length of the sequence
    settings.model.random_positions = 30;
    settings.model.pooling = POOLING_PER_POSITION;
    toy->arena = arena_create(1 << 16, 0);
    assert_non_null(toy->arena);
    if (nn_model_create(&settings, &shape, LONGEST, toy->arena, &toy->model, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    draw(toy, ragged);
}

static int32_t *generated_by(struct toy *toy)
{
    struct status status = {0};
    int32_t *classes = arena_get(toy->arena, ROWS, sizeof *classes);
    for (long i = 0; i < ROWS; i++)
        classes[i] = UNTOUCHED;
    if (generate(toy->model, &toy->batch, toy->arena, classes, &status) != STATUS_OK)
        fail_msg("%s", status.text);
    return classes;
}

// One sequence by whole passes, each with one more of its own outputs.
static void make_alone(struct toy *toy, long sample, int32_t *ret_classes)
{
    const long length = batch_length(&toy->batch, sample);
    const struct generated_rows rows = generate_rows(&toy->batch, sample);
    int32_t tokens[LONGEST + 1], classes[LONGEST];
    real logits[LONGEST * VOCABULARY];
    struct batch one = toy->batch;
    one.samples = 1;
    one.length = one.positions = length;
    one.offsets = NULL;
    one.mask = NULL;
    one.tokens = tokens;
    one.index = toy->index + sample;
    memcpy(tokens, toy->tokens + batch_row(&toy->batch, sample), (size_t)length * sizeof *tokens);
    for (long t = rows.first; t < rows.first + rows.count; t++) {
        nn_predict(toy->model, &one, &(struct nn_outputs){.logits = logits});
        nn_classes(&one, logits, classes);
        ret_classes[t] = tokens[t + 1] = classes[t];
    }
}

static void check(struct toy *toy)
{
    const int32_t *got = generated_by(toy);
    for (long s = 0; s < SAMPLES; s++) {
        int32_t want[LONGEST];
        for (long t = 0; t < LONGEST; t++)
            want[t] = UNTOUCHED;
        make_alone(toy, s, want);
        assert_memory_equal(got + batch_target(&toy->batch, s), want,
                            (size_t)batch_length(&toy->batch, s) * sizeof *got);
    }
}

static void every_model_reads_its_own_outputs(void **state)
{
    (void)state;
    static const int kinds[] = {MODEL_TRANSFORMER, MODEL_RNN, MODEL_LSTM};
    for (int i = 0; i < 3; i++)
        for (int ragged = 0; ragged < 2; ragged++) {
            struct toy toy;
            open_toy(&toy, kinds[i], ragged);
            check(&toy);
            arena_destroy(toy.arena);
        }
}

static void rows_are_those_from_the_first_to_the_last_that_counts(void **state)
{
    (void)state;
    static const struct {
        const char *mask;
        long first, count;
    } rows[] = {{"1", 0, 1},   {"0", 1, 0},   {"0110", 1, 2}, {"0010100", 2, 3},
                {"000", 3, 0}, {"111", 0, 3}, {"0001", 3, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t mask[8];
        const long length = (long)strlen(rows[i].mask);
        for (long t = 0; t < length; t++)
            mask[t] = rows[i].mask[t] == '1';
        const struct batch batch = {.samples = 1, .length = length, .positions = length, .mask = mask},
                           all = {.samples = 1, .length = length, .positions = length};
        const struct generated_rows got = generate_rows(&batch, 0), whole = generate_rows(&all, 0);
        // Of one row the positions are one, which is a target a sequence.
        assert_int_equal(got.first, rows[i].first);
        assert_int_equal(got.count, rows[i].count);
        assert_true(whole.first == 0 && whole.count == length);
    }
}

static void sequences_without_targets_stay_out(void **state)
{
    (void)state;
    struct toy toy;
    open_toy(&toy, MODEL_LSTM, true);
    for (long s = 0; s < SAMPLES; s += 2)
        memset(toy.mask + toy.offsets[s], 0, (size_t)batch_length(&toy.batch, s));
    check(&toy);
    arena_destroy(toy.arena);
}

static void memory_is_announced_and_returned(void **state)
{
    (void)state;
    struct toy toy;
    struct status status = {0};
    int32_t classes[ROWS] = {0};
    open_toy(&toy, MODEL_TRANSFORMER, false);
    const size_t need = generate_bytes(toy.model, SAMPLES, LONGEST);
    struct arena *arena = arena_create(need, need), *less = arena_create(need, need - 64);
    assert_int_equal(generate(toy.model, &toy.batch, arena, classes, &status), STATUS_OK);
    assert_int_equal(arena_used(arena), 0);
    assert_int_equal(generate(toy.model, &toy.batch, less, classes, &status), STATUS_MEMORY);
    assert_int_equal(arena_used(less), 0);
    arena_destroy(arena);
    arena_destroy(less);
    arena_destroy(toy.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_reads_its_own_outputs),
        cmocka_unit_test(rows_are_those_from_the_first_to_the_last_that_counts),
        cmocka_unit_test(sequences_without_targets_stay_out),
        cmocka_unit_test(memory_is_announced_and_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
