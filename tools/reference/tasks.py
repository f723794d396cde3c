# SPDX-License-Identifier: MIT
"""What the tasks on tokens should yield, for tests/task/test_reference.c: symbols and labels of 1,000 sequences at several
lengths, from an implementation of its own. Random numbers too are made here (Philox4x32-10 at a counter, keyed by XXH3),
so that nothing of a sequence comes from the program.

    python tools/reference/tasks.py            writes tests/task/fixtures/labels
    python tools/reference/tasks.py --check    says whether it is up to date

Needs what tools/requirements.txt lists. A case of the file is one line, and behind it the first sequences as digits:
    case SPLIT LENGTH NAME=VALUE …     the settings that differ from their defaults; a '+' is a space
    hash TOKENS CLEAN TARGETS          XXH3-64 of SAMPLES sequences, as little-endian int32
    lists K HASH                       of cases that name relevant positions: XXH3-64 of K a label, -1 behind the last
    tokens … / clean … / relevant …    the first SHOWN sequences, one a line; a label that does not count is -1; positions
                                       where there are no more than MOST
Groups are matrices or permutations that are multiplied and looked up, expressions go through Python's parser, brackets are
cut out of a string pair by pair, tables are multiplied as matrices. arithmetic.py and strings.py have the other tasks.
"""
import ast
import functools
import itertools
import sys
from pathlib import Path

import numpy as np
import xxhash

import arithmetic
import strings

PATH = Path(__file__).resolve().parents[2] / "tests/task/fixtures/labels"
SAMPLES, SHOWN, MOST, SEED = 1000, 2, 200, 7
WORD = 0xFFFFFFFF


def philox(key, sample, position, coordinate=0):
    """Ten rounds at the counters (coordinate, position, sample, 0): 64 bits for each sample and position."""
    d = np.zeros(np.broadcast(sample, position).shape, np.uint64)
    a, b, c = d + np.uint64(coordinate), d + position.astype(np.uint64), d + sample.astype(np.uint64)
    k0, k1 = key & WORD, key >> 32
    for _ in range(10):
        low, high = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (high >> np.uint64(32)) ^ b ^ np.uint64(k0), high & np.uint64(WORD), \
                     (low >> np.uint64(32)) ^ d ^ np.uint64(k1), low & np.uint64(WORD)
        k0, k1 = (k0 + 0x9E3779B9) & WORD, (k1 + 0xBB67AE85) & WORD
    return b << np.uint64(32) | a


class Draws:
    """64 bits at (sample, position) of one purpose and coordinate of a set, at replicate 0."""
    def __init__(self, set_name, purpose, length, coordinate=0):
        stream = xxhash.xxh3_64_intdigest(f"{set_name}/{purpose}".encode())
        key = xxhash.xxh3_64_intdigest(b"".join(x.to_bytes(8, "little") for x in (SEED, 0, stream)))
        self.bits = philox(key, np.arange(SAMPLES)[:, None], np.arange(length)[None], coordinate)

    def below(self, sample, position, bound):
        return int(self.bits[sample, position]) * bound >> 64

    def uniform(self, sample, position):
        return (int(self.bits[sample, position]) >> 11) / 2 ** 53


def accumulator(s, draw, length):
    m, tokens, clean = s["modulus"], [draw(t, 2 * s["modulus"]) for t in range(length)], []
    for t in range(length):
        clean.append(sum(x - m for x in tokens[:t + 1] if x >= m) % m)
    return tokens, clean


def parity(s, draw, length):
    tokens = [draw(t, 2) for t in range(length)]
    return tokens, [tokens[:t + 1].count(1) % 2 for t in range(length)]


def cycle_navigation(s, draw, length):
    tokens = [draw(t, 3) for t in range(length)]
    return tokens, [(tokens[:t + 1].count(1) - tokens[:t + 1].count(2)) % 5 for t in range(length)]


def even_pairs(s, draw, length):
    tokens = [draw(t, 2) for t in range(length)]
    text = "".join("ab"[x] for x in tokens)
    return tokens, [(text[:t + 1].count("ab") + text[:t + 1].count("ba")) % 2 for t in range(length)]


def value(expression):
    """Of an expression in Python's syntax and precedence, modulo 5."""
    def of(node):
        if isinstance(node, ast.Constant):
            return node.value
        left, right = of(node.left), of(node.right)
        return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)] % 5
    return of(ast.parse(expression, mode="eval").body)


def modular_arithmetic(s, draw, length):
    tokens = [draw(t, 5) if t % 2 == 0 else 5 + draw(t, 3) for t in range(length)]
    text = "".join("01234+-*"[x] for x in tokens)
    return tokens, [value(text[:t + 1].rstrip("+-*")) for t in range(length)]


def flip_flop(s, draw, length):
    tokens = [1 + draw(0, 2)] + [draw(t, 3) for t in range(1, length)]
    return tokens, [[x - 1 for x in tokens[:t + 1] if x][-1] for t in range(length)]


