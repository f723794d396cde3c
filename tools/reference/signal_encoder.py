# SPDX-License-Identifier: MIT
"""Clean test error of a two-layer Transformer on the signal task, over SNR and samples with and without noise on the signal
token, and over encodings: the table that sweeps/reference/signal_encoder.yaml is held against.

    build/peers-venv/bin/python tools/reference/signal_encoder.py SEEDS > tools/reference/signal_encoder.csv

A seed's data, test tokens and shared initial weights are the same in all its cells.
"""
import sys
import numpy as np
import torch
import model
import networks

DIM, TOKENS, FLIPS, RATE, DECAY, STEPS, TESTS, PART = 64, 8, 0.1, 3e-4, 0.01, 150, 200, 25
FACTORS, FAR = (1, 2, 4, 16), 64
ENCODINGS = "none", "sinusoidal", "absolute", "relative", "t5", "alibi", "rope"
CELLS = [(noisy, samples, snr, "none") for noisy in (True, False) for samples in (50, 200) for snr in (4, 16, 64, 256)]
CELLS += [(noisy, 200, 256, encoding) for noisy in (True, False) for encoding in ENCODINGS[1:]]


def lengths(cell):
    noisy, samples, snr, _ = cell
    return [k * TOKENS for k in (*FACTORS, *([FAR] if (noisy, samples, snr) == (False, 200, 256) else []))]


class Sequences:
    """Both variants of the same draws: noise everywhere, or off the signal plane and off the signal token."""

    def __init__(self, rng, samples, tokens):
        self.y = rng.choice([-1.0, 1.0], samples)
        self.noise = rng.standard_normal((samples, tokens, DIM), dtype=np.float32)
        self.signal = np.arange(samples), rng.integers(tokens, size=samples)

    def tokens(self, noisy, snr):
        x = self.noise.copy()
        if not noisy:
            x[:, :, :2] = 0
            x[self.signal] = 0
        x[(*self.signal, (self.y < 0).astype(int))] += np.float32(np.sqrt(snr))
        return torch.from_numpy(x)


def initial(settings, seed):
    """Each tensor from a stream of its own, so that an encoding's tensors leave the others alone."""
    torch.manual_seed(seed)
    drawn = networks.initial(networks.settings(**(vars(settings) | {"encoding": "none"})))
    return {**networks.initial(settings), **drawn}


@torch.no_grad()
def error(settings, weights, test, noisy, snr):
    x, y = test.tokens(noisy, snr), torch.from_numpy(test.y)
    f = torch.cat([networks.forward(settings, weights, x[i:i + PART])[:, 0, 0] for i in range(0, TESTS, PART)])
    return float((y * f <= 0).double().mean())


def outcomes(cell, seed, train, flips, tests):
    """(test error, train error) at each length."""
    noisy, _, snr, encoding = cell
    settings = networks.settings(encoding=encoding, dim=DIM, train_length=FAR * TOKENS if encoding == "absolute" else TOKENS)
    weights = initial(settings, seed)
    optimizer = torch.optim.AdamW([w.requires_grad_() for w in weights.values()], RATE, weight_decay=DECAY, foreach=True)
    x, given = train.tokens(noisy, snr), torch.from_numpy(np.where(flips, -train.y, train.y)).float()
    for step in range(STEPS + 1):
        margin = given * networks.forward(settings, weights, x)[:, 0, 0]
        if step < STEPS:
            optimizer.zero_grad()
            torch.nn.functional.softplus(-margin).mean().backward()
            optimizer.step()
    train_error = float((margin <= 0).double().mean())
    return {n: (error(settings, weights, tests[n], noisy, snr), train_error) for n in lengths(cell)}


def one_seed(seed):
    tests = {k * TOKENS: Sequences(np.random.default_rng([seed, 0, k]), TESTS, k * TOKENS) for k in (*FACTORS, FAR)}
    found = {}
    for cell in CELLS:
        rng = np.random.default_rng([seed, cell[1]])
        train = Sequences(rng, cell[1], TOKENS)
        found[cell] = outcomes(cell, seed, train, rng.random(cell[1]) < FLIPS, tests)
        print(f"seed {seed} {cell}: {' '.join(f'{e:.3f}' for e, _ in found[cell].values())}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    seeds = int(sys.argv[1])
    results = [one_seed(seed) for seed in range(seeds)]
    model.table(f"build/peers-venv/bin/python tools/reference/signal_encoder.py {seeds}",
                [({"signal_noise": str(cell[0]).lower(), "samples": cell[1], "snr": cell[2], "encoding": cell[3],
                   "test_length": n}, [one[cell][n] for one in results]) for cell in CELLS for n in lengths(cell)])
