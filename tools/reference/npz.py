# SPDX-License-Identifier: MIT
"""Small .npz files as numpy writes them, for tests/npz:

    python tools/reference/npz.py            writes tests/npz/fixtures and tests/npz/corpus_npz
    python tools/reference/npz.py --check    says whether they are up to date, array by array

Needs what tools/requirements.txt lists.
"""
import io
import sys
import zipfile
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[2] / "tests/npz"
TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()


def edges(name):
    """Three numbers of a type, the least and the largest among them."""
    kind = np.dtype(name)
    if kind.kind == "b":
        return np.array([False, True, True])
    if kind.kind == "f":
        return np.array([-1.5, 0.1, 1e30], kind)
    return np.array([np.iinfo(kind).min, 1, np.iinfo(kind).max], kind)


def good():
    numbers = {f"edges/{name}": edges(name) for name in TYPES}
    numbers["scalar"] = np.array(7, np.int64)
    numbers["empty"] = np.zeros((0, 4), np.int32)
    numbers["matrix"] = np.arange(6, dtype=np.int16).reshape(2, 3)
    numbers["block"] = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    return numbers


def bad():
    return {"fortran": np.asfortranarray(np.arange(6).reshape(2, 3)), "objects": np.array([None, "a"], object),
            "big_endian": np.arange(3, dtype=">i4"), "records": np.zeros(2, [("a", "i4"), ("b", "f4")]),
            "text": np.array(["ab"]), "complex": np.zeros(2, complex), "half": np.zeros(2, np.float16),
            "deep": np.zeros((1, 1, 1, 1)), "scalar": np.array(7)}


def versions():
    """The same array in each version of the format."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for version in (1, 0), (2, 0), (3, 0):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.arange(5, dtype=np.int32), version=version)
            archive.writestr(f"version{version[0]}.npy", member.getvalue())
        archive.writestr("readme.txt", "no array")
    return file.getvalue()


def saved(write, arrays):
    file = io.BytesIO()
    write(file, **arrays)
    return file.getvalue()


def contents(data):
    with np.load(io.BytesIO(data), allow_pickle=True) as arrays:
        return {name: (arrays[name].dtype.str, np.asarray(arrays[name]).tolist()) for name in arrays.files
                if name != "readme.txt"}


def main():
    small = {"train/tokens": np.arange(6, dtype=np.int32).reshape(2, 3), "train/mask": np.array([0, 1], np.uint8)}
    files = {"fixtures/stored.npz": saved(np.savez, good()), "fixtures/packed.npz": saved(np.savez_compressed, good()),
             "fixtures/refused.npz": saved(np.savez, bad()), "fixtures/versions.npz": versions(),
             "corpus_npz/stored.npz": saved(np.savez, small), "corpus_npz/packed.npz": saved(np.savez_compressed, small)}
    stale = False
    for name, data in files.items():
        path = TESTS / name
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        elif not path.exists() or contents(path.read_bytes()) != contents(data):
            print(f"{path} is not what this program writes")
            stale = True
    return stale


if __name__ == "__main__":
    sys.exit(main())
