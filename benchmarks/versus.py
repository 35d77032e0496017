"""What the comparisons of the engine with other programs share: launches of a motif and of a C loop, and the table."""

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
    """A row: the cells in front, and a launch of each side, or one of both that take turns in it; in seconds."""

    about: tuple[str, ...]
    ours: Callable[[], float] | None = None
    theirs: Callable[[], float] | None = None
    together: Callable[[], tuple[float, float]] | None = None

    def measure(self, launches: int, seed: int) -> tuple[list[float], list[float]]:
        """Times of all launches of each side, paired."""
        if self.together is not None:
            pairs = [self.together() for _ in range(launches)]
            return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        assert self.ours is not None and self.theirs is not None
        return compare.interleave(self.ours, self.theirs, launches=launches, seed=seed)


@dataclass(frozen=True)
class Loop:
    """How often a pattern is done on how many ranks; `timer` as the engine's option."""

    ranks: int
    iterations: int
    repetitions: int
    warmup: int
    timer: str = "loop"


def motif(library: mpi.Library, program: Path, name: str, options: Sequence[str], loop: Loop) -> Callable[[], float]:
    """A launch of a motif: median over repetitions of the mean over ranks of an iteration's time."""

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
    """A launch of a program made with benchmarks/bare/loop.h, behind `prefix`: the same figure."""

    def launch() -> float:
        numbers = (loop.iterations, loop.repetitions, loop.warmup, size)
        output = mpi.run(library, loop.ranks, [*prefix, str(program), *map(str, numbers)])
        return float(json.loads(output)["rank_mean_median_s"])

    return launch


def parser(description: str | None, *, launches: int, motifs: Iterable[str]) -> argparse.ArgumentParser:
    """The options that every comparison has."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--launches", type=int, default=launches, help="of each side [%(default)s]")
    made.add_argument("--seed", type=int, default=1, help="of the order of launches and of the intervals [%(default)s]")
    made.add_argument("--motif", choices=sorted(set(motifs)), action="append", help="only this one (may be repeated)")
    return made


def judge(
    cases: Iterable[Case], *, about: Sequence[str], theirs: str, goal: float, arguments: argparse.Namespace
) -> int:
    """Runs all cases and prints their table; status 1 when a ratio of medians is further than `goal` from 1.

    Rows go to standard error as they come, where that is no terminal: a long comparison may be cut.
    """
    rows, missed = [], 0
    for case in cases:
        mine, other = case.measure(arguments.launches, arguments.seed)
        found = compare.ratio(mine, other, seed=arguments.seed)
        met = abs(found.of_medians.value - 1) <= goal
        missed += not met
        times = (compare.in_words(found.ours_s), compare.in_words(found.theirs_s))
        rows.append([*case.about, *times, *compare.cells(found), "yes" if met else "no"])
        if not sys.stderr.isatty():
            sys.stderr.write(" | ".join(rows[-1]) + "\n")
    header = [*about, "engine", theirs, *compare.HEADER, f"within {goal:.0%}"]
    sys.stdout.write(compare.table(header, rows) + "\n")
    return 1 if missed else 0
