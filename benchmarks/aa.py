"""A/A: a job beside one that does nothing. Its congestion impact is 1, and the 95 % interval should say so.

    .venv/bin/python benchmarks/aa.py [--seeds 20]

Goal: the interval contains 1 in at least 16 of 20 seeds. Fewer would mean intervals that are too narrow, or an order
of rounds that favours one kind. The idle job sleeps, on nodes of its own; `stressbench show --json` reads each run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi

GOAL = 0.8
RANKS = 4
ROUNDS = 10
WORKLOAD = """\
[JOB_NAME] working
[NID_LIST] 0-1
[REPEAT] 50
[MOTIF] Compute -m 200us
[MOTIF] AllReduce
[MOTIF] AllToAll -s 32KiB
[JOB_NAME] idle
[NID_LIST] 2-3
[ROLE] background
[MOTIF] Compute -m 50ms --mode sleep
"""


@dataclass(frozen=True)
class Impact:
    """The working job's congestion impact in one run."""

    seed: int
    ratio: float
    low: float
    high: float

    @property
    def contains_one(self) -> bool:
        """Whether the interval allows for no impact."""
        return self.low <= 1 <= self.high


def measure(engine: Path, folder: Path, seed: int) -> Impact:
    """One run with this seed."""
    workload, run = folder / "aa.sb", folder / f"aa-{seed}.jsonl"
    workload.write_text(WORKLOAD)
    mpi.run(mpi.OPEN_MPI, RANKS, [
        str(engine), "run", str(workload), "--ranks-per-node", "1", "--isolated", str(ROUNDS),
        "--contended", str(ROUNDS), "--seed", str(seed), "--output", str(run),
    ])  # fmt: skip
    command = Path(sys.executable).parent / "stressbench"
    shown = subprocess.run([str(command), "show", str(run), "--json"], capture_output=True, text=True, check=True)
    (working,) = (job for job in json.loads(shown.stdout)["jobs"] if job["name"] == "working")
    impact = working["timing"]["impact"]
    return Impact(seed, impact["ratio"], impact["low"], impact["high"])


def main() -> int:
    """Prints a line a seed and the count; status 1 when too few intervals contain 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    with tempfile.TemporaryDirectory() as name:
        found = []
        for seed in range(1, arguments.seeds + 1):
            found.append(measure(engine, Path(name), seed))
            sys.stderr.write(f"seed {seed} of {arguments.seeds}: {found[-1].ratio:.4f}\n")
    rows = [
        [str(i.seed), f"{i.ratio:.4f}", f"{i.low:.4f} to {i.high:.4f}", "yes" if i.contains_one else "no"]
        for i in found
    ]
    sys.stdout.write(compare.table(["seed", "impact", "95 % interval", "contains 1"], rows) + "\n")
    covered = sum(i.contains_one for i in found)
    sys.stdout.write(f"\n{covered} of {len(found)} intervals contain 1\n")
    return 1 if covered < GOAL * len(found) else 0


if __name__ == "__main__":
    sys.exit(main())
