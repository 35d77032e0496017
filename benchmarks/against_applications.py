"""The engine's application motifs against C loops of the same calls and computation, under Open MPI.

    .venv/bin/python benchmarks/against_applications.py [--launches 21] [--motif tealeaf]

Goal: ratios within 5 %. The loops (benchmarks/bare) are written from the applications, not from the motifs; both sides
read the clock around the whole loop and take turns.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi

GOAL = 0.05


@dataclass(frozen=True)
class Application:
    """A motif's options for a mesh of `size`, which the loop takes as its size."""

    options: str
    size: int
    ranks: int
    iterations: int
    repetitions: int


APPLICATIONS = {
    "tealeaf": Application("-x 1000 -y 1000", 1000, 2, 20, 10),
    "sweep3d": Application("-x 50 -y 50 -z 50 -k 10 -a 3 --mm 6", 50, 2, 1, 10),
    "lulesh": Application("-s 8", 8, 8, 20, 10),
    "fft2d": Application("-x 512 --compute off", 512, 4, 50, 10),
}
WARMUP = 1


def launch_loop(program: Path, application: Application) -> Callable[[], compare.Times]:
    """A launch of the C loop."""

    def launch() -> compare.Times:
        numbers = [application.iterations, application.repetitions, WARMUP, application.size]
        output = mpi.run(mpi.OPEN_MPI, application.ranks, [str(program), *map(str, numbers)])
        return {application.size: json.loads(output)["rank_mean_median_s"]}

    return launch


def launch_engine(program: Path, motif: str, application: Application) -> Callable[[], compare.Times]:
    """A launch of the motif."""

    def launch() -> compare.Times:
        arguments = [
            str(program), "motif", motif, *application.options.split(), "-i", str(application.iterations),
            "--timer", "loop", "--repetitions", str(application.repetitions), "--warmup", str(WARMUP), "--json",
        ]  # fmt: skip
        (row,) = json.loads(mpi.run(mpi.OPEN_MPI, application.ranks, arguments))["rows"]
        return {application.size: row["rank_mean_median_s"]}

    return launch


def main() -> int:
    """Prints the table; status 1 when a ratio misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=21)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--motif", choices=APPLICATIONS, action="append", help="only this one (may be repeated)")
    arguments = parser.parse_args()
    engine = mpi.build_engine(mpi.OPEN_MPI)
    rows, missed = [], 0
    for motif in arguments.motif or APPLICATIONS:
        application = APPLICATIONS[motif]
        ours, theirs = compare.interleave(
            launch_engine(engine, motif, application),
            launch_loop(mpi.build_bare(mpi.OPEN_MPI, motif), application),
            launches=arguments.launches, seed=arguments.seed,
        )  # fmt: skip
        size = application.size
        found = compare.ratio([t[size] for t in ours], [t[size] for t in theirs], seed=arguments.seed)
        met = abs(found.of_medians.value - 1) <= GOAL
        missed += not met
        rows.append([
            f"{motif} {application.options}", str(application.ranks), compare.in_words(found.ours_s),
            compare.in_words(found.theirs_s), *compare.cells(found), "yes" if met else "no",
        ])  # fmt: skip
    header = ["motif", "ranks", "engine", "C loop", *compare.HEADER, f"within {GOAL:.0%}"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
