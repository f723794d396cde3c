// SPDX-License-Identifier: MIT
#include "task_automaton.h"
#include "task_tokens.h"
#include <string.h>

// p[t % 3][s]: how likely state s is after t symbols.
struct automaton_chain {
    struct automaton automaton;
    struct automaton_table table;
    long t;
    double p[3][AUTOMATON_STATES];
};

static void step(const struct automaton *automaton, const double *p, double *ret_next)
{
    memset(ret_next, 0, (size_t)automaton->states * sizeof *ret_next);
    for (int state = 0; state < automaton->states; state++) {
        if (p[state] == 0)
            continue;
        const struct automaton_symbols legal = automaton->legal(automaton, state);
        for (int symbol = legal.first; symbol < legal.first + legal.count; symbol++)
            ret_next[automaton->next(automaton, state, symbol)] += p[state] / legal.count;
    }
}

static double likeliest(const struct automaton *automaton, const double *p)
{
    double of_class[AUTOMATON_STATES] = {0}, most = 0;
    for (int state = 0; state < automaton->states; state++)
        of_class[automaton->output(automaton, state)] += p[state];
    for (int c = 0; c < automaton->states; c++)
        most = of_class[c] > most ? of_class[c] : most;
    return most;
}

static bool next(void *chain_of_chance, double *ret_most)
{
    struct automaton_chain *chain = chain_of_chance;
    double *now = chain->p[(chain->t + 1) % 3];
    step(&chain->automaton, chain->p[chain->t % 3], now);
    *ret_most = likeliest(&chain->automaton, now);
    chain->t++;
    return chain->t >= 2 && token_chance_equal(now, chain->p[(chain->t + 1) % 3], chain->automaton.states);
}

double automaton_chance_error(const struct settings *settings, long length)
{
    struct automaton_chain chain;
    automaton_init(&chain.automaton, settings, &chain.table);
    chain.t = 0;
    memset(chain.p, 0, sizeof chain.p);
    chain.p[0][chain.automaton.start] = 1;
    return token_chance_error(settings, length, next, &chain);
}
