# SPDX-License-Identifier: MIT
"""Whether a store is what other programs expect: xarray with both engines, netCDF4, h5py, ncdump, h5dump.

    check_store.py STORE.h5

Prints a line for each check and exits 1 if one failed. Nothing in the store is changed.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import xarray as xr

ENGINES = ("h5netcdf", "netcdf4")
GROUPS = (None, "trials", "run", "trials/layouts")
TEXTS = ("long_name", "units")


def same(left, right):
    """Equal values, NaN where the other has NaN."""
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype.kind == "f":
        return left.shape == right.shape and np.array_equal(left, right, equal_nan=True)
    return np.array_equal(left, right)


def axes_of(cube):
    return cube.attrs["axes"].split()


def opens_whole(store):
    for group in GROUPS:
        first, second = (xr.open_dataset(store, engine=engine, group=group).load() for engine in ENGINES)
        assert list(first.variables) == list(second.variables), f"engines list other variables in {group}"
        for name in first.variables:
            assert same(first[name], second[name]), f"engines read {group}/{name} differently"
            assert not any(str(dim).startswith("phony") for dim in first[name].dims), f"{name} lacks dimension scales"


def selects_by_value(store):
    for engine in ENGINES:
        cube = xr.open_dataset(store, engine=engine)
        labels = {axis: cube[axis].values[-1] for axis in axes_of(cube) if axis in cube.indexes}
        assert set(labels) == set(axes_of(cube)), "an axis has no coordinate"
        for name, variable in cube.data_vars.items():
            wanted = {axis: label for axis, label in labels.items() if axis in variable.dims}
            last = variable.isel({axis: -1 for axis in wanted})
            assert same(variable.sel(wanted), last), f"{name}.sel({wanted}) with {engine}"


def variables_follow_the_axes(store):
    cube = xr.open_dataset(store)
    axes = axes_of(cube)
    assert axes[-2:] == ["replicate", "test_length"]
    assert cube.attrs["cube"] in (0, 1) and cube.attrs["Conventions"].startswith("CF-")
    for name, variable in cube.data_vars.items():
        places = [axes.index(dim) for dim in variable.dims if dim in axes]
        assert places == sorted(places), f"{name} has {variable.dims}"
        assert list(variable.dims[:len(places)]) == [axes[place] for place in places], f"{name} has {variable.dims}"
    if cube.attrs["cube"]:
        assert cube.status.dims == tuple(axes[:-1])


def cube_equals_trials(store):
    """Every value of the cube that is there is that of the trial with the cell's settings."""
    cube = xr.open_dataset(store, mask_and_scale=False)
    trials = xr.open_dataset(store, group="trials", mask_and_scale=False)
    if not cube.attrs["cube"] or "test_error" not in cube:
        return
    axes = axes_of(cube)[:-1]
    columns = {name: cube[name] for name in cube.coords if name in trials and set(cube[name].dims) <= set(axes)}
    lengths = cube.test_length.values
    row_of = {}
    for row in range(trials.sizes["trial"]):
        if not trials.twin.values[row]:
            row_of[tuple(trials[name].values[row] for name in columns)] = row
    for cell in np.ndindex(*(cube.sizes[axis] for axis in axes)):
        place = dict(zip(axes, cell))
        key = tuple(column.isel({axis: place[axis] for axis in column.dims}).item() for column in columns.values())
        here = cube.isel(place)
        if int(here.status) in (0, 4):  # pending, excluded
            assert np.isnan(here.test_error.values).all()
            continue
        if key not in row_of:  # the trial is a row of other settings that give the same training
            continue
        there = trials.isel(trial=row_of[key])
        assert int(here.status) == int(there.status)
        assert same(here.train_loss, there.train_loss)
        for length in lengths:
            value = here.test_error.sel(test_length=length).values
            assert np.isnan(value).all() or same(value, there.test_error.sel(test_length=length))


def every_variable_is_described(store):
    with h5py.File(store, "r") as file:

        def check(name, item):
            order = item.id.get_create_plist().get_attr_creation_order()
            assert order == h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED, f"{name}: creation order"
            if not isinstance(item, h5py.Dataset) or name.startswith("trials/layouts"):
                return
            unknown = "did not know" in item.attrs.get("description", "")
            for text in TEXTS:
                assert unknown or isinstance(item.attrs.get(text), str), f"{name} has no {text}"
            assert item.dtype.kind in "fiuO" and not h5py.check_enum_dtype(item.dtype), f"{name} is {item.dtype}"
            if item.dtype.kind == "O":
                assert h5py.check_string_dtype(item.dtype).encoding == "utf-8" and item.chunks is None, name
            elif item.chunks:
                assert item.shuffle and item.compression == "gzip" and item.compression_opts == 1, name

        file.visititems(check)
        order = h5py.h5g.open(file.id, b"/").get_create_plist().get_link_creation_order()
        assert order == h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED, "creation order of the root"


def superblock_is_old_enough(store):
    with open(store, "rb") as file:
        assert file.read(9)[8] == 2, "superblock version"


def identities_are_unique(store):
    trials = xr.open_dataset(store, group="trials")
    identities = list(trials.identity.values)
    assert len(set(identities)) == len(identities)
    assert all(len(identity) == 32 for identity in identities)


def command_line_tools_read_it(store):
    for command in (["ncdump", "-h"], ["h5dump", "-H"], ["ncdump", "-v", "status"]):
        assert shutil.which(command[0]), f"{command[0]} is not installed"
        done = subprocess.run([*command, store], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{' '.join(command)}: {done.stderr}"


def netcdf_can_append(store):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.h5"
        shutil.copy(store, copy)
        with netCDF4.Dataset(copy, "a") as file:
            added = file.createVariable("added", "f4", ("replicate",))
            added[:] = 1
            file["trials"].note = "appended"
        cube = xr.open_dataset(copy)
        assert (cube.added == 1).all()
        assert same(cube.status, xr.open_dataset(store).status) if "status" in cube else True


CHECKS = (opens_whole, selects_by_value, variables_follow_the_axes, cube_equals_trials, every_variable_is_described,
          superblock_is_old_enough, identities_are_unique, command_line_tools_read_it, netcdf_can_append)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_store.py STORE.h5")
    failed = 0
    for check in CHECKS:
        try:
            check(sys.argv[1])
            print(f"ok - {check.__name__.replace('_', ' ')}")
        except Exception as problem:  # whatever another program throws at a store is a finding
            failed += 1
            print(f"not ok - {check.__name__.replace('_', ' ')}: {type(problem).__name__}: {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
