# SPDX-License-Identifier: MIT
"""Formal languages with an RNN and an LSTM: how soon they answer on sequences up to five times as long as those of training.
The table that sweeps/reference/chomsky_recurrent.yaml is held against.

    build/peers-venv/bin/python tools/reference/chomsky_recurrent.py -o tools/reference/chomsky_recurrent.csv \\
        [--curve CURVE.csv] [--tasks parity,…] [--models rnn,lstm] [--seeds 0-4] [--least 4000] [--most 4000]

Tasks, symbols uniform, one answer to a sequence:
    parity               bits; their sum modulo 2
    even_pairs           bits; 1 if the pairs 01 and 10 of neighbours are odd in number, which is if the ends differ
    cycle_navigation     stay, forward, back on a cycle of five places; the place at the end
    modular_arithmetic   digits 0 … 4 and + - * in turn, so that lengths are odd (one less where they were even); the value
                         modulo 5, products first
Network: embedding, one layer (tanh RNN or LSTM) and linear output, width 64, PyTorch's initial weights. A query symbol follows
the sequence; the output behind it is the answer.
Training: batches of 128 sequences whose lengths are uniform on 1 … 40 within the batch; mean cross entropy; Adam (2e-3);
gradients clipped at norm 1. It ends once 99 % have been seen and `least` steps are done, or after `most` steps.
Tests: 32 sequences at each of the lengths 41, 47, …, 197. After 100, 200, … steps the mean accuracy over these lengths is
taken: `steps_to_99` is the first step at which it is at least .99 (empty: never). A row has the accuracy at one length after
the last step. The curve is a file of its own, whose rows have a step and the mean accuracy over the lengths.
"""
import argparse
import itertools
import sys
import time

import numpy as np
import torch
from torch import nn

from seed_rows import SeedRows, names, seeds

WIDTH, BATCH, RATE, TRAIN = 64, 128, 2e-3, 40
TESTS, PER_LENGTH, LOOK, GOAL = range(41, 201, 6), 32, 100, 0.99
KEYS = ["task", "model", "seed", "test_length"]
VALUES = ["accuracy", "steps", "steps_to_99"]
CURVE_KEYS = ["task", "model", "seed", "step"]


def parity(rng, shape):
    bits = rng.integers(2, size=shape)
    return bits, np.cumsum(bits, 1) % 2


def even_pairs(rng, shape):
    bits = rng.integers(2, size=shape)
    return bits, bits ^ bits[:, :1]


def cycle_navigation(rng, shape):
    moves = rng.integers(3, size=shape)
    return moves, np.cumsum(np.array([0, 1, -1])[moves], 1) % 5


def modular_arithmetic(rng, shape):
    """Answers at operators are those of the expression before them."""
    tokens = rng.integers(5, size=shape)
    tokens[:, 1::2] = rng.integers(5, 8, size=tokens[:, 1::2].shape)
    answers = np.empty(shape, int)
    ended, product = np.zeros(shape[0], int), tokens[:, 0]
    for t in range(shape[1]):
        if t % 2 == 0 and t > 0:
            operator, digit = tokens[:, t - 1], tokens[:, t]
            times = operator == 7
            ended = np.where(times, ended, ended + product)
            product = np.where(times, product, np.where(operator == 5, 1, -1)) * digit % 5
        answers[:, t] = (ended + product) % 5
    return tokens, answers


# answers to every beginning of a sequence, number of symbols, number of answers
TASKS = {"parity": (parity, 2, 2), "even_pairs": (even_pairs, 2, 2), "cycle_navigation": (cycle_navigation, 3, 5),
         "modular_arithmetic": (modular_arithmetic, 8, 5)}


