# SPDX-License-Identifier: MIT
"""Bad input: a clear message, the right exit code, nothing lost."""
import os
import subprocess
import time
from pathlib import Path

import h5py

from harness import PROGRAM, SMALL, claim, less_memory, lgsweep, main, same, status, write

# What is wrong, the text that replaces another in the small sweep, and what the message says.
SWEEPS = [
    ("an unknown key", "train_length: 4", "train_lenght: 4", ["s.yaml:4:", "train_lenght", "train_length"]),
    ("a word for a number", "dim: 12", "dim: many", ["s.yaml:4:", "many"]),
    ("a fraction for an integer", "samples: 10", "samples: 10.5", ["s.yaml:4:", "10.5"]),
    ("a decimal comma", "learning_rate: 0.2", "learning_rate: '0,2'", ["s.yaml:6:", "0,2"]),
    ("an empty axis", "snr: [1, 16]", "snr: []", ["s.yaml:9:", "snr"]),
    ("a value out of range", "noise_rate: 0.2", "noise_rate: 1.5", ["s.yaml:4:", "1.5"]),
    ("a duplicate key", "  encoding: [none, rope]", "  encoding: [none, rope]\n  snr: 4", ["s.yaml:11:", "snr", "9"]),
    ("NaN on an axis", "snr: [1, 16]", "snr: [1, .nan]", ["s.yaml:9:", "nan"]),
    ("an unknown encoding", "[none, rope]", "[no, rope]", ["s.yaml:10:", "'no'", "none"]),
    ("a tab as indentation", "  snr:", "\tsnr:", ["s.yaml:9:", "tab"]),
    ("a second document", "grid:", "---\ngrid:", ["s.yaml:", "document"]),
    ("an integer that does not fit", "seed: 3", "seed: 18446744073709551616", ["s.yaml:2:"]),
]


@claim("a sweep file with {} is refused with its place: exit code 2", SWEEPS)
def refused_sweep(_, old, new, words):
    assert old in SMALL
    for command in ("run", "plan"):
        text = lgsweep(command, write("s.yaml", SMALL.replace(old, new)), code=2, timeout=10).stderr
        assert all(word in text for word in words), text
    assert not Path("results").exists() or not any(Path("results").iterdir())


@claim("all errors of a file are told in one run, in its order")
def all_errors():
    text = SMALL.replace("dim: 12", "dim: many").replace("steps: 30", "stepz: 30").replace("[1, 16]", "[]")
    lines = lgsweep("run", write("s.yaml", text), code=2).stderr
    assert lines.index(":4:") < lines.index(":6:") < lines.index(":9:"), lines


@claim("numbers are what the settings table says, not YAML: 1e-3, 010, .5")
def typed_numbers():
    sweep = write("s.yaml", SMALL.replace("noise_rate: 0.2", "noise_rate: 1e-3").replace("dim: 12", "dim: 012"))
    lgsweep("run", sweep, "-o", "s.h5")
    with h5py.File("s.h5") as file:
        assert file.attrs["noise_rate"] == 1e-3 and file.attrs["dim"] == 12


@claim("a zip block called like a variable of the store is refused with its place: {}",
       [(name,) for name in ("parameters", "train_loss", "verdict", "length_ratio", "encoding_code", "status")])
def refused_block_name(name):
    zipped = SMALL + f"zip:\n  {name}: {{head_dim: [4, 6], value_dim: [2, 3]}}\n"
    text = lgsweep("plan", write("s.yaml", zipped), code=2).stderr
    assert "s.yaml:13:" in text and name in text, text


SLOW = SMALL.replace("steps: 30", "steps: 100000000").replace("[1, 16]", "1").replace("[none, rope]", "none").replace("replicates: 2", "replicates: 1")


@claim("a time limit in which no trial can be finished is refused, not resumable for ever")
def refused_time_limit():
    text = lgsweep("run", write("s.yaml", SLOW), "-o", "s.h5", "--time-limit", "1", code=2, timeout=30).stderr
    assert "--time-limit" in text, text


