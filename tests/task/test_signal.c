// SPDX-License-Identifier: MIT
#include "support.h"

#include "base_hash.h"
#include "task.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct settings some_settings(void)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.seed = 7;
    settings.task.train_length = 6;
    settings.task.samples = 40;
    settings.task.dim = 12;
    settings.task.snr = 16;
    settings.task.noise_rate = 0.25;
    return settings;
}

static struct batch make(const struct settings *settings, enum task_split split, long length, long first, long count,
                         struct arena *arena)
{
    struct task_set set;
    struct batch batch = {0};
    struct status status;
    task_set_init(&set, settings, split, length);
    assert_int_equal(task_make(&set, first, count, arena, &batch, &status), STATUS_OK);
    assert_int_equal(batch.samples, count);
    assert_int_equal(batch.length, length);
    assert_int_equal(batch.positions, 1);
    assert_int_equal(batch.classes, 2);
    assert_null(batch.mask);
    assert_null(batch.tokens);
    return batch;
}

static const float *token(const struct batch *batch, long sample, long position)
{
    return batch->vectors + (sample * batch->length + position) * batch->dim;
}

static bool is_signal(const struct batch *batch, long sample, long position)
{
    for (long i = 0; i < batch->relevant_count; i++)
        if (batch->relevant[sample * batch->relevant_count + i] == position)
            return true;
    return false;
}

static void assert_same_samples(const struct batch *a, long first_a, const struct batch *b, long first_b, long count)
{
    size_t sequence = (size_t)(a->length * a->dim);
    assert_memory_equal(a->vectors + (size_t)first_a * sequence, b->vectors + (size_t)first_b * sequence,
                        (size_t)count * sequence * sizeof(float));
    assert_memory_equal(a->targets + first_a, b->targets + first_b, (size_t)count * sizeof(int32_t));
    assert_memory_equal(a->clean + first_a, b->clean + first_b, (size_t)count * sizeof(int32_t));
    assert_memory_equal(a->relevant + first_a * a->relevant_count, b->relevant + first_b * b->relevant_count,
                        (size_t)(count * a->relevant_count) * sizeof(int32_t));
}

static void any_range_has_the_bits_of_the_whole(void **state)
{
    struct settings settings = some_settings();
    struct arena *arena = *state;
    settings.task.signal_tokens = 3;
    struct batch whole = make(&settings, SPLIT_TRAIN, 6, 0, 40, arena);
    for (long first = 0; first < 40; first += 7) {
        long count = first + 7 < 40 ? 7 : 40 - first;
        struct batch part = make(&settings, SPLIT_TRAIN, 6, first, count, arena);
        assert_same_samples(&whole, first, &part, 0, count);
    }
}

static void more_samples_keep_the_first_ones(void **state)
{
    struct settings settings = some_settings(), more = settings;
    more.task.samples = 400;
    struct batch a = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state), b = make(&more, SPLIT_TRAIN, 6, 0, 400, *state);
    assert_same_samples(&a, 0, &b, 0, 40);
}

static void a_wider_token_keeps_its_coordinates(void **state)
{
    struct settings settings = some_settings(), wider = settings;
    wider.task.dim = 31;
    struct batch a = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state), b = make(&wider, SPLIT_TRAIN, 6, 0, 40, *state);
    for (long i = 0; i < 40; i++)
        for (long t = 0; t < 6; t++)
            assert_memory_equal(token(&a, i, t), token(&b, i, t), (size_t)a.dim * sizeof(float));
    assert_memory_equal(a.targets, b.targets, 40 * sizeof(int32_t));
}

static void a_longer_sequence_keeps_its_noise(void **state)
{
    struct settings settings = some_settings(), longer = settings;
    longer.task.train_length = 11;
    struct batch a = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state), b = make(&longer, SPLIT_TRAIN, 11, 0, 40, *state);
    for (long i = 0; i < 40; i++)
        for (long t = 0; t < 6; t++)
            if (!is_signal(&a, i, t) && !is_signal(&b, i, t))
                assert_memory_equal(token(&a, i, t), token(&b, i, t), (size_t)a.dim * sizeof(float));
    assert_memory_equal(a.clean, b.clean, 40 * sizeof(int32_t));
}

