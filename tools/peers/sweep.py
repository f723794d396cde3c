# SPDX-License-Identifier: MIT
"""The grid of sweeps/bench/encodings.yaml in torch, as a careful user would write it: torch is imported once and a worker forked for
each core; test lengths share a training; evaluation is batched; test data are made once for each worker and length.

    python sweep.py OUT.npz                          the whole grid on all cores
    python sweep.py OUT.npz ENCODING NOISE LENGTH    one setting alone, what a script for each setting would do
"""
import functools
import multiprocessing
import os
import sys
from itertools import product

import numpy as np
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention, softplus

DIM, WIDTH, HEADS, LAYERS, HEAD = 64, 64, 4, 2, 16
TRAIN_LENGTH, SAMPLES, SNR, CLIP = 8, 200, 64, 16
RATE, DECAY, STEPS, POINTS = 3e-4, 0.01, 400, 16
TEST_SAMPLES, CURVE_SAMPLES, VALIDATION_SAMPLES = 1000, 200, 1000
BATCH_TOKENS = 4096  # of an evaluation: faster than fewer and than more, up to twice as fast as all at once
LEVELS = 0.5, 0.3, 0.1, 0.03, 0.01  # training losses at which every test set is evaluated whole
ENCODINGS, NOISE_RATES = ("none", "absolute", "relative", "alibi", "rope"), (0, 0.1, 0.2)
LENGTHS = tuple(factor * TRAIN_LENGTH for factor in (1, 2, 4, 8))


def draw(seed, samples, length, noise_rate=0):
    """One signal token, without noise, of norm sqrt(SNR) among N(0, I) tokens that have no part in the signals' plane."""
    rng = np.random.default_rng(seed)
    label, rows, where = rng.integers(2, size=samples), np.arange(samples), rng.integers(length, size=samples)
    x = rng.standard_normal((samples, length, DIM), np.float32)
    x[:, :, :2] = 0
    x[rows, where] = 0
    x[rows, where, label] = SNR**0.5
    given = np.where(rng.random(samples) < noise_rate, 1 - label, label)
    return torch.from_numpy(x), torch.from_numpy(2.0 * given - 1).float()


@functools.lru_cache(None)
def test_set(length):
    return draw(1000 + length, TEST_SAMPLES, length)


@functools.lru_cache(None)
def turns(length):
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
    return angles.cos(), angles.sin()


def rotate(x):
    cosine, sine = turns(x.shape[2])
    a, b = x.chunk(2, -1)
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1)


@functools.lru_cache(None)
def distances(length):
    return torch.arange(length)[None] - torch.arange(length)[:, None]


@functools.lru_cache(None)
def alibi(length):
    return -(2.0 ** (-8 * torch.arange(1, HEADS + 1) / HEADS))[:, None, None] * distances(length).abs()


class Layer(nn.Module):
    def __init__(self, encoding):
        super().__init__()
        self.encoding = encoding
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.ffn = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        if encoding == "relative":
            self.relative = nn.Parameter(0.02 * torch.randn(2 * CLIP + 1, HEAD))

    def attend(self, q, k, v):
        length = q.shape[2]
        if self.encoding == "relative":
            index = (distances(length).clamp(-CLIP, CLIP) + CLIP).expand(*q.shape[:2], length, length)
            scores = q @ k.mT + (q @ self.relative.T).gather(3, index)
            return (scores * HEAD**-0.5).softmax(-1) @ v
        if self.encoding == "rope":
            q, k = rotate(q), rotate(k)
        return scaled_dot_product_attention(q, k, v, alibi(length) if self.encoding == "alibi" else None)

    def forward(self, x):
        samples, length, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(samples, length, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).reshape(samples, length, WIDTH))
        return x + self.ffn(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self, encoding):
        super().__init__()
        self.embed, self.layers = nn.Linear(DIM, WIDTH), nn.Sequential(*(Layer(encoding) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)
        self.position = nn.Parameter(0.02 * torch.randn(max(LENGTHS), WIDTH)) if encoding == "absolute" else None

    def forward(self, x):
        length, x = x.shape[1], self.embed(x)
        if self.position is not None:
            x = x + self.position[:length]
        return self.head(self.norm(self.layers(x)).mean(1))[:, 0]


@torch.inference_mode()
def evaluate(model, x, y):
    """Loss and error."""
    margin = torch.cat([model(part) for part in x.split(BATCH_TOKENS // x.shape[1])]) * y
    return float(softplus(-margin).mean()), float((margin <= 0).float().mean())


def evaluation_steps():
    """As lgsweep's: 0, the last, and log-spaced ones between, made distinct."""
    spaced = np.rint(STEPS ** (np.arange(POINTS - 1) / (POINTS - 2))).astype(int)
    steps = [0]
    for step in spaced:
        steps.append(max(step, steps[-1] + 1))
    return {int(step) for step in steps}


def train(encoding, noise_rate, lengths):
    x, y = draw(1, SAMPLES, TRAIN_LENGTH, noise_rate)
    validation = draw(2, VALIDATION_SAMPLES, TRAIN_LENGTH)
    torch.manual_seed(1)
    model = Encoder(encoding)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=DECAY, fused=True)
    due, levels, curve, at_level = evaluation_steps(), list(LEVELS), [], []
    for step in range(STEPS + 1):
        margin = model(x) * y
        loss = softplus(-margin).mean()
        now = loss.item()
        if levels and now <= levels[0]:
            reached = [level for level in levels if now <= level]
            errors = [evaluate(model, *test_set(length))[1] for length in lengths]
            at_level += [errors] * len(reached)
            levels = levels[len(reached):]
        if step in due:
            row = [now, float((margin <= 0).float().mean()), *evaluate(model, *validation)]
            for length in lengths:
                tests = test_set(length)
                row += evaluate(model, *(tests if step == STEPS else (part[:CURVE_SAMPLES] for part in tests)))
            curve.append(row)
        if step < STEPS:
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    return {"curve": np.array(curve), "at_level": np.array(at_level), "final_test_error": np.array(curve[-1][5::2])}


def work(setting):
    torch.set_num_threads(1)
    return setting, train(*setting, LENGTHS)


def main(out, encoding=None, noise_rate=None, length=None):
    if encoding:
        torch.set_num_threads(1)
        np.savez(out, **train(encoding, float(noise_rate), (int(length),)))
        return
    results = {}
    with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0))) as pool:
        for (encoding, noise_rate), result in pool.imap_unordered(work, product(ENCODINGS, NOISE_RATES)):
            results |= {f"{encoding}/{noise_rate}/{name}": array for name, array in result.items()}
    np.savez(out, **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
