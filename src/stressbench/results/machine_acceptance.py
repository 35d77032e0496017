"""The result of a machine against acceptance criteria, by intervals. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from stressbench.formats.machines import Better, Criteria, Criterion, MachineFigure, MachineResult, Unit
from stressbench.results.machine_comparison import name_of


class AcceptanceVerdict(StrEnum):
    """Verdict on the 95 % interval of a figure for a bound.

    met: the whole interval lies at or on the better side of the bound. missed: it lies entirely on the worse side.
    undecided: it contains the bound, or is unknown. missing: the result does not have the figure.
    """

    met = "met"
    missed = "missed"
    undecided = "undecided"
    missing = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCriterion:
    """A criterion and the figure that it is about, in SI units; None is unknown.

    `bound` is an upper one if less is better, a lower one if more is better.
    """

    name: str
    about: str | None
    unit: Unit
    better: Better
    bound: float
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    verdict: AcceptanceVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCheck:
    """The criteria for a machine, which is named by label or launch target, and by checksum.

    `criteria_about`: what the file of criteria is about. `faults`: conditions of the measurement that the criteria
    exclude, as sentences. `accepted`: there are none, and all criteria are met.
    """

    machine: str
    sha256: str
    criteria_about: str | None
    accepted: bool
    faults: tuple[str, ...]
    criteria: tuple[CheckedCriterion, ...]


def check_result(result: MachineResult, criteria: Criteria) -> MachineCheck:
    """Check the figures of a machine, and how they were measured."""
    figures = {figure.name: figure for figure in result.figures}
    checked = tuple(_checked(one, figures.get(one.figure)) for one in criteria.criteria)
    faults = tuple(_faults(result, criteria))
    return MachineCheck(
        machine=name_of(result), sha256=result.sha256, criteria_about=criteria.about, faults=faults, criteria=checked,
        accepted=not faults and all(one.verdict is AcceptanceVerdict.met for one in checked),
    )  # fmt: skip


def _checked(criterion: Criterion, figure: MachineFigure | None) -> CheckedCriterion:
    missing = CheckedCriterion(
        name=criterion.figure, about=None, unit=criterion.unit, better=criterion.better, bound=criterion.bound,
        value=None, low=None, high=None, n=None, verdict=AcceptanceVerdict.missing,
    )  # fmt: skip
    if figure is None:
        return missing
    return replace(
        missing, about=figure.about, value=figure.value, low=figure.low, high=figure.high, n=figure.n,
        verdict=_verdict(criterion, figure),
    )  # fmt: skip


def _verdict(criterion: Criterion, figure: MachineFigure) -> AcceptanceVerdict:
    if figure.low is None or figure.high is None:
        return AcceptanceVerdict.undecided
    best, worst = figure.low, figure.high
    bound = criterion.bound
    if criterion.better is Better.more:
        best, worst, bound = -figure.high, -figure.low, -bound
    if worst <= bound:
        return AcceptanceVerdict.met
    return AcceptanceVerdict.missed if best > bound else AcceptanceVerdict.undecided


def _faults(result: MachineResult, criteria: Criteria) -> Iterator[str]:
    suite, made = result.suite, result.provenance
    for name, found, wanted in (
        ("suite", suite.version, criteria.suite), ("ranks", made.ranks, criteria.ranks),
        ("nodes", made.nodes, criteria.nodes),
    ):  # fmt: skip
        if wanted is not None and found != wanted:
            yield f"{name}: {found}; the criteria are for {wanted}"
    if criteria.launches is not None and suite.launches < criteria.launches:
        yield f"launches: {suite.launches}; the criteria are for {criteria.launches} or more"
    if not result.complete:
        yield "the measurement is incomplete"
