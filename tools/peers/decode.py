# SPDX-License-Identifier: MIT
"""The peers of `tools/bench decode`: greedy decoding in torch with a cache of keys and values, or of the last states.

    python decode.py sdpa|matmul|compile decode SAMPLES TOKENS START
    python decode.py cell decode_rnn|decode_lstm SAMPLES TOKENS START

The figure is the mean magnitude of the logits at the last of the start's tokens.
"""
import sys

import torch
from torch.nn import functional as F

from answer import answer
from sizes import HEADS, read_start

torch.set_num_threads(1)


def matrix(start, name):
    """(out, in), as F.linear takes it."""
    return start[name].T.contiguous()


class Transformer:
    """A token of all sequences at a time. Caches are allocated once; a step reads their first t + 1 tokens in place."""

    def __init__(self, start, samples, capacity, attention):
        self.embedding, self.position = start["embedding"], start["position"]
        self.width = self.embedding.shape[1]
        self.layers = []
        while f"layers.{len(self.layers)}.attention.out" in start:
            at = f"layers.{len(self.layers)}"
            parts = [f"{at}.attention.{part}" for part in ("query", "key", "value")]
            self.layers.append({
                "norm1": (start[f"{at}.norm1.gain"][0], start[f"{at}.norm1.bias"][0]),
                "norm2": (start[f"{at}.norm2.gain"][0], start[f"{at}.norm2.bias"][0]),
                "qkv": (torch.cat([matrix(start, part) for part in parts]),
                        torch.cat([start[f"{part}.bias"][0] for part in parts])),
                "out": (matrix(start, f"{at}.attention.out"), start[f"{at}.attention.out.bias"][0]),
                "widen": (matrix(start, f"{at}.ffn.in"), start[f"{at}.ffn.in.bias"][0]),
                "narrow": (matrix(start, f"{at}.ffn.out"), start[f"{at}.ffn.out.bias"][0]),
            })
        self.norm = start["norm.gain"][0], start["norm.bias"][0]
        self.head = matrix(start, "head")
        shape = samples, HEADS, capacity, self.width // HEADS
        self.caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in self.layers]
        self.attend = getattr(self, attention)
        self.scale = shape[-1] ** -0.5

    def begin(self):
        pass

    def sdpa(self, q, keys, values, t):
        return F.scaled_dot_product_attention(q, keys[:, :, :t + 1], values[:, :, :t + 1])

    def matmul(self, q, keys, values, t):
        scores = torch.matmul(q * self.scale, keys[:, :, :t + 1].transpose(2, 3))
        return torch.matmul(torch.softmax(scores, -1), values[:, :, :t + 1])

    def step(self, tokens, t):
        x = F.embedding(tokens, self.embedding) + self.position[t]
        samples, width = x.shape
        for layer, (keys, values) in zip(self.layers, self.caches):
            normed = F.layer_norm(x, (width,), *layer["norm1"])
            q, k, v = F.linear(normed, *layer["qkv"]).view(samples, 3, HEADS, 1, width // HEADS).unbind(1)
            keys[:, :, t:t + 1] = k
            values[:, :, t:t + 1] = v
            mixed = self.attend(q, keys, values, t)
            x = x + F.linear(mixed.reshape(samples, width), *layer["out"])
            normed = F.layer_norm(x, (width,), *layer["norm2"])
            x = x + F.linear(F.gelu(F.linear(normed, *layer["widen"]), approximate="tanh"), *layer["narrow"])
        return F.linear(F.layer_norm(x, (width,), *self.norm), self.head)


class Compiled(Transformer):
    """The step compiled for all t at once: it attends to whole caches under a mask, so that no shape changes."""

    def __init__(self, start, samples, capacity):
        super().__init__(start, samples, capacity, "masked")
        self.places = torch.arange(capacity)
        self.compiled = torch.compile(super().step)
        self.times = list(torch.arange(capacity).unsqueeze(1))

    def masked(self, q, keys, values, t):
        return F.scaled_dot_product_attention(q, keys, values, attn_mask=(self.places <= t)[None, None, None])


class Recurrent:
    def __init__(self, start, samples, kind):
        self.lstm = kind == "lstm"
        self.embedding, self.head = start["embedding"], matrix(start, "head")
        self.layers = []
        while f"layers.{len(self.layers)}.input" in start:
            at = f"layers.{len(self.layers)}"
            self.layers.append((matrix(start, f"{at}.input"), matrix(start, f"{at}.recurrent"),
                                start[f"{at}.input.bias"][0], start[f"{at}.recurrent.bias"][0]))
        self.zero = torch.zeros(samples, self.embedding.shape[1])

    def begin(self):
        self.states = [(self.zero, self.zero)] * len(self.layers)

    def step(self, tokens, t):
        x = F.embedding(tokens, self.embedding)
        for i, (w_x, w_h, b_x, b_h) in enumerate(self.layers):
            state, cell = self.states[i]
            if self.lstm:
                x, cell = torch.lstm_cell(x, (state, cell), w_x, w_h, b_x, b_h)
            else:
                x = torch.rnn_tanh_cell(x, state, w_x, w_h, b_x, b_h)
            self.states[i] = x, cell
        return F.linear(x, self.head)


def main(contender, size, samples, tokens, path):
    samples, tokens = int(samples), int(tokens)
    start = {name: torch.from_numpy(array) for name, array in read_start(path).items()}
    given = start["tokens"].long()
    if size != "decode":
        model = Recurrent(start, samples, size.removeprefix("decode_"))
    elif contender == "compile":
        model = Compiled(start, samples, tokens)
    else:
        model = Transformer(start, samples, tokens, contender)
    step = getattr(model, "compiled", model.step)
    times = getattr(model, "times", range(tokens))

    @torch.inference_mode()
    def turn():
        model.begin()
        now = given[:, 0]
        for t in times:
            now = step(now, t).argmax(-1)

    with torch.inference_mode():
        model.begin()
        for column, t in enumerate(times):
            logits = step(given[:, column], t)
    answer(turn, float(logits.abs().mean()))


if __name__ == "__main__":
    main(*sys.argv[1:])
