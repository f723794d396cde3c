# SPDX-License-Identifier: MIT
"""A peer of `tools/bench two_layer`: the same model and step in torch or jax. Speaks the contenders' protocol: for every line
on standard input (a number of seconds) it trains for about so long and answers with the steps per second.

    python two_layer.py torch|torch.compile|jax.jit
"""
import os
import sys
import time
from statistics import median

# f(X) = 1/n sum_l relu(softmax(x_l Wq Wk' X') X Wv) wo, all four trained, mean logistic loss, gradient descent, float32.
SAMPLES, TOKENS, DIM, HEAD, VALUE, RATE = 128, 16, 64, 64, 64, 0.01
WARM_STEPS, CHUNKS = 3, 9
SHAPES = ((DIM, HEAD), (DIM, HEAD), (DIM, VALUE), (VALUE,))


def torch_step(compiled):
    import torch
    from torch.nn.functional import softplus

    torch.set_num_threads(1)
    torch.manual_seed(0)
    x = torch.randn(SAMPLES, TOKENS, DIM)
    y = torch.randint(2, (SAMPLES,)) * 2.0 - 1
    weights = [(torch.randn(shape) * shape[0] ** -0.5).requires_grad_() for shape in SHAPES]

    def loss(query, key, value, readout):
        attention = ((x @ query) @ (x @ key).mT).softmax(2)
        return softplus(-y * ((attention @ (x @ value)).relu() @ readout).mean(1)).mean()

    objective = torch.compile(loss) if compiled else loss

    def step():
        gradients = torch.autograd.grad(objective(*weights), weights)
        with torch.no_grad():
            torch._foreach_sub_(weights, gradients, alpha=RATE)

    return step


def jax_step():
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import jax
    from jax import numpy as jnp

    keys = jax.random.split(jax.random.key(0), 6)
    x = jax.random.normal(keys[0], (SAMPLES, TOKENS, DIM))
    y = jax.random.rademacher(keys[1], (SAMPLES,), float)
    weights = [jax.random.normal(key, shape) * shape[0] ** -0.5 for key, shape in zip(keys[2:], SHAPES)]

    def loss(weights):
        query, key, value, readout = weights
        attention = jax.nn.softmax((x @ query) @ (x @ key).mT)
        return jax.nn.softplus(-y * (jax.nn.relu(attention @ (x @ value)) @ readout).mean(1)).mean()

    def descend(weights):
        return [w - RATE * g for w, g in zip(weights, jax.grad(loss)(weights))]

    update = jax.jit(descend, donate_argnums=0)

    def step():
        weights[:] = update(weights)
        jax.block_until_ready(weights)

    return step


def race(step):
    """As bench_two_layer measures: the median of CHUNKS stretches."""
    for _ in range(WARM_STEPS):
        step()
    print("ready", flush=True)
    for line in sys.stdin:
        steps = 1 + int(float(line) / CHUNKS / seconds_of(step, WARM_STEPS))
        print(1 / median(seconds_of(step, steps) for _ in range(CHUNKS)), flush=True)


def seconds_of(step, steps):
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    return (time.perf_counter() - begin) / steps


if __name__ == "__main__":
    race({"torch": lambda: torch_step(False), "torch.compile": lambda: torch_step(True), "jax.jit": jax_step}[sys.argv[1]]())
