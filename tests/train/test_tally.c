// SPDX-License-Identifier: MIT
#include "support.h"

#include "train_tally.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct arena *arena;
    struct settings settings;
    struct nn_model *model;
    struct train_data data;
};

static int create(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct status status;
    fixture->arena = arena_create(1 << 16, 0);
    settings_defaults(&fixture->settings);
    fixture->settings.task.dim = 12;
    fixture->settings.model.head_dim = 4;
    fixture->settings.model.init_scale = 0.5;
    task_set_init(&fixture->data.set, &fixture->settings, SPLIT_TEST, 11);
    *state = fixture;
    return nn_model_create(&fixture->settings, &fixture->data.set.shape, 11, fixture->arena, &fixture->model, &status);
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;
    arena_destroy(fixture->arena);
    free(fixture);
    return 0;
}

static struct train_tally tally(struct fixture *fixture, const long *parts)
{
    struct train_tally sums = {0};
    struct status status;
    long first = 0;
    for (; *parts > 0; first += *parts++)
        assert_int_equal(train_tally(fixture->model, &fixture->data, first, *parts, fixture->arena, &sums, &status),
                         STATUS_OK);
    return sums;
}

static void parts_and_cache_do_not_change_bits(void **state)
{
    struct fixture *fixture = *state;
    struct status status;
    const long parts[][6] = {{1000}, {1, 999}, {200, 800}, {127, 129, 744}, {333, 333, 334}};
    const long caches[] = {0, 200, 1000};
    struct train_tally whole = tally(fixture, parts[0]);
    assert_true(whole.fit.sequences == 1000 && whole.fit.targets == 1000);
    assert_true(whole.fit.wrong_given > 0 && whole.fit.wrong_given < 1000);
    assert_int_equal(whole.fit.wrong_sequences, whole.fit.wrong_given);
    assert_int_equal(whole.fit.flips, 0);
    assert_true(whole.mass > 0 && whole.mass < 1000 && whole.signal_norm > 0 && whole.noise_norm > 0);
    for (size_t c = 0; c < 3; c++) {
        fixture->data.cached = 0;
        if (caches[c])
            assert_int_equal(train_data_cache(&fixture->data, caches[c], fixture->arena, &status), STATUS_OK);
        for (size_t p = 0; p < 5; p++) {
            struct train_tally other = tally(fixture, parts[p]);
            assert_memory_equal(&other, &whole, sizeof whole);
        }
    }
}

static void sums_are_those_of_single_predictions(void **state)
{
    struct fixture *fixture = *state;
    struct status status;
    struct batch batch;
    double wrong = 0, loss = 0;
    real logit[50], losses[50];
    assert_int_equal(task_make(&fixture->data.set, 0, 50, fixture->arena, &batch, &status), STATUS_OK);
    nn_predict(fixture->model, &batch, &(struct nn_outputs){.logits = logit});
    nn_losses(&batch, logit, losses);
    for (int i = 0; i < 50; i++) {
        double margin = (2 * batch.targets[i] - 1) * (double)logit[i];
        wrong += !(margin > 0);
        loss += log1p(exp(-margin));
    }
    struct train_tally sums = tally(fixture, (long[]){50, 0});
    assert_true((double)sums.fit.wrong_given == wrong);
    assert_true(fabs(sums.loss - loss) < 1e-4);
}

static void memory_is_given_back_and_foretold(void **state)
{
    struct fixture *fixture = *state;
    size_t before = arena_used(fixture->arena);
    tally(fixture, (long[]){1000, 0});
    size_t blocks = arena_blocks(fixture->arena);
    tally(fixture, (long[]){600, 400, 0});
    assert_int_equal(arena_used(fixture->arena), before);
    assert_true(train_chunk(&fixture->data.set) >= 1);
#ifndef LGSWEEP_SANITIZE
    assert_int_equal(arena_blocks(fixture->arena), blocks);
#endif
    (void)blocks;
    struct arena *small = arena_create(1 << 8, train_tally_bytes(&fixture->data.set) / 2);
    struct train_tally sums = {0};
    struct status status;
    assert_int_equal(train_tally(fixture->model, &fixture->data, 0, 100, small, &sums, &status), STATUS_MEMORY);
    arena_destroy(small);
}

