# SPDX-License-Identifier: MIT
"""What each command prints to a person: plan, trial, data, show, describe, help, versions."""
import json
import re
import time

from harness import SMALL, claim, journal_results, less_memory, lgsweep, main, start, status, stop, until, write

CHOICE = "snr=16,encoding=rope"


def sweep():
    return write("s.yaml", SMALL)


def finished():
    lgsweep("run", sweep(), "-o", "s.h5")
    return "s.h5"


SLOW = SMALL.replace("steps: 30", "steps: 6000").replace("dim: 12", "dim: 24")


def stopped_midway():
    """A store with the 16 trials of one sweep and some of the 16 of a second one, t.yaml, which was killed."""
    lgsweep("run", write("s.yaml", SLOW), "-o", "s.h5")
    run = start("run", write("t.yaml", SLOW.replace("snr: [1, 16]", "snr: [64, 128]")), "-o", "s.h5")
    until(lambda: len(journal_results("s.h5")) >= 3, 60, "results in the journal")
    stop(run)
    return "s.h5"


@claim("`{}` prints help that names its usage and its options", [(c,) for c in "run plan trial data predict status show diff describe publish".split()])
def explains_itself(name):
    text = lgsweep(name, "--help").stdout
    assert text.startswith(f"usage: lgsweep {name} ") and "--help" in text, text
    assert text == lgsweep("help", name).stdout
    assert f"  {name} " in lgsweep("--help").stdout


@claim("--version lists every linked library")
def lists_libraries():
    text = lgsweep("--version").stdout
    for name in ("lgsweep 0.", "numerics", "Open MPI", "HDF5", "libyaml", "libzip", "xxHash"):
        assert name in text, text


@claim("plan counts cells, twins, what is done and what is left")
def plans():
    text = lgsweep("plan", sweep()).stdout
    assert "8 cells, 16 trainings (8 of them noise-free twins)" in text, text
    assert "0 done, 0 failed, 16 to run" in text and re.search(r"expected: about \d", text), text
    lgsweep("run", "s.yaml", "-o", "s.h5")
    assert "16 done, 0 failed, 0 to run" in lgsweep("plan", "s.yaml", "-o", "s.h5").stdout


@claim("plan tells how many trials lack test lengths alone")
def plans_test_lengths():
    finished()
    more = SMALL.replace("[1x, 4x]", "[1x, 4x, 8x]").replace("snr: [1, 16]", "snr: [1, 16, 64]")
    text = lgsweep("plan", write("m.yaml", more), "-o", "s.h5").stdout
    assert "0 done, 0 failed, 24 to run (16 of them only for test lengths that their results lack)" in text, text
    assert "only for" not in lgsweep("plan", "s.yaml", "-o", "s.h5").stdout


SHORT = {
    "small": SMALL.replace("steps: 30", "steps: 300"),
    "many": SMALL.replace("snr: [1, 16]", "snr: {from: 1, to: 90, points: 90}"),
    "deep": SMALL.replace("model: {kind: two_layer, head_dim: 4, value_dim: 2}", "model: {kind: transformer, width: 16, heads: 2}"),
}


@claim("plan's expected time is about that of a run of seconds, and the same each time: {}", [(name,) for name in SHORT])
def plans_time(name):
    write("s.yaml", SHORT[name])
    begin = time.monotonic()
    texts = [lgsweep("plan", "s.yaml", "--workers", 1).stdout for _ in range(3)]
    spent = (time.monotonic() - begin) / 3
    found = [re.search(r"expected: about ([0-9.]+) (ms|s) ", text) for text in texts]
    expected = sorted(float(one[1]) / (1000 if one[2] == "ms" else 1) for one in found)
    begin = time.monotonic()
    lgsweep("run", "s.yaml", "-o", "s.h5")
    took = time.monotonic() - begin
    assert expected[2] < 2 * expected[0] and took / 5 < expected[1] < 5 * took and spent < 2, (expected, took, spent)


@claim("plan counts what the journal has, and says when run would refuse the store")
def plans_from_the_journal():
    stopped_midway()
    text = lgsweep("plan", "t.yaml", "-o", "s.h5").stdout
    left = int(re.search(r"(\d+) to run; besides 16 of earlier sweeps", text)[1])
    assert left + status("s.h5")["done"] == 16 and 0 < left < 14, text
    assert re.search(r"snr=128 encoding=(none|rope) (noise_rate=0 )?replicate=\d$", text, re.M), text
    write("u.yaml", SLOW.replace("steps: 6000", "steps: 5000"))
    told = lgsweep("plan", "u.yaml", "-o", "s.h5").stderr
    assert "run refuses this store" in told and "steps is 6000 there and 5000 here" in told, told


