# SPDX-License-Identifier: MIT
"""Races lgsweep's training step and forward pass against torch and jax on one core, in interleaved rounds; medians.

    python race.py two_layer|small|medium|large
    python race.py inference
"""
import sys
from statistics import median

from contenders import BUILD, PEERS, PYTHON, Contender, ours, rounds
from sizes import SIZES

TRAINERS = "torch", "torch.compile", "jax.jit"
ROUNDS, SECONDS = 7, 2.0
SAMPLES, LENGTHS = 8, (512, 2048, 8192)
# Losses after the same steps differ by rounding alone.
LOSS_TOLERANCE = 1e-4


def check_losses(contenders):
    losses = [contender.figure for contender in contenders]
    print("losses after 10 steps from the same weights: " + ", ".join(f"{loss:.6f}" for loss in losses))
    if not max(losses) - min(losses) <= LOSS_TOLERANCE * max(1, max(losses)):
        raise SystemExit("bench: these losses differ by more than rounding, so the contenders do not compute the same")


def line(one):
    return (f"{one.name:15s}{one.rate():9.2f} steps/s ({min(one.rates):.2f} to {max(one.rates):.2f})"
            f" {100 * median(one.shares):5.1f} % of the {one.isa} peak  {one.probe()}")


def train(size):
    start, flops = BUILD / f"start-{size}", SIZES[size].step_flops()
    program = PEERS / ("two_layer.py" if size == "two_layer" else "transformer.py")
    contenders = ours("bench_step", size, start)
    contenders += [Contender(name, [PYTHON, program, name, size, start]) for name in TRAINERS]
    print(f"{size}: {flops / 1e6:.0f} MFLOP a step")
    check_losses(contenders)
    rounds(contenders, ROUNDS, SECONDS, flops)
    for one in contenders:
        print(line(one))
    best = max(one.rate() for one in contenders if one.name in TRAINERS)
    print(f"ratio {contenders[0].rate() / best:.2f}")


def inference():
    print(f"forward pass of size small, {SAMPLES} sequences; memory: the peak over a process with a model at hand")
    ratios, shares = {}, {}
    for length in LENGTHS:
        flops, tokens = SIZES["small"].forward_flops(SAMPLES, length), SAMPLES * length
        contenders = [*ours("bench_forward", length),
                      Contender("torch", [PYTHON, PEERS / "transformer.py", "forward", SAMPLES, length])]
        rounds(contenders, ROUNDS, SECONDS, flops)
        for one in contenders:
            print(f"{length:6d} tokens  {one.name:15s}{tokens * one.rate():10.0f} tokens/s"
                  f" ({tokens * min(one.rates):.0f} to {tokens * max(one.rates):.0f})"
                  f" {100 * median(one.shares):5.1f} % of the {one.isa} peak {one.figure:7.1f} MiB  {one.probe()}")
        ratios[length] = contenders[0].rate() / contenders[-1].rate()
        shares[length] = contenders[0].figure / contenders[-1].figure
    for length in LENGTHS:
        print(f"{length} tokens: memory {shares[length]:.3f} of torch's, ratio {ratios[length]:.2f}")
    print(f"ratio {min(ratios.values()):.2f}")


if __name__ == "__main__":
    inference() if sys.argv[1] == "inference" else train(sys.argv[1])
