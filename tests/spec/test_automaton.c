// SPDX-License-Identifier: MIT
#include "support.h"

#include "spec_automaton.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct settings with_table(const char *table, const char *outputs, int64_t start)
{
    struct settings settings;
    settings_defaults(&settings);
    settings.task.kind = TASK_AUTOMATON;
    settings.task.automaton = AUTOMATON_TABLE;
    settings.task.table = table;
    settings.task.outputs = outputs;
    settings.task.start = start;
    settings.model.kind = MODEL_RNN;
    return settings;
}

// Symbol 0 goes to state 0, symbol 1 to the next state in turn. The caller frees it.
static char *large_table(int states)
{
    struct bytes text = {0};
    for (int state = 0; state < states; state++)
        for (int symbol = 0; symbol < 2; symbol++) {
            char word[32];
            int length = snprintf(word, sizeof word, "%s%d",
                                  symbol  ? " "
                                  : state ? "; "
                                          : "",
                                  symbol ? (state + 1) % states : 0);
            bytes_raw(&text, word, (size_t)length);
        }
    bytes_u8(&text, 0);
    assert_false(text.failed);
    return (char *)text.data;
}

static void reads_states_symbols_and_classes(void **state)
{
    (void)state;
    struct automaton_table table;
    struct settings settings = with_table("0 1 1; 2 0 0; 2 2 0", "0 1 1", 2);
    assert_int_equal(settings_automaton_table(&settings, &table, NULL), STATUS_OK);
    assert_true(table.states == 3 && table.symbols == 3 && table.classes == 2 && table.start == 2);
    static const int16_t next[] = {0, 1, 1, 2, 0, 0, 2, 2, 0}, output[] = {0, 1, 1};
    assert_memory_equal(table.next, next, sizeof next);
    assert_memory_equal(table.output, output, sizeof output);
    assert_int_equal(settings_vocabulary(&settings), 3);
    assert_int_equal(settings_classes(&settings), 2);
}

