# SPDX-License-Identifier: MIT
"""The sizes of tools/bench, their operations, and the start that all contenders share. tools/bench_size.c has the same sizes.

Operations are those of the mathematics, the same for every contender whatever it computes twice or pads: a matrix product of
m x k by k x n is 2 m k n, causal attention counts the keys up to the query on average (half of them), the backward pass is twice
the forward pass, and nothing else counts.
"""
from dataclasses import dataclass

import numpy as np

VOCABULARY, HEADS = 32, 4


@dataclass
class TwoLayer:
    """f = mean_l relu(softmax(X Wq (X Wk)') X Wv) wo, all trained, logistic loss, gradient descent."""

    width, samples, length, rate = 64, 128, 16, 0.01

    def step_flops(self):
        # Three projections with their weights' gradients (the input has none), two products of attention and their four.
        projection = 2 * self.samples * self.length * self.width**2
        return 6 * projection + 6 * 2 * self.samples * self.length**2 * self.width


@dataclass
class Transformer:
    """Causal Pre-LN Transformer with learned positions, GELU (tanh form), a head at each position without bias; clip and AdamW."""

    layers: int
    width: int
    samples: int
    length: int
    rate, decay, clip = 1e-3, 0.01, 1.0

    def forward_flops(self, samples=None, length=None):
        samples, length = samples or self.samples, length or self.length
        products = 2 * samples * length * (12 * self.layers * self.width**2 + VOCABULARY * self.width)
        return products + self.layers * samples * 4 * self.width * length**2 / 2

    def step_flops(self):
        return 3 * self.forward_flops()


SIZES = {"two_layer": TwoLayer(), "small": Transformer(2, 64, 64, 32), "medium": Transformer(2, 128, 64, 64),
         "large": Transformer(4, 256, 32, 128)}


def read_start(path):
    """Arrays by name, as bench_write of tools/bench_size.h puts them."""
    start = {}
    with open(path, "rb") as file:
        while line := file.readline():
            name, rows, columns = line.decode().split()
            numbers = np.fromfile(file, np.float32, int(rows) * int(columns))
            start[name] = numbers.reshape(int(rows), int(columns))
    return start
