# SPDX-License-Identifier: MIT
"""Tracking a state symbol by symbol: accuracy of recurrent networks and of a causal Transformer at lengths beyond training.
The table that sweeps/reference/state_tracking.yaml is held against.

    build/peers-venv/bin/python tools/reference/state_tracking.py -o tools/reference/state_tracking.csv \\
        [--tasks accumulator,…] [--models rnn,lstm,transformer] [--noise 0,0.5] [--curricula none,short-to-long] [--seeds 0-4]

Tasks, with a label after every symbol:
    accumulator   symbols (gate, value), uniform on 2 x 5; the sum modulo 5 of the values whose gate is open
    brackets      two types, at most 4 deep; the next symbol opens (either type) or closes with probability 1/2, where both
                  are possible; label 0 outside all brackets, else 1 + the type of the innermost open one
    parity        bits; their sum modulo 2
    S3            uniform elements of the symmetric group of three points; their product, the latest on the left
Networks of width 64, PyTorch's initial weights unless said:
    rnn, lstm     embedding, one layer (tanh or LSTM), linear output
    transformer   2 Pre-LN layers with 4 heads, GELU, 256 hidden units; no position at the input, but Shaw's relative keys in
                  each layer: 17 vectors (distances 0 … 15, and 16 for all beyond) N(0, .02^2), the same for all heads; no
                  bias in attention; initial values (a third of the query-key-value matrix) times .01; a final LayerNorm; an
                  additional symbol opens every sequence and carries no label
    noise         standard deviation of what is added to each score in training, after the division by sqrt(16)
Training: 2,000 steps of 32 sequences, whose lengths are uniform on 1 … 20 within the batch (one of them is 20 long); mean
cross entropy over all labels of the batch; AdamW (2e-3, weight decay .01 on everything), the rate rising for 200 steps, then
along half a cosine to 0; gradients clipped at norm 1. short-to-long: at step t the longest is 2 + 19 t / 800, at most 20.
Tests: 128 sequences at each of 20, 40, 80, 160. Columns: accuracy over all positions, accuracy over the last tenth of them,
and the first of the steps 50, 100, … at which the latter is at least .99 at length 20 (empty: never).
"""
import argparse
import itertools
import math
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from seed_rows import SeedRows, names, seeds

MODULUS, TYPES, DEPTH = 5, 2, 4
WIDTH, HEADS, LAYERS, CLIP, VALUE_SCALE = 64, 4, 2, 16, 0.01
BATCH, RATE, DECAY, WARM, CURRICULUM = 32, 2e-3, 0.01, 0.1, 0.4
TRAIN, TESTS, TEST_SEQUENCES, LOOK, GOAL = 20, (20, 40, 80, 160), 128, 50, 0.99
KEYS = ["task", "model", "noise", "curriculum", "steps", "seed", "test_length"]
VALUES = ["accuracy", "last_tenth", "steps_to_99"]


def accumulator(rng, shape):
    gate, value = rng.integers(2, size=shape), rng.integers(MODULUS, size=shape)
    return gate * MODULUS + value, np.cumsum(gate * value, 1) % MODULUS


