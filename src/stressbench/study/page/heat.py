"""Who slows whom, as a table whose cells are shaded; the numbers say the same without the shade."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from stressbench.report.names import printable
from stressbench.report.page.sheets import Sheet, sheet
from stressbench.report.units import MISSING, factor, interval
from stressbench.results.matrix import Matrix
from stressbench.stats.pooled import PooledImpact

_DARKEST = 0.55
_FULL_AT = 2.0


@dataclass(frozen=True, kw_only=True)
class HeatCell:
    """A field: ratio and interval as texts, and how dark it is, from 0; `slower` chooses the colour."""

    ratio: str
    interval: str
    shade: str
    slower: bool


@dataclass(frozen=True, kw_only=True)
class HeatRow:
    """A victim beside each job, and its mean."""

    name: str
    cells: tuple[HeatCell, ...]
    mean: str


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """One matrix; `groups` are three and more jobs together."""

    key: str
    title: str
    caption: str
    jobs: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    causes: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    advice: str
    sheet: Sheet


def heat_maps(matrices: Sequence[Matrix]) -> tuple[HeatMap, ...]:
    """One a matrix."""
    return tuple(_map(matrix, number) for number, matrix in enumerate(matrices, start=1))


def _map(matrix: Matrix, number: int) -> HeatMap:
    where = ", ".join(f"{name} = {printable(value)}" for name, value in matrix.where.items())
    standing = {one.name: one for one in matrix.standings}
    known = [entry.impact.ratio for entry in matrix.pairs if entry.impact.ratio]
    full = max([_FULL_AT, *known, *(1 / ratio for ratio in known)])
    return HeatMap(
        key=f"study-matrix-{number}",
        title=_title(matrix) + (f" ({where})" if where else ""),
        caption="A row is the job that suffers, a column the job beside it. Numbers: how many times its time alone it "
        f"takes, [95 % interval], n counts runs. Orange is slower, blue faster, darkest at "
        f"{factor(full)}×, on a logarithmic scale; a dash is a pair that did not run. Means are geometric.",
        jobs=tuple(map(printable, matrix.jobs)),
        rows=tuple(
            HeatRow(
                name=printable(victim),
                cells=tuple(_cell(matrix, victim, beside, full) for beside in matrix.jobs),
                mean=factor(standing[victim].suffers),
            )
            for victim in matrix.jobs
        ),
        causes=tuple(factor(standing[job].causes) for job in matrix.jobs),
        groups=tuple(
            (printable(one.victim), printable(" + ".join(one.beside)), factor(one.impact.ratio),
             interval(one.impact.low, one.impact.high))
            for one in matrix.groups
        ),
        advice=printable(f"{matrix.advice[:1].upper()}{matrix.advice[1:]}."),
        sheet=_sheet(matrix, number),
    )  # fmt: skip


def _title(matrix: Matrix) -> str:
    if matrix.aggressor is None and matrix.victim is None:
        return "Who slows whom? No pair is slowed for certain"
    return (
        f"{printable(matrix.aggressor or 'No one job')} slows the others most, "
        f"{printable(matrix.victim or 'no one job')} suffers most"
    )


def _cell(matrix: Matrix, victim: str, beside: str, full: float) -> HeatCell:
    entry = matrix.entry(victim, beside)
    impact = None if entry is None else entry.impact
    if impact is None or impact.ratio is None:
        return HeatCell(ratio=MISSING, interval="", shade="0", slower=True)
    depth = min(1.0, abs(log(impact.ratio)) / log(full)) * _DARKEST
    return HeatCell(
        ratio=factor(impact.ratio),
        interval=f"{_interval(impact)}, n = {impact.runs:,}",
        shade=f"{depth:.2f}",
        slower=impact.ratio >= 1,
    )


def _interval(impact: PooledImpact) -> str:
    return "no interval" if impact.low is None else interval(impact.low, impact.high)


def _sheet(matrix: Matrix, number: int) -> Sheet:
    head = ("victim", "beside", "impact", "impact_low", "impact_high", "runs")
    rows = (
        (one.victim, " + ".join(one.beside), one.impact.ratio, one.impact.low, one.impact.high, one.impact.runs)
        for one in (*matrix.pairs, *matrix.groups)
    )
    return sheet(f"matrix-{number}.csv", head, rows)