@claim("a trial that exceeds --trial-limit has failed at once, with its reason, and attempts add up over runs")
def refused_slow_trial():
    lgsweep("run", write("s.yaml", SLOW + "twins: false\n"), "-o", "s.h5", "--trial-limit", "0.3", code=3, timeout=30)
    told = status("s.h5")
    assert told["failed"] == 1 and "time limit" in told["failures"][0]["reason"], told
    assert lgsweep("run", "s.yaml", "-o", "s.h5", code=3).stderr.count("--retry-failed") >= 1


DEEP = """\
sweep: deep
seed: 3
replicates: 3
task: {kind: accumulator, samples: 12, train_length: 8, modulus: 3, noise_rate: 0}
model: {kind: transformer, layers: 1, width: 16, heads: 2, encoding: alibi}
train: {optimizer: adamw, learning_rate: 1e-3, steps: 4, batch_size: 4}
evaluate: {points: 2, test_samples: 200, validation_samples: 200}
grid:
  test_length: [1x, 4x]
"""

# What is wrong with the table of an automaton, its settings, and what the message says.
TABLES = [
    ("a state without a transition", "table: [[0, 1, 2], [1, 2, 0], [2, 0, 1], [3, 3]]", ["lacks the transition of state 3 for symbol 2", "3 in state 0"]),
    ("a hole", "table: [[0, 1], [1, '-']]", ["the transition of state 1 for symbol 1"]),
    ("a null", "table: [[0, 1], [null, 0]]", ["the transition of state 1 for symbol 0"]),
    ("an empty transition", "table: [[0, ~], [1, 0]]", ["the transition of state 0 for symbol 1"]),
    ("a state that is not there", "table: [[0, 1], [1, 7]]", ["from state 1 with symbol 1 to state 7", "states 0 to 1"]),
    ("a word for a state", "table: [[0, one], [1, 0]]", ["'one' is not an integer"]),
    ("a state that nothing reaches", "table: [[0, 1], [1, 0], [0, 2]]", ["state 2, which cannot be reached", "state 0"]),
    ("states that the start does not reach", "table: [[0, 1], [1, 1]], start: 1", ["state 0, which cannot be reached", "state 1"]),
    ("a start that is not there", "table: [[0, 1], [1, 0]], start: 2", ["start is 2", "states 0 to 1"]),
    ("a row that ends early, with classes", "table: '0 1; 0', outputs: [0, 1]", ["lacks the transition of state 1 for symbol 1"]),
    ("two rows of classes", "table: [[0, 1], [1, 0]], outputs: [[0], [1]]", ["outputs have several rows"]),
    ("too few classes", "table: [[0, 1], [1, 0]], outputs: [0]", ["outputs have 1 class", "2 states"]),
    ("a negative class", "table: [[0, 1], [1, 0]], outputs: [0, -1]", ["state 1 the class '-1'"]),
    ("a class that no state has", "table: [[0, 1], [1, 0]], outputs: [0, 2]", ["class 1 to none"]),
    ("one class", "table: [[0, 1], [1, 0]], outputs: [0, 0]", ["class 0 to every state"]),
    ("one symbol", "table: [[1], [0]]", ["1 symbol", "all sequences are the same"]),
    ("an answer that the length decides", "table: [[1, 1], [0, 0]]", ["train_length is 8", "the same answers"]),
    ("no row", "table: {0: 1}", ["a list should stand here, not a mapping"]),
]

