// SPDX-License-Identifier: MIT
#include "spec_automaton.h"
#include "base_text.h"
#include "spec_private.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_SIZE = 24, LIST_SIZE = 64 };

// A word of a text; length 0 at the end of a row.
struct word {
    const char *text;
    size_t length;
};

// The next word of the row in which *at stands, which moves behind it and stays at the end of the row.
static struct word next_word(const char **at)
{
    while (**at == ' ')
        ++*at;
    const struct word word = {*at, strcspn(*at, " ;")};
    *at += word.length;
    return word;
}

// Moves over the end of a row, but not of the text.
static void next_row(const char **at)
{
    *at += strcspn(*at, ";");
    *at += **at == ';';
}

static bool is_missing(struct word word)
{
    return (word.length == 1 && (*word.text == '-' || *word.text == '~')) ||
           (word.length == 4 && strncasecmp(word.text, "null", 4) == 0);
}

static bool is_number(struct word word, int64_t *ret_number)
{
    bool overflow = false;
    return text_to_int(word.text, word.length, ret_number, &overflow);
}

static const char *shown(struct word word, char ret_text[WORD_SIZE])
{
    const int most = WORD_SIZE - 4;
    snprintf(ret_text, WORD_SIZE, "%.*s%s", word.length < WORD_SIZE - 4 ? (int)word.length : most, word.text,
             word.length < WORD_SIZE - 4 ? "" : "...");
    return ret_text;
}

static int64_t count_rows(const char *text)
{
    int64_t rows = 1;
    for (; *text; text++)
        rows += *text == ';';
    return rows;
}

int64_t table_symbols(const struct settings *settings)
{
    const char *at = settings->task.table;
    int64_t symbols = 0;
    while (at && next_word(&at).length)
        symbols++;
    return symbols;
}

int64_t table_classes(const struct settings *settings)
{
    const char *at = settings->task.outputs;
    int64_t largest = -1, number;
    if (!at || !*at)
        return settings->task.table && *settings->task.table ? count_rows(settings->task.table) : 0;
    for (struct word word; (word = next_word(&at)).length;)
        if (is_number(word, &number) && number > largest && number < AUTOMATON_STATES)
            largest = number;
    return largest + 1;
}

static enum status_code read_transition(struct word word, int state, int symbol, struct automaton_table *table,
                                        struct status *status)
{
    char text[WORD_SIZE];
    int64_t next;
    if (is_missing(word))
        return status_set(status, STATUS_INVALID,
                          "table lacks the transition of state %d for symbol %d; write the next state, a number from 0",
                          state, symbol);
    if (!is_number(word, &next))
        return status_set(status, STATUS_INVALID,
                          "table has '%s' as the transition of state %d for symbol %d; write the next state, a number "
                          "from 0",
                          shown(word, text), state, symbol);
    if (next < 0 || next >= table->states)
        return status_set(status, STATUS_INVALID,
                          "table leads from state %d with symbol %d to state %" PRId64
                          ", but its rows are states 0 to %d; name one of these, or add rows",
                          state, symbol, next, table->states - 1);
    table->next[state * table->symbols + symbol] = (int16_t)next;
    return STATUS_OK;
}

static enum status_code read_row(const char **at, int state, struct automaton_table *table, struct status *status)
{
    int symbols = 0;
    for (const char *ahead = *at; next_word(&ahead).length;)
        symbols++;
    if (symbols < table->symbols)
        return status_set(status, STATUS_INVALID,
                          "table lacks the transition of state %d for symbol %d: it has %d there, but %d in state 0; "
                          "each state has one for every symbol",
                          state, symbols, symbols, table->symbols);
    if (symbols > table->symbols)
        return status_set(
            status, STATUS_INVALID,
            "table has %d transitions in state %d, but %d in state 0; each state has one for every symbol", symbols,
            state, table->symbols);
    for (int symbol = 0; symbol < symbols; symbol++)
        if (read_transition(next_word(at), state, symbol, table, status) != STATUS_OK)
            return STATUS_INVALID;
    return STATUS_OK;
}

static enum status_code read_rows(const struct settings *settings, struct automaton_table *table, struct status *status)
{
    const char *at = settings->task.table ? settings->task.table : "";
    const int64_t states = count_rows(at);
    table->symbols = (int)table_symbols(settings);
    if (!*at)
        return status_set(status, STATUS_INVALID,
                          "table is empty, but automaton: table needs a row of next states for each state; write it as "
                          "in table: [[0, 1], [1, 0]]");
    if (states > AUTOMATON_STATES)
        return status_set(status, STATUS_INVALID, "table has %" PRId64 " states, more than %d; take fewer", states,
                          AUTOMATON_STATES);
    table->states = (int)states;
    for (int state = 0; state < table->states; state++, next_row(&at))
        if (read_row(&at, state, table, status) != STATUS_OK)
            return STATUS_INVALID;
    if (table->symbols > 1)
        return STATUS_OK;
    return status_set(
        status, STATUS_INVALID,
        "table has %d symbol%s, so that all sequences are the same; give each state at least 2 transitions",
        table->symbols, table->symbols == 1 ? "" : "s");
}