static void a_signal_position_scales_with_the_length(void **state)
{
    struct settings settings = some_settings();
    struct batch a = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state),
                 b = make(&settings, SPLIT_TRAIN, 12, 0, 40, *state);
    for (long i = 0; i < 40; i++)
        assert_int_equal(b.relevant[i] / 2, a.relevant[i]); // both are ⌊u·n⌋ of the same u
}

static void more_signal_tokens_keep_the_first_ones(void **state)
{
    struct settings settings = some_settings();
    for (long count = 1; count < 6; count++) {
        settings.task.signal_tokens = (double)count;
        struct batch fewer = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state);
        settings.task.signal_tokens = (double)count + 1;
        struct batch more = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state);
        for (long i = 0; i < 40; i++)
            for (long t = 0; t < 6; t++)
                assert_true(is_signal(&more, i, t) || !is_signal(&fewer, i, t));
    }
}

static void flips_are_nested_in_the_noise_rate(void **state)
{
    struct settings settings = some_settings();
    const double rates[] = {0, 0.05, 0.1, 0.3, 0.6, 0.99};
    struct batch before = {0};
    settings.task.samples = 2000;
    for (size_t r = 0; r < 6; r++) {
        long flips = 0;
        settings.task.noise_rate = rates[r];
        struct batch batch = make(&settings, SPLIT_TRAIN, 6, 0, 2000, *state);
        for (long i = 0; i < 2000; i++) {
            bool flipped = batch.targets[i] != batch.clean[i];
            flips += flipped;
            assert_true(batch.targets[i] == 0 || batch.targets[i] == 1);
            if (r > 0) {
                assert_int_equal(batch.clean[i], before.clean[i]);
                assert_true(flipped || before.targets[i] == before.clean[i]);
            }
        }
        double spread = sqrt(rates[r] * (1 - rates[r]) / 2000);
        assert_true(fabs((double)flips / 2000 - rates[r]) <= 4 * spread);
        before = batch;
    }
}

static void labels_are_clean_outside_training(void **state)
{
    struct settings settings = some_settings();
    settings.task.noise_rate = 0.9;
    const enum task_split splits[] = {SPLIT_VALIDATION, SPLIT_TEST};
    for (int s = 0; s < 2; s++) {
        struct batch batch = make(&settings, splits[s], 6, 0, 200, *state);
        assert_memory_equal(batch.targets, batch.clean, 200 * sizeof(int32_t));
    }
}

static void labels_are_balanced_and_differ_by_split_length_and_seed(void **state)
{
    struct settings settings = some_settings(), other_seed = settings, other_data = settings;
    settings.task.samples = other_seed.task.samples = other_data.task.samples = 1000;
    other_seed.seed++;
    other_data.data_seed = 5;
    const struct batch batches[] = {
        make(&settings, SPLIT_TRAIN, 6, 0, 1000, *state),   make(&settings, SPLIT_VALIDATION, 6, 0, 1000, *state),
        make(&settings, SPLIT_TEST, 6, 0, 1000, *state),    make(&settings, SPLIT_TEST, 12, 0, 1000, *state),
        make(&other_seed, SPLIT_TRAIN, 6, 0, 1000, *state), make(&other_data, SPLIT_TRAIN, 6, 0, 1000, *state),
    };
    for (size_t a = 0; a < 6; a++) {
        long ones = 0;
        for (long i = 0; i < 1000; i++)
            ones += batches[a].clean[i];
        assert_true(labs(ones - 500) < 64);
        for (size_t b = 0; b < a; b++) {
            long same = 0;
            for (long i = 0; i < 1000; i++)
                same += batches[a].clean[i] == batches[b].clean[i];
            assert_true(labs(same - 500) < 64);
            assert_memory_not_equal(token(&batches[a], 0, 0), token(&batches[b], 0, 0), 12 * sizeof(float));
        }
    }
}