# What settings say against each other in the deep sweep, each in range; what is replaced, and what the message says.
CONTRADICTIONS = [
    ("a width that heads do not divide", "width: 16", "width: 15", ["s.yaml:5:", "width is 15", "heads = 2", "multiple of 2"]),
    ("an odd rotary width", "encoding: alibi", "encoding: rope, rope_base: 100, init_gain: 1, heads: 16",
     ["s.yaml:5:", "a head is 1 wide", "multiple of 32"]),
    ("a vocabulary overflow", "modulus: 3", "modulus: 32769", ["s.yaml:4:", "65538 symbols", "65536", "32768"]),
    ("a modulus out of range", "modulus: 3", "modulus: 1e6", ["s.yaml:4:", "modulus", "65536"]),
    ("vectors' model on tokens", "kind: transformer, layers: 1, width: 16, heads: 2", "kind: two_layer", ["s.yaml:5:", "two_layer", "accumulator"]),
    ("a mean head where each position has a target", "width: 16", "width: 16, pooling: mean", ["s.yaml:5:", "pooling is mean", "per_position"]),
    ("a head of each position where one target is", "width: 16", "width: 16, pooling: per_position, dropout: 0.1",
     ["s.yaml:5:", "supervision final"], ("modulus: 3", "modulus: 3, supervision: final")),
    ("fewer random positions than train tokens", "width: 16", "width: 16, random_positions: 7", ["s.yaml:5:", "is 7", "8 tokens"]),
    ("fewer random positions than test tokens", "width: 16", "width: 16, random_positions: 31", ["s.yaml:9:", "32 tokens", "random_positions = 31"]),
    ("test lengths beyond a transformer's limit", "[1x, 4x]", "[1x, 65536, 65537]", ["s.yaml:9:", "65537", "65536"]),
    ("a train length above the limit", "train_length: 8", "train_length: 65537", ["s.yaml:4:", "65537", "65536"]),
    ("odd buckets of t5", "encoding: alibi", "encoding: t5, t5_buckets: 31", ["s.yaml:5:", "t5_buckets is 31", "multiple"]),
    ("a distance of t5 within its exact buckets", "encoding: alibi", "encoding: t5, t5_distance: 16", ["s.yaml:5:", "t5_distance is 16", "32"]),
    ("a base width that heads do not divide", "width: 16", "width: 16, parametrization: mup, base_width: 9", ["s.yaml:5:", "base_width is 9", "mup"]),
    ("an expression that ends with an operator", "kind: accumulator", "kind: automaton, automaton: modular_arithmetic, supervision: final",
     ["s.yaml:4:", "train_length is 8", "odd length"], ("modulus: 3, ", "")),
    ("a test length that a task cannot make", "kind: accumulator", "kind: automaton, automaton: modular_arithmetic, supervision: final",
     ["s.yaml:9:", "test_length is 28", "odd length"], ("train_length: 8, modulus: 3", "train_length: 7")),
    ("a test length that a task cannot make before one that it can", "[1x, 4x]", "[1x, 20, 35]", ["s.yaml:9:", "test_length is 20", "odd length"],
     ("kind: accumulator, samples: 12, train_length: 8, modulus: 3",
      "kind: automaton, automaton: modular_arithmetic, supervision: final, samples: 12, train_length: 7")),
    ("a test length shorter than the task can make", "[1x, 4x]", "[2, 1x]", ["s.yaml:9:", "test_length is 2", "solve_equation", "at least 3"],
     ("kind: accumulator", "kind: solve_equation")),
    ("a symmetric group that is not there", "kind: accumulator", "kind: automaton, automaton: symmetric, order: 6",
     ["s.yaml:4:", "order is 6", "3 to 5"], ("modulus: 3, ", "")),
    ("more classes than vectors to tie", "width: 16", "width: 16, tied: true", ["s.yaml:5:", "tied is true", "5 classes", "3 symbols"],
     ("kind: accumulator", "kind: automaton, automaton: cycle_navigation")),
    *[(f"a table with {what}", "kind: accumulator", f"kind: automaton, automaton: table, {table}", ["s.yaml:4:", *words], ("modulus: 3, ", ""))
      for what, table, words in TABLES],
    ("more warm-up than steps", "steps: 4", "steps: 4, warmup: 5", ["s.yaml:6:", "warmup is 5", "has 4"]),
    ("epochs over a stream", "steps: 4", "epochs: 4, data: stream", ["s.yaml:6:", "epochs is 4", "stream"]),
    ("more micro-batches a step than the set has", "steps: 4", "steps: 4, accumulation: 4", ["s.yaml:6:", "accumulation is 4", "3 micro-batches of 4"]),
]


