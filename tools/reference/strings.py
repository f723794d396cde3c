# SPDX-License-Identifier: MIT
"""Symbols, labels and relevant positions of the tasks on strings, from Python's own strings, integers and expressions; used by
tasks.py.

A sequence is an input and, behind it, blanks for the answer. Labels are -1 where none counts; an answer of one symbol is the only
label. Each task gives its input, how it is answered, and how many blanks there are.
"""
import math
import re


def letters(s, draw, length):
    return [draw("symbol", t, 0, s["alphabet"]) for t in range(length)]


def number(draw, first, bits):
    """Bits of which not all are 0."""
    attempt = 0
    while bits > 1:
        drawn = [draw("symbol", first + i, attempt, 2) for i in range(bits)]
        if sum(drawn):
            return drawn
        attempt += 1
    return [1]


def in_bits(value):
    """From the lowest bit on, and an end."""
    return [int(bit) for bit in reversed(f"{value:b}")] + [2]


def two_numbers(draw, length):
    first = 1 + draw("place", 0, 0, length - 2)
    a, b = number(draw, 0, first), number(draw, first + 1, length - 1 - first)
    return a + [2] + b, *(int("".join(map(str, reversed(bits))), 2) for bits in (a, b))


def stack_manipulation(s, draw, length):
    """Strings of 0, 1 and p: what is pushed and popped again is cut out, and so is a pop with nothing before it."""
    bits = 1 + draw("place", 0, 0, max(length - 1, 1))
    tokens = [draw("symbol", t, 0, 2) if t < bits else 2 + draw("symbol", t, 0, 3) for t in range(length)]
    text, before = "".join("01p01"[x] for x in tokens), None
    while text != before:
        before, text = text, re.sub("^p|[01]p", "", text)
    return tokens, [int(x) for x in text[::-1]] + [2], length + 1


def copies(answer):
    """A task whose answer copies letters: places are copied as letters are."""
    def rule(s, draw, length):
        tokens = letters(s, draw, length)
        return tokens, answer(tokens), len(answer(tokens)), answer(list(range(length)))
    return rule


reverse_string = copies(lambda x: x[::-1])
duplicate_string = copies(lambda x: x * 2)
odds_first = copies(lambda x: x[::2] + x[1::2])


def missing_duplicate_string(s, draw, length):
    """The answer is what stands where the placeholder would in the other half."""
    half, hole = length // 2, s["alphabet"]
    tokens = letters(s, draw, half) * 2
    tokens[draw("place", 0, 0, 2 * half)] = hole
    answer = tokens[(tokens.index(hole) + half) % (2 * half)]
    return tokens + [hole + 1] * (length % 2), [answer], 1


def bucket_sort(s, draw, length):
    tokens = letters(s, draw, length)
    return tokens, sorted(tokens), length


def binary_addition(s, draw, length):
    tokens, a, b = two_numbers(draw, length)
    return tokens, in_bits(a + b), length + 1


def binary_multiplication(s, draw, length):
    tokens, a, b = two_numbers(draw, length)
    return tokens, in_bits(a * b), length


def compute_sqrt(s, draw, length):
    tokens = number(draw, 0, length)
    root, bits = math.isqrt(int("".join(map(str, tokens)), 2)), (length + 1) // 2
    return tokens, [int(bit) for bit in f"{root:0{bits}b}"], bits


def expression(s, draw, operators, at, length):
    """A list of texts, one a symbol, that begins at place `at`."""
    if length < 5:
        inner = (["-"] if length % 2 == 0 else []) + [None]
        text = ["("] + inner + [")"] if length > 2 else inner
        where = text.index(None)
        text[where] = str(draw("symbol", at + where, 0, s["modulus"]))
        return text
    left = 1 + draw("place", at, 0, length - 4)
    operator = operators[draw("symbol", at + 1 + left, 0, len(operators))]
    return ["("] + expression(s, draw, operators, at + 1, left) + [operator] + \
        expression(s, draw, operators, at + 2 + left, length - left - 3) + [")"]


def value(s, text):
    return eval("".join(text)) % s["modulus"]


def numbered(s, text, signs):
    return [int(x) if x.isdigit() else s["modulus"] + signs.index(x) for x in text]


def modular_arithmetic_brackets(s, draw, length):
    text = expression(s, draw, "+-*", 0, length)
    return numbered(s, text, "+-()*"), [value(s, text)], 1


def solve_equation(s, draw, length):
    """Every number is tried, and one alone has to solve it."""
    part = length - 2
    text = expression(s, draw, "+-", 0, part)
    right, place = value(s, text), draw("symbol", part, 0, part)
    while not text[place % part].isdigit():
        place += 1
    text[place % part] = "x"
    answer, = (x for x in range(s["modulus"]) if value(s, [str(x) if y == "x" else y for y in text]) == right)
    return numbered(s, text + ["=", str(right)], "+-()x="), [answer], 1


LETTERS, BITS, RESIDUES = ("alphabet", 0), (None, 2), ("modulus", 0)
# rule, what the numerals are, symbols behind them, classes behind them, shortest input
TASKS = {"stack_manipulation": (stack_manipulation, BITS, 4, 1, 1), "reverse_string": (reverse_string, LETTERS, 1, 0, 1),
         "modular_arithmetic_brackets": (modular_arithmetic_brackets, RESIDUES, 6, 0, 1),
         "solve_equation": (solve_equation, RESIDUES, 7, 0, 3), "duplicate_string": (duplicate_string, LETTERS, 1, 0, 1),
         "missing_duplicate_string": (missing_duplicate_string, LETTERS, 3, 0, 2), "odds_first": (odds_first, LETTERS, 1, 0, 1),
         "binary_addition": (binary_addition, BITS, 2, 1, 4), "binary_multiplication": (binary_multiplication, BITS, 2, 1, 4),
         "compute_sqrt": (compute_sqrt, BITS, 1, 0, 3), "bucket_sort": (bucket_sort, LETTERS, 1, 0, 1)}
ONE = ("modular_arithmetic_brackets", "solve_equation", "missing_duplicate_string")  # answers of one symbol
DEFAULTS = {"alphabet": 2}
CASES = [{"task": task} for task in TASKS]
CASES += [{"task": task, "alphabet": 7} for task, row in TASKS.items() if row[1] is LETTERS]
CASES += [{"task": task, "modulus": modulus} for task, row in TASKS.items() if row[1] is RESIDUES for modulus in (2, 12)]
SETS = [("train", 12), ("test", 1), ("test", 4), ("test", 7), ("test", 30), ("test", 155)]


def numerals(s):
    name, count = TASKS[s["task"]][1]
    return s[name] if name else count


def sequence(s, draw, length):
    """Tokens, labels and relevant positions. `draw`: of purpose, place, coordinate, bound."""
    rule, _, signs, _, _ = TASKS[s["task"]]
    tokens, answer, blanks, *source = rule(s, draw, length)
    tokens += [numerals(s) + signs - 1] * blanks
    labels = answer if s["task"] in ONE else [-1] * length + answer + [-1] * (blanks - len(answer))
    return tokens, labels, [[at] for at in [-1] * length + source[0]] if source else None


def classes(s):
    return numerals(s) + TASKS[s["task"]][3]


def possible(changed, length):
    return length >= TASKS[changed["task"]][4]