static void replicate_and_equal_data_seed_see_the_same_data(void **state)
{
    struct settings replicate = some_settings(), seeded = replicate;
    replicate.replicate = 3;
    seeded.data_seed = 3;
    struct batch a = make(&replicate, SPLIT_TRAIN, 6, 0, 40, *state), b = make(&seeded, SPLIT_TRAIN, 6, 0, 40, *state);
    assert_same_samples(&a, 0, &b, 0, 40);
}

static void signals_have_their_norm_and_place(void **state)
{
    const struct {
        int geometry;
        bool signal_noise, project;
        double snr;
        float norm;
    } rows[] = {
        {GEOMETRY_ORTHOGONAL, false, true, 16, 4},       {GEOMETRY_ANTIPODAL, false, true, 16, 4},
        {GEOMETRY_ORTHOGONAL, false, false, 2.25, 1.5F}, {GEOMETRY_ORTHOGONAL, true, true, 16, 4},
        {GEOMETRY_ANTIPODAL, true, true, 16, 4},         {GEOMETRY_ORTHOGONAL, false, true, INFINITY, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = some_settings();
        settings.task.signal_geometry = rows[r].geometry;
        settings.task.signal_noise = rows[r].signal_noise;
        settings.task.project_noise = rows[r].project;
        settings.task.snr = rows[r].snr;
        float norm = isinf(rows[r].snr) ? sqrtf(12) : rows[r].norm;
        struct batch batch = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state);
        for (long i = 0; i < 40; i++) {
            const float *signal = token(&batch, i, batch.relevant[i]);
            bool up = batch.clean[i], antipodal = rows[r].geometry == GEOMETRY_ANTIPODAL;
            assert_true(signal[0] == (up ? norm : antipodal ? -norm : 0));
            assert_true(signal[1] == (up || antipodal ? 0 : norm));
            float rest = 0;
            for (int c = 2; c < 12; c++)
                rest += fabsf(signal[c]);
            assert_int_equal(rest > 0, rows[r].signal_noise);
        }
    }
}

static void noise_is_standard_normal_and_projected(void **state)
{
    struct settings settings = some_settings();
    for (int project = 0; project < 2; project++) {
        double sum[12] = {0}, squares[12] = {0}, count = 0;
        settings.task.project_noise = project;
        struct batch batch = make(&settings, SPLIT_TEST, 6, 0, 1000, *state);
        for (long i = 0; i < 1000; i++)
            for (long t = 0; t < 6; t++) {
                if (is_signal(&batch, i, t))
                    continue;
                count++;
                for (int c = 0; c < 12; c++) {
                    double value = (double)token(&batch, i, t)[c];
                    sum[c] += value;
                    squares[c] += value * value;
                }
            }
        for (int c = 0; c < 12; c++) {
            bool nil = project && c < 2;
            assert_true(fabs(sum[c] / count) < 4 / sqrt(count));
            assert_true(fabs(squares[c] / count - (nil ? 0 : 1)) < 4 * sqrt(2 / count));
        }
    }
}

static void no_noise_leaves_other_tokens_empty(void **state)
{
    struct settings settings = some_settings();
    settings.task.snr = INFINITY;
    settings.task.project_noise = false;
    struct batch batch = make(&settings, SPLIT_TEST, 6, 0, 40, *state);
    for (long i = 0; i < 40; i++)
        for (long t = 0; t < 6; t++)
            for (int c = 0; c < 12 && !is_signal(&batch, i, t); c++)
                assert_true(token(&batch, i, t)[c] == 0);
}