@claim("{} is refused before training, with its line", [row if len(row) == 5 else (*row, ("", "")) for row in CONTRADICTIONS])
def contradiction(_, old, new, words, also):
    assert old in DEEP and also[0] in DEEP
    text = DEEP.replace(old, new, 1).replace(*also, 1)
    if "heads: 16" in new:
        text = text.replace("heads: 2, ", "")
    for command in ("run", "plan"):
        told = lgsweep(command, write("s.yaml", text), code=2, timeout=10).stderr
        assert all(word in told for word in words), told
    assert not Path("results").exists() or not any(Path("results").iterdir())


@claim("all contradictions of a grid are told in one run, each once, in the file's order")
def all_contradictions():
    text = (DEEP.replace("width: 16, ", "").replace("samples: 12", "samples: 3").replace("batch_size: 4", "accumulation: 2")
            .replace("[1x, 4x]", "[1x, 70000]") + "  width: [16, 15, 17]\n")
    told = lgsweep("plan", write("s.yaml", text), code=2).stderr
    places = [told.index(word) for word in ("s.yaml:6:", "s.yaml:9:", "s.yaml:10:3: width is 15", "s.yaml:10:3: width is 17")]
    assert places == sorted(places) and told.count("s.yaml:") == 4 and "8 more cells" in told, told


@claim("settings and axes without any effect are told with their line, and the sweep runs")
def idle_settings():
    text = SMALL.replace("value_dim: 2", "value_dim: 2, width: 64") + "  rope_base: [10, 100]\n  momentum: [0.5, 0.9]\n"
    told = lgsweep("plan", write("s.yaml", text)).stderr
    assert told.count("no effect") == 2 and "s.yaml:5:" in told and "width" in told and "s.yaml:13:" in told and "momentum" in told, told
    assert lgsweep("plan", write("s.yaml", SMALL)).stderr == ""


@claim("a trial beyond the machine's memory is refused by run, plan and trial before anything trains: {}",
       [(name, *row) for name, row in {
           "samples": ("train_length: 4", "train_length: 65536", "samples: 10, ", "", "samples: [10, 10000000]", "s.yaml:12:", "samples (10000000)"),
           "train length": ("dim: 12", "dim: 60000", "train_length: 4, ", "", "train_length: [4, 65000]", "s.yaml:4:", "train_length (65000)"),
           "test length": ("dim: 12", "dim: 60000", "[1x, 4x]", "[1x, 4000000x]", "value_dim: 2", "s.yaml:11:", "test_length (16000000)"),
       }.items()])
def beyond_the_machine(_, old, new, gone, instead, axis, place, word):
    text = SMALL.replace(old, new).replace(gone, instead).replace("value_dim: 2", "") if axis.startswith("value_dim") else SMALL.replace(old, new).replace(gone, instead)
    write("s.yaml", text + f"  {axis}\n")
    begin = time.monotonic()
    for command in (["run", "s.yaml", "-o", "s.h5"], ["plan", "s.yaml"]):
        told = lgsweep(*command, code=2, timeout=20).stderr
        assert place in told and word in told and "memory" in told and "this machine has" in told, told
    assert time.monotonic() - begin < 10 and [path.name for path in Path().iterdir()] == ["s.yaml"]
    told = lgsweep("trial", "s.yaml", "--select", f"snr=1,encoding=none,{axis.split(':')[0]}={axis.split()[-1].rstrip(']')}", code=2, timeout=20).stderr
    assert place in told, told