static void chunks_shrink_with_the_length(void **state)
{
    struct fixture *fixture = *state;
    long before = 1 << 20;
    for (long length = 1; length < 200000; length *= 4) {
        task_set_init(&fixture->data.set, &fixture->settings, SPLIT_TEST, length);
        long chunk = train_chunk(&fixture->data.set);
        assert_true(chunk >= 1 && chunk <= before);
        assert_true(chunk == 1 || (double)chunk * (double)task_sample_bytes(&fixture->data.set) <= 1 << 20);
        before = chunk;
    }
}

static void a_fit_counts_each_kind_of_sample(void **state)
{
    const int32_t given[] = {1, 0, 1, 0, 1, 0, 1}, clean[] = {1, 0, 0, 1, 0, 1, 1};
    const real logits[] = {2, 3, 1, -1, -1, 0, NAN};
    struct batch batch = {.samples = 7, .positions = 1, .targets = given, .clean = clean, .classes = 2, .binary = true};
    struct train_fit fit = {0};
    int32_t predicted[7];
    nn_classes(&batch, logits, predicted);
    train_fit(&batch, predicted, &fit);
    assert_int_equal(fit.targets, 7);
    assert_int_equal(fit.sequences, 7);
    assert_int_equal(fit.wrong_sequences, 4);
    assert_int_equal(fit.wrong_given, 4);     // samples 1, 4, 5 (a zero) and 6 (not a number)
    assert_int_equal(fit.wrong_clean, 5);     // 1, 2, 3, 5, 6
    assert_int_equal(fit.unflipped, 3);       // 0, 1, 6
    assert_int_equal(fit.wrong_unflipped, 2); // 1, 6
    assert_int_equal(fit.flips, 4);
    assert_int_equal(fit.flips_fitted, 2); // 2, 3
    (void)state;
}

// Three classes, two positions a sequence, one target that does not count.
static void targets_of_several_positions_are_counted_each(void **state)
{
    const int32_t given[] = {0, 1, 2, 2, 1, 0}, clean[] = {0, 1, 2, 1, 2, 0};
    const uint8_t mask[] = {1, 1, 1, 1, 1, 0};
    const real logits[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 5, 4, 1, 1, 0, 0, 1, 0};
    struct batch batch = {
        .samples = 3, .length = 2, .positions = 2, .targets = given, .clean = clean, .mask = mask, .classes = 3};
    struct train_fit fit = {0};
    int32_t predicted[6];
    nn_classes(&batch, logits, predicted); // 0 1 | 2 1 | 0 (the first of equals) and 1
    train_fit(&batch, predicted, &fit);
    assert_int_equal(fit.sequences, 3);
    assert_int_equal(fit.targets, 5);
    assert_int_equal(fit.wrong_given, 2); // the fourth and the fifth
    assert_int_equal(fit.wrong_sequences, 2);
    assert_int_equal(fit.wrong_clean, 1);
    assert_int_equal(fit.flips, 2);
    assert_int_equal(fit.flips_fitted, 0);
    assert_int_equal(fit.unflipped, 3);
    assert_int_equal(fit.wrong_unflipped, 0);
    train_fit(&batch, predicted, &fit);
    assert_int_equal(fit.targets, 10);
    (void)state;
}

static void tokens_are_tallied_like_vectors(void **state)
{
    for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
        struct arena *arena = arena_create(1 << 20, 0);
        struct train_tally whole = {0}, parts = {0};
        struct train_data data = {0};
        struct settings settings;
        struct nn_model *model;
        struct status status;
        settings_defaults(&settings);
        settings.task.kind = TASK_ACCUMULATOR;
        settings.task.supervision = supervision;
        settings.model.kind = MODEL_TRANSFORMER;
        settings.model.width = 16;
        task_set_init(&data.set, &settings, SPLIT_TEST, 11);
        assert_int_equal(nn_model_create(&settings, &data.set.shape, 11, arena, &model, &status), STATUS_OK);
        assert_int_equal(train_tally(model, &data, 0, 300, arena, &whole, &status), STATUS_OK);
        assert_int_equal(train_data_cache(&data, 200, arena, &status), STATUS_OK);
        for (long at = 0; at < 300; at += 75)
            assert_int_equal(train_tally(model, &data, at, 75, arena, &parts, &status), STATUS_OK);
        assert_int_equal(whole.fit.sequences, 300);
        assert_int_equal(whole.fit.targets, supervision == SUPERVISION_STEPS ? 3300 : 300);
        assert_memory_equal(&whole.fit, &parts.fit, sizeof whole.fit);
        assert_true(whole.loss == parts.loss && whole.loss > 0 && isfinite(whole.loss));
        assert_true(isnan(whole.mass) && isnan(whole.signal_norm) && isnan(whole.noise_norm));
        assert_true(whole.fit.wrong_sequences >= whole.fit.wrong_given / 11);
        arena_destroy(arena);
    }
    (void)state;
}

