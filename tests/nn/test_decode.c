// SPDX-License-Identifier: MIT
#include "base_isa.h"
#include "decode_cases.h"
#include <malloc.h>

static size_t mallocs;
#ifndef LGSWEEP_SANITIZE
void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}
#endif

// At every token, or at the last of `some`.
static void compare(const struct nn_case *c, const struct decode_row *row, long some, const real *got)
{
    const long outputs = nn_outputs_width(c->model), length = c->batch.length;
    for (long s = 0; s < c->batch.samples; s++)
        for (long t = some - 1; t < length; t += some) {
            const long at = (s * length + t) * outputs;
            if (memcmp(got + at, c->logits + at, (size_t)outputs * sizeof *got) != 0)
                fail_msg("kind %d, encoding %d, scaling %d, random positions %ld, noisy %d, length %ld of %ld, %ld "
                         "samples: sample %ld token %ld, %s: %.9g in place of %.9g",
                         row->kind, row->encoding, row->rope_scaling, (long)row->random_positions, row->noisy, length,
                         row->trained, row->samples, s, t, isa_name(isa_current()), (double)got[at],
                         (double)c->logits[at]);
        }
}

static void check_row(const struct decode_row *row)
{
    struct nn_case c = {0};
    decode_open(&c, row);
    const long count = case_logits(&c), steps[] = {1, 3, 20};
    struct nn_decode *decode = decode_create(&c, row->samples, row->length);
    real *logits = case_take(count, sizeof *logits);
    nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
    for (int i = 0; i < 3; i++) {
        decode_batch(decode, &c.batch, steps[i], nn_outputs_width(c.model), logits);
        compare(&c, row, steps[i], logits);
    }
    free(logits);
    case_close(&c);
}

// Each encoding as it is, with random positions, with noisy embeddings, tied under rms norms, without biases.
static void check_encodings(struct decode_row row)
{
    for (row.encoding = 0; row.encoding < ENCODING_KINDS; row.encoding++) {
        const struct decode_row plain = row;
        check_row(&row);
        row.random_positions = 4 * row.trained + 11;
        check_row(&row);
        row.noisy = true;
        check_row(&row);
        row.random_positions = 0;
        check_row(&row);
        row = plain;
        row.tied = true;
        row.norm = NORM_RMS;
        row.activation = FFN_RELU;
        row.parametrization = PARAMETRIZATION_MUP;
        check_row(&row);
        row.tied = false;
        row.parametrization = PARAMETRIZATION_NTK;
        row.bare = true;
        check_row(&row);
        row = plain;
    }
}

static void logits_have_the_bits_of_a_whole_pass(void **state)
{
    (void)state;
    static const long lengths[] = {1, 7, 9, 16, 17, 36};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_encodings(
            (struct decode_row){.kind = MODEL_TRANSFORMER, .trained = 9, .length = lengths[i], .samples = 3});
    check_encodings((struct decode_row){.kind = MODEL_TRANSFORMER, .trained = 20, .length = 80, .samples = 1});
    check_encodings((struct decode_row){
        .kind = MODEL_TRANSFORMER, .trained = 8, .length = 33, .samples = 64, .heads = 3, .head_dim = 8});
    check_encodings((struct decode_row){
        .kind = MODEL_TRANSFORMER, .trained = 12, .length = 48, .samples = 130, .heads = 1, .head_dim = 36});
}

static void scaled_angles_are_those_of_the_announced_length(void **state)
{
    (void)state;
    for (int scaling = 0; scaling <= ROPE_SCALING_YARN; scaling++)
        for (int random = 0; random < 2; random++)
            for (long length = 8; length <= 32; length += 12)
                check_row(&(struct decode_row){.kind = MODEL_TRANSFORMER,
                                               .encoding = ENCODING_ROPE,
                                               .rope_scaling = scaling,
                                               .random_positions = random ? 20 : 0,
                                               .trained = 8,
                                               .length = length,
                                               .samples = 3});
}

// Thresholds within a block of queries, at its end and before all.
static void fires_two_ways_are_told_apart_as_in_a_whole_pass(void **state)
{
    (void)state;
    static const double thresholds[] = {0.5, 15, 15.5, 16, 20.5, 31, 40};
    for (int random = 0; random < 2; random++)
        for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
            for (long length = 15; length <= 55; length += 8)
                check_row(&(struct decode_row){.kind = MODEL_TRANSFORMER,
                                               .encoding = ENCODING_FIRE,
                                               .fire_threshold = thresholds[i],
                                               .random_positions = random ? 70 : 0,
                                               .trained = 15,
                                               .length = length,
                                               .samples = 3});
}

static void recurrent_states_go_on_where_they_were(void **state)
{
    (void)state;
    for (int kind = MODEL_RNN; kind <= MODEL_LSTM; kind++)
        for (int variant = 0; variant < 8; variant++)
            for (long samples = 1; samples <= 200; samples = samples * 4 + 1)
                check_row(&(struct decode_row){.kind = kind,
                                               .trained = 10,
                                               .length = 1 + 13 * (variant % 4),
                                               .samples = samples,
                                               .noisy = variant & 1,
                                               .tied = variant & 2,
                                               .bare = variant & 4});
}

