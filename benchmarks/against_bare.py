"""The engine's PingPong, AllReduce and AllToAll against bare C loops of the same calls, under Open MPI on two ranks.

    .venv/bin/python benchmarks/against_bare.py [--launches 31] [--motif pingpong]

Goal: ratios within 2 %. Both sides read the clock around the whole loop, use page-aligned buffers that were written
to before, and pass the same sizes, iterations, repetitions and warm-up.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import compare
import mpi

GOAL = 0.02
RANKS = 2
REPETITIONS, WARMUP = 20, 2
ITERATIONS = {8: 2000, 8192: 1000, 1 << 20: 100}
MOTIFS = ("pingpong", "allreduce", "alltoall")


def launch_bare(program: Path) -> Callable[[], compare.Times]:
    """A launch of the bare loop for every size."""

    def launch() -> compare.Times:
        times: dict[int, float] = {}
        for size, iterations in ITERATIONS.items():
            arguments = [str(program), str(iterations), str(REPETITIONS), str(WARMUP), str(size)]
            row = json.loads(mpi.run(mpi.OPEN_MPI, RANKS, arguments))
            times[size] = row["rank_mean_median_s"]
        return times

    return launch


def launch_engine(program: Path, motif: str) -> Callable[[], compare.Times]:
    """A launch of the engine for every size."""

    def launch() -> compare.Times:
        times: dict[int, float] = {}
        for size, iterations in ITERATIONS.items():
            arguments = [
                str(program), "motif", motif, "--sizes", str(size), "-i", str(iterations), "--timer", "loop",
                "--repetitions", str(REPETITIONS), "--warmup", str(WARMUP), "--json",
            ]  # fmt: skip
            (row,) = json.loads(mpi.run(mpi.OPEN_MPI, RANKS, arguments))["rows"]
            times[size] = row["rank_mean_median_s"]
        return times

    return launch


def main() -> int:
    """Prints the table; status 1 when a ratio misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=31)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--motif", choices=MOTIFS, action="append", help="only this one (may be repeated)")
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    rows, missed = [], 0
    for motif in arguments.motif or MOTIFS:
        ours, theirs = compare.interleave(
            launch_engine(engine, motif), launch_bare(mpi.build_bare(mpi.OPEN_MPI, motif)),
            launches=arguments.launches, seed=arguments.seed,
        )  # fmt: skip
        for size in ours[0]:
            found = compare.ratio([t[size] for t in ours], [t[size] for t in theirs], seed=arguments.seed)
            met = abs(found.of_medians.value - 1) <= GOAL
            missed += not met
            rows.append([
                motif, compare.size_in_words(size), str(ITERATIONS[size]), compare.in_words(found.ours_s),
                compare.in_words(found.theirs_s), *compare.cells(found), "yes" if met else "no",
            ])  # fmt: skip
    header = ["motif", "size", "iterations", "engine", "bare C", *compare.HEADER, f"within {GOAL:.0%}"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
