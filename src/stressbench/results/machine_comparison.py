"""Comparison of the results of two machines, figure by figure. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from stressbench.errors import UserError
from stressbench.formats.machines import Better, MachineFigure, MachineResult, Part, Unit
from stressbench.formats.units import UnitError, check_share
from stressbench.stats.comparison import Verdict, verdict_of
from stressbench.stats.intervals import CONFIDENCE
from stressbench.stats.unpaired import unpaired_ratio

LAUNCH_NOTE = (
    "rounds of one launch share its conditions: an interval is too narrow where launches differ more than rounds do"
)


class MachineVerdict(StrEnum):
    """Verdict on the interval [low, high] of the ratio B/A, for a smallest difference of interest e.

    better, worse: the whole interval lies beyond 1 + e, or below 1 / (1 + e). same: within [1 / (1 + e), 1 + e].
    undecided: any other interval, or none, or one that a second measurement of B does not confirm. not comparable: A
    and B did not measure the same.
    """

    better = "better"
    worse = "worse"
    same = "same"
    undecided = "undecided"
    not_comparable = "not comparable"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureComparison:
    """One figure of machine B compared with that of machine A. `ratio`: B/A, with its interval.

    `reason` explains a verdict that does not follow from the interval; None otherwise.
    """

    name: str
    part: Part
    about: str
    unit: Unit
    better: Better
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    verdict: MachineVerdict
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineComparison:
    """Comparison of machine `b` with machine `a`, both named by label or launch target, and by checksum.

    `within`: the smallest difference of interest. `confidence`: that of each interval; `simultaneous`: chosen so that
    all intervals together have 95 %. `sha256_confirmation`: checksum of a second measurement of B, which better and
    worse figures are better and worse in, too; None without one. `differences`: conditions that differed, as sentences.
    """

    a: str
    b: str
    sha256_a: str
    sha256_b: str
    within: float
    confidence: float
    simultaneous: bool
    sha256_confirmation: str | None
    differences: tuple[str, ...]
    figures: tuple[FigureComparison, ...]
    notes: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether any figure of B is worse."""
        return any(figure.verdict is MachineVerdict.worse for figure in self.figures)

    @property
    def compares_any(self) -> bool:
        """Whether any figure of B measured what that of A did."""
        return any(figure.verdict is not MachineVerdict.not_comparable for figure in self.figures)


def compare_results(
    a: MachineResult, b: MachineResult, *, within: float = 0.05, simultaneous: bool = False,
    confirmation: MachineResult | None = None,
) -> MachineComparison:  # fmt: skip
    """Compare machine B with machine A. `within` is the smallest relative difference of interest, at least 0.

    With `simultaneous`, the intervals of all figures together have a confidence of 95 % (Bonferroni's inequality: each
    of m has 1 - 0.05 / m); otherwise each by itself. `confirmation`, a second measurement of B: a figure is better or
    worse only if it is so in both. Raises UserError if `within` is out of range, or the second measurement is B itself.
    """
    try:
        check_share(within, zero=True)
    except UnitError as mistake:
        raise UserError(f"--within {within:g}: {mistake}") from None
    if confirmation is not None and confirmation.sha256 == b.sha256:
        raise UserError("--confirm: expected a second measurement of B, not B itself")
    confidence = 1 - (1 - CONFIDENCE) / max(1, _comparable(a, b)) if simultaneous else CONFIDENCE
    figures = _verdicts(a, b, within=within, confidence=confidence)
    sides = [("A", a), ("B", b)]
    if confirmation is not None:
        again = {one.name: one for one in _verdicts(a, confirmation, within=within, confidence=confidence)}
        figures = tuple(_confirmed(one, again.get(one.name)) for one in figures)
        sides.append(("C", confirmation))
    return MachineComparison(
        a=name_of(a), b=name_of(b), sha256_a=a.sha256, sha256_b=b.sha256, within=within, confidence=confidence,
        simultaneous=simultaneous, sha256_confirmation=None if confirmation is None else confirmation.sha256,
        differences=tuple(_differences(a, b)), figures=figures,
        notes=(LAUNCH_NOTE, *(f"{side} is incomplete" for side, one in sides if not one.complete)),
    )  # fmt: skip


def _verdicts(a: MachineResult, b: MachineResult, *, within: float, confidence: float) -> tuple[FigureComparison, ...]:
    """All figures of A, then those that only B has."""
    other = _other_suite(a, b)
    figures_b = {figure.name: figure for figure in b.figures}
    names_a = {figure.name for figure in a.figures}
    compared = [
        _compared(figure, figures_b.get(figure.name), within=within, confidence=confidence, other=other)
        for figure in a.figures
    ]
    return (*compared, *(_only(figure, in_a=False) for figure in b.figures if figure.name not in names_a))