@claim("plan estimates at once although some trials need more memory than is free")
def plans_around_the_large():
    sweep = write("large.yaml", SMALL.replace("dim: 12, samples: 10, ", "dim: 2000, ").replace("  snr: [1, 16]", "  samples: [10, 50000]"))
    done = lgsweep("plan", sweep, timeout=5, **less_memory())
    assert re.search(r"expected: about \d", done.stdout) and "unknown" not in done.stdout, done.stdout
    assert "8 trials need more memory" in done.stderr, done.stderr
    slow = SMALL.replace("dim: 12, samples: 10, train_length: 4", "dim: 512, samples: 4000, train_length: 512")
    begin = time.monotonic()
    text = lgsweep("plan", write("slow.yaml", slow)).stdout
    assert re.search(r"expected: about \d", text) and time.monotonic() - begin < 5, text


@claim("plan describes a grid of 10^12 trials at once and refuses it with count and limit")
def plans_the_impossible():
    axes = "".join(f"  {name}: {{from: 4, to: 103, points: 100}}\n" for name in ("samples", "dim", "head_dim", "value_dim", "steps", "train_length"))
    done = lgsweep("plan", write("huge.yaml", "grid:\n" + axes), code=2, timeout=5)
    assert "1e+12 cells" in done.stdout and "core-hours" in done.stdout, done.stdout
    assert "limit of 1000000" in done.stderr, done.stderr


@claim("plan measures no trial of settings or test lengths that cannot be")
def plans_what_can_be():
    write("s.yaml", """\
task: {kind: addition, train_length: 4, samples: 20, test_operand_offset: 9}
model: {kind: rnn, width: 4}
evaluate: {test_samples: 200, validation_samples: 200, test_length: 4x}
""")
    assert "T up to 16" in lgsweep("plan", "s.yaml").stdout
    axes = "".join(f"  {name}: {{from: 1, to: 1999, points: 1000}}\n" for name in ("train_length", "samples", "batch_size"))
    done = lgsweep("plan", write("t.yaml", "task: {kind: automaton, automaton: modular_arithmetic, supervision: final}\nmodel: {kind: rnn}\ngrid:\n" + axes), code=2)
    assert "1e+09 cells\n" in done.stdout and "limit of 1000000" in done.stderr, done


LONG_NAMES = ["length_distribution: [fixed, uniform]", "test_operand_offset: [0, 1]", "curriculum_threshold: [0.5, 0.75]", "curriculum_increment: [1, 2]"]


@claim("names and values stand apart in plan, show and describe, however long a name is")
def keeps_gaps():
    write("s.yaml", """\
replicates: 1
twins: false
task: {kind: addition, train_length: 3, samples: 20}
model: {kind: rnn, width: 4}
train: {data: stream, steps: 2, batch_size: 4, curriculum: validation}
evaluate: {points: 2, test_samples: 200, validation_samples: 200}
grid:
""" + "".join(f"  {axis}\n" for axis in LONG_NAMES))
    lgsweep("run", "s.yaml", "-o", "s.h5")
    for text in (lgsweep("plan", "s.yaml").stdout, lgsweep("show", "s.h5").stdout):
        for axis in LONG_NAMES:
            name, values = axis.replace("[", "").replace("]", "").split(": ")
            assert re.search(rf"^  {name}  +{values}$", text, re.M), text
        rows = re.findall(r"^  (?:length_distribution|curriculum_increment|test_length) +", text, re.M)
        assert len(rows) == 3 and len(set(map(len, rows))) == 1, text
    begins = {len(re.match(r"  (\w+) +", line)[0]) for line in lgsweep("describe").stdout.splitlines() if re.match(r"  \w", line)}
    assert len(begins) == 1, begins


@claim("describe cuts no list of choices short")
def lists_choices():
    for name in ("task", "encoding", "automaton"):
        allowed = re.search(rf"allowed: (one of .*)", lgsweep("plan", write("s.yaml", f"{'model' if name == 'encoding' else 'task'}: {{{name}: nothing}}\n"), code=2).stderr)[1]
        assert f" {allowed}; default " in lgsweep("describe", name).stdout and f" {allowed}; default " in lgsweep("describe").stdout, allowed
    assert "bucket_sort; default signal" in lgsweep("describe", "task").stdout


