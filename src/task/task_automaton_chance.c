// SPDX-License-Identifier: MIT
// How likely each state is, step by step.
#include "task_automaton.h"
#include <math.h>
#include <string.h>

struct distribution {
    double p[AUTOMATON_STATES];
};

static void step(const struct automaton *automaton, const struct distribution *now, struct distribution *ret_next)
{
    memset(ret_next, 0, sizeof *ret_next);
    for (int state = 0; state < automaton->states; state++) {
        if (now->p[state] == 0)
            continue;
        const struct automaton_symbols legal = automaton->legal(automaton, state);
        for (int symbol = legal.first; symbol < legal.first + legal.count; symbol++)
            ret_next->p[automaton->next(automaton, state, symbol)] += now->p[state] / legal.count;
    }
}

static double likeliest(const struct automaton *automaton, const struct distribution *now)
{
    double of_class[AUTOMATON_STATES] = {0}, most = 0;
    for (int state = 0; state < automaton->states; state++)
        of_class[automaton->output(automaton, state)] += now->p[state];
    for (int state = 0; state < automaton->states; state++)
        most = of_class[state] > most ? of_class[state] : most;
    return most;
}

static bool equal(const struct distribution *a, const struct distribution *b, int states)
{
    const double unit = 0x1p-52;
    for (int state = 0; state < states; state++)
        if (fabs(a->p[state] - b->p[state]) > unit)
            return false;
    return true;
}

// A distribution follows from the one before it, so that one equal to that of two steps before goes on in turn with the
// other: numbers and operators alternate, as do even and odd products of odd generators.
double automaton_chance_error(const struct automaton *automaton, bool every_step, long length)
{
    struct distribution at[3] = {{{0}}};
    double most[2] = {0}, sum = 0;
    long t = 0;
    bool settled = false;
    at[0].p[automaton->start] = 1;
    while (t < length && !settled) {
        step(automaton, &at[t % 3], &at[(t + 1) % 3]);
        t++;
        most[t % 2] = likeliest(automaton, &at[t % 3]);
        sum += most[t % 2];
        settled = t >= 3 && equal(&at[t % 3], &at[(t + 1) % 3], automaton->states);
    }
    if (!every_step)
        return 1 - most[length % 2];
    const long rest = length - t, other = (rest + 1) / 2; // the next has the parity of t - 1
    sum += (double)other * most[(t + 1) % 2] + (double)(rest - other) * most[t % 2];
    return 1 - sum / (double)length;
}