def brackets(rng, shape):
    """The open brackets are the digits of a number to base TYPES + 1, the innermost its last digit."""
    base = TYPES + 1
    tokens, labels = np.empty(shape, int), np.empty(shape, int)
    coin, kind = rng.random(shape) < 0.5, rng.integers(TYPES, size=shape)
    nest = np.zeros(shape[0], int)
    for t in range(shape[1]):
        opens = (nest == 0) | coin[:, t] & (nest < base ** (DEPTH - 1))
        tokens[:, t] = np.where(opens, kind[:, t], TYPES - 1 + nest % base)
        nest = np.where(opens, nest * base + kind[:, t] + 1, nest // base)
        labels[:, t] = nest % base
    return tokens, labels


def parity(rng, shape):
    bits = rng.integers(2, size=shape)
    return bits, np.cumsum(bits, 1) % 2


def s3(rng, shape):
    """Products of permutation vectors; an element's number is its place among all six."""
    elements = np.array(list(itertools.permutations(range(3))))
    tokens = rng.integers(6, size=shape)
    product, products = np.tile(np.arange(3), (shape[0], 1)), []
    for t in range(shape[1]):
        product = np.take_along_axis(elements[tokens[:, t]], product, 1)
        products.append(product)
    return tokens, (np.stack(products, 1)[:, :, None] == elements).all(3).argmax(2)


TASKS = {"accumulator": (accumulator, 2 * MODULUS, MODULUS), "brackets": (brackets, 2 * TYPES, TYPES + 1),
         "parity": (parity, 2, 2), "S3": (s3, 6, 6)}  # sequences, symbols, labels


def drawn(task, rng, count, length):
    return map(torch.from_numpy, TASKS[task][0](rng, (count, length)))


class Recurrent(nn.Module):
    def __init__(self, layer, symbols, labels):
        super().__init__()
        self.symbols, self.layer = nn.Embedding(symbols, WIDTH), layer(WIDTH, WIDTH, batch_first=True)
        self.output = nn.Linear(WIDTH, labels)

    def forward(self, tokens):
        states, _ = self.layer(self.symbols(tokens))
        return self.output(states)


class Attention(nn.Module):
    def __init__(self, noise):
        super().__init__()
        self.noise = noise
        self.mixed, self.output = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        with torch.no_grad():
            self.mixed.weight[2 * WIDTH:] *= VALUE_SCALE
        self.distances = nn.Parameter(torch.empty(CLIP + 1, WIDTH // HEADS).normal_(0, 0.02))

    def forward(self, x):
        query, key, value = self.mixed(x).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        places = torch.arange(x.shape[1])
        apart = places[:, None] - places
        bias = query @ self.distances.T / math.sqrt(WIDTH / HEADS)
        bias = bias.gather(3, apart.clamp(0, CLIP).expand(*bias.shape[:2], -1, -1))
        if self.training and self.noise:
            bias = bias + self.noise * torch.randn_like(bias)
        bias = bias.masked_fill(apart < 0, -math.inf)
        return self.output(F.scaled_dot_product_attention(query, key, value, bias).transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    def __init__(self, noise, symbols, labels):
        super().__init__()
        self.opening, self.symbols = symbols, nn.Embedding(symbols + 1, WIDTH)
        self.attention = nn.ModuleList(nn.Sequential(nn.LayerNorm(WIDTH), Attention(noise)) for _ in range(LAYERS))
        self.hidden = nn.ModuleList(nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                                  nn.Linear(4 * WIDTH, WIDTH)) for _ in range(LAYERS))
        self.output = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, labels))

    def forward(self, tokens):
        x = self.symbols(F.pad(tokens, (1, 0), value=self.opening))
        for attention, hidden in zip(self.attention, self.hidden):
            x = x + attention(x)
            x = x + hidden(x)
        return self.output(x[:, 1:])


def network(name, noise, task):
    _, symbols, labels = TASKS[task]
    if name == "transformer":
        return Transformer(noise, symbols, labels)
    return Recurrent({"rnn": nn.RNN, "lstm": nn.LSTM}[name], symbols, labels)


@torch.no_grad()
def accuracy(net, tokens, labels):
    """Over all positions, and over the last tenth."""
    net.eval()
    right = (net(tokens).argmax(2) == labels).double()
    net.train()
    return right.mean().item(), right[:, -max(1, right.shape[1] // 10):].mean().item()


def share_of_rate(step, steps):
    """Of the full learning rate, before step 0, 1, …"""
    warm = WARM * steps
    if step < warm:
        return min(1.0, (step + 1) / warm)
    return (1 + math.cos(math.pi * (step - warm) / (steps - warm))) / 2


def longest(curriculum, step, steps):
    if curriculum == "none":
        return TRAIN
    return min(TRAIN, 2 + int((TRAIN - 1) * step / (CURRICULUM * steps)))


def train(net, task, curriculum, steps, rng, check):
    """The first step looked at that reaches the goal, or None."""
    optimizer = torch.optim.AdamW(net.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: share_of_rate(step, steps))
    reached = None
    for step in range(1, steps + 1):
        width = longest(curriculum, step, steps)
        tokens, labels = drawn(task, rng, BATCH, width)
        lengths = rng.integers(1, width + 1, BATCH)
        lengths[0] = width
        used = torch.from_numpy(np.arange(width) < lengths[:, None])
        optimizer.zero_grad()
        F.cross_entropy(net(tokens)[used], labels[used]).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if reached is None and step % LOOK == 0 and accuracy(net, *check)[1] >= GOAL:
            reached = step
    return reached


def outcome(setting):
    """The rows of one setting and seed, one for each test length."""
    task, seed = setting["task"], setting["seed"]
    torch.manual_seed(seed)
    tests = {n: tuple(drawn(task, np.random.default_rng([seed, 1, n]), TEST_SEQUENCES, n)) for n in TESTS}
    net = network(setting["model"], setting["noise"], task)
    reached = train(net, task, setting["curriculum"], setting["steps"], np.random.default_rng([seed, 0]), tests[TRAIN])
    return [setting | {"test_length": n} | dict(zip(VALUES, (*accuracy(net, *tests[n]), reached))) for n in TESTS]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", required=True, metavar="FILE.csv", help="rows are added; those it has are not run again")
    parser.add_argument("--tasks", type=names, default=list(TASKS))
    parser.add_argument("--models", type=names, default=["rnn", "lstm", "transformer"])
    parser.add_argument("--noise", type=lambda text: [float(part) for part in text.split(",")], default=[0.0])
    parser.add_argument("--curricula", type=names, default=["none"])
    parser.add_argument("--seeds", type=seeds, default=range(5))
    parser.add_argument("--steps", type=int, default=2000)
    return parser.parse_args()


def main():
    a = arguments()
    torch.set_num_threads(1)
    table = SeedRows(a.o, "tools/reference/state_tracking.py", KEYS, VALUES)
    for task, model, noise, curriculum, seed in itertools.product(a.tasks, a.models, a.noise, a.curricula, a.seeds):
        setting = dict(zip(KEYS, (task, model, f"{noise:g}", curriculum, a.steps, seed)))
        if table.missing([setting | {"test_length": n} for n in TESTS]):
            start = time.process_time()
            rows = outcome(setting | {"noise": noise})
            table.append([row | {"noise": setting["noise"]} for row in rows])
            print(*setting.values(), " ".join(f"{row['accuracy']:.3f}" for row in rows), "to 99 %", rows[0]["steps_to_99"],
                  f"{time.process_time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
