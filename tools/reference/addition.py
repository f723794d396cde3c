# SPDX-License-Identifier: MIT
"""Addition with the digits reversed: exact match of a causal Transformer at more digits than in training.
The table that sweeps/reference/addition.yaml is held against.

    build/peers-venv/bin/python tools/reference/addition.py -o tools/reference/addition.csv [--variants none,…] [--seeds 0-4]

A sequence is a0 … a(n-1) + b0 … b(n-1) = c0 … cn end, the lowest digit first; digits of a and b are uniform, and c has one
digit more. With hints an index token stands before every digit: the same indices in all three numbers, one more each digit,
from a start that is uniform among those that leave the largest index of c below 14.
Variants, the encoding of positions and whether there are hints:
    none            none_hints
    learned         learned_hints    128 vectors N(0, .02^2) added at the input, the places 0, 1, …
    rope                             rotated queries and keys, base 10,000, coordinates c and c + 8 of a head's 16 paired
    random_learned  random_rope      the same at places drawn from 0 … 63, in order; a batch shares them, in tests too
Network: 2 Pre-LN blocks, width 64, 4 heads, GELU, 256 hidden units, biases everywhere, a final LayerNorm, an output over all
27 tokens; PyTorch's initial weights. Training: 4,000 steps of 64 sequences with n the same in a batch, 1 to 5, and 3, 4, 5
twice as often as 1 and 2; mean cross entropy over what follows the equals sign (hints and end included); AdamW (2e-3, betas
.9 and .98, weight decay .01 on everything), the rate rising for 400 steps, then along half a cosine to 0; gradients clipped at
norm 1. Tests: 200 sums at each of 5, 6, 8, 10 digits, 50 in a batch; a sum is right if all that follows the equals sign is,
each token given the true ones before it, which is so if and only if greedy decoding writes them all.
Columns: exact match, mean training loss over the last 100 steps, and the first of the steps 250, 500, … with at least .99 at 5
digits (empty: never).
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

PLUS, EQUALS, END, HINT, HINTS = 10, 11, 12, 13, 14
WIDTH, HEADS, BLOCKS, TABLE, RANDOM = 64, 4, 2, 128, 64
BATCH, RATE, BETAS, DECAY, WARM, LAST = 64, 2e-3, (0.9, 0.98), 0.01, 0.1, 100
TRAIN, ODDS = np.arange(1, 6), np.array([1, 1, 2, 2, 2]) / 8
TESTS, TEST_SUMS, TEST_BATCH, LOOK, GOAL = (5, 6, 8, 10), 200, 50, 250, 0.99
VARIANTS = ("none", "rope", "learned", "random_learned", "random_rope", "none_hints", "learned_hints")
KEYS = ["variant", "steps", "seed", "test_digits"]
VALUES = ["exact_match", "train_loss", "steps_to_99"]


def reversed_digits(numbers, count):
    return numbers[:, None] // 10 ** np.arange(count) % 10


def sums(rng, count, digits, hints):
    """Tokens (count, length), and how many of them the equals sign ends."""
    a, b = rng.integers(10 ** digits, size=(2, count))
    first = HINT + rng.integers(HINTS - digits, size=(count, 1))
    parts = [reversed_digits(a, digits), PLUS, reversed_digits(b, digits), EQUALS, reversed_digits(a + b, digits + 1), END]
    columns = []
    for part in parts:
        if np.isscalar(part):
            columns.append(np.full((count, 1), part))
        elif hints:
            with_hints = np.empty((count, 2 * part.shape[1]), int)
            with_hints[:, ::2], with_hints[:, 1::2] = first + np.arange(part.shape[1]), part
            columns.append(with_hints)
        else:
            columns.append(part)
    return torch.from_numpy(np.concatenate(columns, 1)), sum(part.shape[1] for part in columns[:4])


def turned(x, places):
    """x (…, length, head's width), as complex numbers times exp(i angle)."""
    half = x.shape[-1] // 2
    angle = torch.outer(places.float(), 10000.0 ** (-torch.arange(half) / half))
    pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous())
    pairs = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.cat((pairs.real, pairs.imag), -1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.mixed, self.output = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.hidden = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, rotated_by):
        query, key, value = self.mixed(self.before(x)).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        if rotated_by is not None:
            query, key = turned(query, rotated_by), turned(key, rotated_by)
        found = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.output(found.transpose(1, 2).flatten(2))
        return x + self.hidden(x)


