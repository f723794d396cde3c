// SPDX-License-Identifier: MIT
#include "support.h"

#include "fixture.h"

static void save_takes_the_last_step_or_a_list(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        int64_t steps[3];
    } rows[] = {
        {"seed: 1\n", 0, {0}},
        {"save: weights\n", 1, {STEP_LAST}},
        {"save: {weights: last}\n", 1, {STEP_LAST}},
        {"save: {weights: 1e3}\n", 1, {1000}},
        {"save: {weights: [0, 100, last]}\n", 3, {0, 100, STEP_LAST}},
        {"save: {weights: [100, 0, 100]}\n", 2, {100, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed parsed;
        parse_good(rows[i].text, &parsed);
        assert_int_equal(parsed.sweep.saves_count, rows[i].count);
        for (size_t k = 0; k < rows[i].count; k++)
            assert_int_equal(parsed.sweep.saves[k], rows[i].steps[k]);
        parsed_fini(&parsed);
    }
}

static void save_refuses_anything_else(void **state)
{
    (void)state;
    assert_refused("save: wieghts\n", "'save' is weights, for those after the last step, or");
    assert_refused("save: [weights]\n", "s.yaml:1:7: 'save' is weights");
    assert_refused("save: {weights: [0, -1]}\n", "s.yaml:1:21: step");
    assert_refused("save: {weights: [first]}\n", "s.yaml:1:18: step");
    assert_refused("save: {weights: []}\n", "s.yaml:1:17: 'save' has no step");
    assert_refused("save: {weights: 1, model: 2}\n", "'save' is weights");
}

static void init_names_store_step_and_what_differs(void **state)
{
    (void)state;
    struct parsed parsed;
    parse_good("init: {from: results/a.h5}\n", &parsed);
    assert_string_equal(parsed.sweep.init.from, "results/a.h5");
    assert_int_equal(parsed.sweep.init.step, STEP_LAST);
    assert_int_equal(parsed.sweep.init.count, 0);
    parsed_fini(&parsed);
    parse_good("init:\n  from: a.h5\n  step: 50\n  with: {snr: .inf, steps: 50}\n", &parsed);
    assert_int_equal(parsed.sweep.init.step, 50);
    assert_int_equal(parsed.sweep.init.count, 2);
    assert_string_equal(parsed.sweep.init.with[0].setting->name, "snr");
    assert_int_equal(parsed.sweep.init.with[1].value.i, 50);
    assert_int_equal(parsed.sweep.init.place.line, 1);
    parsed_fini(&parsed);
    parse_good("seed: 2\n", &parsed);
    assert_null(parsed.sweep.init.from);
    parsed_fini(&parsed);
}

static void init_refuses_anything_else(void **state)
{
    (void)state;
    assert_refused("init: a.h5\n", "'init' is a mapping");
    assert_refused("init: {}\n", "'init' is a mapping");
    assert_refused("init: {step: 3}\n", "'init' needs 'from'");
    assert_refused("init: {from: }\n", "'from' is the path of a store");
    assert_refused("init: {from: a.h5, stepp: 3}\n", "unknown key 'stepp'; 'init' has from, step and with");
    assert_refused("init: {from: a.h5, with: {train_lenght: 3}}\n", "did you mean 'train_length'?");
    assert_refused("init: {from: a.h5, with: {replicate: 3}}\n", "unknown setting 'replicate'");
    assert_refused("init: {from: a.h5, with: {train_length: 0}}\n", "train_length");
    assert_refused("init: {from: a.h5, with: [snr]}\n", "'with' is a mapping");
    assert_refused("init: {from: a.h5, step: soon}\n", "step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(save_takes_the_last_step_or_a_list),
        cmocka_unit_test(save_refuses_anything_else),
        cmocka_unit_test(init_names_store_step_and_what_differs),
        cmocka_unit_test(init_refuses_anything_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