@claim("a grid that its exclusions leave empty is refused with the line of the last")
def nothing_left():
    told = lgsweep("plan", write("s.yaml", SMALL + "exclude:\n  - {snr: 1}\n  - {snr: 16}\n"), code=2).stderr
    line = SMALL.count("\n") + 3
    assert f"s.yaml:{line}:5: no trial is left: the exclusions take every cell" in told and "- {snr: 16}" in told, told


@claim("a width beyond the machine's memory is refused with its line")
def width_beyond_the_machine():
    text = DEEP.replace("width: 16", "width: 8192").replace("layers: 1", "layers: 64")
    told = lgsweep("plan", write("s.yaml", text), code=2, timeout=20).stderr
    assert "s.yaml:5:" in told and "width (8192)" in told and "layers (64)" in told, told


MISSING = [
    ("a sweep file that is missing", ["run", "none.yaml"], "none.yaml"),
    ("a folder as sweep file", ["run", "."], "."),
    ("a store in a folder that is missing", ["run", "s.yaml", "-o", "none/s.h5"], "none"),
    ("a store in a folder where nothing can be written", ["run", "s.yaml", "-o", "/proc/s.h5"], "/proc/s.h5"),
    ("a missing store to show", ["show", "none.h5"], "none.h5"),
    ("a missing store to compare", ["diff", "none.h5", "none.h5"], "none.h5"),
    ("an unknown command", ["rnu", "s.yaml"], "run"),
    ("an unknown option", ["run", "s.yaml", "--outptu", "x"], "output"),
    ("no sweep file", ["run"], "run"),
]


@claim("{}: exit code 2 and a message that names it", MISSING)
def unusable(_, arguments, word):
    write("s.yaml", SMALL)
    text = lgsweep(*arguments, code=2, timeout=20).stderr
    assert word in text, text


@claim("under mpirun a bad sweep file gives one message, exit code 2, and no rank waits")
def refused_under_mpirun():
    begin = time.monotonic()
    text = lgsweep("run", write("s.yaml", SMALL.replace("dim: 12", "dim: many")), ranks=3, code=2, timeout=30).stderr
    assert text.count("many'") + text.count("many\n") <= 2 and time.monotonic() - begin < 5, text


@claim("a grid of 10^12 trials is refused at once with the count and the limit")
def too_large():
    axes = "\n".join(f"  {name}: {{from: {low}, to: {high}, points: 100}}" for name, low, high in [
        ("snr", 1, 100), ("noise_rate", 0, 0.99), ("samples", 1, 100), ("learning_rate", 0.01, 1), ("dim", 3, 102), ("steps", 1, 100)])
    write("s.yaml", SMALL.split("grid:")[0].replace("noise_rate: 0.2", "project_noise: true").replace("dim: 12, samples: 10, ", "")
          .replace("learning_rate: 0.2, steps: 30", "momentum: 0.9") + "grid:\n" + axes + "\n")
    for command in ("plan", "run"):
        begin = time.monotonic()
        done = lgsweep(command, "s.yaml", code=2, timeout=10)
        text = done.stdout + done.stderr
        assert "2e+12" in text or "2000000000000" in text or "1e+12" in text, text
        assert "limit" in text and time.monotonic() - begin < 2, text


def untouched(arguments, words, code=2):
    """Runs and expects a refusal that leaves every file as it was."""
    before = {path: path.read_bytes() for path in Path().iterdir()}
    text = lgsweep(*arguments, code=code, timeout=20).stderr
    assert all(word in text for word in words), text
    assert {path: path.read_bytes() for path in Path().iterdir()} == before, "a file was changed"


@claim("a store of other settings is refused, with the setting and both values")
def other_settings():
    lgsweep("run", write("s.yaml", SMALL), "-o", "s.h5")
    write("s.yaml", SMALL.replace("steps: 30", "steps: 31"))
    untouched(["run", "s.yaml", "-o", "s.h5"], ["steps", "30", "31"])