// Sequences of 1 to 9 symbols behind one that opens them.
static void ragged_set(struct settings *settings, int supervision, struct task_set *ret_set)
{
    settings_defaults(settings);
    settings->task.kind = TASK_ACCUMULATOR;
    settings->task.length_distribution = LENGTHS_UNIFORM;
    settings->task.train_length = 9;
    settings->task.samples = 300;
    settings->task.noise_rate = 0.3;
    settings->task.begin_token = true;
    settings->task.supervision = supervision;
    settings->model.kind = MODEL_RNN;
    settings->model.width = 16;
    task_set_init(ret_set, settings, SPLIT_TRAIN, 9);
}

static void views_of_packed_sequences_are_those_sequences(void **state)
{
    for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
        struct arena *arena = arena_create(1 << 20, 0);
        struct settings settings;
        struct task_set set;
        struct batch all;
        struct status status;
        ragged_set(&settings, supervision, &set);
        assert_int_equal(task_make(&set, 0, 300, arena, &all, &status), STATUS_OK);
        for (long first = 0; first < 300; first += 7)
            for (long count = 1; count <= 5; count += 2) {
                struct batch view = train_batch_view(&all, first, count), made;
                const struct arena_mark mark = arena_mark(arena);
                assert_int_equal(task_make(&set, first, count, arena, &made, &status), STATUS_OK);
                const size_t rows = (size_t)batch_row(&made, count), targets = (size_t)batch_target(&made, count);
                assert_int_equal(view.length, made.length);
                assert_int_equal(view.positions, made.positions);
                assert_int_equal(!view.offsets, !made.offsets);
                assert_int_equal(batch_row(&view, count), rows);
                assert_int_equal(batch_index(&view, count - 1), first + count - 1);
                assert_memory_equal(view.tokens, made.tokens, rows * sizeof(int32_t));
                assert_memory_equal(view.targets, made.targets, targets * sizeof(int32_t));
                assert_memory_equal(view.clean, made.clean, targets * sizeof(int32_t));
                assert_int_equal(!view.mask, supervision == SUPERVISION_FINAL);
                if (view.mask)
                    assert_memory_equal(view.mask, made.mask, targets);
                for (long s = 0; s < count; s++)
                    assert_int_equal(batch_length(&view, s), task_tokens(&set, first + s));
                arena_release(arena, mark);
            }
        arena_destroy(arena);
    }
    (void)state;
}

static void packed_sequences_are_tallied_each(void **state)
{
    for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
        struct arena *arena = arena_create(1 << 20, 0);
        struct train_tally whole = {0}, parts = {0};
        struct train_data data = {0};
        struct settings settings;
        struct nn_model *model;
        struct status status;
        long targets = 0, flips = 0;
        ragged_set(&settings, supervision, &data.set);
        assert_int_equal(nn_model_create(&settings, &data.set.shape, 10, arena, &model, &status), STATUS_OK);
        assert_int_equal(train_tally(model, &data, 0, 300, arena, &whole, &status), STATUS_OK);
        assert_int_equal(train_count_flips(&data, arena, &flips, &status), STATUS_OK);
        assert_int_equal(train_data_cache(&data, 200, arena, &status), STATUS_OK);
        for (long at = 0; at < 300; at += 75)
            assert_int_equal(train_tally(model, &data, at, 75, arena, &parts, &status), STATUS_OK);
        for (long i = 0; i < 300; i++)
            targets += supervision == SUPERVISION_STEPS ? task_length(&data.set, i) : 1;
        assert_int_equal(whole.fit.sequences, 300);
        assert_int_equal(whole.fit.targets, targets);
        assert_int_equal(whole.fit.flips, flips);
        assert_true(flips > targets / 5 && flips < targets * 2 / 5);
        assert_true(whole.fit.wrong_sequences > 0 && whole.fit.wrong_sequences < 300);
        assert_memory_equal(&whole.fit, &parts.fit, sizeof whole.fit);
        assert_true(whole.loss == parts.loss && whole.loss > 0);
        arena_destroy(arena);
    }
    (void)state;
}