// All states have the same class, or a class below the largest has no state.
static enum status_code refuse_classes(const struct automaton_table *table, struct status *status)
{
    bool used[AUTOMATON_STATES] = {false};
    int largest = 0, unused = 0;
    for (int state = 0; state < table->states; state++) {
        used[table->output[state]] = true;
        largest = table->output[state] > table->output[largest] ? state : largest;
    }
    while (used[unused])
        unused++;
    if (unused < table->output[largest])
        return status_set(status, STATUS_INVALID,
                          "outputs give class %d to state %d, but class %d to none; number the classes from 0 without "
                          "gaps",
                          table->output[largest], largest, unused);
    return status_set(status, STATUS_INVALID,
                      "outputs give class 0 to every state, so that every answer is the same; take at least 2 classes");
}

static enum status_code read_output(struct word word, int state, struct automaton_table *table, struct status *status)
{
    char text[WORD_SIZE];
    int64_t output;
    if (!is_number(word, &output) || output < 0 || output >= AUTOMATON_STATES)
        return status_set(status, STATUS_INVALID,
                          "outputs give state %d the class '%s'; classes are numbers from 0, at most %d", state,
                          shown(word, text), AUTOMATON_STATES - 1);
    table->output[state] = (int16_t)output;
    return STATUS_OK;
}

static enum status_code read_outputs(const struct settings *settings, struct automaton_table *table,
                                     struct status *status)
{
    const char *at = settings->task.outputs ? settings->task.outputs : "";
    int given = 0;
    table->classes = (int)table_classes(settings);
    for (int state = 0; state < table->states && !*at; state++)
        table->output[state] = (int16_t)state;
    if (!*at && table->states > 1)
        return STATUS_OK;
    if (!*at)
        return status_set(status, STATUS_INVALID,
                          "outputs are empty, so that a class is a state, but table has one state alone; take more");
    if (strchr(at, ';'))
        return status_set(status, STATUS_INVALID,
                          "outputs have several rows, but are one list; write the class of each state, as in outputs: "
                          "[0, 1]");
    for (struct word word; given <= table->states && (word = next_word(&at)).length; given++)
        if (given < table->states && read_output(word, given, table, status) != STATUS_OK)
            return STATUS_INVALID;
    if (given != table->states)
        return status_set(status, STATUS_INVALID,
                          "outputs have %s%d class%s, but table has %d states; write one for each",
                          given > table->states ? "more than " : "", given > table->states ? table->states : given,
                          given == 1 ? "" : "es", table->states);
    for (int c = 0, seen; c < table->classes; c++) {
        seen = 0;
        for (int state = 0; state < table->states; state++)
            seen += table->output[state] == c;
        if (!seen || table->classes < 2)
            return refuse_classes(table, status);
    }
    return STATUS_OK;
}

static enum status_code read_start(const struct settings *settings, struct automaton_table *table,
                                   struct status *status)
{
    if (settings->task.start >= table->states)
        return status_set(status, STATUS_INVALID,
                          "start is %" PRId64 ", but the rows of table are states 0 to %d; take one of these",
                          settings->task.start, table->states - 1);
    table->start = (int)settings->task.start;
    return STATUS_OK;
}

// Marks in `reached` what follows from `from` by any symbol; returns whether any of it is new.
static bool follow(const struct automaton_table *table, int from, bool *reached)
{
    bool any = false;
    for (int symbol = 0; symbol < table->symbols; symbol++) {
        bool *next = &reached[table->next[from * table->symbols + symbol]];
        any |= !*next;
        *next = true;
    }
    return any;
}

static enum status_code check_reach(const struct automaton_table *table, struct status *status)
{
    bool reached[AUTOMATON_STATES] = {false};
    char list[LIST_SIZE] = "";
    int lost = 0, used = 0;
    reached[table->start] = true;
    for (bool again = true; again;) {
        again = false;
        for (int state = 0; state < table->states; state++)
            again |= reached[state] && follow(table, state, reached);
    }
    for (int state = 0; state < table->states; state++)
        if (!reached[state] && lost++ < 8)
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%d", lost > 1 ? ", " : "", state);
    if (!lost)
        return STATUS_OK;
    return status_set(
        status, STATUS_INVALID,
        "table has state%s %s%s, which cannot be reached from the start, state %d; remove %s, or mend the "
        "transitions or start",
        lost > 1 ? "s" : "", list, lost > 8 ? ", …" : "", table->start, lost > 1 ? "them" : "it");
}