static const struct decode_row examples[] = {
    {.kind = MODEL_TRANSFORMER, .trained = 12, .length = 40, .samples = 3},
    {.kind = MODEL_TRANSFORMER, .encoding = ENCODING_TRANSFORMER_XL, .trained = 12, .length = 40, .samples = 5},
    {.kind = MODEL_TRANSFORMER,
     .encoding = ENCODING_RELATIVE,
     .random_positions = 70,
     .trained = 12,
     .length = 40,
     .samples = 3},
    {.kind = MODEL_TRANSFORMER, .encoding = ENCODING_ROPE, .trained = 40, .length = 40, .samples = 3, .noisy = true},
    {.kind = MODEL_TRANSFORMER, .encoding = ENCODING_ABSOLUTE, .trained = 12, .length = 40, .samples = 4},
    {.kind = MODEL_RNN, .trained = 12, .length = 40, .samples = 3},
    {.kind = MODEL_LSTM, .trained = 12, .length = 40, .samples = 3, .noisy = true},
};
enum { EXAMPLES = sizeof examples / sizeof *examples, FREE_OF_THE_LENGTH = 2 };

// Without what depends on the length, a prediction of the tokens so far has these bits too.
static void tokens_so_far_are_enough(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct nn_case c = {0};
        if (examples[i].random_positions)
            continue;
        decode_open(&c, &examples[i]);
        const long outputs = nn_outputs_width(c.model), length = c.batch.length;
        real *all = case_take(case_logits(&c), sizeof *all);
        decode_batch(decode_create(&c, c.batch.samples, length), &c.batch, 1, outputs, all);
        for (long now = 1; now <= length; now += 4) {
            struct batch part = c.batch;
            int32_t *tokens = case_take(part.samples * now, sizeof *tokens);
            decode_tokens(&c.batch, 0, now, tokens);
            part.tokens = tokens;
            part.length = part.positions = now;
            nn_predict(c.model, &part, &(struct nn_outputs){.logits = c.logits});
            for (long s = 0; s < part.samples; s++)
                assert_memory_equal(c.logits + (s * now + now - 1) * outputs, all + (s * length + now - 1) * outputs,
                                    (size_t)outputs * sizeof *all);
            free(tokens);
        }
        free(all);
        case_close(&c);
    }
}

static void all_instruction_sets_agree(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
            struct nn_case c = {0};
            if (!isa_supported(isa))
                continue;
            decode_open(&c, &examples[i]);
            real *logits = case_take(case_logits(&c), sizeof *logits);
            nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
            c.model->kernels = nn_kernels(isa);
            decode_batch(decode_create(&c, c.batch.samples, c.batch.length), &c.batch, 1, nn_outputs_width(c.model),
                         logits);
            compare(&c, &examples[i], 1, logits);
            free(logits);
            case_close(&c);
        }
}

// Fewer and shorter ones of another index, after longer ones.
static void a_new_start_forgets_the_sequences_before(void **state)
{
    (void)state;
    static const int64_t index[] = {5, 2};
    for (int i = 0; i < EXAMPLES; i++) {
        struct nn_case c = {0};
        decode_open(&c, &examples[i]);
        real *logits = case_take(case_logits(&c), sizeof *logits);
        struct nn_decode *decode = decode_create(&c, c.batch.samples, c.batch.length);
        decode_batch(decode, &c.batch, 1, nn_outputs_width(c.model), logits);
        c.batch.samples = 2;
        c.batch.length = c.batch.positions = 23;
        c.batch.index = index;
        nn_predict(c.model, &c.batch, &(struct nn_outputs){.logits = c.logits});
        decode_batch(decode, &c.batch, 1, nn_outputs_width(c.model), logits);
        compare(&c, &examples[i], 1, logits);
        assert_int_equal(nn_decode_length(decode), 23);
        free(logits);
        case_close(&c);
    }
}

// The next token by whole passes: of sequences (samples, length) whose first `count` tokens are there.
static void append(struct nn_case *c, int32_t *tokens, long count)
{
    const long length = c->batch.length;
    int32_t *classes = case_take(c->batch.samples * length, sizeof *classes);
    c->batch.tokens = tokens;
    nn_predict(c->model, &c->batch, &(struct nn_outputs){.logits = c->logits});
    nn_classes(&c->batch, c->logits, classes);
    for (long s = 0; s < c->batch.samples; s++)
        tokens[s * length + count] = classes[s * length + count - 1];
    free(classes);
}

