# SPDX-License-Identifier: MIT
"""What the models should compute, for tests/nn/test_parity.c: logits, loss, gradients, and the losses of 20 AdamW steps in
float64, with the models of networks.py.

    build/peers-venv/bin/python tools/reference/parity.py            writes tests/nn/fixtures/parity
    build/peers-venv/bin/python tools/reference/parity.py --check    says whether they are up to date

Its torch is that of tools/peers/requirements.txt, which tools/bench installs.
The file has lines of text, and numbers behind each `values` line: the upper 48 bits of doubles, little-endian.
    case NAME              then, of this case:
    set NAME VALUE         a setting
    shape DIM VOCABULARY CLASSES BINARY
    batch SAMPLES LENGTH TARGETS MASKED
    values NAME ROWS COLUMNS   logits, loss, losses; far: logits of sequences FAR times as long; else a tensor's gradient
Weights, inputs and targets are not in it: both sides compute them, see `hashed`, `weight` and `batch`.
"""
import sys
from pathlib import Path
import numpy as np
import torch
import networks
import parity_cases

PATH = Path(__file__).resolve().parents[2] / "tests/nn/fixtures/parity"
STEPS, RATE, BETAS, EPSILON, DECAY, CLIP, FAR = 20, 1e-3, (0.9, 0.999), 1e-8, 0.01, 1.0, 4
POSITIVE = "gain", "scale", "rate", "threshold"  # last words of tensors whose values lie about 1
TOLERANCE, FLOOR = 1e-10, 1e-15  # of --check: the last bits depend on the processor


def hashed(name, rows, columns):
    """32 bits for each (row, column): FNV-1a of the name, row and column, then mixed."""
    h = 0x811C9DC5
    for byte in name.encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    h = np.full((rows, columns), h, np.uint32)
    for part in (np.arange(rows, dtype=np.uint32)[:, None], np.arange(columns, dtype=np.uint32)[None]):
        h = (h ^ part) * np.uint32(0x01000193)
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        h = (h ^ h >> np.uint32(shift)) * np.uint32(factor)
    return h ^ h >> np.uint32(15)


def unit(name, rows, columns):
    """Multiples of 1/2048 from -1/2 to 1/2."""
    return torch.from_numpy(((hashed(name, rows, columns) & 2047).astype(float) - 1024) / 2048)


def weight(name, rows, columns):
    value = unit(name, rows, columns)
    return 1 + value / 2 if name.endswith(POSITIVE) else value


def batch(case, name, length):
    """Inputs (samples, length, …), targets and mask (samples, targets). Row of a token: sample * length + position."""
    def integers(what, columns, below):
        return torch.from_numpy((hashed(f"{name}.{what}", case.samples, columns) % below).astype(np.int64))
    if case.s.vocabulary:
        x = integers("tokens", length, case.s.vocabulary)
    else:
        x = 4 * unit(f"{name}.vectors", case.samples * length, case.s.dim).view(case.samples, length, -1)
    count = length if case.s.pooling == "per_position" else 1
    mask = integers("mask", count, 4) > 0 if case.masked else torch.ones(case.samples, count, dtype=bool)
    return x, integers("targets", count, max(2, case.s.outputs)), mask


def mup_rate(s, name):
    """Yang et al. 2021, table 8: Adam's rate of matrices whose inputs grow with the width."""
    wide = name == "head" or name.startswith("layers.") and name.split(".")[-1] in ("query", "key", "value", "out", "in")
    return s.base_width / s.width if s.parametrization == "mup" and wide else 1.0


def descend(s, w, trained, loss_of):
    """Losses before each of the steps."""
    optimizer = torch.optim.AdamW([{"params": [w[name]], "lr": RATE * mup_rate(s, name)} for name in trained], betas=BETAS,
                                  eps=EPSILON, weight_decay=DECAY)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_([w[name] for name in trained], CLIP)
        optimizer.step()
    return losses


def compute(case):
    """The case's arrays by name."""
    s = case.s
    w = {name: weight(name, *shape) for name, shape in networks.shapes(s).items()}
    trained = [name for name in w if name not in case.frozen]
    for name in trained:
        w[name].requires_grad_()
    x, targets, mask = batch(case, "train", case.length)
    positions = {name: torch.tensor(drawn) for name, drawn in case.draws.items()}

    def loss_of():
        return networks.losses(s, networks.forward(s, w, x, positions.get("train")), targets)[mask].mean()

    logits = networks.forward(s, w, x, positions.get("train"))
    far = batch(case, "far", FAR * case.length)[0]
    found = {"logits": logits.flatten(0, 1), "loss": loss_of().view(1, 1)}
    if case.far:
        found["far"] = networks.forward(s, w, far, positions.get("far")).flatten(0, 1)
    found |= dict(zip(trained, torch.autograd.grad(loss_of(), [w[name] for name in trained])))
    found["losses"] = torch.tensor([descend(s, w, trained, loss_of)])
    return {name: value.detach().numpy() for name, value in found.items()}


def header(case):
    s = case.s
    lines = [f"case {case.name}", *(f"set {name} {value}" for name, value in case.settings().items())]
    lines.append(f"shape {s.dim} {s.vocabulary} {max(2, s.outputs)} {int(s.outputs == 1)}")
    lines.append(f"batch {case.samples} {case.length} {case.length if s.pooling == 'per_position' else 1} {int(case.masked)}")
    return lines


def packed(values):
    """The upper 48 bits of each double, rounded."""
    bits = np.ascontiguousarray(values, "<f8").view("<u8") + np.uint64(1 << 15)
    return bits.reshape(-1, 1).view(np.uint8)[:, 2:].tobytes()


def unpacked(data):
    bits = np.zeros((len(data) // 6, 8), np.uint8)
    bits[:, 2:] = np.frombuffer(data, np.uint8).reshape(-1, 6)
    return bits.view("<f8").ravel()


def write(path):
    with open(path, "wb") as file:
        for case in parity_cases.cases():
            file.write("\n".join(header(case)).encode() + b"\n")
            for name, values in compute(case).items():
                file.write(f"values {name} {values.shape[0]} {values.shape[1]}\n".encode() + packed(values) + b"\n")


def read(path):
    """Yields (lines, arrays) of each case."""
    lines, arrays = [], {}
    with open(path, "rb") as file:
        while line := file.readline().decode().rstrip("\n"):
            if line.startswith("case ") and lines:
                yield lines, arrays
                lines, arrays = [], {}
            if line.startswith("values "):
                _, name, rows, columns = line.split()
                arrays[name] = unpacked(file.read(6 * int(rows) * int(columns)))
                file.read(1)
            else:
                lines.append(line)
    yield lines, arrays


def stale(path):
    """Names of cases that differ from what is computed now."""
    found, wrong = {lines[0]: (lines, arrays) for lines, arrays in read(path)}, []
    for case in parity_cases.cases():
        lines, arrays = found.pop(f"case {case.name}", ([], {}))
        values = compute(case)
        same = lines == header(case) and list(arrays) == list(values) and all(
            np.linalg.norm(arrays[name] - value.ravel()) <= TOLERANCE * np.linalg.norm(value) + FLOOR for name, value in values.items())
        wrong += [] if same else [case.name]
    return wrong + list(found)


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    if sys.argv[1:] == ["--check"]:
        differing = stale(PATH)
        print("out of date: " + ", ".join(differing) if differing else "up to date")
        sys.exit(1 if differing else 0)
    PATH.parent.mkdir(exist_ok=True)
    write(PATH)
