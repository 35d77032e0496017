"""The motif `metadata` against mdtest, which is part of IOR: create, stat, read and remove empty files.

2 ranks, 1000 files each, in one directory shared by both (N-1) or one per rank (N-N). Both sides open with O_CREAT and
close; stat; open to read and close; unlink, with a barrier before and after each of the four phases, and report items
of all ranks / time of a phase. The figure is the mean over 10 repetitions, which is all that mdtest prints of them.
mdtest starts a phase's clock behind its barrier and stops it behind the next one; the motif takes the shortest such
time of a rank. mdtest formats each name with sprintf into memory that it clears (4 KiB, two buffers for stat and read).

"""

import json
import re
import statistics
from collections.abc import Iterator

import sweep
from peer import Setting

from stressbench.console.escaping import escaped

GOAL = sweep.Goal(0.05)
RANKS = 2
FILES = 1000
REPETITIONS = 10
OPERATIONS = {"creation": "creates", "stat": "stats", "read": "opens", "removal": "unlinks"}
"""The motif's name of each of mdtest's operations."""
LAYOUTS = {"N-1": ("shared", ()), "N-N": ("own", ("-u",))}
"""The motif's choice of --tree for each layout, and mdtest's option."""


def mdtest_times(output: str) -> dict[str, float]:
    """Mean seconds per item by operation, from mdtest's summary of rates."""
    rates = re.findall(r"^ +File (\w+) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+$", output, re.MULTILINE)
    found = {operation: 1 / float(mean) for operation, mean in rates if operation in OPERATIONS}
    if len(found) != len(OPERATIONS):
        raise ValueError(f"mdtest printed no rates of {', '.join(OPERATIONS)}:\n{escaped(output)}")
    return found


def motif_times(output: str) -> dict[str, float]:
    """The same from the JSON of the motif."""
    (row,) = json.loads(output)["rows"]
    return {
        operation: 1 / statistics.fmean(spread["mean"] for spread in row["metrics"][f"{own}_per_s"])
        for operation, own in OPERATIONS.items()
    }


def sweep_of(setting: Setting, layout: str) -> sweep.Sweep:
    """The comparison of one layout."""
    tree, options = LAYOUTS[layout]
    ours = [
        str(setting.engine), "motif", "metadata", "-n", str(FILES), "--tree", tree, "-f", str(setting.folder / "motif"),
        "--repetitions", str(REPETITIONS), "--warmup", "0", "--json",
    ]  # fmt: skip
    theirs = [
        setting.programs.path("mdtest"), "-F", "-n", str(FILES), *options, "-i", str(REPETITIONS),
        "-d", str(setting.folder / "mdtest"),
    ]  # fmt: skip
    return sweep.Sweep(
        (layout,),
        lambda: motif_times(setting.place.run(RANKS, ours)),
        lambda: mdtest_times(setting.place.run(RANKS, theirs)),
    )


def tables(setting: Setting) -> Iterator[sweep.Table]:
    """One table with both layouts; times are those of one item."""
    yield sweep.measure(
        (sweep_of(setting, layout) for layout in LAYOUTS), title="mdtest, time of an item",
        about=("directories", "operation"), theirs="mdtest", goal=GOAL,
        launches=setting.launches, seed=setting.seed, interruption=setting.interruption,
    )  # fmt: skip
