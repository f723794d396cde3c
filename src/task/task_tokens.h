// SPDX-License-Identifier: MIT
// What tasks on tokens share: where a sequence goes, label noise, memory. A task of its own is the rule that writes one
// sequence, and its chance error.
#pragma once
#include "task_kind.h"

// Label noise of a set, or none.
struct token_noise {
    struct random_key flip, other;
    double rate;
    int place; // enum noise_place
    uint32_t classes;
};

// Where a rule writes one sequence. The clean target of position t goes to targets[t * stride]: under supervision steps
// the stride is 1; under final it is 0, so that each overwrites the one before and the last stays. Symbols that open a
// sequence or ask for the answer are not the rule's business.
struct token_sequence {
    long length; // in the task's units
    long stride;
    int32_t *tokens, *targets;
    uint8_t *mask; // as targets, NULL where the set has none; all 1 at first
    // NULL where the set has none. Those of position t begin at relevant[t * relevant_stride]: with relevant_each the
    // stride is relevant_count, and all are -1 at first; else it is 0, as that of the targets.
    int32_t *relevant;
    long relevant_stride;
    // noise_on chain: the rule goes on from corrupted states too, and writes what follows from them to `given` as it
    // writes clean targets; else NULL.
    const struct token_noise *chain;
    int32_t *given;
};
struct token_noise token_noise(const struct task_set *set);
// Replaces some of a sample's `count` clean targets, as noise_on says; of those that count, where there is a mask.
void token_add_noise(const struct token_noise *noise, uint64_t sample, const int32_t *clean, const uint8_t *mask,
                     long count, int32_t *ret_targets);

// The state after position t of a sample, replaced by another of `states` with the noise's probability.
int32_t token_corrupted(const struct token_noise *noise, uint64_t sample, long t, int32_t state, int32_t states);

struct token_rule {
    void (*write)(const void *rule, uint64_t sample, struct token_sequence *sequence);
    const void *rule; // what does not change from sample to sample, its keys among it
};

void token_shape(const struct settings *settings, struct batch_shape *ret_shape);
void token_init(struct task_set *set); // of task_kind_row, as are those below

// Writes the sequences and puts noise on the targets of the training set: one of the other classes with the noise
// rate's probability, uniformly. The noisy targets at one rate are among those at a higher one, and become the same.
// noise_on says on which: each that counts, a sequence's last that counts, or those that follow from corrupted states.
enum status_code token_make(const struct task_set *set, long first, long count, struct token_rule rule,
                            struct arena *arena, struct batch *ret_batch, struct status *status) MUST_CHECK;
size_t token_sample_bytes(const struct task_set *set);
size_t token_make_bytes(const struct task_set *set, long count);
double token_sample_flops(const struct task_set *set);

// Errors of one who knows how likely each class is at each position and no more. `next` goes on to the next position's
// distribution, gives the share of the likeliest class in it, and says whether it equals that of two positions before.
// Each distribution has to follow from the one before it, so that two then alternate for good.
double token_chance_error(const struct settings *settings, long length, bool (*next)(void *chain, double *ret_most),
                          void *chain);
// Whether two distributions are the same but for rounding.
bool token_chance_equal(const double *a, const double *b, long count);

// Whoever sees the sequence knows the answer.
double token_bayes_error(const struct settings *settings, long length);
double token_bayes_flops(const struct settings *settings, long length);

// The hooks of task_kind_row that no task on tokens has of its own, but one that reads a file.
#define TOKEN_HOOKS                                                                                                    \
    .sample_bytes = token_sample_bytes, .make_bytes = token_make_bytes, .bayes_error = token_bayes_error,              \
    .bayes_flops = token_bayes_flops
