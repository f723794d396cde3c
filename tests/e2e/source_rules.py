# SPDX-License-Identifier: MIT
"""Rules of the source that neither compiler checks: layers, libm, sizes, format."""
import re
import subprocess
from collections import defaultdict
from statistics import median, quantiles

from harness import ROOT, claim, main

# Headers on the system's path, which every layer could include, and the library of meson.build's table that allows them.
LIBRARY_HEADERS = {r"yaml\.h": "yaml", r"mpi(-ext)?\.h": "mpi", r"(hdf5|H5\w*)\.h": "hdf5", r"xxh(ash|3)\.h": "xxhash",
                   r"pthread\.h": "threads", r"zip(conf)?\.h": "zip"}
# Functions of libm whose result is exact or exactly rounded, so that every processor and version gives the same bits.
EXACT = {name + suffix for name in "sqrt fabs floor ceil trunc rint nearbyint copysign frexp ldexp scalbn modf".split()
         for suffix in ("", "f")}


def files(*patterns):
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def relative(path):
    return str(path.relative_to(ROOT))


def layer_table():
    """{layer: (layers it may include, itself among them; libraries)} as meson.build has it."""
    text = (ROOT / "meson.build").read_text()
    table = {}
    for name, below, libraries in re.findall(r"^  \['(\w+)', \[(.*?)\], \[(.*?)\]\],$", text, re.M):
        allowed = {name}
        for other in re.findall(r"\w+", below):
            allowed |= table[other][0]
        table[name] = allowed, set(re.findall(r"\w+", libraries))
    assert len(table) >= 15, "meson.build's table of layers was not found"
    return table


def include_faults(layer, path, table, owner):
    allowed, libraries = table[layer]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        quoted = re.match(r'\s*#\s*include\s*"(.+?)"', line)
        system = re.match(r"\s*#\s*include\s*<(.+?)>", line)
        place = f"{relative(path)}:{number}"
        if quoted and not owner.get(quoted[1], {layer}) & allowed:
            yield f"{place}: {quoted[1]} belongs to {owner[quoted[1]]}"
        if system and system[1].startswith("Random123/") and layer != "base":
            yield f"{place}: <{system[1]}> is for base alone"
        for pattern, library in LIBRARY_HEADERS.items():
            if system and re.fullmatch(pattern, system[1]) and library not in libraries:
                yield f"{place}: <{system[1]}> is for layers that list {library}"


@claim("layers include only what meson.build's table allows, headers on the system's path too")
def layers():
    table = layer_table()
    owner = defaultdict(set)
    for path in files("include/*/*.h", "src/*/*.h"):
        owner[path.name].add(path.parent.name)
    faults = [fault for path in files("include/*/*.h", "src/*/*.[ch]")
              for fault in include_faults(path.parent.name, path, table, owner)]
    assert not faults, "\n".join(faults)


@claim("public headers carry the name of their layer")
def header_names():
    wrong = [relative(path) for path in files("include/*/*.h") if not path.name.startswith(path.parent.name)]
    assert not wrong, wrong


@claim("no layer that computes calls libm, but for exactly rounded functions")
def libm():
    library = subprocess.run(["gcc", "-print-file-name=libm.so.6"], capture_output=True, text=True, check=True).stdout.strip()
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    forbidden = set(re.findall(r" [TWi] (\w+)@", names)) - EXACT
    assert {"exp", "fma", "powf"} <= forbidden, "libm's list of functions looks wrong"
    faults = []
    for layer in layer_table():
        archives = files(f"build/lib{layer}.a", f"build/lib{layer}_*.a")
        assert archives, f"no library of {layer} in build/"
        for archive in archives:
            used = subprocess.run(["nm", "-u", archive], capture_output=True, text=True, check=True).stdout
            calls = set(re.findall(r" U (\w+)", used)) & forbidden
            faults += [f"{archive.name}: {name}" for name in sorted(calls) if layer != "cli"]
    assert not faults, faults


def function_sizes():
    """(lines, place, name) of every function in src."""
    out = subprocess.run(["ctags", "-x", "--kinds-C=f", "--_xformat=%{line} %{end} %{input} %{name}", *files("src/*/*.[ch]")],
                         capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        first, last, path, name = line.split(" ", 3)
        yield int(last) - int(first) + 1, f"{path.removeprefix(str(ROOT) + '/')}:{first}", name


@claim("functions: median at most 15 lines, nine in ten at most 45, none over 80")
def functions():
    sizes = list(function_sizes())
    long = [f"{place}: {name} has {lines} lines" for lines, place, name in sizes if lines > 80]
    assert not long, "\n".join(long)
    lines = [size[0] for size in sizes]
    assert median(lines) <= 15, median(lines)
    assert quantiles(lines, n=10)[8] <= 45, quantiles(lines, n=10)


@claim("no file has more than 400 lines")
def file_sizes():
    counts = {relative(path): len(path.read_text().splitlines())
              for path in files("src/*/*.[ch]", "include/*/*.h", "tests/*/*.[ch]", "tests/*/*.py", "tools/**/*.py", "tools/*.c")}
    long = {path: count for path, count in counts.items() if count > 400}
    assert not long, long


@claim("at least 0.7 lines of test for each line of source")
def test_share():
    def total(*patterns):
        return sum(len(path.read_text().splitlines()) for path in files(*patterns))

    source, tests = total("src/*/*.[ch]", "include/*/*.h"), total("tests/*/*.[ch]", "tests/*/*.py")
    assert tests >= 0.7 * source, f"{tests} lines of test, {source} of source"


@claim("sources are formatted as .clang-format says")
def format_():
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files("src/*/*.[ch]", "include/*/*.h", "tests/*/*.[ch]", "tools/*.c")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


@claim("every file of the program starts with its licence")
def licences():
    without = [relative(path) for path in files("src/*/*.[ch]", "include/*/*.h", "tests/*/*.[ch]", "tests/*/*.py", "tools/**/*.py")
               if "SPDX-License-Identifier: MIT" not in "".join(path.read_text().splitlines(True)[:2])]
    assert not without, without


if __name__ == "__main__":
    main()