// Three sequences of 1, 3 and 2 targets.
static void wrong_sequences_of_a_packed_batch_are_counted_each(void **state)
{
    const int32_t given[] = {0, 1, 1, 1, 2, 2}, predicted[] = {0, 1, 0, 0, 2, 1};
    const int64_t offsets[] = {40, 41, 44, 46};
    const struct batch batch = {
        .samples = 3, .length = 3, .positions = 3, .offsets = offsets, .targets = given, .clean = given, .classes = 3};
    struct train_fit fit = {0};
    train_fit(&batch, predicted, &fit);
    assert_int_equal(fit.sequences, 3);
    assert_int_equal(fit.targets, 6);
    assert_int_equal(fit.wrong_given, 3);
    assert_int_equal(fit.wrong_sequences, 2);
    (void)state;
}

static void flips_are_counted_without_the_set_in_memory(void **state)
{
    struct arena *arena = arena_create(1 << 20, 0);
    struct train_data data = {0};
    struct settings settings;
    struct status status;
    long made = -1, cached = -1, straight = 0;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.samples = 500;
    settings.task.noise_rate = 0.2;
    task_set_init(&data.set, &settings, SPLIT_TRAIN, 8);
    assert_int_equal(train_count_flips(&data, arena, &made, &status), STATUS_OK);
    assert_int_equal(arena_used(arena), 0);
    assert_int_equal(train_data_cache(&data, 500, arena, &status), STATUS_OK);
    assert_int_equal(train_count_flips(&data, arena, &cached, &status), STATUS_OK);
    for (long t = 0; t < 4000; t++)
        straight += data.batch.targets[t] != data.batch.clean[t];
    assert_int_equal(made, straight);
    assert_int_equal(cached, straight);
    assert_in_range(straight, 650, 950);
    arena_destroy(arena);
    (void)state;
}

// Targets of many classes at many positions take more room than the tokens.
static void chunks_shrink_with_what_a_model_says(void **state)
{
    struct settings settings;
    struct task_set set;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    settings.task.modulus = 4096;
    for (long length = 1; length <= 4096; length *= 4) {
        task_set_init(&set, &settings, SPLIT_TEST, length);
        assert_true(train_chunk(&set) == 1 || train_chunk(&set) * length * 4096 * 4 <= 1 << 22);
        assert_true(train_tally_bytes(&set) <= (size_t)length * 4096 * 8 + (6 << 20));
    }
    (void)state;
}

// A chunk has more of them, so that none but all lengths tell what most is.
static void memory_of_shorter_sequences_is_bounded(void **state)
{
    struct settings settings;
    struct task_set longest, set;
    settings_defaults(&settings);
    settings.task.kind = TASK_ACCUMULATOR;
    for (int64_t modulus = 2; modulus <= 2048; modulus *= 32)
        for (long most = 1; most <= 20000; most = most * 3 + 1) {
            settings.task.modulus = modulus;
            task_set_init(&longest, &settings, SPLIT_VALIDATION, most);
            const size_t bound = train_tally_most_bytes(&longest);
            for (long length = 1; length <= most; length += 1 + length / 50) {
                task_set_init(&set, &settings, SPLIT_VALIDATION, length);
                assert_true(train_tally_bytes(&set) <= bound);
            }
            assert_true(bound <= 3 * train_tally_bytes(&longest));
        }
    (void)state;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(parts_and_cache_do_not_change_bits),
        ROW(sums_are_those_of_single_predictions),
        ROW(memory_is_given_back_and_foretold),
        ROW(chunks_shrink_with_the_length),
        ROW(a_fit_counts_each_kind_of_sample),
        cmocka_unit_test(targets_of_several_positions_are_counted_each),
        cmocka_unit_test(tokens_are_tallied_like_vectors),
        cmocka_unit_test(views_of_packed_sequences_are_those_sequences),
        cmocka_unit_test(packed_sequences_are_tallied_each),
        cmocka_unit_test(wrong_sequences_of_a_packed_batch_are_counted_each),
        cmocka_unit_test(memory_of_shorter_sequences_is_bounded),
        cmocka_unit_test(flips_are_counted_without_the_set_in_memory),
        cmocka_unit_test(chunks_shrink_with_what_a_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
