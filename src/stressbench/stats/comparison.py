"""Comparison of two runs of the same workload: slower, faster, no difference, or inconclusive.

Ratios and intervals come from `unpaired` (Hodges and Lehmann 1963; Mann and Whitney 1947).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stressbench.errors import UserError
from stressbench.formats.run import Header, Job, Kind, Role, Run
from stressbench.formats.units import UnitError, check_share
from stressbench.stats.impact import pair_blocks
from stressbench.stats.selection import RoundMedian, select
from stressbench.stats.unpaired import unpaired_ratio

LAUNCH_NOTE = (
    "intervals cover the variation between rounds, not between launches (placement, other users, state of the "
    "machine): repeat both runs, interleaved, before acting on a small difference"
)

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class ComparisonError(UserError):
    """Raised for runs that cannot be compared; the message names the difference."""


class Verdict(StrEnum):
    """Verdict on the interval [low, high] of the ratio B/A for a smallest effect of interest e (symmetric in log(B/A)).

    slower: low > 1 + e. faster: high < 1 / (1 + e). no difference: the interval lies within [1 / (1 + e), 1 + e].
    cannot tell (inconclusive): any other interval, or none.
    """

    slower = "slower"
    faster = "faster"
    no_difference = "no difference"
    inconclusive = "cannot tell"


class Quantity(StrEnum):
    """The compared quantity. For the congestion impact, the verdict `slower` means a higher impact."""

    isolated = "isolated time"
    contended = "contended time"
    impact = "congestion impact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Ratio B/A of one quantity of one job. `a` and `b` are medians over rounds (s) or over the blocks' impacts.

    `superiority` is the probability that a round of B is slower than a round of A, with ties counted half: 0.5 without
    a difference, 1 if every round of B is slower (A of Vargha and Delaney 2000). `cliffs_delta` is the same effect size
    on a scale from -1 to 1 (Cliff 1993). Both are point estimates without intervals.
    """

    quantity: Quantity
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    superiority: float | None
    cliffs_delta: float | None
    verdict: Verdict
    reason: str | None

    @property
    def regression(self) -> bool:
        """Whether an isolated or contended time is slower in B. A higher congestion impact alone is no regression."""
        return self.verdict is Verdict.slower and self.quantity is not Quantity.impact


@dataclass(frozen=True, slots=True, kw_only=True)
class JobComparison:
    """All compared quantities of one job."""

    name: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Comparison of run `b` with run `a`. `differences` lists the conditions that differed, as sentences."""

    a: str
    b: str
    effect: float
    differences: tuple[str, ...]
    jobs: tuple[JobComparison, ...]
    notes: tuple[str, ...]

    @property
    def slower(self) -> bool:
        """Whether any job has a regression."""
        return any(change.regression for job in self.jobs for change in job.changes)


def compare(a: Run, b: Run, *, effect: float = 0.02, force: bool = False) -> Comparison:
    """Compare run B with run A job by job. Jobs are matched by name; several jobs of one name in their order.

    `effect` is the smallest relative change of interest, at least 0 (0.02: 2 %). Raises ComparisonError if it is out
    of range, if the workloads differ and `force` is false, or if no job name occurs in both runs.
    """
    try:
        check_share(effect, zero=True)
    except UnitError as mistake:
        raise ComparisonError(f"--effect {effect:g}: {mistake}") from None
    if a.header.workload.hash != b.header.workload.hash and not force:
        raise ComparisonError(
            f"{a.path} and {b.path} ran different workloads: {_workload_difference(a.header, b.header)}; "
            "--force compares them anyway"
        )
    matched = _match(a.jobs, b.jobs)
    if not matched:
        raise ComparisonError(f"{a.path} and {b.path} have no job name in common")
    return Comparison(
        a=str(a.path), b=str(b.path), effect=effect, differences=tuple(_differences(a, b)),
        jobs=tuple(_compare_job(a, b, first, second, effect=effect) for first, second in matched),
        notes=(LAUNCH_NOTE, *(f"{run.path} is incomplete" for run in (a, b) if not run.complete)),
    )  # fmt: skip


def verdict_of(*, low: float | None, high: float | None, effect: float) -> Verdict:
    """Verdict for the interval [low, high] of a ratio; see Verdict. Without an interval the verdict is inconclusive."""
    if low is None or high is None:
        return Verdict.inconclusive
    if low > 1 + effect:
        return Verdict.slower
    if high < 1 / (1 + effect):
        return Verdict.faster
    if low >= 1 / (1 + effect) and high <= 1 + effect:
        return Verdict.no_difference
    return Verdict.inconclusive


def superiority_of(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Share of all pairs (a, b) with b > a, ties counted half (Vargha and Delaney 2000).

    `a` has shape (n,), `b` shape (m,). Returns None if either is empty or has values that are not finite.
    """
    if min(len(a), len(b)) == 0 or not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return None
    ordered = np.sort(a)
    below, not_above = (int(np.searchsorted(ordered, b, side=side).sum()) for side in _SIDES)
    return (below + not_above) / (2 * len(a) * len(b))


