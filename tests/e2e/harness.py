# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: claims, runs on N ranks, and the processes of a run.

A test is a script of claims; it prints `ok - CLAIM` or `not ok - CLAIM` with the reason, a line each, and exits 1 if one
failed. Each claim runs in an empty folder of its own.
"""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("LGSWEEP", ROOT / "build" / "lgsweep"))
LONG = "--long" in sys.argv
# glibc then picks the variants of libm for processors without these.
LIBM_MASKED = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-ERMS"}
_claims = []


def claim(text, rows=((),)):
    """Registers a function as a claim, once for each row; the row's values fill the text and are its arguments."""

    def register(function):
        _claims.extend((text.format(*row), function, row) for row in rows)
        return function

    return register


def main():
    failed = 0
    for number in (signal.SIGHUP, signal.SIGINT):  # under nohup, or behind a shell's `&`, programs would not be asked to stop
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    for text, function, row in _claims:
        folder = Path(tempfile.mkdtemp(prefix="lgsweep-"))
        os.chdir(folder)
        try:
            function(*row)
            print(f"ok - {text}", flush=True)
        except Exception as problem:  # a claim may fail in any way; the others still run
            failed += 1
            where = traceback.extract_tb(problem.__traceback__)[-1]
            print(f"not ok - {text}\n  {Path(where.filename).name}:{where.lineno}: {problem!r:.4000}", flush=True)
        os.chdir(ROOT)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failed else 0)


def command(arguments, ranks=None, program=None):
    launcher = [ROOT / "tools" / "mpi", str(ranks)] if ranks else []
    return [str(word) for word in [*launcher, program or PROGRAM, *arguments]]


def lgsweep(*arguments, ranks=None, program=None, env=None, code=0, timeout=600, **options):
    """Runs to the end. Fails unless the exit code is `code` (None: any). Returns the CompletedProcess, with text."""
    done = subprocess.run(command(arguments, ranks, program), env={**os.environ, **(env or {})}, text=True, errors="surrogateescape",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=timeout, **options)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, arguments))}: exit code {done.returncode}, not {code}\n"
                             f"{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done


def less_memory():
    """Options of lgsweep() for a process, and its children, that get 1 GiB each: no more is free, though the machine has more."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))}


def start(*arguments, ranks=None, program=None, env=None):
    """Starts in a session of its own, with the output in the file `output`; the pid is that of mpirun, or of the program."""
    with open("output", "ab") as output:
        return subprocess.Popen(command(arguments, ranks, program), env={**os.environ, **(env or {})}, stdout=output,
                                stderr=output, stdin=subprocess.DEVNULL, start_new_session=True)


def stop(run):
    """Ends whatever is left of a started run."""
    for pid in [*descendants(run.pid), run.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.wait()


def until(condition, seconds, what):
    """The first true result of condition()."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


def status(store, code=0):
    """What `lgsweep status --json` says, as a dictionary."""
    return json.loads(lgsweep("status", store, "--json", code=code).stdout)


def same(a, b):
    """Fails unless the two stores hold the same science."""
    lgsweep("diff", a, b)


def _stat(pid):
    """The fields of /proc/PID/stat after the name, or None: state, parent, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None


def alive(pid):
    """Whether the process exists and is not one that has ended and waits to be noticed."""
    fields = _stat(pid)
    return fields is not None and fields[0] not in "ZX"


def processor_seconds(pid):
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descendants(pid):
    """Living processes below pid, parents first."""
    parent = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = _stat(entry)
            if fields and fields[0] != "Z":
                parent[int(entry)] = int(fields[1])
    found = [pid]
    for one in found:
        found += [child for child, above in parent.items() if above == one]
    return found[1:]


def _words(pid, file):
    """The zero-ended words of /proc/PID/cmdline or environ; none when the process is gone."""
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes().split(b"\0")
    except OSError:
        return []


def _rank(pid):
    name = b"OMPI_COMM_WORLD_RANK="
    return next((int(word.removeprefix(name)) for word in _words(pid, "environ") if word.startswith(name)), None)


def processes(run):
    """The processes of a run under mpirun by role; trainers and publishers are the children of ranks."""
    roles = {"mpirun": [run.pid], "coordinator": [], "worker": [], "trainer": [], "publisher": []}
    ranks = {}
    for pid in descendants(run.pid):
        fields = _stat(pid)
        if fields is None:
            continue
        if int(fields[1]) in ranks:
            roles["publisher" if b"publish" in _words(pid, "cmdline") else "trainer"].append(pid)
        elif (rank := _rank(pid)) is not None:
            ranks[pid] = rank
            roles["coordinator" if rank == 0 else "worker"].append(pid)
    return roles


def journal_results(store):
    """Identities of the sound results in the journal, in its order; [] without a journal. See store_journal.h."""
    try:
        data = Path(f"{store}.journal").read_bytes()
    except FileNotFoundError:
        return []
    found, at = [], 32
    while at + 40 <= len(data) and data[at:at + 8] == b"LGSWENTR":
        kind, size = struct.unpack_from("<II", data, at + 8)
        if at + 40 + size > len(data):
            break
        if kind == 2:
            found.append(data[at + 16:at + 32])
        at += 40 + size
    return found


SMALL = """\
sweep: small
seed: 3
replicates: 2
task: {kind: signal, dim: 12, samples: 10, train_length: 4, noise_rate: 0.2}
model: {kind: two_layer, head_dim: 4, value_dim: 2}
train: {optimizer: gd, learning_rate: 0.2, steps: 30}
evaluate: {points: 5, test_samples: 200, validation_samples: 200}
grid:
  snr: [1, 16]
  encoding: [none, rope]
  test_length: [1x, 4x]
"""


def write(name, text):
    Path(name).write_text(text)
    return name


def quickstart():
    """The quickstart's sweep file, with all replicates under --long, with one otherwise."""
    text = (ROOT / "sweeps" / "quickstart.yaml").read_text()
    short, found = re.subn(r"^replicates: \d+", "replicates: 1", text, flags=re.M)
    assert found == 1
    return write("quickstart.yaml", text if LONG else short)
