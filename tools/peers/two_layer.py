# SPDX-License-Identifier: MIT
"""The peers of `tools/bench two_layer`: the same model, start and step in torch or jax.

    python two_layer.py torch|torch.compile|jax.jit SIZE START
"""
import os
import sys

from answer import answer_steps
from sizes import SIZES, read_start

NAMES = "query", "key", "value", "readout"


def arrays(size, start):
    x = start["vectors"].reshape(size.samples, size.length, size.width)
    return x, 2 * start["targets"][:, 0] - 1, [start[name].squeeze() for name in NAMES]


def torch_step(size, start, compiled):
    import torch
    from torch.nn.functional import softplus

    torch.set_num_threads(1)
    x, y, weights = arrays(size, start)
    x, y, weights = torch.from_numpy(x), torch.from_numpy(y), [torch.from_numpy(w).requires_grad_() for w in weights]

    def loss(query, key, value, readout):
        attention = ((x @ query) @ (x @ key).mT).softmax(2)
        return softplus(-y * ((attention @ (x @ value)).relu() @ readout).mean(1)).mean()

    objective = torch.compile(loss) if compiled else loss

    def step():
        now = objective(*weights)
        gradients = torch.autograd.grad(now, weights)
        with torch.no_grad():
            torch._foreach_sub_(weights, gradients, alpha=size.rate)
        return now.detach()

    return step


def jax_step(size, start):
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import jax
    from jax import numpy as jnp

    x, y, weights = jax.tree.map(jnp.asarray, arrays(size, start))

    def loss(weights):
        query, key, value, readout = weights
        attention = jax.nn.softmax((x @ query) @ (x @ key).mT)
        return jax.nn.softplus(-y * (jax.nn.relu(attention @ (x @ value)) @ readout).mean(1)).mean()

    def descend(weights):
        now, gradients = jax.value_and_grad(loss)(weights)
        return [w - size.rate * g for w, g in zip(weights, gradients)], now

    update = jax.jit(descend, donate_argnums=0)

    def step():
        weights[:], now = update(weights)
        return jax.block_until_ready(now)

    return step


def main(contender, size, path):
    size, start = SIZES[size], read_start(path)
    answer_steps(jax_step(size, start) if contender == "jax.jit" else torch_step(size, start, contender == "torch.compile"))


if __name__ == "__main__":
    main(*sys.argv[1:])
