# SPDX-License-Identifier: MIT
"""A peer's side of a race: the protocol of bench_answer in tools/bench_size.h."""
import sys
import time
from statistics import median

WARM_TURNS, STRETCHES = 3, 9
LOSS_STEPS = 10  # as in bench_step.c


def seconds_of(turn, turns):
    begin = time.perf_counter()
    for _ in range(turns):
        turn()
    return (time.perf_counter() - begin) / turns


def answer(turn, figure):
    print(f"ready {figure:.6f}", flush=True)
    for line in sys.stdin:
        turns = 1 + int(float(line) / STRETCHES / seconds_of(turn, WARM_TURNS))
        print(1 / median(seconds_of(turn, turns) for _ in range(STRETCHES)), flush=True)


def answer_steps(step):
    """`step` returns the loss before it; the figure is the loss after LOSS_STEPS of them."""
    for _ in range(LOSS_STEPS):
        step()
    answer(step, float(step()))