def words(elements, generators):
    """Of a group whose elements are tuples of where each point goes, in the order of their numbers."""
    number = {e: i for i, e in enumerate(elements)}

    def rule(s, draw, length):
        symbols = generators if s["group_symbols"] == "generators" else elements
        tokens, clean, at = [draw(t, len(symbols)) for t in range(length)], [], tuple(range(len(elements[0])))
        for token in tokens:
            at = tuple(symbols[token][point] for point in at)
            clean.append(number[at])
        return tokens, clean
    return rule


def cyclic(n):
    turns = [tuple((x + k) % n for x in range(n)) for k in range(n)]
    return words(turns, turns[:2])


def dihedral(n):
    turns = [tuple((x + k) % n for x in range(n)) for k in range(n)]
    mirrors = [tuple((k - x) % n for x in range(n)) for k in range(n)]
    return words(turns + mirrors, [turns[1], mirrors[0]])


def symmetric(n):
    return words(list(itertools.permutations(range(n))), [(1, 0, *range(2, n)), (*range(1, n), 0)])


def alternating5():
    even = [p for p in itertools.permutations(range(5)) if round(np.linalg.det(np.eye(5)[list(p)])) == 1]
    return words(even, [(1, 2, 0, 3, 4), (1, 2, 3, 4, 0)])


def table(rows, outputs):
    """Symbols are matrices of zeros and ones, which move a row vector with its one at the state."""
    moves = [np.array([[int(row[symbol] == to) for to in range(len(rows))] for row in rows]) for symbol in range(len(rows[0]))]
    classes = np.array(outputs or range(len(rows)))

    def rule(s, draw, length):
        at, tokens, clean = np.eye(len(rows), dtype=int)[s["start"]], [], []
        for t in range(length):
            tokens.append(draw(t, len(moves)))
            at = at @ moves[tokens[-1]]
            clean.append(int(at @ classes))
        return tokens, clean
    return rule


def unmatched(symbols, types):
    """What is left of a list of (symbol) when neighbours that match are cut out again and again."""
    left = list(symbols)
    at = 0
    while at + 1 < len(left):
        if left[at] < types and left[at + 1] == left[at] + types:
            del left[at:at + 2]
            at = 0
        else:
            at += 1
    return left


def brackets(s, draw, length):
    types, most = s["bracket_types"], s["test_depth"] or s["depth"]
    tokens, clean = [], []
    for t in range(length):
        half, kind = divmod(draw(t, 2 * types), types)
        left = unmatched(tokens, types)
        opens = not left or (len(left) < most and half == 0)
        tokens.append(kind if opens else types + left[-1])
        left = unmatched(tokens, types)
        clean.append(left[-1] + 1 if left else 0)
    return tokens, clean


def innermost(types):
    """Where the last symbol of a prefix opened that is still unmatched."""
    def of(tokens):
        left = []
        for at, token in enumerate(tokens):
            left.append((token, at))
            if len(left) > 1 and token == left[-2][0] + types:
                del left[-2:]
        return left[-1][1] if left else -1
    return of


def last_write(tokens):
    return max(at for at, token in enumerate(tokens) if token)


def relevant_positions(s, tokens):
    """A list for each label, or None."""
    if s["task"] == "brackets":
        of = innermost(s["bracket_types"])
    elif s["task"] == "automaton" and s["automaton"] == "flip_flop":
        of = last_write
    else:
        return None
    return [[of(tokens[:t + 1])] for t in range(len(tokens))]


AUTOMATA = {"parity": (lambda n: parity, 2), "cycle_navigation": (lambda n: cycle_navigation, 5),
            "even_pairs": (lambda n: even_pairs, 2), "modular_arithmetic": (lambda n: modular_arithmetic, 5),
            "flip_flop": (lambda n: flip_flop, 2), "cyclic": (cyclic, lambda n: n), "dihedral": (dihedral, lambda n: 2 * n),
            "symmetric": (symmetric, lambda n: {3: 6, 4: 24, 5: 120}[n]), "alternating5": (lambda n: alternating5(), 60)}
DEFAULTS = {"modulus": 5, "automaton": "parity", "order": 5, "group_symbols": "elements", "bracket_types": 2, "depth": 4,
            "test_depth": 0, "noise_rate": 0.1, "table": [], "outputs": [], "start": 0}

CASES = [{"task": "accumulator"}, {"task": "accumulator", "modulus": 97}]
CASES += [{"task": "automaton", "automaton": name} for name in list(AUTOMATA)[:5]]
CASES += [{"task": "automaton", "automaton": name, "order": order, "group_symbols": symbols}
          for name, order in [("cyclic", 7), ("dihedral", 3), ("dihedral", 8), ("symmetric", 3), ("symmetric", 4), ("symmetric", 5),
                              ("alternating5", 5)] for symbols in ("elements", "generators")]
CASES += [{"task": "brackets"}, {"task": "brackets", "bracket_types": 5, "depth": 2},
          {"task": "brackets", "bracket_types": 3, "depth": 3, "test_depth": 12}]
