# SPDX-License-Identifier: MIT
"""The Transformer of tools/bench in torch, written for speed: one product for queries, keys and values, fused attention."""
import torch
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from sizes import HEADS, VOCABULARY


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(samples, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.narrow(gelu(self.widen(self.norm2(x)), approximate="tanh"))


class Transformer(nn.Module):
    def __init__(self, size, positions):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, size.width)
        self.position = nn.Parameter(0.02 * torch.randn(positions, size.width))
        self.layers = nn.Sequential(*(Layer(size.width) for _ in range(size.layers)))
        self.norm, self.head = nn.LayerNorm(size.width), nn.Linear(size.width, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position[:tokens.shape[1]]
        return self.head(self.norm(self.layers(x)))


@torch.no_grad()
def load(model, start):
    """Weights of a start file, which are (in, out)."""

    def linear(layer, name, bias):
        layer.weight.copy_(start[name].T)
        layer.bias.copy_(start[bias][0])

    def norm(layer, name):
        layer.weight.copy_(start[f"{name}.gain"][0])
        layer.bias.copy_(start[f"{name}.bias"][0])

    start = {name: torch.from_numpy(array) for name, array in start.items()}
    model.embedding.weight.copy_(start["embedding"])
    model.position.copy_(start["position"][:len(model.position)])
    for i, layer in enumerate(model.layers):
        at, parts = f"layers.{i}", [f"layers.{i}.attention.{part}" for part in ("query", "key", "value")]
        start["qkv"] = torch.cat([start[part] for part in parts], 1)
        start["qkv.bias"] = torch.cat([start[f"{part}.bias"] for part in parts], 1)
        linear(layer.qkv, "qkv", "qkv.bias")
        linear(layer.out, f"{at}.attention.out", f"{at}.attention.out.bias")
        linear(layer.widen, f"{at}.ffn.in", f"{at}.ffn.in.bias")
        linear(layer.narrow, f"{at}.ffn.out", f"{at}.ffn.out.bias")
        norm(layer.norm1, f"{at}.norm1")
        norm(layer.norm2, f"{at}.norm2")
    norm(model.norm, "norm")
    model.head.weight.copy_(start["head"].T)
