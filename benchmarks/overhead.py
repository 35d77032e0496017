"""Overhead of the engine per repetition: an empty chain on two ranks.

    .venv/bin/python benchmarks/overhead.py [--launches 7]

Goal: below 5 us. The job's only motif is `Compute -m 1`, one nanosecond. Each launch has isolated rounds of two such
jobs, with few and with many repetitions; the difference of their durations divided by the difference of their
repetitions is the overhead of a repetition without that of a round.

"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import compare
import mpi

GOAL_S = 5e-6
RANKS = 2
FEW, MANY = 1_000, 201_000
WORKLOAD = """\
[JOB_NAME] empty
[NID_LIST] 0-1
[REPEAT] {repetitions}
[MOTIF] Compute -m 1
"""


def round_durations_s(engine: Path, folder: Path, repetitions: int) -> list[float]:
    """Durations (s) of the rounds of one launch."""
    workload, run = folder / "empty.sb", folder / "empty.jsonl"
    workload.write_text(WORKLOAD.format(repetitions=repetitions))
    mpi.run(mpi.OPEN_MPI, RANKS, [
        str(engine), "run", str(workload), "--ranks-per-node", "1", "--isolated", "5", "--contended", "0",
        "--output", str(run), "--overwrite",
    ])  # fmt: skip
    records = map(json.loads, run.read_text().splitlines())
    return [record["duration_s"] for record in records if record["type"] == "round"]


def main() -> int:
    """Print the table. Exit status 1 if the overhead misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7)
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    costs = []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(arguments.launches):
            few, many = (statistics.median(round_durations_s(engine, Path(name), n)) for n in (FEW, MANY))
            costs.append((many - few) / (MANY - FEW))
    cost = statistics.median(costs)
    row = ["empty chain, 2 ranks", compare.in_words(cost), compare.in_words(min(costs)), compare.in_words(max(costs)),
           str(len(costs))]  # fmt: skip
    sys.stdout.write(compare.table(["a repetition of", "median", "lowest", "highest", "launches"], [row]) + "\n")
    return 1 if cost > GOAL_S else 0


if __name__ == "__main__":
    sys.exit(main())