def drawn(task, rng, lengths):
    """Tokens with the query symbol from each length on, the lengths, and the answers."""
    draw, query, _ = TASKS[task]
    if task == "modular_arithmetic":
        lengths = lengths - (lengths % 2 == 0)
    tokens, answers = draw(rng, (len(lengths), lengths.max() + 1))
    tokens[np.arange(tokens.shape[1]) >= lengths[:, None]] = query
    return tuple(map(torch.from_numpy, (tokens, lengths, answers[np.arange(len(lengths)), lengths - 1])))


class Reader(nn.Module):
    def __init__(self, model, task):
        super().__init__()
        _, symbols, answers = TASKS[task]
        self.symbols = nn.Embedding(symbols + 1, WIDTH)
        self.layer = {"rnn": nn.RNN, "lstm": nn.LSTM}[model](WIDTH, WIDTH, batch_first=True)
        self.output = nn.Linear(WIDTH, answers)

    def forward(self, tokens, lengths):
        states, _ = self.layer(self.symbols(tokens))
        return self.output(states[torch.arange(len(tokens)), lengths])


@torch.no_grad()
def accuracies(net, tests):
    return [(net(tokens, lengths).argmax(1) == answers).double().mean().item() for tokens, lengths, answers in tests]


def train(net, task, least, most, rng, tests):
    """Accuracies at the end, the last step, and the curve [(step, mean accuracy), …]."""
    optimizer = torch.optim.Adam(net.parameters(), RATE)
    curve = []
    for step in range(1, most + 1):
        tokens, lengths, answers = drawn(task, rng, rng.integers(1, TRAIN + 1, BATCH))
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(tokens, lengths), answers).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % LOOK == 0:
            curve.append((step, float(np.mean(accuracies(net, tests)))))
            if step >= least and max(mean for _, mean in curve) >= GOAL:
                break
    return accuracies(net, tests), step, curve


def outcome(setting, least, most):
    """The rows of one setting and seed, one for each test length; and those of its curve."""
    seed, task = setting["seed"], setting["task"]
    torch.manual_seed(seed)
    tests = [drawn(task, np.random.default_rng([seed, 1, n]), np.full(PER_LENGTH, n)) for n in TESTS]
    found, steps, curve = train(Reader(setting["model"], task), task, least, most, np.random.default_rng([seed, 0]), tests)
    reached = next((step for step, mean in curve if mean >= GOAL), None)
    rows = [setting | {"test_length": n} | dict(zip(VALUES, (accuracy, steps, reached))) for n, accuracy in zip(TESTS, found)]
    return rows, [setting | {"step": step, "accuracy": mean} for step, mean in curve]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", required=True, metavar="FILE.csv", help="rows are added; those it has are not run again")
    parser.add_argument("--curve", metavar="FILE.csv", help="a file for the accuracy after every 100 steps")
    parser.add_argument("--tasks", type=names, default=list(TASKS))
    parser.add_argument("--models", type=names, default=["rnn", "lstm"])
    parser.add_argument("--seeds", type=seeds, default=range(5))
    parser.add_argument("--least", type=int, default=4000, help="steps to do though 99 %% have been reached")
    parser.add_argument("--most", type=int, default=4000)
    a = parser.parse_args()
    torch.set_num_threads(1)
    table = SeedRows(a.o, "tools/reference/chomsky_recurrent.py", KEYS, VALUES)
    curves = a.curve and SeedRows(a.curve, "tools/reference/chomsky_recurrent.py --curve", CURVE_KEYS, ["accuracy"])
    for task, model, seed in itertools.product(a.tasks, a.models, a.seeds):
        setting = {"task": task, "model": model, "seed": seed}
        if table.missing([setting | {"test_length": n} for n in TESTS]):
            start = time.process_time()
            rows, curve = outcome(setting, a.least, a.most)
            if curves:
                curves.append(curve)
            table.append(rows)
            mean = np.mean([row["accuracy"] for row in rows])
            print(*setting.values(), f"{mean:.3f} after {rows[0]['steps']} steps, to 99 %", rows[0]["steps_to_99"],
                  f"{time.process_time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