@claim("plan's time is readable whatever the budget: {}", [("1e18", r"about [\d.]+ years"), ("1e29", "over 3000 years"), ("1e30", "over 3000 years")])
def plans_any_budget(budget, time_told):
    text = lgsweep("plan", write("s.yaml", SMALL.replace("steps: 30", f"budget: flops, budget_flops: {budget}"))).stdout
    assert re.search(rf"^expected: {time_told} on \d", text, re.M) and "unknown" not in text, text
    assert len(re.findall(rf"^ +{time_told.removeprefix('about ')} .* T up to 16  ", text, re.M)) == 5, text


@claim("trial prints a line at each evaluation and ends with test errors that the store repeats")
def runs_one_trial():
    text = lgsweep("trial", sweep(), "--select", CHOICE).stdout
    identity = re.match(r"trial ([0-9a-f]{32})", text)[1]
    curve = [line.split() for line in text.splitlines() if re.match(r" +\d+ +\d", line)]
    assert [int(row[0]) for row in curve][0] == 0 and int(curve[-1][0]) == 30 and len(curve) == 5, text
    errors = dict(re.findall(r"T = (\d+) +test error ([0-9.]+)", text))
    shown = lgsweep("show", finished(), "--trial", identity[:8]).stdout
    assert identity in shown
    for length in ("4", "16"):
        part = shown.split(f"at test length {length}:")[1]
        assert abs(float(re.search(r"final_test_error +([0-9.]+)", part)[1]) - float(errors[length])) < 1e-4, part


@claim("data prints the same samples each time, flips and signal tokens marked")
def prints_data():
    text = lgsweep("data", sweep(), "--select", CHOICE, "--count", "10").stdout
    assert text == lgsweep("data", "s.yaml", "-s", CHOICE, "-n", "10").stdout
    assert text.count("sample ") == 10 and text.count("signal token") == 10, text
    assert "norm   4.000" in text, text  # the signal's norm is the root of the snr
    test = lgsweep("data", "s.yaml", "-s", CHOICE, "--split", "test", "--length", "16").stdout
    assert "tokens; chance error 0.5, Bayes error 0" in test and "flipped" not in test, test


@claim("transformers and recurrent models on tokens run, and every command shows them")
def tokens_from_end_to_end():
    write("t.yaml", """\
task: {kind: accumulator, modulus: 3, train_length: 6, samples: 20}
model: {width: 8, heads: 2, layers: 1}
train: {optimizer: adamw, learning_rate: 1e-3, epochs: 2, batch_size: 5, schedule: cosine, clip: 1}
evaluate: {points: 3, test_samples: 200, validation_samples: 200}
grid:
  model: [transformer, rnn, lstm]
  supervision: [steps, final]
  test_length: [1x, 2x]
""")
    assert "6 cells, 12 trainings" in lgsweep("plan", "t.yaml").stdout
    lgsweep("run", "t.yaml", "-o", "t.h5")
    assert status("t.h5")["done"] == 12
    text = lgsweep("show", "t.h5").stdout
    assert all(f"model={kind} supervision={where}" in text for kind in ("transformer", "rnn", "lstm") for where in ("steps", "final")), text
    assert re.search(r"T = 12 +test error 0\.\d+", lgsweep("trial", "t.yaml", "--select", "model=lstm,supervision=final").stdout)


@claim("show prints events, choices side by side and the verdict map with intervals")
def shows_a_store():
    text = lgsweep("show", finished()).stdout
    for part in ("16 trials (8 of them noise-free twins): 16 done", "t_fit", "encoding side by side", "T=4", "T=16", "from n to T=16"):
        assert part in text, text
    assert re.search(r"^ +16 +[A-Z?!-] \d\.\d{3} ±\d\.\d{3}", text, re.M), text
    assert re.search(r"^ +16 +[A-Z?!-]{2} +[A-Z?!-]{2} *$", text.split("Verdict map")[1], re.M), text
    assert len(lgsweep("show", "s.h5", "--list").stdout.splitlines()) == 16


WIDE = """\
replicates: 1
twins: false
task: {kind: automaton, train_length: 4, samples: 10, noise_rate: 0.2}
model: {kind: transformer, width: 4, heads: 1, layers: 1}
train: {steps: 1}
evaluate: {points: 2, test_samples: 200, validation_samples: 200}
grid:
  test_length: [4, 5, 6, 7, 8, 9, 10, 11, 12]
  encoding: [none, sinusoidal, absolute, relative, alibi, rope, transformer_xl, t5, kerple, fire]
  automaton: [parity, cycle_navigation, flip_flop]
  norm: [layer, rms]
  dropout: [0, 0.1]
"""


