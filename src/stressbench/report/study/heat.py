"""Pairwise slowdowns as heat maps: tables with shaded cells that show the numbers as well."""

from collections.abc import Iterator, Sequence
from math import log

from stressbench.report.document import Block, Cell, Collapsible, DataFile, Heading, HeatCell, Paragraph, Table, columns
from stressbench.report.names import printable
from stressbench.report.units import MISSING, factor, interval, interval_or_none
from stressbench.results.matrix import Matrix

_MAX_OPACITY = 0.55
_MIN_FULL_SHADE_RATIO = 2.0


def heat_maps(matrices: Sequence[Matrix]) -> Iterator[Block]:
    """For each matrix: title, heat map, data, groups of three or more jobs, and advice."""
    for number, matrix in enumerate(matrices, start=1):
        factor_values = ", ".join(f"{name} = {printable(value)}" for name, value in matrix.where.items())
        yield Heading(text=_title(matrix) + (f" ({factor_values})" if factor_values else ""))
        yield _heat_map(matrix, number)
        yield _data_file(matrix, number)
        if matrix.groups:
            yield Collapsible(summary=f"Groups of three or more jobs ({len(matrix.groups)})", blocks=(_groups(matrix),))
        yield Paragraph(text=printable(f"{matrix.advice[:1].upper()}{matrix.advice[1:]}."))


def _heat_map(matrix: Matrix, number: int) -> Table:
    standings = {one.name: one for one in matrix.standings}
    known = [entry.impact.ratio for entry in matrix.pairs if entry.impact.ratio]
    max_ratio = max([_MIN_FULL_SHADE_RATIO, *known, *(1 / ratio for ratio in known)])
    victims: list[tuple[Cell, ...]] = [
        (
            victim,
            *(_cell(matrix, victim, aggressor, max_ratio) for aggressor in matrix.jobs),
            factor(standings[victim].suffers),
        )
        for victim in matrix.jobs
    ]
    return Table(
        key=f"study-matrix-{number}",
        caption="Rows: the job that is slowed down (victim); columns: the job beside it (aggressor). Numbers: "
        "contended over isolated time [95 % interval]; n counts runs. Orange is slower, blue faster, darkest at "
        f"{factor(max_ratio)}×, on a logarithmic scale; a dash is a pair that was not run. Means are geometric.",
        columns=columns(texts=("victim", *(f"beside {job}" for job in matrix.jobs)), numbers=("slowed down (mean)",)),
        rows=(*victims, ("slows others (mean)", *(factor(standings[job].causes) for job in matrix.jobs), "")),
    )


def _groups(matrix: Matrix) -> Table:
    rows = (
        (one.victim, " + ".join(one.beside), factor(one.impact.ratio), interval(one.impact.low, one.impact.high))
        for one in matrix.groups
    )
    return Table(columns=columns(texts=("job", "beside"), numbers=("impact", "95 % interval")), rows=tuple(rows))


def _title(matrix: Matrix) -> str:
    if matrix.aggressor is None and matrix.victim is None:
        return "Pairwise slowdowns: none is significant"
    return (
        f"{printable(matrix.aggressor or 'No single job')} slows down the others most, "
        f"{printable(matrix.victim or 'no single job')} is slowed down most"
    )


def _cell(matrix: Matrix, victim: str, aggressor: str, max_ratio: float) -> HeatCell:
    entry = matrix.entry(victim, aggressor)
    impact = None if entry is None else entry.impact
    if impact is None or impact.ratio is None:
        return HeatCell(text=MISSING, detail="", shade=0.0, slower=True)
    opacity = min(1.0, abs(log(impact.ratio)) / log(max_ratio)) * _MAX_OPACITY
    return HeatCell(
        text=factor(impact.ratio),
        detail=f"{interval_or_none(impact.low, impact.high)}, n = {impact.runs:,}",
        shade=opacity,
        slower=impact.ratio >= 1,
    )


def _data_file(matrix: Matrix, number: int) -> DataFile:
    head = ("victim", "beside", "impact", "impact_low", "impact_high", "runs")
    rows = tuple(
        (one.victim, " + ".join(one.beside), one.impact.ratio, one.impact.low, one.impact.high, one.impact.runs)
        for one in (*matrix.pairs, *matrix.groups)
    )
    return DataFile(name=f"matrix-{number}", head=head, rows=rows)
