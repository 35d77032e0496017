"""Common parts of the comparisons of the engine with other programs: launches of motifs and C loops, and the table."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import compare
import mpi


@dataclass(frozen=True)
class Case:
    """A row of the table: its first cells (`about`), and functions that launch the programs and return times in s.

    The functions launch one side each (`ours`, `theirs`), or both alternating within a process (`interleaved`).
    """

    about: tuple[str, ...]
    ours: Callable[[], float] | None = None
    theirs: Callable[[], float] | None = None
    interleaved: Callable[[], tuple[float, float]] | None = None

    def measure(self, launches: int, seed: int) -> tuple[list[float], list[float]]:
        """Times of all launches of both sides, paired."""
        if self.interleaved is not None:
            pairs = [self.interleaved() for _ in range(launches)]
            return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        assert self.ours is not None and self.theirs is not None
        return compare.interleave(self.ours, self.theirs, launches=launches, seed=seed)


@dataclass(frozen=True)
class Loop:
    """Number of ranks, iterations, repetitions and warm-up repetitions; `timer` as in the engine's option --timer."""

    ranks: int
    iterations: int
    repetitions: int
    warmup: int
    timer: str = "loop"


def motif(library: mpi.Library, program: Path, name: str, options: Sequence[str], loop: Loop) -> Callable[[], float]:
    """A function that launches a motif and returns the time of an iteration (s).

    This is the median over repetitions of the mean over ranks.
    """

    def launch() -> float:
        output = mpi.run(library, loop.ranks, [
            str(program), "motif", name, *options, "-i", str(loop.iterations), "--timer", loop.timer,
            "--repetitions", str(loop.repetitions), "--warmup", str(loop.warmup), "--json",
        ])  # fmt: skip
        (row,) = json.loads(output)["rows"]
        return float(row["rank_mean_median_s"])

    return launch


def c_loop(
    library: mpi.Library, program: Path, size: int, loop: Loop, prefix: Sequence[str] = ()
) -> Callable[[], float]:
    """Same as `motif` for a program built with benchmarks/bare/loop.h; `prefix` precedes the command."""

    def launch() -> float:
        numbers = (loop.iterations, loop.repetitions, loop.warmup, size)
        output = mpi.run(library, loop.ranks, [*prefix, str(program), *map(str, numbers)])
        return float(json.loads(output)["rank_mean_median_s"])

    return launch


def parser(description: str | None, *, launches: int, motifs: Iterable[str]) -> argparse.ArgumentParser:
    """Parser of the options that all comparisons have."""
    argument_parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    argument_parser.add_argument("--launches", type=int, default=launches, help="launches of each side [%(default)s]")
    argument_parser.add_argument(
        "--seed", type=int, default=1, help="seed of the launch order and the intervals [%(default)s]"
    )
    argument_parser.add_argument(
        "--motif", choices=sorted(set(motifs)), action="append", help="run only this motif (may be repeated)"
    )
    return argument_parser


def judge(
    cases: Iterable[Case], *, about: Sequence[str], theirs: str, goal: float, arguments: argparse.Namespace
) -> int:
    """Run all cases and print their table. Exit status 1 if a ratio of medians differs from 1 by more than `goal`.

    Rows are also written to standard error as soon as they are known, unless it is a terminal.
    """
    rows, missed = [], 0
    for case in cases:
        ours_s, theirs_s = case.measure(arguments.launches, arguments.seed)
        ratio = compare.ratio(ours_s, theirs_s, seed=arguments.seed)
        met = abs(ratio.of_medians.value - 1) <= goal
        missed += not met
        times = (compare.in_words(ratio.ours_s), compare.in_words(ratio.theirs_s))
        rows.append([*case.about, *times, *compare.cells(ratio), "yes" if met else "no"])
        if not sys.stderr.isatty():
            sys.stderr.write(" | ".join(rows[-1]) + "\n")
    header = [*about, "engine", theirs, *compare.HEADER, f"within {goal:.0%}"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0
