// SPDX-License-Identifier: MIT
// bench_decode SIZE SAMPLES TOKENS [START | whole]: greedy decoding of TOKENS tokens for SAMPLES sequences after a
// first one, as a contender of tools/peers/race.py; `whole` predicts for each token the whole sequence so far instead.
// Its figure is the mean magnitude of the logits at the last of the batch's own tokens. Batch and initial weights are
// written to START.
// By hand: echo 5 | build/tools/bench_decode decode 64 200
#include "base_isa.h"
#include "bench_size.h"
#include "nn_decode.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE_EVERY = 10 };

struct contender {
    struct bench bench; // first, so that a turn finds the whole
    struct nn_decode *decode;
    long samples, tokens;
    int32_t *prompt, *made;
    double figure;
};

static void begin(struct contender *self)
{
    nn_decode_begin(self->decode, &(struct nn_decode_start){.samples = self->samples, .set = "test"});
}

static void turn(struct bench *bench)
{
    struct contender *self = (struct contender *)bench;
    begin(self);
    nn_decode_greedy(self->decode, self->prompt, 1, self->tokens, self->made);
}

static void whole_turn(struct bench *bench)
{
    struct contender *self = (struct contender *)bench;
    struct batch batch = bench->batch;
    for (long length = WHOLE_EVERY / 2; length <= self->tokens; length += WHOLE_EVERY) {
        batch.length = batch.positions = length;
        nn_predict(bench->model, &batch, &(struct nn_outputs){.logits = bench->logits});
        nn_classes(&batch, bench->logits, self->made);
    }
}

static double magnitude(struct contender *self)
{
    const long count = self->samples * nn_outputs_width(self->bench.model);
    double sum = 0;
    begin(self);
    nn_decode_feed_some(self->decode, self->bench.batch.tokens, self->tokens, self->bench.logits);
    for (long i = 0; i < count; i++)
        sum += fabs((double)self->bench.logits[i]);
    return sum / (double)count;
}

static enum status_code create(struct contender *self, const char *size, struct status *status)
{
    struct bench *bench = &self->bench;
    enum status_code code = isa_check(status);
    if (code == STATUS_OK && (self->samples < 1 || self->tokens < 1))
        code = status_set(status, STATUS_INVALID, "how many sequences, and of how many tokens?");
    if (code == STATUS_OK)
        code = bench_create(size, self->samples, self->tokens, bench, status);
    if (code == STATUS_OK)
        code = nn_decode_create(bench->model, self->samples, self->tokens, bench->arena, &self->decode, status);
    if (code != STATUS_OK)
        return code;
    const size_t samples = (size_t)self->samples, tokens = (size_t)self->tokens;
    self->prompt = arena_get(bench->arena, samples, sizeof *self->prompt);
    self->made = arena_get(bench->arena, samples * tokens, sizeof *self->made);
    if (!self->prompt || !self->made)
        return status_set(status, STATUS_MEMORY, "out of memory for tokens");
    for (size_t s = 0; s < samples; s++)
        self->prompt[s] = bench->batch.tokens[s * tokens];
    self->figure = magnitude(self);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct contender self = {.samples = argc > 2 ? atol(argv[2]) : 0, .tokens = argc > 3 ? atol(argv[3]) : 0};
    struct status status = {0};
    const bool whole = argc > 4 && strcmp(argv[4], "whole") == 0;
    enum status_code code = create(&self, argc > 1 ? argv[1] : "", &status);
    if (code == STATUS_OK && argc > 4 && !whole)
        code = bench_write(&self.bench, argv[4], &status);
    if (code == STATUS_OK)
        bench_answer(whole ? whole_turn : turn, &self.bench, self.figure);
    else
        fprintf(stderr, "bench_decode: %s\n", status.text);
    bench_destroy(&self.bench);
    return code == STATUS_OK ? 0 : 1;
}
