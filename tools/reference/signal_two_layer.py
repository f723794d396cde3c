# SPDX-License-Identifier: MIT
"""Clean test error of two_layer at lengths beyond training, and with frozen attention: the table that
sweeps/reference/signal_two_layer.yaml is held against.

    python3 tools/reference/signal_two_layer.py SEEDS > tools/reference/signal_two_layer.csv
"""
import sys
import numpy as np
import model

DIM, TOKENS, HEAD, VALUE, RATE, INIT, STEPS, TESTS = 64, 8, 16, 8, 0.05, 0.01, 800, 400
FACTORS = 1, 4, 16, 64
CELLS = [(flips, samples, snr, False) for flips in (0.1, 0.2) for samples in (20, 40, 80) for snr in (4, 16, 64, 256)]
CELLS += [(0.2, 80, snr, True) for snr in (4, 16, 64, 256)]


def outcomes(flips, samples, snr, frozen, seed, tests):
    rng = np.random.default_rng([seed, samples])
    train = model.Signals(rng, samples, TOKENS, DIM, False, np.float32)
    given = np.where(rng.random(samples) < flips, -train.y, train.y)
    weights = [np.float32(INIT) * rng.standard_normal((DIM, width), dtype=np.float32) for width in (HEAD, HEAD, VALUE)]
    norm = np.sqrt(snr)
    margin = model.descend(train.scaled(norm), given, *weights, np.float32(RATE), STEPS, frozen)
    return [(model.error(test.scaled(norm), test.y, *weights), float((margin <= 0).mean())) for test in tests]


if __name__ == "__main__":
    seeds = int(sys.argv[1])
    results = {cell: [] for cell in CELLS}
    for seed in range(seeds):
        tests = [model.Signals(np.random.default_rng([seed, 0, k]), TESTS, k * TOKENS, DIM, False, np.float32) for k in FACTORS]
        for cell in CELLS:
            results[cell].append(outcomes(*cell, seed, tests))
        print(f"seed {seed}", file=sys.stderr, flush=True)
    model.table(f"python3 tools/reference/signal_two_layer.py {seeds}",
                [({"noise_rate": flips, "samples": samples, "snr": snr, "freeze_attention": str(frozen).lower(),
                   "test_length": factor * TOKENS}, [one[i] for one in results[flips, samples, snr, frozen]])
                 for flips, samples, snr, frozen in CELLS for i, factor in enumerate(FACTORS)])