static void counts_and_shares_give_ascending_distinct_positions(void **state)
{
    const struct {
        double tokens;
        int position;
        long length, expected;
    } rows[] = {
        {1, POSITION_RANDOM, 6, 1},         {3, POSITION_RANDOM, 6, 3},      {6, POSITION_RANDOM, 6, 6},
        {8, POSITION_RANDOM, 6, 6},         {0.125, POSITION_RANDOM, 64, 8}, {0.125, POSITION_RANDOM, 6, 1},
        {0.29, POSITION_RANDOM, 100, 29},   {0.5, POSITION_FIRST, 9, 4},     {1, POSITION_FIRST, 6, 1},
        {0.999, POSITION_RANDOM, 500, 499}, {0.001, POSITION_FIRST, 6, 1},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct settings settings = some_settings();
        settings.task.signal_tokens = rows[r].tokens;
        settings.task.signal_position = rows[r].position;
        struct batch batch = make(&settings, SPLIT_TEST, rows[r].length, 0, 30, *state);
        assert_int_equal(batch.relevant_count, rows[r].expected);
        for (long i = 0; i < 30; i++)
            for (long k = 0; k < batch.relevant_count; k++) {
                int32_t at = batch.relevant[i * batch.relevant_count + k];
                assert_true(at < rows[r].length && at >= k);
                assert_true(k == 0 || at > batch.relevant[i * batch.relevant_count + k - 1]);
                assert_true(rows[r].position == POSITION_RANDOM || at == k);
                assert_true(fabsf(token(&batch, i, at)[0]) + fabsf(token(&batch, i, at)[1]) == 4);
            }
    }
}

static void positions_are_uniform(void **state)
{
    struct settings settings = some_settings();
    for (long count = 1; count <= 2; count++) {
        long seen[6] = {0};
        settings.task.signal_tokens = (double)count;
        struct batch batch = make(&settings, SPLIT_TEST, 6, 0, 1000, *state);
        for (long i = 0; i < 1000 * count; i++)
            seen[batch.relevant[i]]++;
        for (int t = 0; t < 6; t++) {
            double share = (double)count / 6;
            assert_true(fabs((double)seen[t] / 1000 - share) < 4 * sqrt(share * (1 - share) / 1000));
        }
    }
}

static void memory_is_what_it_says_and_its_lack_an_error(void **state)
{
    struct settings settings = some_settings();
    struct task_set set;
    struct batch batch = {.samples = -1};
    struct status status;
    task_set_init(&set, &settings, SPLIT_TRAIN, 6);
    struct arena *arena = arena_create(1 << 12, 0);
    assert_int_equal(task_make(&set, 0, 40, arena, &batch, &status), STATUS_OK);
    assert_true(arena_used(arena) <= task_make_bytes(&set, 40));
    assert_true(40 * task_sample_bytes(&set) <= task_make_bytes(&set, 40));
    arena_destroy(arena);
    arena = arena_create(1 << 10, 1 << 12);
    batch.samples = -1;
    assert_int_equal(task_make(&set, 0, 40, arena, &batch, &status), STATUS_MEMORY);
    assert_int_equal(batch.samples, -1);
    assert_non_null(strstr(status.text, "lower"));
    arena_destroy(arena);
    (void)state;
}

static void bits_are_golden(void **state)
{
    struct settings settings = some_settings();
    settings.task.signal_tokens = 2;
    settings.task.signal_noise = true;
    struct batch batch = make(&settings, SPLIT_TRAIN, 6, 0, 40, *state);
    char text[HASH_TEXT_SIZE];
    hash_text(hash_128(batch.vectors, 40 * 6 * 12 * sizeof(float)), text);
    assert_string_equal(text, "f1ee0f25db29b9e646247d0fda3ea79b");
}

static int create_arena(void **state)
{
    *state = arena_create(1 << 16, 0);
    return *state == NULL;
}

static int destroy_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, create_arena, destroy_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(any_range_has_the_bits_of_the_whole),
        ROW(more_samples_keep_the_first_ones),
        ROW(a_wider_token_keeps_its_coordinates),
        ROW(a_longer_sequence_keeps_its_noise),
        ROW(a_signal_position_scales_with_the_length),
        ROW(more_signal_tokens_keep_the_first_ones),
        ROW(flips_are_nested_in_the_noise_rate),
        ROW(labels_are_clean_outside_training),
        ROW(labels_are_balanced_and_differ_by_split_length_and_seed),
        ROW(replicate_and_equal_data_seed_see_the_same_data),
        ROW(signals_have_their_norm_and_place),
        ROW(noise_is_standard_normal_and_projected),
        ROW(no_noise_leaves_other_tokens_empty),
        ROW(counts_and_shares_give_ascending_distinct_positions),
        ROW(positions_are_uniform),
        ROW(memory_is_what_it_says_and_its_lack_an_error),
        ROW(bits_are_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
