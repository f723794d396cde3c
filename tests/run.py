# SPDX-License-Identifier: MIT
"""Every test in turn, with a line for each step and `N passed, N failed` at the end: see tools/test.

A step's output goes to build/logs/; what failed is printed. Unit tests count by CMocka's cases, end-to-end tests by claims.
"""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "logs"
BUILDS = {
    "gcc": ("build", "gcc", []),
    "clang": ("build-clang", "clang", []),
    "sanitizers": ("build-sanitizers", "gcc", ["-Db_sanitize=address,undefined", "-Dbuildtype=debugoptimized"]),
}
# Open MPI leaks on its own account, in libraries that are gone when the leak checker looks for their names.
SUITES = [("unit", ["--no-suite", "mpi"], {}), ("mpi", ["--suite", "mpi"], {"ASAN_OPTIONS": "detect_leaks=0"})]
END_TO_END = sorted(path.stem for path in (ROOT / "tests" / "e2e").glob("*.py") if path.stem != "harness")


def run(step, command, env=None, append=False):
    """Runs the command with its output in the step's log; returns (exit code, output)."""
    with open(LOGS / f"{step}.log", "a+" if append else "w+") as log:
        begin = log.tell()
        code = subprocess.run([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              cwd=ROOT, env={**os.environ, **(env or {})}).returncode
        log.seek(begin)
        return code, log.read()


def tail(text, lines=40):
    return "\n".join(text.splitlines()[-lines:])


def unit_results(log):
    """(passed, failed, text of the failures) from meson's log, case by case."""
    passed = failed = 0
    failures = []
    for line in log.read_text().splitlines():
        test = json.loads(line)
        output = (test.get("stdout") or "") + (test.get("stderr") or "")
        good = sum(map(int, re.findall(r"\[  PASSED  \] (\d+) test", output)))
        bad = sum(map(int, re.findall(r"\[  FAILED  \] (?:\S+: )?(\d+) test", output)))
        if test["result"] not in ("OK", "EXPECTEDFAIL"):
            bad = max(bad, 1)
            failures.append(f"{test['name']}: {test['result']}\n{tail(output)}")
        elif not good:
            good = 1  # a test without cases of its own
        passed, failed = passed + good, failed + bad
    return passed, failed, "\n".join(failures)


def build_and_unit_tests(name):
    folder, compiler, options = BUILDS[name]
    if not (ROOT / folder / "build.ninja").exists():
        code, output = run(name, ["meson", "setup", folder, *options], {"CC": compiler})
        if code:
            return 0, 1, tail(output)
    code, output = run(name, ["ninja", "-C", folder], append=True)
    if code:
        return 0, 1, tail(output[max(output.find("FAILED:"), 0):], 60)
    results = [meson_tests(name, folder, *suite) for suite in SUITES]
    return sum(r[0] for r in results), sum(r[1] for r in results), "\n".join(r[2] for r in results if r[2])


def meson_tests(name, folder, suite, options, env):
    log = ROOT / folder / "meson-logs" / f"{suite}.json"
    log.unlink(missing_ok=True)
    run(name, ["meson", "test", "-C", folder, "--no-rebuild", "-t", "3", "--logbase", suite, *options], env, append=True)
    return unit_results(log) if log.exists() else (0, 1, "meson test ran nothing")


def end_to_end(name, arguments):
    code, output = run(name, [sys.executable, ROOT / "tests" / "e2e" / f"{name}.py", *arguments])
    passed = len(re.findall(r"^ok - ", output, re.M))
    failed = len(re.findall(r"^not ok - ", output, re.M))
    if code and not failed:
        failed = 1
    failures = re.sub(r"^ok - .*\n", "", output, flags=re.M) if failed else ""
    return passed, failed, failures


def main():
    LOGS.mkdir(parents=True, exist_ok=True)
    steps = {name: lambda name=name: build_and_unit_tests(name) for name in BUILDS}
    flags = [word for word in sys.argv[1:] if word.startswith("-")]
    steps |= {name: lambda name=name: end_to_end(name, flags) for name in END_TO_END}
    wanted = [word for word in sys.argv[1:] if word not in flags] or list(steps)
    unknown = [word for word in wanted if word not in steps] + [flag for flag in flags if flag != "--long"]
    if unknown:
        print(f"unknown: {' '.join(unknown)}; steps are {' '.join(steps)}; --long runs the long forms", file=sys.stderr)
        return 2
    passed = failed = 0
    for name in wanted:
        begin = time.monotonic()
        print(f"{name:16s} ", end="", flush=True)
        good, bad, failures = steps[name]()
        passed, failed = passed + good, failed + bad
        print(f"{good:5d} passed, {bad} failed  ({time.monotonic() - begin:.0f} s)", flush=True)
        if failures:
            print(failures, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
