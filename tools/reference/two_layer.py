# SPDX-License-Identifier: MIT
"""Clean test error of two_layer over (samples, snr): the table that sweeps/two_layer_boundary.yaml is held against.

    python3 tools/reference/two_layer.py SEEDS > tools/reference/two_layer.csv
"""
import sys
import numpy as np
import model

DIM, TOKENS, HEAD, VALUE, FLIPS, RATE, INIT, STEPS, TESTS = 400, 4, 32, 8, 0.1, 0.02, 0.01, 150, 1000
SAMPLES, NORMS = (10, 20, 40, 80, 160), (0.05, 0.1, 0.2, 0.3, 0.5, 0.8)  # norms as snr_norm = sqrt(snr / DIM)


def outcome(samples, snr, seed):
    rng = np.random.default_rng([seed, samples])
    train = model.Signals(rng, samples, TOKENS, DIM, True, np.float64)
    given = np.where(rng.random(samples) < FLIPS, -train.y, train.y)
    test = model.Signals(rng, TESTS, TOKENS, DIM, True, np.float64)
    weights = [INIT * rng.standard_normal((DIM, width)) for width in (HEAD, HEAD, VALUE)]
    margin = model.descend(train.scaled(np.sqrt(snr)), given, *weights, RATE, STEPS)
    return model.error(test.scaled(np.sqrt(snr)), test.y, *weights), float((margin <= 0).mean())


if __name__ == "__main__":
    seeds = int(sys.argv[1])
    cells = [(samples, round(DIM * norm**2, 9)) for samples in SAMPLES for norm in NORMS]
    model.table(f"python3 tools/reference/two_layer.py {seeds}",
                [({"samples": n, "snr": f"{snr:g}", "test_length": TOKENS}, [outcome(n, snr, seed) for seed in range(seeds)])
                 for n, snr in cells])