CASES += [{"task": "automaton", "automaton": "table"} | more for more in (
    {"table": [[1, 0, 2], [2, 0, 1], [0, 2, 2]]},
    {"table": [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]], "outputs": [0, 1, 1, 1, 1], "start": 3},  # binary numbers by five
    {"table": [[1, 1, 2, 0], [2, 1, 3, 0], [0, 3, 3, 1], [3, 0, 2, 2]], "outputs": [2, 0, 1, 0], "start": 1})]
SETS = [("train", 20), ("test", 1), ("test", 7), ("test", 40), ("test", 81)]


def rule_of(s):
    """The rule and the number of classes."""
    if s["task"] != "automaton":
        return (accumulator, s["modulus"]) if s["task"] == "accumulator" else (brackets, s["bracket_types"] + 1)
    if s["automaton"] == "table":
        return table(s["table"], s["outputs"]), len(set(s["outputs"] or range(len(s["table"]))))
    rule, classes = AUTOMATA[s["automaton"]]
    return rule(s["order"]), classes(s["order"]) if callable(classes) else classes


def with_noise(set_name, rate, clean, classes):
    """A label moves on by 1 … classes - 1 with the rate's probability."""
    flip, other = (Draws(set_name, purpose, clean.shape[1]) for purpose in ("flip", "flip/class"))
    targets = clean.copy()
    for i, t in np.ndindex(clean.shape):
        if clean[i, t] >= 0 and flip.uniform(i, t) < rate:
            targets[i, t] = (clean[i, t] + 1 + other.below(i, t, classes - 1)) % classes
    return targets


def sequences(s, split, set_name, length):
    """Tokens, labels and relevant positions of each sample, and the number of classes."""
    if s["task"] in arithmetic.TASKS:
        places = max(length, s["multiplier_digits"])
        draws = {key: Draws(set_name, key[0], places, key[1]) for key in (("digit", 0), ("digit", 1), ("hint", 0))}

        def draw_of(i):
            return lambda purpose, t, coordinate, bound: draws[purpose, coordinate].below(i, t, bound)
        return [arithmetic.sequence(s, draw_of(i), length, split == "test") for i in range(SAMPLES)], arithmetic.classes(s)
    if s["task"] in strings.TASKS:
        @functools.cache
        def draws_of(purpose, coordinate):
            return Draws(set_name, purpose, length, coordinate)

        def draw_for(i):
            return lambda purpose, t, coordinate, bound: draws_of(purpose, coordinate).below(i, t, bound)
        return [strings.sequence(s, draw_for(i), length) for i in range(SAMPLES)], strings.classes(s)
    draws, (rule, classes) = Draws(set_name, "symbol", length), rule_of(s)
    pairs = [rule(s, lambda t, bound, i=i: draws.below(i, t, bound), length) for i in range(SAMPLES)]
    return [(tokens, clean, relevant_positions(s, tokens)) for tokens, clean in pairs], classes


def written(x):
    """A value as in the file, where '+' stands for a space: rows apart by ';', and their elements by spaces."""
    if not isinstance(x, list):
        return str(x)
    return ";+".join(map(written, x)) if isinstance(x[0], list) else "+".join(map(str, x))


def case(changed, split, length):
    s = DEFAULTS | arithmetic.DEFAULTS | strings.DEFAULTS | changed
    if split == "train":
        s["test_depth"] = 0
    set_name = split if split == "train" else f"test/{length}"
    parts, classes = sequences(s, split, set_name, length)
    tokens, clean = (np.array([part[i] for part in parts], "<i4") for i in range(2))
    lists = np.array([part[2] for part in parts], "<i4") if parts[0][2] else None
    targets = with_noise(set_name, s["noise_rate"], clean, classes) if split == "train" else clean
    lines = ["case " + " ".join([split, str(length)] + [f"{name}={written(x)}" for name, x in changed.items()])]
    lines.append("hash " + " ".join(xxhash.xxh3_64_hexdigest(x.tobytes()) for x in (tokens, clean, targets)))
    if lists is not None:
        lines.append(f"lists {lists.shape[2]} {xxhash.xxh3_64_hexdigest(lists.tobytes())}")
    for i in range(SHOWN):
        for name, rows in ("tokens", tokens), ("clean", clean), ("relevant", lists):
            if rows is not None and (name != "relevant" or rows[i].size <= MOST):
                lines.append(name + " " + " ".join(map(str, rows[i].flat)))
    return lines


def main():
    lines = [line for changed in CASES for split, length in SETS
             if not (changed.get("automaton") == "even_pairs" and length < 2) for line in case(changed, split, length)]
    lines += [line for changed in arithmetic.CASES for split, length in arithmetic.SETS
              if arithmetic.possible(changed, split, length) for line in case(changed, split, length)]
    lines += [line for changed in strings.CASES for split, length in strings.SETS
              if strings.possible(changed, length) for line in case(changed, split, length)]
    text = "\n".join(lines) + "\n"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if PATH.read_text() == text else f"{PATH} is out of date: run tools/reference/tasks.py")
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text)


if __name__ == "__main__":
    main()