enum status_code settings_automaton_table(const struct settings *settings, struct automaton_table *ret_table,
                                          struct status *status)
{
    enum status_code code = read_rows(settings, ret_table, status);
    if (code == STATUS_OK)
        code = read_start(settings, ret_table, status);
    if (code == STATUS_OK)
        code = check_reach(ret_table, status);
    return code == STATUS_OK ? read_outputs(settings, ret_table, status) : code;
}

bool has_table(const struct settings *settings)
{
    return settings->task.kind == TASK_AUTOMATON && settings->task.automaton == AUTOMATON_TABLE;
}

enum status_code check_table(const struct settings *settings, struct status *status)
{
    struct automaton_table table;
    if (!has_table(settings))
        return STATUS_OK;
    enum status_code code = read_rows(settings, &table, status);
    return code == STATUS_OK && read_start(settings, &table, NULL) == STATUS_OK ? check_reach(&table, status) : code;
}

enum status_code check_start(const struct settings *settings, struct status *status)
{
    struct automaton_table table;
    if (!has_table(settings) || read_rows(settings, &table, NULL) != STATUS_OK)
        return STATUS_OK;
    return read_start(settings, &table, status);
}

enum status_code check_outputs(const struct settings *settings, struct status *status)
{
    struct automaton_table table;
    if (!has_table(settings) || read_rows(settings, &table, NULL) != STATUS_OK)
        return STATUS_OK;
    return read_outputs(settings, &table, status);
}

struct state_set {
    bool has[AUTOMATON_STATES];
};

static bool differs(const struct automaton_table *table, const struct state_set *set)
{
    int first = -1;
    for (int state = 0; state < table->states; state++) {
        if (set->has[state] && first >= 0 && table->output[state] != first)
            return true;
        first = set->has[state] ? table->output[state] : first;
    }
    return false;
}

// The states that are possible after t symbols. They follow from those before, so that they recur: a set that was kept
// at a power of two tells the period (Brent), which is 0 until then.
struct course {
    struct state_set now, kept;
    int64_t t, kept_at, period;
};

static void begin(const struct automaton_table *table, struct course *ret_course)
{
    *ret_course = (struct course){.t = 0};
    ret_course->now.has[table->start] = ret_course->kept.has[table->start] = true;
}

static void go_on(const struct automaton_table *table, struct course *course)
{
    struct state_set next = {.has = {false}};
    for (int state = 0; state < table->states; state++)
        if (course->now.has[state])
            follow(table, state, next.has);
    course->now = next;
    course->t++;
    if (memcmp(&course->now, &course->kept, sizeof course->now) == 0)
        course->period = course->t - course->kept_at;
    else if ((course->t & (course->t - 1)) == 0) {
        course->kept = course->now;
        course->kept_at = course->t;
    }
}

// Whether sequences of `length` can have different answers; of `every` position, whether any can.
static bool answers_differ(const struct automaton_table *table, int64_t length, bool every)
{
    struct course course;
    for (begin(table, &course); course.t < length;) {
        go_on(table, &course);
        if (course.period && !every)
            length = course.t + (length - course.t) % course.period;
        if ((every || course.t == length) && differs(table, &course.now))
            return true;
        if (course.period && every)
            return false;
    }
    return false;
}

void table_lengths_possible(const struct settings *settings, int64_t most, uint64_t *ret_possible)
{
    const bool every = settings->task.supervision == SUPERVISION_STEPS;
    struct automaton_table table;
    struct course course;
    const bool sound = settings_automaton_table(settings, &table, NULL) == STATUS_OK; // what is not is told elsewhere
    if (sound)
        begin(&table, &course);
    for (int64_t length = 1, any = !sound; length <= most; length++) {
        bool possible = any;
        if (!any && course.period)
            possible = length_is_in(ret_possible, length - course.period);
        else if (!any) {
            go_on(&table, &course);
            possible = differs(&table, &course.now);
        }
        any |= every && possible;
        ret_possible[length / 64] |= (uint64_t)possible << length % 64;
    }
}

enum status_code check_table_length(const struct settings *settings, const char *name, int64_t length,
                                    struct status *status)
{
    struct automaton_table table;
    const bool every = settings->task.supervision == SUPERVISION_STEPS;
    if (settings_automaton_table(settings, &table, NULL) != STATUS_OK || answers_differ(&table, length, every))
        return STATUS_OK;
    return status_set(status, STATUS_INVALID,
                      "%s is %" PRId64
                      ", but the table gives all sequences of %s the same %s; take another length%s or "
                      "mend the table",
                      name, length, every ? "so many symbols" : "this length", every ? "answers" : "answer",
                      every ? "" : ", supervision: steps,");
}
