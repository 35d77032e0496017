"""Comparisons of two programs that measure several figures in one launch, such as the times of all message sizes."""

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import compare

Times = Mapping[str, float]
"""Seconds by what was measured, such as `4 KiB`, as one launch gives them."""


@dataclass(frozen=True)
class Goal:
    """A ratio that differs from 1 by at most `within`, and whose interval stays within `interval` of 1 if stated."""

    within: float
    interval: float | None = None

    def verdict(self, estimate: compare.Estimate) -> str:
        """`yes`, `no`, or `too wide` where the ratio is close enough but its interval says too little."""
        if abs(estimate.value - 1) > self.within:
            return "no"
        farthest = max(abs(estimate.low - 1), abs(estimate.high - 1))
        return "too wide" if self.interval is not None and farthest > self.interval else "yes"

    def __str__(self) -> str:
        """Text such as `within 2% (interval 5%)`, the head of the column of verdicts."""
        text = f"within {percent(self.within)}"
        return text if self.interval is None else f"{text} (interval {percent(self.interval)})"


def percent(share: float) -> str:
    """A share as text without trailing zeros: 2%, 0.1%."""
    return f"{100 * share:.3g}%"


@dataclass(frozen=True)
class Table:
    """Results for people and for programs. `missed`: number of rows whose goal is not met."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    missed: int = 0
    notes: tuple[str, ...] = ()
    launches: Mapping[str, tuple[Sequence[float], Sequence[float]]] = field(default_factory=dict)
    """What the engine's launches gave, and what those of the other program gave, by row."""

    def __str__(self) -> str:
        """Title, Markdown table and notes."""
        return "\n".join([f"{self.title}:", "", compare.table(self.header, self.rows), *(f"{n}." for n in self.notes)])


@dataclass(frozen=True)
class Sweep:
    """Two programs that measure the same figures.

    `what`: first cells of each row; the differences of all sweeps with the same first cell are summarised together.
    """

    what: tuple[str, ...]
    ours: Callable[[], Times]
    theirs: Callable[[], Times]


@dataclass(frozen=True)
class Difference:
    """How far the engine's time of one figure is from the other program's."""

    figure: str
    ratio: compare.Ratio

    @property
    def share(self) -> float:
        """Difference as a share of the other program's time; positive if the engine takes longer."""
        return self.ratio.of_medians.value - 1


def summary(differences: Sequence[Difference]) -> str:
    """Average and largest difference, as StressBench IV-B reports them."""
    average = statistics.fmean(d.share for d in differences)
    absolute = statistics.fmean(abs(d.share) for d in differences)
    largest = max(differences, key=lambda d: abs(d.share))
    return (
        f"average difference {average:+.1%} (of absolute values {absolute:.1%}), largest {largest.share:+.1%} "
        f"({largest.figure}), {len(differences)} figures"
    )


def require_same_figures(launches: Sequence[Times], what: str) -> None:
    """Raise ValueError unless all launches measured the same figures."""
    figures = set().union(*launches)
    for times in launches:
        if missing := sorted(figures - set(times)):
            raise ValueError(f"{what}: a launch has no {', '.join(missing)}")


def measure(
    sweeps: Iterable[Sweep],
    *,
    title: str,
    about: Sequence[str],
    theirs: str,
    goal: Goal,
    launches: int,
    seed: int,
    interruption: compare.Interruption,
) -> Table:
    """Launches of each sweep in turns, and the table of their ratios; rows go to standard error as they are known.

    `about`: heads of the first columns, the last for the figure; `theirs`: the other program. After Ctrl-C, which is
    noted in `interruption`, the table has what was measured. Raises ValueError if a launch lacks a figure that others
    have, and KeyboardInterrupt if nothing was measured.
    """
    rows: list[tuple[str, ...]] = []
    raw: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    differences: dict[str, list[Difference]] = {}
    missed = 0
    for sweep in interruption.before(sweeps):
        with interruption.after(rows):
            mine, other = compare.interleave(
                sweep.ours, sweep.theirs, launches=launches, seed=seed, interruption=interruption
            )
            require_same_figures(mine + other, f"{' '.join(sweep.what)}, engine and {theirs}")
            for figure in mine[0]:
                pair = [times[figure] for times in mine], [times[figure] for times in other]
                ratio = compare.ratio(*pair, seed=seed)
                differences.setdefault(sweep.what[0], []).append(Difference(" ".join((*sweep.what[1:], figure)), ratio))
                verdict = goal.verdict(ratio.of_medians)
                missed += verdict != "yes"
                times = (compare.in_words(ratio.ours_s), compare.in_words(ratio.theirs_s))
                rows.append((*sweep.what, figure, *times, *compare.cells(ratio), verdict))
                if not sys.stderr.isatty():
                    sys.stderr.write(" | ".join(rows[-1]) + "\n")
                raw[" ".join((*sweep.what, figure))] = pair
    header = (*about, "engine", theirs, *compare.HEADER, str(goal))
    notes = tuple(f"{program}: {summary(of_it)}" for program, of_it in differences.items())
    return Table(title, header, tuple(rows), missed, notes, raw)
