# SPDX-License-Identifier: MIT
"""Matrix products of the sizes small, medium and large in lgsweep and in the libraries that it could have used, and exp and tanh
beside SLEEF, in interleaved rounds on one core; medians, as tables in Markdown. Last `ratio R`: lgsweep over the best library, the
geometric mean over the products.
"""
import subprocess
from math import exp, log
from statistics import mean, median

from contenders import BUILD, ENVIRONMENT, ON_CORE, isas, number

ROUNDS, SECONDS = 5, 0.1
# Name, contender of bench_products, and what makes the library choose kernels that this processor is not in its list for.
CONTENDERS = (("lgsweep", "lgsweep", {}), ("OpenBLAS", "openblas", {}),
              ("OpenBLAS SKYLAKEX", "openblas", {"OPENBLAS_CORETYPE": "SKYLAKEX"}), ("BLIS", "blis", {}),
              ("BLIS skx", "blis", {"BLIS_ARCH_TYPE": "skx"}), ("libxsmm", "libxsmm", {}), ("oneDNN", "onednn", {}))


def run(contender, choice):
    """{(size, name, rows, columns, depth): share of the peak}, or the reason why there is none."""
    environment = ENVIRONMENT | choice | {"LD_LIBRARY_PATH": str(BUILD)}
    peak = number(BUILD / "peak", isas()[0])
    done = subprocess.run([*ON_CORE, BUILD / "tools" / "bench_products", contender, str(SECONDS)], capture_output=True, text=True,
                          env=environment)
    if done.returncode == 2:
        return done.stderr.strip()
    if done.returncode:
        raise SystemExit(f"bench: {done.stderr}")
    rows = (line.split() for line in done.stdout.splitlines())
    return {tuple(row[:5]): float(row[5]) / peak for row in rows}


def functions():
    if isas()[0] != "avx512":
        print("\nexp and tanh are compared with AVX-512, which this processor does not have")
        return
    times = {}
    for _ in range(ROUNDS):
        lines = subprocess.run([*ON_CORE, BUILD / "tools" / "bench_functions", str(SECONDS)], capture_output=True, text=True,
                               check=True, env=ENVIRONMENT).stdout.splitlines()
        for line in lines:
            function, nanoseconds, name = line.split(" ", 2)
            times.setdefault((function, name), []).append(float(nanoseconds))
    print("\n| function | | ns for 16 numbers |\n|---|---|---|")
    for (function, name), values in times.items():
        print(f"| {function} | {name} | {median(values):.1f} |")


def main():
    shares, missing = {name: [] for name, _, _ in CONTENDERS}, {}
    for _ in range(ROUNDS):
        for name, contender, choice in CONTENDERS:
            result = run(contender, choice)
            if isinstance(result, str):
                missing[name] = result
            else:
                shares[name].append(result)
    present = [name for name in shares if shares[name]]
    middle = {name: {shape: median(one[shape] for one in shares[name]) for shape in shares[name][0]} for name in present}
    print(f"Share of the {isas()[0]} FMA peak, %:\n\n| size | product | rows x columns x depth | {' | '.join(present)} |")
    print("|" + "---|" * (3 + len(present)))
    for shape in middle["lgsweep"]:
        cells = " | ".join(f"{100 * middle[name][shape]:.0f}" for name in present)
        print(f"| {shape[0]} | {shape[1]} | {' x '.join(shape[2:])} | {cells} |")
    for name, reason in missing.items():
        print(f"{name} is missing: {reason}")
    functions()
    libraries = [name for name in present if name != "lgsweep"]
    if not libraries:
        raise SystemExit("bench: none of the libraries is there")
    gains = [log(middle["lgsweep"][shape] / max(middle[name][shape] for name in libraries)) for shape in middle["lgsweep"]]
    print(f"\nratio {exp(mean(gains)):.2f}")


if __name__ == "__main__":
    main()
