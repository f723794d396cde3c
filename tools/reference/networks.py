# SPDX-License-Identifier: MIT
"""The program's models in PyTorch, written from their definitions (include/nn/nn_model.h, docs/science.md) apart from the C
sources: functions of settings `s`, weights `w` by name, and a batch. Matrices are (inputs, outputs); vectors have one row.

Settings are named as in a sweep file, with these on top: causal, and the batch's shape (dim or vocabulary, outputs, stream:
the width that encodings meet).
"""
from types import SimpleNamespace
import torch
from torch import nn
from torch.nn import functional as f
import position_encodings as encodings

DEFAULTS = {
    "model": "transformer", "encoding": "none", "train_length": 8, "output_scale": 1.0, "causal": False, "pooling": "mean",
    "layers": 2, "width": 64, "heads": 4, "ffn_factor": 4, "norm": "layer", "ffn_activation": "gelu", "head_bias": True,
    "tied": False, "parametrization": "standard", "base_width": 64, "relative_clip": 16, "alibi_slope": 2.0**-8,
    "rope_base": 10000.0, "rope_scaling": "none", "sinusoidal_scale": 1.0, "t5_buckets": 32, "t5_distance": 128,
    "fire_width": 32, "fire_threshold": 512.0, "random_positions": 0, "head_dim": 16, "value_dim": 8, "activation": "none",
    "dim": 0, "vocabulary": 0, "outputs": 1,
}
ACTIVATIONS = {"gelu": f.gelu, "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"), "relu": torch.relu,
               "none": lambda x: x}


def settings(**given):
    s = SimpleNamespace(**(DEFAULTS | given))
    s.stream = s.dim if s.model == "two_layer" else s.width
    return s


def shapes(s):
    """(rows, columns) of every tensor, by name."""
    if s.model == "two_layer":
        return {"query": (s.dim, s.head_dim), "key": (s.dim, s.head_dim), "value": (s.dim, s.value_dim),
                "readout": (1, s.value_dim), **encodings.shapes(s, 1, s.head_dim, None),
                **encodings.shapes(s, 1, s.head_dim, "")}
    head = {} if s.tied else {"head": (s.width, s.outputs)}
    head |= {"head.bias": (1, s.outputs)} if s.head_bias else {}
    return (recurrent_shapes(s) if s.model in ("rnn", "lstm") else transformer_shapes(s)) | head


def linear(name, inputs, outputs):
    return {name: (inputs, outputs), name + ".bias": (1, outputs)}


def embedding_shapes(s):
    return ({"embedding": (s.vocabulary, s.width)} if s.vocabulary else
            {"input.weight": (s.dim, s.width), "input.bias": (1, s.width)})