@claim("show breaks what is wider than 160 columns into blocks with the names of their rows, and loses nothing")
def shows_blocks():
    lgsweep("run", write("s.yaml", WIDE), "-o", "s.h5")
    text = lgsweep("show", "s.h5").stdout
    assert max(map(len, text.splitlines())) <= 160, max(text.splitlines(), key=len)
    letters = text.split("Verdict map")[1].split("\n\n")[1:]
    titles = []
    for block in letters:
        head, *lines = block.splitlines()
        assert head.split()[0] == "dropout" and [line.split()[0] for line in lines] == ["0", "0.1"], block
        assert all(re.findall(r"[A-Z?!-]{9}", line) == line.split()[1:] and len(line.split()) == len(head.split()) for line in lines), block
        titles += head.split()[1:]
    assert len(letters) > 5 and len(titles) == len(set(titles)) == 60, titles
    beside = text.split("encoding side by side")[1].split("side by side")[0].split("undecided:\n")[1].split("\n\n")
    heads = [block.splitlines()[0].split() for block in beside if "T=12 automaton" in block]
    assert sum(heads, []) == WIDE.split("encoding: [")[1].split("]")[0].split(", ") and len(heads) > 1, heads
    for block in beside[:len(heads)]:
        lines = block.splitlines()[1:]
        assert len(lines) == 12 and all(line.count("0.") >= len(block.splitlines()[0].split()) for line in lines), block
    panel = text.split("Test error")[1].split("\n\n")[1].splitlines()
    assert re.findall(r"T=(\d+)", " ".join(panel)) == [*"456789", "10", "11", "12", "12"] and len(panel) == 1 + 2 * 3, panel


@claim("show refuses what the store does not have: {}", [("--rows snrr", "did you mean 'snr'"), ("--trial ffff", "0 trials"), ("--rows test_length", "test lengths run across")])
def refuses_to_show(words, says):
    assert says in lgsweep("show", finished(), *words.split(), code=2).stderr


@claim("show and its list tell an incomplete store, and where nothing is published how to publish")
def shows_the_incomplete():
    stopped_midway()
    lgsweep("publish", "s.h5")
    done = status("s.h5")["done"]
    text = lgsweep("show", "s.h5").stdout
    assert f"incomplete: {done} of 16 trials" in text and "16 of these are of earlier sweeps" in text, text
    lines = lgsweep("show", "s.h5", "--list").stdout.splitlines()
    assert len(lines) == 16 + done and all(re.search(r"snr=\d+ encoding=\w+ (noise_rate=0 )?replicate=[01]$", x) for x in lines), lines
    assert "steps" not in lines[0]
    run = start("run", write("t.yaml", SLOW), "-o", "j.h5")
    until(lambda: journal_results("j.h5"), 60, "results in the journal")
    stop(run)
    told = lgsweep("show", "j.h5", code=2).stderr
    assert "`lgsweep publish j.h5`" in told, told


@claim("show leaves out cells that the sweep excludes though twins have their settings, and tables with nothing in them")
def shows_no_twins():
    text = SMALL.replace(", noise_rate: 0.2", "").replace("  snr: [1, 16]", "  noise_rate: [0, 0.2]")
    text += "exclude:\n  - {noise_rate: 0, encoding: rope}\n  - {noise_rate: 0, test_length: 4x}\n"
    lgsweep("run", write("s.yaml", text), "-o", "s.h5")
    shown = lgsweep("show", "s.h5").stdout
    events = shown.split("Events")[1].split("\n\n")[0]
    assert "noise_rate=0 encoding=none" in events and "noise_rate=0 encoding=rope" not in events, shown
    assert re.search(r"^ +0 +- \d\.\d{3}( ±\d\.\d{3})? *$", shown, re.M), shown  # its twin alone has the longer length
    beside = shown.split("side by side")[1].split("\n\n")[0]
    assert "noise_rate=0.2" in beside and not re.search("noise_rate=0$", beside, re.M), shown


@claim("show marks settings whose trials failed, and says what the interval of one replicate is over")
def shows_the_failed():
    sweep = SMALL.replace("dim: 12, samples: 10, ", "dim: 2000, ").replace("replicates: 2", "replicates: 1")
    lgsweep("run", write("s.yaml", sweep.replace("  snr: [1, 16]", "  samples: [10, 50000]")), "-o", "s.h5", code=3, **less_memory())
    shown = lgsweep("show", "s.h5").stdout
    assert re.search(r"^ +50000 +x failed +x failed", shown, re.M), shown
    assert re.search(r"^ +50000 +xx +xx *$", shown, re.M) and "x failed" in shown, shown
    assert "over test sequences: this model only" in shown and "over replicates ±" not in shown, shown
    assert "samples=50000" not in shown.split("Events")[1].split("\n\n")[0], shown


