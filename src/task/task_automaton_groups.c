// SPDX-License-Identifier: MIT
#include "task_automaton.h"
#include <assert.h>

static int element_of(const struct automaton *automaton, int symbol)
{
    return automaton->generator[0] < 0 ? symbol : automaton->generator[symbol];
}

static int cyclic_next(const struct automaton *automaton, int state, int symbol)
{
    return (state + symbol) % automaton->order; // as generators the symbols are the elements 0 and 1
}

// Turns add up; a mirror reverses the turn that came before it.
static int dihedral_next(const struct automaton *automaton, int state, int symbol)
{
    const int n = automaton->order, element = element_of(automaton, symbol);
    const int turn = element % n, before = state % n;
    const bool mirrors = element >= n, mirrored = state >= n;
    return (turn + (mirrors ? n - before : before)) % n + (mirrors != mirrored ? n : 0);
}

// Place of a permutation of `points` among all in lexicographic order.
static int rank_of(const uint8_t *permutation, int points)
{
    int rank = 0;
    for (int i = 0; i < points; i++) {
        int smaller = 0;
        for (int j = i + 1; j < points; j++)
            smaller += permutation[j] < permutation[i];
        rank = rank * (points - i) + smaller;
    }
    return rank;
}

static int permutation_next(const struct automaton *automaton, int state, int symbol)
{
    const uint8_t *before = automaton->element[state], *then = automaton->element[element_of(automaton, symbol)];
    uint8_t product[AUTOMATON_POINTS];
    for (int i = 0; i < automaton->order; i++)
        product[i] = then[before[i]];
    const int rank = rank_of(product, automaton->order);
    return automaton->even ? rank / 2 : rank;
}

static bool is_even(const uint8_t *permutation, int points)
{
    int inversions = 0;
    for (int i = 0; i < points; i++)
        for (int j = i + 1; j < points; j++)
            inversions += permutation[j] < permutation[i];
    return inversions % 2 == 0;
}

static void unrank(int rank, int points, uint8_t *ret_permutation)
{
    uint8_t left[AUTOMATON_POINTS];
    int size = 1;
    for (int i = 0; i < points; i++)
        left[i] = (uint8_t)i;
    for (int i = 2; i < points; i++)
        size *= i;
    for (int i = 0; i < points; i++) {
        int place = rank / size;
        ret_permutation[i] = left[place];
        for (; place + 1 < points - i; place++)
            left[place] = left[place + 1];
        rank %= size;
        size /= points - 1 - i > 0 ? points - 1 - i : 1;
    }
}

static void list_permutations(struct automaton *automaton, bool even)
{
    const int points = automaton->order;
    assert(points >= 3 && points <= AUTOMATON_POINTS); // settings_check refuses others
    automaton->even = even;
    for (int e = 0; e < automaton->states; e++) {
        unrank(even ? 2 * e : e, points, automaton->element[e]);
        if (even && !is_even(automaton->element[e], points))
            unrank(2 * e + 1, points, automaton->element[e]);
    }
}

// The first two points change places, and all go round; of A_5 the first three go round, and all.
static void set_generators(struct automaton *automaton)
{
    static const uint8_t swap[AUTOMATON_POINTS] = {1, 0, 2, 3, 4}, three[AUTOMATON_POINTS] = {1, 2, 0, 3, 4};
    uint8_t round[AUTOMATON_POINTS];
    const int points = automaton->order, half = automaton->even ? 2 : 1;
    for (int i = 0; i < points; i++)
        round[i] = (uint8_t)((i + 1) % points);
    automaton->generator[0] = rank_of(automaton->even ? three : swap, points) / half;
    automaton->generator[1] = rank_of(round, points) / half;
}

void automaton_init_group(struct automaton *automaton, const struct settings *settings)
{
    const int kind = settings->task.automaton;
    const bool generated = settings->task.group_symbols == SYMBOLS_GENERATORS;
    *automaton = (struct automaton){
        .states = (int)settings_classes(settings),
        .symbols =
            (int)(settings_vocabulary(settings) - settings_begin_tokens(settings) - settings_query_tokens(settings)),
        .next = kind == AUTOMATON_CYCLIC     ? cyclic_next
                : kind == AUTOMATON_DIHEDRAL ? dihedral_next
                                             : permutation_next,
        .order = kind == AUTOMATON_ALTERNATING5 ? AUTOMATON_POINTS : (int)settings->task.order,
        .generator = {-1, -1},
    };
    if (kind >= AUTOMATON_SYMMETRIC)
        list_permutations(automaton, kind == AUTOMATON_ALTERNATING5);
    if (generated && kind >= AUTOMATON_SYMMETRIC)
        set_generators(automaton);
    if (generated && kind == AUTOMATON_DIHEDRAL) {
        automaton->generator[0] = 1;
        automaton->generator[1] = automaton->order;
    }
}
