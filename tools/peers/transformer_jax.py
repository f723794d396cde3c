# SPDX-License-Identifier: MIT
"""The Transformer of tools/bench and its training step in jax with optax, on one thread."""
import os

os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import jax
import numpy as np
import optax
from jax import numpy as jnp

from sizes import HEADS


def load(size, start):
    """The weights of a start file as a tree, with queries, keys and values in one matrix."""
    join = lambda at, end: np.concatenate([start[f"{at}.attention.{part}{end}"] for part in ("query", "key", "value")], 1)
    norm = lambda name: (start[f"{name}.gain"][0], start[f"{name}.bias"][0])
    linear = lambda name: (start[name], start[f"{name}.bias"][0])
    layers = [dict(norm1=norm(f"layers.{i}.norm1"), norm2=norm(f"layers.{i}.norm2"),
                   qkv=(join(f"layers.{i}", ""), join(f"layers.{i}", ".bias")[0]), out=linear(f"layers.{i}.attention.out"),
                   widen=linear(f"layers.{i}.ffn.in"), narrow=linear(f"layers.{i}.ffn.out")) for i in range(size.layers)]
    tree = dict(embedding=start["embedding"], position=start["position"][:size.length], layers=layers, norm=norm("norm"),
                head=start["head"])
    return jax.tree.map(jnp.asarray, tree)


def normalise(x, weights):
    gain, bias = weights
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def linear(x, weights):
    return x @ weights[0] + weights[1]


def attention(x, qkv):
    samples, length, width = x.shape
    q, k, v = linear(x, qkv).reshape(samples, length, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    scores = q @ k.mT * (width // HEADS) ** -0.5
    weights = jax.nn.softmax(jnp.where(np.tril(np.ones((length, length), bool)), scores, -jnp.inf))
    return (weights @ v).transpose(0, 2, 1, 3).reshape(samples, length, width)


def forward(weights, tokens):
    x = weights["embedding"][tokens] + weights["position"]
    for layer in weights["layers"]:
        x += linear(attention(normalise(x, layer["norm1"]), layer["qkv"]), layer["out"])
        x += linear(jax.nn.gelu(linear(normalise(x, layer["norm2"]), layer["widen"]), approximate=True), layer["narrow"])
    return normalise(x, weights["norm"]) @ weights["head"]


def make_step(size, start):
    weights, tokens, targets = load(size, start), start["tokens"].astype(int), start["targets"].astype(int)
    optimizer = optax.chain(optax.clip_by_global_norm(size.clip), optax.adamw(size.rate, weight_decay=size.decay))
    state = [weights, optimizer.init(weights)]

    def loss(weights):
        return optax.softmax_cross_entropy_with_integer_labels(forward(weights, tokens), targets).mean()

    def update(weights, moments):
        now, gradients = jax.value_and_grad(loss)(weights)
        changes, moments = optimizer.update(gradients, moments, weights)
        return optax.apply_updates(weights, changes), moments, now

    update = jax.jit(update, donate_argnums=(0, 1))

    def step():
        state[0], state[1], now = update(*state)
        return jax.block_until_ready(now)

    return step
