# SPDX-License-Identifier: MIT
"""Where the time of a training step goes: samples of perf by function, for each size and instruction set."""
import subprocess
from tempfile import NamedTemporaryFile

from contenders import BUILD, ENVIRONMENT, ON_CORE, isas
from sizes import SIZES

SECONDS = 3
# The first group one of whose words is in a function's name has it; products of attention are told by their own names.
GROUPS = (("attention", ("attend", "mix", "score", "exponential", "block", "take_queries", "values_gradient", "read_values")),
          ("products", ("multiply", "pack")),
          ("norms and activations", ("norm", "activate", "gelu", "times", "sum_rows", "class_")),
          ("optimiser and clip", ("step_", "square")))


def group_of(function):
    return next((name for name, words in GROUPS if any(word in function for word in words)), "rest")


def shares(size, isa):
    """{group: share}, and the functions that took most."""
    with NamedTemporaryFile() as data:
        subprocess.run([*ON_CORE, "perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", data.name, "--",
                        BUILD / "tools" / "bench_step", size], input=f"{SECONDS}\n", text=True, check=True,
                       stdout=subprocess.DEVNULL, env=ENVIRONMENT | {"LGSWEEP_ISA": isa})
        report = subprocess.run(["perf", "report", "-q", "-i", data.name, "--stdio", "-F", "overhead,symbol", "-g", "none"],
                                capture_output=True, text=True, check=True).stdout
    functions = [(float(words[0].rstrip("%")), words[2]) for words in map(str.split, report.splitlines()) if len(words) >= 3]
    groups = {}
    for share, function in functions:
        groups[group_of(function)] = groups.get(group_of(function), 0) + share
    return groups, functions[:6]


def main():
    names = [name for name, _ in GROUPS] + ["rest"]
    print(f"| size | | {' | '.join(names)} |\n|{'---|' * (2 + len(names))}")
    most = []
    for size in SIZES:
        for isa in isas():
            groups, functions = shares(size, isa)
            print(f"| {size} | {isa} | " + " | ".join(f"{groups.get(name, 0):.1f} %" for name in names) + " |")
            most.append(f"{size} {isa}: " + ", ".join(f"{function} {share:.1f} %" for share, function in functions))
    print("\n".join(["", *most]))


if __name__ == "__main__":
    main()