@claim("a store that is not HDF5 is refused and left as it was")
def not_hdf5():
    write("s.yaml", SMALL)
    write("s.h5", "some notes\n")
    untouched(["run", "s.yaml", "-o", "s.h5"], ["s.h5", "HDF5"])
    untouched(["show", "s.h5"], ["s.h5", "HDF5"])


@claim("an HDF5 file of another program is refused and left as it was")
def not_a_store():
    write("s.yaml", SMALL)
    with h5py.File("s.h5", "w") as file:
        file["x"] = [1, 2, 3]
    untouched(["run", "s.yaml", "-o", "s.h5"], ["s.h5"])


@claim("a store of other numerics is refused")
def other_numerics():
    lgsweep("run", write("s.yaml", SMALL), "-o", "s.h5")
    with h5py.File("s.h5", "r+") as file:
        file.attrs["numerics"] = file.attrs["numerics"] + 1
        file["trials/numerics"][...] = file["trials/numerics"][...] + 1
    untouched(["run", "s.yaml", "-o", "s.h5"], ["numerics"])


@claim("a journal of another version is refused and kept")
def other_journal():
    write("s.yaml", SMALL)
    Path("s.h5.journal").write_bytes(b"LGSWJRNL" + bytes([99]) + bytes(23))
    untouched(["run", "s.yaml", "-o", "s.h5"], ["s.h5.journal", "99"])


@claim("a file beside the store that is no journal is refused and kept")
def not_a_journal():
    write("s.yaml", SMALL)
    write("s.h5.journal", "my diary\n" * 10)
    untouched(["run", "s.yaml", "-o", "s.h5"], ["s.h5.journal"])


@claim("a trial that needs more memory than is free, but not than there is, fails alone: exit code 3, the rest is done")
def too_much_memory():
    sweep = write("s.yaml", SMALL.replace("dim: 12, ", "").replace("samples: 10, ", "")
                  .replace("  snr: [1, 16]", "  samples: [10, 10000]\n  dim: [12, 8000]").replace("replicates: 2", "replicates: 1")
                  + "exclude:\n  - {samples: 10, dim: 8000}\n  - {samples: 10000, dim: 12}\n")
    text = lgsweep("run", sweep, "-o", "s.h5", code=3, timeout=60, **less_memory()).stderr
    assert "memory" in text, text
    found = status("s.h5")
    assert found["done"] == 4 and found["failed"] == 4, found
    assert all("memory" in failure["reason"] for failure in found["failures"]), found


@claim("a trial that diverges is a result with its step, and the run succeeds")
def divergence():
    lgsweep("run", write("s.yaml", SMALL.replace("learning_rate: 0.2", "learning_rate: 1e15")
                         .replace("value_dim: 2", "value_dim: 2, init_scale: 1e12")), "-o", "s.h5")
    found = status("s.h5")
    assert found["diverged"] > 0 and found["failed"] == 0, found
    with h5py.File("s.h5") as file:
        assert (file["trials/diverged_step"][:] > 0).any()


@claim("a full disk: exit code 75, the path is named, and with room again the run goes on to the same store")
def full_disk():
    larger = SMALL.replace("replicates: 2", "replicates: 40")
    lgsweep("run", write("s.yaml", larger), "-o", "whole.h5")
    script = """
        mount -t tmpfs -o size=96k none small && cd small || exit 99
        "$0" run ../s.yaml -o s.h5; [ $? -eq 75 ] || exit 1
        mount -o remount,size=64m . && "$0" run ../s.yaml -o s.h5 && cp s.h5 ..
    """
    os.mkdir("small")
    done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, str(PROGRAM)], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert "s.h5" in done.stderr and "space" in done.stderr, done.stderr
    same("s.h5", "whole.h5")


if __name__ == "__main__":
    main()