def _comparable(a: MachineResult, b: MachineResult) -> int:
    """The number of figures that measured the same on both machines."""
    if _other_suite(a, b) is not None:
        return 0
    figures_b = {figure.name: figure for figure in b.figures}
    pairs = [(figure, figures_b[figure.name]) for figure in a.figures if figure.name in figures_b]
    return sum(_other_measurement(first, second) is None for first, second in pairs)


def _other_suite(a: MachineResult, b: MachineResult) -> str | None:
    """The two versions of the suite, if they differ."""
    if a.suite.version == b.suite.version:
        return None
    return f"suite {a.suite.version} and suite {b.suite.version}"


def _confirmed(first: FigureComparison, again: FigureComparison | None) -> FigureComparison:
    """The figure of B, undecided where B is better or worse and its second measurement is not."""
    if first.verdict not in (MachineVerdict.better, MachineVerdict.worse):
        return first
    verdict = MachineVerdict.not_comparable if again is None else again.verdict
    if verdict is first.verdict:
        return first
    return replace(first, verdict=MachineVerdict.undecided, reason=f"{first.verdict} in B, {verdict} in C")


def name_of(result: MachineResult) -> str:
    """The label of the machine, or its launch target."""
    return result.label or result.provenance.on


def _compared(
    a: MachineFigure, b: MachineFigure | None, *, within: float, confidence: float, other: str | None
) -> FigureComparison:
    if b is None:
        return _only(a, in_a=True)
    reason = other or _other_measurement(a, b)
    if reason is not None:
        return _comparison(a, a=a.value, b=b.value, verdict=MachineVerdict.not_comparable, reason=reason)
    ratio = unpaired_ratio(np.array(a.values), np.array(b.values), what="rounds", confidence=confidence)
    return _comparison(
        a, a=a.value, b=b.value, ratio=ratio.ratio, low=ratio.low, high=ratio.high,
        verdict=_verdict(a.better, low=ratio.low, high=ratio.high, within=within), reason=ratio.reason,
    )  # fmt: skip


def _verdict(better: Better, *, low: float | None, high: float | None, within: float) -> MachineVerdict:
    match verdict_of(low=low, high=high, effect=within):
        case Verdict.slower:
            return MachineVerdict.worse if better is Better.less else MachineVerdict.better
        case Verdict.faster:
            return MachineVerdict.better if better is Better.less else MachineVerdict.worse
        case Verdict.no_difference:
            return MachineVerdict.same
    return MachineVerdict.undecided


def _only(figure: MachineFigure, *, in_a: bool) -> FigureComparison:
    return _comparison(
        figure, a=figure.value if in_a else None, b=None if in_a else figure.value,
        verdict=MachineVerdict.not_comparable, reason=f"{'B' if in_a else 'A'} does not have it",
    )  # fmt: skip


def _comparison(
    figure: MachineFigure, *, a: float | None, b: float | None, verdict: MachineVerdict, reason: str | None,
    ratio: float | None = None, low: float | None = None, high: float | None = None,
) -> FigureComparison:  # fmt: skip
    return FigureComparison(
        name=figure.name, part=figure.part, about=figure.about, unit=figure.unit, better=figure.better, a=a, b=b,
        ratio=ratio, low=low, high=high, verdict=verdict, reason=reason,
    )  # fmt: skip


def _other_measurement(a: MachineFigure, b: MachineFigure) -> str | None:
    """The first condition in which the two figures differ, as `ranks: 8 and 16`; None if they measured the same."""
    conditions = (
        ("motif", a.motif, b.motif), ("unit", a.unit, b.unit), ("ranks", a.ranks, b.ranks),
        ("nodes", a.nodes, b.nodes), ("placement", a.placement, b.placement), ("beside", a.beside, b.beside),
    )  # fmt: skip
    return next((f"{name}: {first} and {second}" for name, first, second in conditions if first != second), None)


def _differences(a: MachineResult, b: MachineResult) -> Iterator[str]:
    first, second = a.provenance, b.provenance
    facts = (
        ("suite", a.suite.version, b.suite.version), ("launches", a.suite.launches, b.suite.launches),
        ("launch target", first.on, second.on), ("hosts", first.hosts, second.hosts),
        ("nodes", first.nodes, second.nodes), ("ranks", first.ranks, second.ranks), ("MPI", first.mpi, second.mpi),
        ("transports", first.transports, second.transports), ("compiler", first.compiler, second.compiler),
        ("version", f"{first.version} {first.commit}", f"{second.version} {second.commit}"),
        ("simulated", first.simulated, second.simulated),
    )  # fmt: skip
    return (f"{name}: {left} and {right}" for name, left, right in facts if left != right)