class Decoder(nn.Module):
    def __init__(self, variant):
        super().__init__()
        self.random, self.rope = variant.startswith("random"), "rope" in variant
        self.tokens = nn.Embedding(HINT + HINTS, WIDTH)
        self.places = nn.Parameter(torch.empty(TABLE, WIDTH).normal_(0, 0.02)) if "learned" in variant else None
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.output = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, HINT + HINTS))

    def forward(self, tokens):
        length = tokens.shape[1]
        places = torch.randperm(RANDOM)[:length].sort().values if self.random else torch.arange(length)
        x = self.tokens(tokens)
        if self.places is not None:
            x = x + self.places[places]
        for block in self.blocks:
            x = block(x, places if self.rope else None)
        return self.output(x)


def answer(net, tokens, given):
    """Logits for what follows the first `given` tokens, and the tokens that do."""
    return net(tokens[:, :-1])[:, given - 1:], tokens[:, given:]


@torch.no_grad()
def exact_match(net, batches):
    right = 0
    for tokens, given in batches:
        logits, true = answer(net, tokens, given)
        right += (logits.argmax(2) == true).all(1).sum().item()
    return right / TEST_SUMS


def share_of_rate(step, steps):
    """Of the full learning rate, before step 0, 1, …"""
    warm = WARM * steps
    if step < warm:
        return min(1.0, (step + 1) / warm)
    return (1 + math.cos(math.pi * (step - warm) / (steps - warm))) / 2


def train(net, hints, steps, rng, check):
    """Mean loss of the last steps, and the first step looked at that reaches the goal, or None."""
    optimizer = torch.optim.AdamW(net.parameters(), RATE, betas=BETAS, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: share_of_rate(step, steps))
    losses, reached = [], None
    for step in range(1, steps + 1):
        logits, true = answer(net, *sums(rng, BATCH, int(rng.choice(TRAIN, p=ODDS)), hints))
        loss = F.cross_entropy(logits.flatten(0, 1), true.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if reached is None and step % LOOK == 0 and exact_match(net, check) >= GOAL:
            reached = step
    return sum(losses[-LAST:]) / len(losses[-LAST:]), reached


def outcome(setting):
    """The rows of one variant and seed, one for each number of digits."""
    seed, hints = setting["seed"], setting["variant"].endswith("hints")
    torch.manual_seed(seed)
    tests = {}
    for digits in TESTS:
        rng = np.random.default_rng([seed, 1, digits])
        tests[digits] = [sums(rng, TEST_BATCH, digits, hints) for _ in range(TEST_SUMS // TEST_BATCH)]
    net = Decoder(setting["variant"])
    loss, reached = train(net, hints, setting["steps"], np.random.default_rng([seed, 0]), tests[TRAIN[-1]])
    return [setting | {"test_digits": n} | dict(zip(VALUES, (exact_match(net, tests[n]), loss, reached))) for n in TESTS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", required=True, metavar="FILE.csv", help="rows are added; those it has are not run again")
    parser.add_argument("--variants", type=names, default=VARIANTS)
    parser.add_argument("--seeds", type=seeds, default=range(5))
    parser.add_argument("--steps", type=int, default=4000)
    a = parser.parse_args()
    torch.set_num_threads(1)
    table = SeedRows(a.o, "tools/reference/addition.py", KEYS, VALUES)
    for variant, seed in itertools.product(a.variants, a.seeds):
        setting = {"variant": variant, "steps": a.steps, "seed": seed}
        if table.missing([setting | {"test_digits": n} for n in TESTS]):
            start, rows = time.process_time(), outcome(setting)
            table.append(rows)
            print(*setting.values(), " ".join(f"{row['exact_match']:.3f}" for row in rows),
                  f"loss {rows[0]['train_loss']:.3f}, to 99 %", rows[0]["steps_to_99"], f"{time.process_time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
