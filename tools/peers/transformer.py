# SPDX-License-Identifier: MIT
"""The peers of `tools/bench small`, `medium`, `large` and `inference`: the same model, start and step in torch or jax.

    python transformer.py torch|torch.compile|jax.jit SIZE START
    python transformer.py forward SAMPLES LENGTH      # size small in torch; the figure is the extra memory in MiB
"""
import sys

from answer import answer, answer_steps
from sizes import SIZES, read_start


def torch_step(size, start, compiled):
    import torch
    from torch.nn.functional import cross_entropy
    from transformer_torch import Transformer, load

    torch.set_num_threads(1)
    model = Transformer(size, size.length)
    load(model, start)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, size.rate, weight_decay=size.decay, fused=True)
    tokens, targets = torch.from_numpy(start["tokens"]).long(), torch.from_numpy(start["targets"]).long()

    def loss(tokens, targets):
        return cross_entropy(model(tokens).flatten(0, 1), targets.flatten())

    objective = torch.compile(loss) if compiled else loss

    def step():
        optimizer.zero_grad(set_to_none=True)
        now = objective(tokens, targets)
        now.backward()
        torch.nn.utils.clip_grad_norm_(parameters, size.clip)
        optimizer.step()
        return now.detach()

    return step


def jax_step(size, start):
    from transformer_jax import make_step

    return make_step(size, start)


def memory(name):
    """A line of /proc/self/status in MiB."""
    with open("/proc/self/status") as file:
        return next(float(line.split()[1]) / 1024 for line in file if line.startswith(name))


def forward(samples, length):
    import torch
    from transformer_torch import Transformer

    torch.set_num_threads(1)
    model = Transformer(SIZES["small"], length).eval()
    tokens = torch.randint(32, (samples, length))

    @torch.inference_mode()
    def turn():
        model(tokens)

    # Everything that a first pass loads for good is in the base.
    with torch.inference_mode():
        model(tokens[:1, :8])
    base = memory("VmRSS:")
    turn()
    answer(turn, memory("VmHWM:") - base)


def main(contender, *arguments):
    if contender == "forward":
        forward(*map(int, arguments))
        return
    size, start = SIZES[arguments[0]], read_start(arguments[1])
    answer_steps(jax_step(size, start) if contender == "jax.jit" else torch_step(size, start, contender == "torch.compile"))


if __name__ == "__main__":
    main(*sys.argv[1:])
