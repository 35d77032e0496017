"""Results of benchmarks/applications.py: comparisons of applications with workloads, and their table. Pure."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import compare
import pydantic
from application_inputs import Case

from stressbench.results.validation import Ratio, Validation, Verdict

GOAL = 0.05
SHOWN_CALLS = 3
SHORT_REASON = 70
"""Longer reasons are below the table."""
LAUNCH_S = (5, 15)
"""Time of a launch of most inputs on a core for each rank."""


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """One validation: an input against its motif or, if `recorded`, against its recorded workload.

    `result` is None if it could not be built or run, for the given `reason`.
    """

    input: str
    ranks: int
    on: str
    recorded: bool
    source: str
    fingerprint: str
    result: Validation | None = None
    reason: str = ""

    @property
    def deviation(self) -> float | None:
        """The ratio of times less 1; None if the calls differ or nothing was measured."""
        if self.result is None or self.result.ratio is None or self.result.verdict is Verdict.different_calls:
            return None
        return self.result.ratio.value - 1

    @property
    def meets_goal(self) -> bool:
        """Whether the calls are the same and the times within 5 %."""
        return self.deviation is not None and abs(self.deviation) <= GOAL


@dataclass(frozen=True, kw_only=True)
class Row:
    """The comparisons of one input; None for one that was not asked for or that has no motif."""

    name: str
    case: Case
    motif: Comparison | None = None
    recorded: Comparison | None = None

    @property
    def cells(self) -> list[str]:
        """Cells below HEADER."""
        results = [one.result for one in (self.motif, self.recorded) if one is not None and one.result is not None]
        measured = next((one for one in results if one.blocks), None)
        share = "" if measured is None else share_of_mpi(measured, of_program=True)
        iterations = "" if measured is None else f"{measured.measured}"
        return [
            self.name, self.case.key.split("/")[1], str(self.case.ranks), iterations, share,
            *cells_of(self.motif), *cells_of(self.recorded),
        ]  # fmt: skip


HEADER = ("application", "input", "ranks", "iterations", "MPI in program", "motif/program", "within 5 %",
          "MPI in motif", "recorded/program", "within 5 %", "MPI in recorded")  # fmt: skip


def cells_of(one: Comparison | None) -> tuple[str, str, str]:
    """Ratio or what is in its place, whether it meets the goal, share of MPI."""
    if one is None:
        return "", "", ""
    if one.result is None:
        return (one.reason if is_short(one.reason) else "no result (reason below)"), "no", ""
    if one.result.verdict is Verdict.different_calls:
        return first_difference(one.result), "no", ""
    within = ("yes" if one.meets_goal else "no") + ("" if one.result.is_certain else ", uncertain")
    return in_words(one.result.ratio), within, share_of_mpi(one.result, of_program=False)


def is_short(reason: str) -> bool:
    """Whether a reason has room in the table."""
    return "\n" not in reason and len(reason) <= SHORT_REASON


def in_words(ratio: Ratio | None) -> str:
    """A ratio and its interval as text such as 1.003 (0.998 to 1.011)."""
    if ratio is None:
        return ""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f}"
    return str(compare.Estimate(ratio.value, ratio.low, ratio.high))


def share_of_mpi(result: Validation, *, of_program: bool) -> str:
    """Median over launches of the share of time in MPI."""
    if not result.blocks:
        return ""
    sides = [block.program if of_program else block.workload for block in result.blocks]
    return f"{statistics.median(one.mpi_share for one in sides):.1%}"


def first_difference(result: Validation) -> str:
    """Where the calls of the first rank that differs do, in the words of `stressbench validate`."""
    one = result.differences[0]
    part = " of the measured part" if result.is_replay else ""
    program, workload = (" ".join(calls[:SHOWN_CALLS]) or "no more" for calls in (one.program, one.workload))
    return f"rank {one.rank}, call {one.place + 1} of {one.calls}{part}: program {program}; workload {workload}"


def summary(title: str, comparisons: Sequence[Comparison]) -> str:
    """The mean and the largest deviation, and of how many inputs."""
    measured = {one.input: abs(one.deviation) for one in comparisons if one.deviation is not None}
    counted = f"{len(measured)} of {len(comparisons)} inputs with the same calls"
    if not measured:
        return f"{title}: {counted}"
    worst = max(measured, key=lambda key: measured[key])
    within = sum(deviation <= GOAL for deviation in measured.values())
    return (
        f"{title}: mean absolute difference {statistics.mean(measured.values()):.1%}, largest "
        f"{measured[worst]:.1%} ({worst}), within {GOAL:.0%} in {within}; {counted}"
    )


def effort(comparisons: int, *, launches: int) -> str:
    """What so many comparisons take.

    In each, both sides are captured, the working set of the program is measured, and both are launched so many times.
    """
    each = 2 * launches + 3
    unit, unit_s = ("h", 3600) if comparisons * each * LAUNCH_S[1] >= 3600 else ("min", 60)
    least, most = (comparisons * each * launch_s / unit_s for launch_s in LAUNCH_S)
    return (
        f"{comparisons} comparison{'s' * (comparisons != 1)} of {each} launches: {least:.1f} to {most:.1f} {unit} if a "
        f"launch takes {LAUNCH_S[0]} to {LAUNCH_S[1]} s"
    )


def comparisons_of(rows: Sequence[Row]) -> list[Comparison]:
    """Those against motifs, then those against recorded workloads."""
    every = [one.motif for one in rows] + [one.recorded for one in rows]
    return [one for one in every if one is not None]


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """The table, a line of means for each kind of comparison, and each long reason with the inputs that have it."""
    yield compare.table(HEADER, [row.cells for row in rows])
    for title, some in (
        ("motifs", [one.motif for one in rows]),
        ("recorded workloads", [one.recorded for one in rows]),
    ):
        if found := [one for one in some if one is not None]:
            yield summary(title, found)
    inputs: dict[str, list[str]] = {}
    for one in comparisons_of(rows):
        if not is_short(one.reason):
            inputs.setdefault(one.reason, []).append(f"{one.input} (recorded)" if one.recorded else one.input)
    for reason, names in inputs.items():
        yield f"{', '.join(names)}: {reason}"