def round_superiority(rounds: Sequence[RoundMedian]) -> float | None:
    """Share of all pairs of an isolated and a contended round of one run in which the contended round took longer."""
    isolated, contended = (
        np.array([one.median_s for one in rounds if one.kind is kind]) for kind in (Kind.isolated, Kind.contended)
    )
    return superiority_of(isolated, contended)


def _match(a: Sequence[Job], b: Sequence[Job]) -> list[tuple[Job, Job]]:
    unmatched = list(b)
    pairs = []
    for job in a:
        partner = next((other for other in unmatched if other.name == job.name), None)
        if partner is not None:
            unmatched.remove(partner)
            pairs.append((job, partner))
    return pairs


def _compare_job(a: Run, b: Run, first: Job, second: Job, *, effect: float) -> JobComparison:
    rounds_a, rounds_b = select(a, job=first.job).rounds, select(b, job=second.job).rounds
    changes = []
    for quantity, kind in ((Quantity.isolated, Kind.isolated), (Quantity.contended, Kind.contended)):
        values = [np.array([one.median_s for one in rounds if one.kind is kind]) for rounds in (rounds_a, rounds_b)]
        if Role.background not in (first.role, second.role) or kind is Kind.contended:
            changes.append(_change(quantity, values[0], values[1], effect=effect, what=f"{kind} rounds"))
    if Role.background not in (first.role, second.role):
        pairings = [pair_blocks(rounds) for rounds in (rounds_a, rounds_b)]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [pairing.contended / pairing.isolated for pairing in pairings]
        changes.append(_change(Quantity.impact, ratios[0], ratios[1], effect=effect, what="paired blocks"))
    return JobComparison(name=first.name, changes=tuple(changes))


def _change(quantity: Quantity, a: NDArray[np.float64], b: NDArray[np.float64], *, effect: float, what: str) -> Change:
    ratio = unpaired_ratio(a, b, what=what)
    superiority = superiority_of(a, b)
    return Change(
        quantity=quantity, a=_median(a), b=_median(b),
        ratio=ratio.ratio, low=ratio.low, high=ratio.high,
        superiority=superiority, cliffs_delta=None if superiority is None else 2 * superiority - 1,
        verdict=verdict_of(low=ratio.low, high=ratio.high, effect=effect), reason=ratio.reason,
    )  # fmt: skip


def _median(values: NDArray[np.float64]) -> float | None:
    """Median of `values`, or None if there are none or some are not finite (a ratio to a time of 0 s)."""
    if len(values) == 0 or not np.all(np.isfinite(values)):
        return None
    return float(np.median(values))


def _workload_difference(a: Header, b: Header) -> str:
    lines = zip_longest(a.workload.text.splitlines(), b.workload.text.splitlines(), fillvalue="(end)")
    for number, (first, second) in enumerate(lines, start=1):
        if first != second:
            return f"line {number} of the resolved workload is '{first}' and '{second}'"
    return f"hashes {a.workload.hash} and {b.workload.hash}"


def _differences(a: Run, b: Run) -> list[str]:
    first, second = a.header, b.header
    facts = [
        ("workload", first.workload.hash, second.workload.hash),
        ("ranks", first.ranks, second.ranks),
        ("ranks per node", first.ranks_per_node, second.ranks_per_node),
        ("hosts", _hosts(first), _hosts(second)),
        ("MPI", first.mpi.library, second.mpi.library),
        ("transports", first.mpi.transports, second.mpi.transports),
        ("compiler", first.compiler, second.compiler),
        ("build type", first.build_type, second.build_type),
        ("version", f"{first.version} {first.commit}", f"{second.version} {second.commit}"),
        ("placement", first.plan.placement, second.plan.placement),
        ("warm-up", first.plan.warmup, second.plan.warmup),
        ("finish", first.plan.finish, second.plan.finish),
        ("jobs", ", ".join(job.name for job in first.jobs), ", ".join(job.name for job in second.jobs)),
    ]
    return [f"{name}: {left} and {right}" for name, left, right in facts if left != right]


def _hosts(header: Header) -> str:
    return ", ".join(dict.fromkeys(node.host for node in header.nodes))
