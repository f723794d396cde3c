# SPDX-License-Identifier: MIT
"""The quickstart's store is the same on any number of ranks; the short form has one replicate, --long all of them."""
from harness import claim, lgsweep, main, quickstart, same


@claim("1, 2, 3 and 5 ranks make the same store")
def same_on_any_number_of_ranks():
    sweep = quickstart()
    for ranks in (1, 2, 3, 5):
        lgsweep("run", sweep, "-o", f"{ranks}.h5", ranks=ranks)
        same("1.h5", f"{ranks}.h5")


if __name__ == "__main__":
    main()