static void greedy_takes_the_largest_logit_each_time(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        for (long count = 1; count < 40; count += 19) {
            struct nn_case c = {0};
            decode_open(&c, &examples[i]);
            const long samples = c.batch.samples, length = c.batch.length, steps = length - count;
            int32_t *prompt = case_take(samples * count, sizeof *prompt),
                    *got = case_take(samples * steps, sizeof *got);
            struct nn_decode *decode = decode_create(&c, samples, length);
            decode_tokens(&c.batch, 0, count, prompt);
            decode_begin(decode, &c.batch);
            nn_decode_greedy(decode, prompt, count, steps, got);
            assert_int_equal(nn_decode_length(decode), length - 1);
            for (long t = count; t < length; t++)
                append(&c, c.tokens, t);
            for (long s = 0; s < samples; s++)
                assert_memory_equal(got + s * steps, c.tokens + s * length + count, (size_t)steps * sizeof *got);
            free(prompt);
            free(got);
            case_close(&c);
        }
}

// A token that only the second sequence has spoils that one alone.
static void a_nan_ends_its_sequence_and_no_other(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct nn_case c = {0};
        int32_t prompt[5] = {0, 6, 0, 0, 0}, got[5][4];
        decode_open(&c, &examples[i]);
        const struct nn_tensor *embedding = case_tensor(&c, "embedding");
        embedding->value[6 * embedding->stride + 1] = (real)NAN;
        struct nn_decode *decode = decode_create(&c, c.batch.samples, c.batch.length);
        decode_begin(decode, &c.batch);
        nn_decode_greedy(decode, prompt, 1, 4, got[0]);
        for (long s = 0; s < c.batch.samples; s++)
            for (int t = 0; t < 4; t++)
                assert_true(s == 1 ? got[s][t] == -1 : got[s][t] >= 0);
        case_close(&c);
    }
}

static void memory_is_what_was_announced(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct nn_case c = {0};
        decode_open(&c, &examples[i]);
        const size_t need = nn_decode_bytes(c.model, 6, 33), twice = nn_decode_bytes(c.model, 12, 33);
        struct arena *arena = arena_create(need, need);
        struct nn_decode *decode = NULL;
        struct status status = {0};
        assert_int_equal(nn_decode_create(c.model, 6, 33, arena, &decode, &status), STATUS_OK);
        assert_int_equal(arena_used(arena), need);
        assert_true(twice < 2 * need);
        arena_destroy(arena);
        arena = arena_create(need, need - 64);
        decode = NULL;
        assert_int_equal(nn_decode_create(c.model, 6, 33, arena, &decode, &status), STATUS_MEMORY);
        assert_non_null(strstr(status.text, "fewer or shorter"));
        assert_null(decode);
        arena_destroy(arena);
        case_close(&c);
    }
}

static void nothing_is_allocated_after_create(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct nn_case c = {0};
        int32_t tokens[5 * 40], prompt[5] = {1, 2, 3, 4, 5};
        decode_open(&c, &examples[i]);
        struct nn_decode *decode = decode_create(&c, c.batch.samples, c.batch.length);
        const size_t before = mallocs, blocks = arena_blocks(c.arena), used = arena_used(c.arena);
        decode_begin(decode, &c.batch);
        nn_decode_greedy(decode, prompt, 1, c.batch.length, tokens);
        assert_true(mallocs == before && arena_blocks(c.arena) == blocks && arena_used(c.arena) == used);
        case_close(&c);
    }
}

static void check_refused(const struct settings *settings, long capacity, const char *why)
{
    struct nn_case c = {0};
    struct nn_decode *decode = NULL;
    struct status status = {0};
    case_model(&c, settings, 20);
    assert_int_equal(nn_decode_create(c.model, 2, capacity, c.arena, &decode, &status), STATUS_INVALID);
    assert_null(decode);
    if (!strstr(status.text, why))
        fail_msg("'%s' does not say '%s'", status.text, why);
    case_close(&c);
}

static void models_that_cannot_are_refused(void **state)
{
    (void)state;
    const struct settings good = decode_settings(&examples[0]);
    struct settings settings = good;
    check_refused(&good, 21, "the model's longest");
    check_refused(&good, 0, "at least one");
    settings.model.attention_mask = MASK_BIDIRECTIONAL;
    check_refused(&settings, 20, "attention_mask");
    settings = good;
    settings.model.pooling = POOLING_LAST;
    check_refused(&settings, 20, "pooling");
    settings = good;
    settings.task.kind = TASK_SIGNAL;
    check_refused(&settings, 20, "vectors");
    settings.model.kind = MODEL_TWO_LAYER;
    check_refused(&settings, 20, "two_layer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_have_the_bits_of_a_whole_pass),
        cmocka_unit_test(scaled_angles_are_those_of_the_announced_length),
        cmocka_unit_test(fires_two_ways_are_told_apart_as_in_a_whole_pass),
        cmocka_unit_test(recurrent_states_go_on_where_they_were),
        cmocka_unit_test(tokens_so_far_are_enough),
        cmocka_unit_test(all_instruction_sets_agree),
        cmocka_unit_test(a_new_start_forgets_the_sequences_before),
        cmocka_unit_test(greedy_takes_the_largest_logit_each_time),
        cmocka_unit_test(a_nan_ends_its_sequence_and_no_other),
        cmocka_unit_test(memory_is_what_was_announced),
        cmocka_unit_test(nothing_is_allocated_after_create),
        cmocka_unit_test(models_that_cannot_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
