# SPDX-License-Identifier: MIT
"""Races lgsweep's training step and forward pass against torch and jax on one core, in interleaved rounds; medians.

    python race.py two_layer|small|medium|large
    python race.py inference
    python race.py decode
"""
import sys
from statistics import median

from contenders import BUILD, PEERS, PYTHON, Contender, ours, rounds
from sizes import SIZES

TRAINERS = "torch", "torch.compile", "jax.jit"
ROUNDS, SECONDS = 7, 2.0
SAMPLES, LENGTHS = 8, (512, 2048, 8192)
DECODED, DECODED_SAMPLES, WHOLE_TURNS = 200, (1, 16, 64), 10
DECODING_ROUNDS, DECODING_SECONDS = 5, 1.0
DECODERS = {"decode": ("sdpa", "matmul", "compile"), "decode_rnn": ("cell",), "decode_lstm": ("cell",)}
# Losses after the same steps differ by rounding alone.
LOSS_TOLERANCE = 1e-4


def check_figures(contenders, what):
    figures = [contender.figure for contender in contenders]
    print(f"{what}: " + ", ".join(f"{figure:.6f}" for figure in figures))
    if not max(figures) - min(figures) <= LOSS_TOLERANCE * max(1, max(figures)):
        raise SystemExit("bench: these differ by more than rounding, so the contenders do not compute the same")


def line(one):
    return (f"{one.name:15s}{one.rate():9.2f} steps/s ({min(one.rates):.2f} to {max(one.rates):.2f})"
            f" {100 * median(one.shares):5.1f} % of the {one.isa} peak  {one.probe()}")


def train(size):
    start, flops = BUILD / f"start-{size}", SIZES[size].step_flops()
    program = PEERS / ("two_layer.py" if size == "two_layer" else "transformer.py")
    contenders = ours("bench_step", size, start)
    contenders += [Contender(name, [PYTHON, program, name, size, start]) for name in TRAINERS]
    print(f"{size}: {flops / 1e6:.0f} MFLOP a step")
    check_figures(contenders, "losses after 10 steps from the same weights")
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


def race_decoders(size, samples):
    """How many times as fast as whole passes, and as the best of the peers, the cache is."""
    start = BUILD / f"start-{size}-{samples}"
    kept = ours("bench_decode", size, samples, DECODED, start)
    whole = Contender("whole passes", [BUILD / "tools" / "bench_decode", size, samples, DECODED, "whole"],
                      kept[0].isa)
    peers = [Contender(f"torch {name}", [PYTHON, PEERS / "decode.py", name, size, samples, DECODED, start])
             for name in DECODERS[size]]
    contenders = [*kept, whole, *peers]
    check_figures(contenders, f"{size}, {samples} sequences: mean magnitude of the last logits")
    rounds(contenders, DECODING_ROUNDS, DECODING_SECONDS)
    whole.rates = [rate / WHOLE_TURNS for rate in whole.rates]
    for one in contenders:
        print(f"{samples:6d} sequences  {one.name:15s}{samples * DECODED * one.rate():10.0f} tokens/s"
              f" ({samples * DECODED * min(one.rates):.0f} to {samples * DECODED * max(one.rates):.0f})  {one.probe()}")
    return kept[0].rate() / whole.rate(), kept[0].rate() / max(one.rate() for one in peers)


def decode():
    ratios = {(size, samples): race_decoders(size, samples) for size in DECODERS for samples in DECODED_SAMPLES}
    for (size, samples), (of_whole, of_peers) in ratios.items():
        print(f"{size}, {samples} sequences: {of_whole:.1f} times whole passes, {of_peers:.2f} times torch with a cache")
    print(f"ratio {min(of_peers for _, of_peers in ratios.values()):.2f}")


if __name__ == "__main__":
    {"inference": inference, "decode": decode}.get(sys.argv[1], lambda: train(sys.argv[1]))()