static void without_outputs_a_class_is_a_state(void **state)
{
    (void)state;
    struct automaton_table table;
    struct settings settings = with_table("1 2 ;2 0;  0 1", "", 0);
    assert_int_equal(settings_automaton_table(&settings, &table, NULL), STATUS_OK);
    assert_true(table.classes == 3 && settings_classes(&settings) == 3 && settings_vocabulary(&settings) == 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(table.output[i], i);
}

static void names_what_is_wrong_with_state_and_symbol(void **state)
{
    (void)state;
    static const struct {
        const char *table, *outputs;
        int start;
        const char *message;
    } rows[] = {
        {"", "", 0,
         "table is empty, but automaton: table needs a row of next states for each state; write it as in table: "
         "[[0, 1], [1, 0]]"},
        {"0 1; 1 0; 0 2; 1", "", 0,
         "table lacks the transition of state 3 for symbol 1: it has 1 there, but 2 in state 0; each state has one for "
         "every symbol"},
        {"0 1; 1 0 0", "", 0,
         "table has 3 transitions in state 1, but 2 in state 0; each state has one for every symbol"},
        {"0 1;; 1 0", "", 0,
         "table lacks the transition of state 1 for symbol 0: it has 0 there, but 2 in state 0; each state has one for "
         "every symbol"},
        {"0 1; 1 -", "", 0,
         "table lacks the transition of state 1 for symbol 1; write the next state, a number from 0"},
        {"~ 1; 1 0", "", 0,
         "table lacks the transition of state 0 for symbol 0; write the next state, a number from 0"},
        {"0 1; Null 0", "", 0,
         "table lacks the transition of state 1 for symbol 0; write the next state, a number from 0"},
        {"0 one; 1 0", "", 0,
         "table has 'one' as the transition of state 0 for symbol 1; write the next state, a number from 0"},
        {"0 1.5; 1 0", "", 0,
         "table has '1.5' as the transition of state 0 for symbol 1; write the next state, a number from 0"},
        {"0 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; 1 0", "", 0,
         "table has 'aaaaaaaaaaaaaaaaaaaa...' as the transition of state 0 for symbol 1; write the next state, a "
         "number "
         "from 0"},
        {"0 1; 2 0", "", 0,
         "table leads from state 1 with symbol 0 to state 2, but its rows are states 0 to 1; name one of these, or add "
         "rows"},
        {"0 1; -3 0", "", 0,
         "table leads from state 1 with symbol 0 to state -3, but its rows are states 0 to 1; name one of these, or "
         "add "
         "rows"},
        {"0; 0", "", 0,
         "table has 1 symbol, so that all sequences are the same; give each state at least 2 transitions"},
        {"0 1; 1 0; 0 1", "", 0,
         "table has state 2, which cannot be reached from the start, state 0; remove it, or mend the transitions or "
         "start"},
        {"1 1; 1 1; 0 3; 3 3", "", 1,
         "table has states 0, 2, 3, which cannot be reached from the start, state 1; remove them, or mend the "
         "transitions or start"},
        {"0 0; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1", "", 0,
         "table has states 1, 2, 3, 4, 5, 6, 7, 8, …, which cannot be reached from the start, state 0; remove them, or "
         "mend the transitions or start"},
        {"0 1; 1 0", "", 2, "start is 2, but the rows of table are states 0 to 1; take one of these"},
        {"0 1; 1 0", "0", 0, "outputs have 1 class, but table has 2 states; write one for each"},
        {"0 1; 1 0", "0 1 1", 0, "outputs have more than 2 classes, but table has 2 states; write one for each"},
        {"0 1; 1 0", "0; 1", 0,
         "outputs have several rows, but are one list; write the class of each state, as in outputs: [0, 1]"},
        {"0 1; 1 0", "0 1; 0", 0,
         "outputs have several rows, but are one list; write the class of each state, as in outputs: [0, 1]"},
        {"0 1; 1 0", "0 -1", 0, "outputs give state 1 the class '-1'; classes are numbers from 0, at most 511"},
        {"0 1; 1 0", "0 512", 0, "outputs give state 1 the class '512'; classes are numbers from 0, at most 511"},
        {"0 1; 1 0", "~ 1", 0, "outputs give state 0 the class '~'; classes are numbers from 0, at most 511"},
        {"0 1; 1 0", "1 2", 0,
         "outputs give class 2 to state 1, but class 0 to none; number the classes from 0 without gaps"},
        {"0 1; 1 0", "0 0", 0,
         "outputs give class 0 to every state, so that every answer is the same; take at least 2 classes"},
        {"0 0", "", 0, "outputs are empty, so that a class is a state, but table has one state alone; take more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct automaton_table table;
        struct status status = {0};
        struct settings settings = with_table(rows[i].table, rows[i].outputs, rows[i].start);
        assert_int_equal(settings_automaton_table(&settings, &table, &status), STATUS_INVALID);
        assert_string_equal(status.text, rows[i].message);
    }
}

static void the_largest_table_is_read_and_a_larger_one_refused(void **state)
{
    (void)state;
    struct automaton_table table;
    struct status status = {0};
    char *largest = large_table(AUTOMATON_STATES), *larger = large_table(AUTOMATON_STATES + 1);
    struct settings settings = with_table(largest, "", AUTOMATON_STATES - 1);
    assert_int_equal(settings_automaton_table(&settings, &table, NULL), STATUS_OK);
    assert_true(table.states == AUTOMATON_STATES && table.next[2 * AUTOMATON_STATES - 3] == AUTOMATON_STATES - 1);
    settings.task.table = larger;
    assert_int_equal(settings_automaton_table(&settings, &table, &status), STATUS_INVALID);
    assert_string_equal(status.text, "table has 513 states, more than 512; take fewer");
    free(largest);
    free(larger);
}

// As many symbols as a text has room for.
static void the_widest_table_is_read(void **state)
{
    (void)state;
    enum { SYMBOLS = AUTOMATON_TRANSITIONS / 2 };
    char text[SETTING_BYTES + 1];
    size_t used = 0;
    for (int row = 0; row < 2; row++)
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            text[used++] = (char)('0' + (symbol % 2 != row));
            text[used++] = symbol + 1 < SYMBOLS ? ' ' : ';';
        }
    text[used - 1] = 0;
    struct automaton_table table;
    struct settings settings = with_table(text, "", 0);
    assert_int_equal(strlen(text), SETTING_BYTES);
    assert_int_equal(settings_automaton_table(&settings, &table, NULL), STATUS_OK);
    assert_true(table.symbols == SYMBOLS && settings_vocabulary(&settings) == SYMBOLS);
    assert_true(table.next[0] == 0 && table.next[2 * SYMBOLS - 1] == 0 && table.next[SYMBOLS] == 1);
}

static void each_setting_is_blamed_for_its_own_mistake(void **state)
{
    (void)state;
    static const struct {
        const char *table, *outputs;
        int start;
        const char *blamed[3];
    } rows[] = {
        {"0 1; 1 0", "", 0, {NULL}},
        {"0 1; 1", "0", 7, {"table"}},
        {"0 1; 1 0", "0", 7, {"start", "outputs"}},
        {"0 0; 1 1", "0", 0, {"table", "outputs"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings settings = with_table(rows[i].table, rows[i].outputs, rows[i].start);
        struct settings_fault fault;
        size_t at = 0, count = 0;
        for (; settings_next_fault(&settings, &at, &fault); count++) {
            assert_true(count < 3 && rows[i].blamed[count]);
            assert_string_equal(fault.blamed[0]->name, rows[i].blamed[count]);
        }
        assert_true(!rows[i].blamed[count]);
    }
    struct settings other = with_table("wrong", "too", 9);
    struct settings_fault fault;
    size_t at = 0;
    other.task.automaton = AUTOMATON_PARITY;
    assert_false(settings_next_fault(&other, &at, &fault));
}

// What is possible after every number of symbols, one after the other.
static bool answers_differ_plainly(const struct automaton_table *table, int64_t length, bool every)
{
    bool now[AUTOMATON_STATES] = {false};
    now[table->start] = true;
    for (int64_t t = 1; t <= length; t++) {
        bool next[AUTOMATON_STATES] = {false}, class[AUTOMATON_STATES] = {false};
        int classes = 0;
        for (int i = 0; i < table->states * table->symbols; i++)
            next[table->next[i]] |= now[i / table->symbols];
        for (int s = 0; s < table->states; s++) {
            now[s] = next[s];
            classes += now[s] && !class[table->output[s]];
            class[table->output[s]] |= now[s];
        }
        if (classes > 1 && (every || t == length))
            return true;
    }
    return false;
}

static void lengths_whose_answers_are_all_the_same_are_refused(void **state)
{
    (void)state;
    static const char *const tables[][2] = {
        {"0 1; 1 0", ""},
        {"1 1; 0 0", ""},                         // by turns
        {"1 2; 0 0; 0 0", ""},                    // open after an odd number alone
        {"1 1; 2 2; 3 4; 0 0; 0 0", "0 0 1 0 1"}, // one position in four
        {"1 1; 2 2; 2 1", "0 1 0"},               // differs from some length on
        {"1 1; 2 2; 3 3; 4 5; 6 6; 6 6; 3 0", "0 0 0 0 1 0 1"},
    };
    size_t refused = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (int64_t length = 1; length <= 64; length++)
            for (int supervision = SUPERVISION_STEPS; supervision <= SUPERVISION_FINAL; supervision++) {
                struct settings settings = with_table(tables[i][0], tables[i][1], 0);
                struct automaton_table table;
                struct settings_fault fault;
                settings.task.supervision = supervision;
                assert_int_equal(settings_automaton_table(&settings, &table, NULL), STATUS_OK);
                const bool fits = answers_differ_plainly(&table, length, supervision == SUPERVISION_STEPS);
                assert_int_equal(settings_length_fault(&settings, length, &fault), !fits);
                refused += !fits;
            }
    assert_true(refused > 128);
    struct settings settings = with_table("1 1; 0 0", "", 0);
    struct settings_fault fault;
    assert_true(settings_length_fault(&settings, 1 << 24, &fault));
    assert_string_equal(fault.why.text, "test_length is 16777216, but the table gives all sequences of so many symbols "
                                        "the same answers; take another length or mend the table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_states_symbols_and_classes),
        cmocka_unit_test(without_outputs_a_class_is_a_state),
        cmocka_unit_test(names_what_is_wrong_with_state_and_symbol),
        cmocka_unit_test(the_largest_table_is_read_and_a_larger_one_refused),
        cmocka_unit_test(the_widest_table_is_read),
        cmocka_unit_test(each_setting_is_blamed_for_its_own_mistake),
        cmocka_unit_test(lengths_whose_answers_are_all_the_same_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
