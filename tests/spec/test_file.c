// SPDX-License-Identifier: MIT
#include "combination.h"

static const struct combination combinations[] = {
    {{{"task", "file"}, {"model", "rnn"}, {"path", "a.npz"}}, NULL, NULL},
    {{{"task", "file"}, {"model", "rnn"}},
     "path",
     "task file reads its data, but path is missing; write path: DATA.npz"},
    {{{"task", "accumulator"}, {"model", "rnn"}}, NULL, NULL},
    {{{"task", "file"}, {"model", "rnn"}, {"path", "a.npz"}, {"data", "stream"}},
     "data",
     "data: stream is without end, but a file has so many sequences; take data: finite"},
    {{{"task", "file"}, {"model", "rnn"}, {"path", "a.npz"}, {"length_distribution", "uniform"}},
     "length_distribution",
     "length_distribution draws lengths, but those of task file are in its file; remove it"},
    {{{"task", "file"}, {"model", "rnn"}, {"path", "a.npz"}, {"file_shortest", "2"}, {"curriculum", "schedule"}},
     NULL,
     NULL},
};

static void blames_what_a_file_cannot_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof combinations / sizeof combinations[0]; i++)
        check_combination(&combinations[i]);
}

static void sizes_are_what_the_file_was_seen_to_have(void **state)
{
    (void)state;
    const char *const pairs[SET_LIMIT][2] = {{"task", "file"},      {"file_vocabulary", "7"},
                                             {"file_classes", "3"}, {"file_shortest", "8"},
                                             {"train_length", "8"}, {"supervision", "final"}};
    struct settings settings = settings_with(pairs);
    assert_int_equal(settings_vocabulary(&settings), 7);
    assert_int_equal(settings_classes(&settings), 3);
    assert_int_equal(settings_tokens(&settings, false, 8), 8);
    assert_true(!settings_ragged(&settings) && !settings_masked(&settings) && !settings_every_step(&settings));
    set(&settings, "file_shortest", "7");
    set(&settings, "file_masked", "true");
    set(&settings, "supervision", "steps");
    assert_true(settings_ragged(&settings) && settings_masked(&settings) && settings_every_step(&settings));
}

static void the_data_are_a_part_of_the_identity_and_their_place_is_not(void **state)
{
    (void)state;
    const char *const pairs[SET_LIMIT][2] = {{"task", "file"}, {"path", "a.npz"}, {"file_hash", "5"}};
    struct settings settings = settings_with(pairs);
    const struct hash128 identity = settings_identity(&settings);
    set(&settings, "path", "elsewhere/b.npz");
    set(&settings, "file_vocabulary", "9");
    assert_true(hash_equal(settings_identity(&settings), identity));
    set(&settings, "file_hash", "6");
    assert_false(hash_equal(settings_identity(&settings), identity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_what_a_file_cannot_do),
        cmocka_unit_test(sizes_are_what_the_file_was_seen_to_have),
        cmocka_unit_test(the_data_are_a_part_of_the_identity_and_their_place_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
