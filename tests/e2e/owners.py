# SPDX-License-Identifier: MIT
"""One store has one owner, wherever and however it is named, and odd surroundings do it no harm."""
import os
import signal
import subprocess
import time
from pathlib import Path

from harness import (LONG, PROGRAM, SMALL, alive, claim, command, descendants, journal_results, lgsweep, main, processes, same, start, status,
                     stop, until, write)

# 64 trials of some hundredths of a second.
MANY = SMALL.replace("steps: 30", "steps: 20000").replace("[1, 16]", "[1, 2, 4, 8, 16, 32, 64, 128]")
ROUNDS, PAUSE = (20, 15) if LONG else (4, 4)


def at_once(count, ranks):
    """Exit codes of as many runs, started at the same instant on one store."""
    runs = [subprocess.Popen(command(["run", "s.yaml", "-o", "s.h5"], ranks), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL) for _ in range(count)]
    return sorted(run.wait(60) for run in runs)


@claim("of {} runs that start on one store at the same instant{}, one has it and the others exit 4", [(3, "", None), (2, " on 2 ranks", 2)])
def same_instant(count, _, ranks):
    write("s.yaml", SMALL.replace("steps: 30", "steps: 20000"))
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    for _ in range(ROUNDS):
        codes = at_once(count, ranks)
        assert codes == [0] + [4] * (count - 1), codes
        same("whole.h5", "s.h5")
        assert sorted(os.listdir(".")) == ["s.h5", "s.yaml", "whole.h5"], os.listdir(".")
        os.remove("s.h5")


@claim("a coordinator that is stopped for a while keeps its store, and goes on")
def stopped():
    run = start("run", write("s.yaml", MANY), "-o", "s.h5", ranks=2)
    try:
        until(lambda: len(journal_results("s.h5")) >= 3, 30, "results in the journal")
        coordinator = processes(run)["coordinator"][0]
        os.kill(coordinator, signal.SIGSTOP)
        time.sleep(PAUSE)
        lgsweep("run", "s.yaml", "-o", "s.h5", code=4)
        assert status("s.h5")["running"]
        os.kill(coordinator, signal.SIGCONT)
        assert run.wait(120) == 0, Path("output").read_text()
    finally:
        stop(run)
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    same("whole.h5", "s.h5")


@claim("a run that begins as soon as another was killed takes its store over within 2 s, and loses nothing")
def killed():
    write("s.yaml", MANY)
    for _ in range(ROUNDS):
        run = start("run", "s.yaml", "-o", "s.h5")
        known = len(journal_results("s.h5"))
        try:
            until(lambda: len(journal_results("s.h5")) >= known + 3 or run.poll() is not None, 30, "results in the journal")
            before = set(journal_results("s.h5"))
            run.kill()
        finally:
            stop(run)
        if not before:
            break
        began = time.monotonic()
        until(lambda: lgsweep("run", "s.yaml", "-o", "s.h5", "--time-limit", "1", code=None).returncode in (75, 0), 10, "a new owner")
        assert time.monotonic() - began < 3
        assert not Path("s.h5.journal").exists() or before <= set(journal_results("s.h5"))
    lgsweep("run", "s.yaml", "-o", "s.h5")
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    same("whole.h5", "s.h5")


@claim("a store by a link, to what is not there yet: one lock, one journal, and the link stays")
def linked():
    os.mkdir("far")
    os.symlink("far/s.h5", "link.h5")
    run = start("run", write("s.yaml", MANY), "-o", "link.h5")
    try:
        until(lambda: len(journal_results("far/s.h5")) >= 1, 30, "results in the journal")
        lgsweep("run", "s.yaml", "-o", "far/s.h5", code=4)
        assert status("link.h5")["running"]
        assert run.wait(120) == 0
    finally:
        stop(run)
    assert os.path.islink("link.h5") and os.listdir("far") == ["s.h5"], os.listdir("far")