def transformer_shapes(s):
    found = embedding_shapes(s)
    found |= encodings.shapes(s, s.heads, s.width // s.heads, None)
    norms = ("gain", "bias") if s.norm == "layer" else ("gain",)
    for i in range(s.layers):
        layer, hidden = f"layers.{i}.", s.ffn_factor * s.width
        for name in ("query", "key", "value", "out"):
            found |= linear(layer + "attention." + name, s.width, s.width)
        found |= encodings.shapes(s, s.heads, s.width // s.heads, layer + "attention.")
        found |= linear(layer + "ffn.in", s.width, hidden) | linear(layer + "ffn.out", hidden, s.width)
        found |= {f"{layer}norm{k}.{part}": (1, s.width) for k in (1, 2) for part in norms}
    return found | {f"norm.{part}": (1, s.width) for part in norms}


def recurrent_shapes(s):
    found, gates = embedding_shapes(s), 4 if s.model == "lstm" else 1
    for i in range(s.layers):
        found |= linear(f"layers.{i}.input", s.width, gates * s.width)
        found |= linear(f"layers.{i}.recurrent", s.width, gates * s.width)
    return found


def forward(s, w, x, positions=None):
    """Logits (samples, targets, outputs) of vectors (samples, length, dim) or tokens (samples, length)."""
    if positions is None:
        positions = torch.arange(x.shape[1])[None]
    return s.output_scale * {"two_layer": two_layer, "transformer": transformer}.get(s.model, recurrent)(s, w, x, positions)


def two_layer(s, w, x, positions):
    x = x + encodings.added(s, w, positions)
    q, k = (x @ w[name] for name in ("query", "key"))
    scores = encodings.scores(s, w, "", q[:, None], k[:, None], positions, 1.0)[:, 0]
    mixed = ACTIVATIONS[s.activation](scores.softmax(-1) @ (x @ w["value"]))
    return (mixed @ w["readout"].T).mean(1, keepdim=True)


def normalised(s, w, name, x):
    if s.norm == "layer":
        return f.layer_norm(x, x.shape[-1:], w[name + ".gain"][0], w[name + ".bias"][0], 1e-5)
    return f.rms_norm(x, x.shape[-1:], w[name + ".gain"][0], 1e-5)


def factor(s):
    """On every weight matrix whose inputs are the width, or a multiple: ntk stores them larger."""
    return (s.base_width / s.width) ** 0.5 if s.parametrization == "ntk" else 1.0


def affine(s, w, name, x):
    return factor(s) * (x @ w[name]) + w[name + ".bias"]


def attention(s, w, prefix, x, positions):
    q, k, v = (affine(s, w, prefix + name, x).unflatten(-1, (s.heads, -1)).transpose(1, 2) for name in ("query", "key", "value"))
    size = s.width // s.heads
    scale = (s.base_width / s.heads) ** 0.5 / size if s.parametrization == "mup" else size**-0.5
    scores = encodings.scores(s, w, prefix, q, k, positions, scale)
    if s.causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=bool).triu(1), -torch.inf)
    return affine(s, w, prefix + "out", (scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def embedded(s, w, x):
    return w["embedding"][x] if s.vocabulary else x @ w["input.weight"] + w["input.bias"]


def transformer(s, w, x, positions):
    x = embedded(s, w, x)
    x = x + encodings.added(s, w, positions)
    for i in range(s.layers):
        layer = f"layers.{i}."
        x = x + attention(s, w, layer + "attention.", normalised(s, w, layer + "norm1", x), positions)
        hidden = ACTIVATIONS[s.ffn_activation](affine(s, w, layer + "ffn.in", normalised(s, w, layer + "norm2", x)))
        x = x + affine(s, w, layer + "ffn.out", hidden)
    return read_out(s, w, normalised(s, w, "norm", x))


def recurrent(s, w, x, positions):
    module = (nn.LSTM if s.model == "lstm" else nn.RNN)(s.width, s.width, s.layers, batch_first=True)
    parts = {}
    for i in range(s.layers):
        for name, part in (("input", "ih"), ("recurrent", "hh")):
            parts[f"weight_{part}_l{i}"] = w[f"layers.{i}.{name}"].T
            parts[f"bias_{part}_l{i}"] = w[f"layers.{i}.{name}.bias"][0]
    return read_out(s, w, torch.func.functional_call(module, parts, embedded(s, w, x))[0])


def read_out(s, w, x):
    if s.pooling != "per_position":
        x = x[:, -1:] if s.pooling == "last" else x.mean(1, keepdim=True)
    if s.tied:
        share = s.base_width / s.width if s.parametrization == "mup" else factor(s)
        logits = share * (x @ w["embedding"][:s.outputs].T)
    else:
        logits = factor(s) * (x @ w["head"])
    return logits + w["head.bias"] if s.head_bias else logits


def losses(s, logits, targets):
    """Per target: logistic with one output, else cross-entropy."""
    if s.outputs == 1:
        return f.softplus(logits[..., 0] * (1 - 2 * targets))
    return f.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)


def initial(s):
    """PyTorch's defaults, and N(0, 0.02^2) for learned positions and distances."""
    w = {}
    for name, (rows, columns) in shapes(s).items():
        inputs = shapes(s)[name.removesuffix(".bias")][0] if name.removesuffix(".bias") in shapes(s) else s.dim
        if name.endswith(".gain"):
            w[name] = torch.ones(rows, columns)
        elif "norm" in name or name.endswith("t5.bias"):
            w[name] = torch.zeros(rows, columns)
        elif name == "embedding":
            w[name] = torch.randn(rows, columns)
        elif name == "position" or name.endswith("relative"):
            w[name] = 0.02 * torch.randn(rows, columns)
        else:
            bound = (s.dim if name.startswith("input.") else inputs) ** -0.5
            w[name] = torch.empty(rows, columns).uniform_(-bound, bound)
    return w