@claim("show prints a trial's numbers as short as they read back, under names that are not cut")
def shows_one_trial():
    text = lgsweep("show", finished(), "--list").stdout
    shown = lgsweep("show", "s.h5", "--trial", text[:12]).stdout
    assert re.search(r"loss_level +0\.5 0\.3 0\.1 0\.03 0\.01$", shown, re.M), shown
    assert re.search(r" train_error_unflipped .* learning_rate_sum$", shown, re.M), shown


@claim("show compares choices over the replicates that all have, and equality is an interval within ±0.025")
def compares_choices():
    beside = lgsweep("show", finished()).stdout.split("side by side")[1].split("\n\n")[0]
    assert "= the interval lies within ±0.025" in beside, beside
    found = re.findall(r"\(([+-][\d.]+) ±([\d.]+) (.)\)", beside)
    assert len(found) == 2, beside
    for by, half, mark in found:
        by, half = float(by), float(half)
        assert mark == ("=" if abs(by) + half <= 0.025 else "+" if by > half else "-" if -by > half else "?"), beside


@claim("a trial that starts from weights says whose, and no failure shows their hash as a setting")
def says_where_it_starts():
    lgsweep("run", write("a.yaml", "save: weights\n" + SMALL), "-o", "a.h5")
    lgsweep("run", write("b.yaml", "init: {from: a.h5, with: {steps: 30}}\n" + SMALL.replace("steps: 30", "steps: 9")), "-o", "b.h5")
    trial = re.search(r"\b[0-9a-f]{8,32}\b", lgsweep("show", "b.h5", "--list").stdout)[0]
    told = [lgsweep("show", "b.h5", "--trial", trial).stdout, lgsweep("trial", "b.yaml", "--select", CHOICE, code=None).stdout]
    for text in told:
        source = re.search(r"^starts from the weights of trial ([0-9a-f]{32}) after step 30$", text, re.M)
        assert source and "init_source" not in text, text
        assert source[1] in lgsweep("show", "a.h5", "--trial", source[1]).stdout
    lgsweep("run", write("c.yaml", SMALL.replace("steps: 30", "steps: 9")), "-o", "c.h5")
    assert "init_source" not in lgsweep("diff", "b.h5", "c.h5", code=None).stdout


@claim("describe lists settings and variables, and explains one")
def describes():
    settings = lgsweep("describe").stdout
    for name in ("noise_rate", "train_length", "learning_rate", "relative_clip"):
        assert f"  {name} " in settings, settings
    assert "test_error(test_length, eval)" in lgsweep("describe", "variables").stdout
    assert "t_fit" in lgsweep("describe", "t_fit").stdout
    besides = settings[settings.index("besides, at the top level"):]
    for name in "sweep replicates twins grid zip exclude save init test_length".split():
        assert f"  {name} " in besides and f"  {name} " in lgsweep("describe", name).stdout, besides
    assert "default 0.25 of the steps" in lgsweep("describe", "decay_every").stdout
    assert "default 0 steps" in lgsweep("describe", "warmup").stdout
    assert "did you mean 'encoding'" in lgsweep("describe", "encodin", code=2).stderr


@claim("status tells a finished store in words and in JSON, and by its exit code where asked")
def tells_status():
    finished()
    assert "16 of 16 trials over: 16 done, 0 diverged, 0 failed" in lgsweep("status", "s.h5").stdout
    told = status("s.h5")
    assert told["complete"] and not told["running"] and told["done"] == 16 and told["failures"] == [], told
    lgsweep("status", "s.h5", "--exit-code", "--quiet", code=0)
    assert json.loads(lgsweep("status", "s.h5", "--json", "--watch").stdout) == told


@claim("status counts the trials of the sweep at hand, and names those of earlier sweeps apart")
def counts_the_sweep_at_hand():
    stopped_midway()
    told = status("s.h5")
    assert not told["complete"] and told["planned"] == 16 and 3 <= told["done"] < 16 and told["earlier"] == 16, told
    assert f"{told['done']} of 16 trials over" in (text := lgsweep("status", "s.h5").stdout), text
    assert "besides 16 of earlier sweeps" in text and "complete" not in text.replace("to go on", ""), text
    lgsweep("status", "s.h5", "--exit-code", code=75)


if __name__ == "__main__":
    main()