@claim("hard links are stores of their own after the next publication; the other name keeps what it had")
def hard_linked():
    lgsweep("run", write("s.yaml", SMALL), "-o", "s.h5")
    os.link("s.h5", "other.h5")
    lgsweep("run", write("s.yaml", SMALL.replace("[1, 16]", "[1, 16, 4]")), "-o", "s.h5")
    assert (status("s.h5")["done"], status("other.h5")["done"]) == (24, 16)


@claim("no store at {0}: exit code 2, and nothing is made", [("a folder",), ("a device",), ("a pipe",), ("no name",), ("a name too long",)])
def nowhere(what):
    write("s.yaml", SMALL)
    os.mkdir("folder")
    os.mkfifo("pipe")
    names = {"a folder": "folder", "a device": "/dev/null", "a pipe": "pipe", "no name": "folder/", "a name too long": "n" * 220}
    before = sorted(os.listdir(".")), os.stat("/dev/null").st_mode
    text = lgsweep("run", "s.yaml", "-o", names[what], code=2, timeout=20).stderr
    assert "-o" in text, text
    assert before == (sorted(os.listdir(".")), os.stat("/dev/null").st_mode)
    assert not os.path.exists("/dev/null.lock") and not os.path.exists("/dev/null.journal")


@claim("names of any bytes, long names and deep folders hold a store")
def odd_names():
    write("s.yaml", SMALL)
    deep = "/".join(["d" * 200] * 10)
    os.makedirs(deep)
    for name in ["a b\té测试.h5", os.fsdecode(b"\xff\xfe.h5"), "n" * 212 + ".h5", deep + "/s.h5", "-s.h5", "./s.h5"]:
        lgsweep("run", "s.yaml", f"--output={name}" if name.startswith("-") else "-o", *([] if name.startswith("-") else [name]))
        lgsweep("diff", "./" + name, "./" + name)


@claim("closed standard streams ({0}) cost nothing of a run", [("2>&-",), ("1>&- 2>&-",), ("0<&- 1>&- 2>&-",)])
def closed_streams(how):
    write("s.yaml", MANY)
    lgsweep("run", "s.yaml", "-o", "whole.h5")
    done = subprocess.run(["sh", "-c", f'exec "$0" run s.yaml -o s.h5 {how}', str(PROGRAM)], timeout=120)
    assert done.returncode == 0
    same("whole.h5", "s.h5")


@claim("a full pipe that nobody reads holds up neither a run nor its end")
def full_pipe():
    write("s.yaml", MANY)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while os.write(writer, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    run = subprocess.Popen(command(["run", "s.yaml", "-o", "s.h5"]), stdout=writer, stderr=writer, stdin=subprocess.DEVNULL)
    try:
        assert run.wait(60) == 0
    finally:
        stop(run)
        os.close(reader)
        os.close(writer)
    assert status("s.h5")["complete"]


@claim("output that cannot be written is an error, but for a reader that has seen enough")
def lost_output():
    lgsweep("run", write("s.yaml", SMALL), "-o", "s.h5")
    for words, code in [('show s.h5 >/dev/full', 2), ('describe >/dev/full', 2), ('show s.h5 | head -c 1 >/dev/null', 0)]:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", f'"$0" {words}', str(PROGRAM)], stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == code, (words, done)
        assert code == 0 or "No space left" in done.stderr, done.stderr


@claim("nohup keeps a run from being stopped by SIGHUP")
def nohup():
    run = subprocess.Popen(["nohup", *command(["run", write("s.yaml", MANY), "-o", "s.h5"])], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        until(lambda: len(journal_results("s.h5")) >= 1, 30, "results in the journal")
        os.kill(run.pid, signal.SIGHUP)
        assert run.wait(60) == 0
    finally:
        stop(run)


@claim("no process of a run is left {0} s after its coordinator was killed", [(3,)])
def nothing_left(seconds):
    run = start("run", write("s.yaml", MANY), "-o", "s.h5")
    try:
        until(lambda: len(journal_results("s.h5")) >= 1, 30, "results in the journal")
        below = descendants(run.pid)
        run.kill()
        run.wait()
        until(lambda: not any(map(alive, below)), seconds, "the end of the trainers")
    finally:
        stop(run)


if __name__ == "__main__":
    main()
