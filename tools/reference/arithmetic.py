# SPDX-License-Identifier: MIT
"""Symbols, labels and relevant positions of addition, multiplication and modular, from Python's integers and strings of symbols;
used by tasks.py.

A sequence is a list of symbols, of which a model reads all but the last and is asked for all but the first; what stands before
the answer, and behind its end, is marked as not asked for.
"""


def digits_of(number, base, least):
    """From the lowest on, at least so many."""
    digits = []
    while number or len(digits) < least:
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits


def operand(s, draw, which, count, base):
    """A number whose digit i comes from the draw at place i."""
    number = 0
    for i in range(count):
        leads = i == count - 1 and count > 1 and s["zero_padding"] == "false"
        number += (1 + draw("digit", i, which, base - 1) if leads else draw("digit", i, which, base)) * base ** i
    return number


def on_digits(s, draw, length, test):
    def setting(name, same):
        return s["test_" + name] if test and s["test_" + name] != same else s[name]
    base, numerals, hints = setting("base", 0), max(s["base"], s["test_base"]), s["index_hints"]
    sign, equals, end = numerals, numerals + 1, numerals + 2
    adds = s["task"] == "addition"
    fixed = 0 if adds else s["multiplier_digits"]
    second = fixed or length - setting("operand_offset", -1)
    a, b = operand(s, draw, 0, length, base), operand(s, draw, 1, second, base)
    full = length + 1 if adds else length + second
    start = numerals + 3 + draw("hint", 0, 0, hints - full + 1) if hints else None

    def written(name, number, least):
        """Symbols, each with the digit that it is."""
        symbols = [([(start + i, None)] if hints else []) + [(digit, (name, i))]
                   for i, digit in enumerate(digits_of(number, base, least))]
        if s["digit_order"] == "plain":
            symbols.reverse()
        return sum(symbols, [])

    answer = written("answer", a + b if adds else a * b, full if s["zero_padding"] == "true" else 1) + [(end, None)]
    question = written("a", a, length) + [(sign, None)] + written("b", b, second) + [(equals, None)]
    missing = (length + second + full) * (2 if hints else 1) + 3 - len(question) - len(answer)
    symbols, what = zip(*question, *answer, *[(end, None)] * missing)
    return list(symbols), len(question), len(answer), relevant_to(what) if adds else None


def relevant_to(what):
    """For each label of a sum: the digits worth as much or a base less, and the last one that is written."""
    lists = []
    for at, digit in enumerate(what[1:]):
        named = []
        if digit and digit[0] == "answer":
            named = [place for place, x in enumerate(what) if x and x[0] in "ab" and x[1] in (digit[1], digit[1] - 1)]
            named += [place for place, x in enumerate(what[:at + 1]) if x and x[0] == "answer"][-1:]
        lists.append(named + [-1] * (5 - len(named)))
    return lists


def modular(s, draw, length, test):
    modulus = s["test_modulus"] if test and s["test_modulus"] else s["modulus"]
    plus = max(s["modulus"], s["test_modulus"])
    terms = [draw("digit", i, 0, modulus) for i in range(length)]
    question = [x for term in terms for x in (term, plus)][:-1] + [plus + 1]
    return question + [sum(terms) % modulus, plus + 2], len(question), 2, None


def sequence(s, draw, length, test):
    """Tokens, labels and relevant positions, -1 where one does not count. `draw`: of purpose, place, coordinate, bound."""
    symbols, given, asked, relevant = (modular if s["task"] == "modular" else on_digits)(s, draw, length, test)
    labels = [x if given <= t < given + asked else -1 for t, x in enumerate(symbols)]
    return symbols[:-1], labels[1:], relevant


def classes(s):
    if s["task"] == "modular":
        return max(s["modulus"], s["test_modulus"]) + 3
    return max(s["base"], s["test_base"]) + 3 + s["index_hints"]


DEFAULTS = {"base": 10, "test_base": 0, "digit_order": "plain", "zero_padding": "true", "index_hints": 0, "operand_offset": 0,
            "test_operand_offset": -1, "multiplier_digits": 0, "test_modulus": 0}
TASKS = ("addition", "multiplication", "modular")
REVERSED, UNPADDED = {"digit_order": "reversed"}, {"zero_padding": "false"}
CASES = [{"task": task} | written for task in TASKS[:2] for written in (
    {}, REVERSED, UNPADDED, UNPADDED | REVERSED, {"index_hints": 60}, {"index_hints": 50} | REVERSED, {"index_hints": 55} | UNPADDED,
    {"base": 2, "test_base": 10}, {"base": 16, "test_base": 3, "index_hints": 41} | UNPADDED | REVERSED)]
CASES += [{"task": "addition", "operand_offset": 2, "test_operand_offset": 0},
          {"task": "addition", "test_operand_offset": 4} | UNPADDED,
          {"task": "multiplication", "multiplier_digits": 1} | UNPADDED,
          {"task": "multiplication", "multiplier_digits": 3, "base": 60000},
          {"task": "multiplication", "operand_offset": 1},
          {"task": "modular"}, {"task": "modular", "modulus": 3, "test_modulus": 97}]
SETS = [("train", 8), ("test", 1), ("test", 5), ("test", 20)]


def possible(changed, split, length):
    s = DEFAULTS | changed
    offset = s["test_operand_offset"] if split == "test" and s["test_operand_offset"] >= 0 else s["operand_offset"]
    return offset < length
