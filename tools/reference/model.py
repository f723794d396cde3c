# SPDX-License-Identifier: MIT
"""The two_layer model in NumPy, written apart from the C program: data, gradient, descent, test error.

    f(X) = 1/n sum_l softmax(x_l Wq Wk' X') X Wv wo        wo = +1, -1, +1, ...   (fixed)
    loss = mean log(1 + exp(-y f)), full-batch gradient descent, weights N(0, init^2)

Shapes: X (samples, tokens, dim), y (samples) in {-1, +1}. A sequence has one signal token, which is `norm` times the unit
vector 0 (y = +1) or 1 (y = -1); the other tokens are standard normal off those two coordinates.
"""
import numpy as np


class Signals:
    """Sequences whose signal norm can be set afterwards, so that cells of different SNR share their noise."""

    def __init__(self, rng, samples, tokens, dim, first, dtype):
        self.y = rng.choice([-1, 1], samples)
        self.x = rng.standard_normal((samples, tokens, dim), dtype=dtype)
        self.x[:, :, :2] = 0
        place = np.zeros(samples, int) if first else rng.integers(tokens, size=samples)
        self.signal = np.arange(samples), place
        self.x[self.signal] = 0

    def scaled(self, norm):
        self.x[(*self.signal, (self.y < 0).astype(int))] = norm
        return self.x


def attention(x, query, key):
    """Keys' attention for each query, (samples, tokens, tokens), and the queries and keys."""
    q, k = x @ query, x @ key
    weights = q @ k.swapaxes(1, 2)
    weights -= weights.max(2, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(2, keepdims=True)
    return weights, q, k


def descend(x, given, query, key, value, rate, steps, frozen=False):
    """Trains the weights in place; returns y f of the training set at the end."""
    samples, tokens, dim = x.shape
    flat = x.reshape(-1, dim)
    sign = np.resize(np.array([1, -1], x.dtype), value.shape[1])
    for step in range(steps + 1):
        through = x @ (value @ sign)
        a, q, k = attention(x, query, key)
        mass = a.mean(1)
        margin = given * (mass * through).sum(1)
        if step == steps:
            return margin
        slope = (-given / (1 + np.exp(margin)) / samples).astype(x.dtype)
        reached = (slope[:, None] * mass).reshape(-1) @ flat
        if not frozen:
            output = (a @ through[:, :, None])
            scores = a * (through[:, None, :] - output) * (slope / tokens)[:, None, None]
            to_query = flat.T @ (scores @ k).reshape(flat.shape[0], -1)
            to_key = flat.T @ (scores.swapaxes(1, 2) @ q).reshape(flat.shape[0], -1)
            query -= rate * to_query
            key -= rate * to_key
        value -= rate * np.outer(reached, sign)


def error(x, y, query, key, value, batch=25):
    """Share of wrong signs (y f <= 0)."""
    sign = np.resize(np.array([1, -1], x.dtype), value.shape[1])
    wrong = 0
    for i in range(0, len(y), batch):
        part = x[i:i + batch]
        mass = attention(part, query, key)[0].mean(1)
        f = (mass * (part @ (value @ sign))).sum(1)
        wrong += int((y[i:i + batch] * f <= 0).sum())
    return wrong / len(y)


def table(command, rows):
    """Prints the table as CSV: a row's settings, then mean and standard deviation over seeds of its (error, train error)."""
    print(f"# {command}")
    print(",".join([*rows[0][0], "mean", "standard_deviation", "seeds", "train_error"]))
    for settings, outcomes in rows:
        errors = [e for e, _ in outcomes]
        print(",".join([*map(str, settings.values()), f"{np.mean(errors):.6f}", f"{np.std(errors, ddof=1):.6f}", str(len(errors)),
                        f"{np.mean([t for _, t in outcomes]):.6f}"]), flush=True)
