"""Utilisation of network links in each cell, over its runs. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

from stressbench.formats.run import Run
from stressbench.report.document import Numbers, Table, columns
from stressbench.report.names import printable
from stressbench.report.study.evidence import place_of
from stressbench.report.units import MISSING, bit_rate, percent
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import LinkUtilisation, link_utilisation

_MOST_SHOWN = 3
_MOST_KEPT = 10_000
_MOST_CELLS = 300


@dataclass(frozen=True, kw_only=True)
class CellLink:
    """One direction of a link: lost frames, and shares of its rate (medians over the runs), `isolated` by job."""

    source: str
    target: str
    rate_bits_per_s: int
    contended: float | None
    isolated: Mapping[str, float]
    drops: int

    @property
    def name(self) -> str:
        """Both ends as `SOURCE-TARGET`."""
        return printable(f"{self.source}-{self.target}")

    @property
    def busiest_alone(self) -> tuple[str, float] | None:
        """The job with the highest isolated utilisation."""
        return max(self.isolated.items(), key=lambda one: one[1], default=None)

    def alone(self, job: str) -> float | None:
        """The share in isolated rounds of this job; None if unknown."""
        return self.isolated.get(job)


CellLinks: TypeAlias = Mapping[str, tuple[CellLink, ...]]
"""Links by cell id, the busiest first."""


def cell_links(report: StudyReport, data: StudyData) -> CellLinks:
    """Utilisation of links by cell, without the cells that have no link counters."""
    runs = data.by_cell
    found = {cell.id: _of_runs(tuple(runs.get(cell.id, {}).values())) for cell in report.cells}
    return {cell: links for cell, links in found.items() if links}


def _of_runs(runs: Sequence[Run]) -> tuple[CellLink, ...]:
    seen: dict[tuple[str, str, str], list[tuple[Run, LinkUtilisation]]] = {}
    for run in runs:
        for use in link_utilisation(run) or ():
            seen.setdefault((use.link, use.source, use.target), []).append((run, use))
    links = [_joined(uses) for uses in seen.values()]
    return tuple(sorted(links, key=lambda link: (-(link.contended or 0.0), link.name)))


def _joined(uses: Sequence[tuple[Run, LinkUtilisation]]) -> CellLink:
    alone: dict[str, list[float]] = {}
    for run, use in uses:
        for one in use.isolated:
            alone.setdefault(run.jobs[one.job].name, []).append(one.use)
    first = uses[0][1]
    contended = [use.contended for _, use in uses if use.contended is not None]
    return CellLink(
        source=first.source, target=first.target, rate_bits_per_s=first.rate_bits_per_s,
        contended=median(contended) if contended else None,
        isolated={name: median(values) for name, values in alone.items()}, drops=sum(use.drops for _, use in uses),
    )  # fmt: skip


def links_table(report: StudyReport, links: CellLinks) -> tuple[Table, Numbers] | tuple[()]:
    """Table of the busiest links of each cell, with data of more links; empty without link counters."""
    if not links:
        return ()
    cells = [(cell, links[cell.id]) for cell in report.cells if cell.id in links]
    each = max(_MOST_SHOWN, _MOST_KEPT // len(cells))
    table = Table(
        key="study-links",
        caption=f"The {_MOST_SHOWN} link directions with the highest contended utilisation in each cell: shares of the "
        "link's rate, medians over rounds and runs; frames lost, summed over all rounds of the cell."
        + (f" The first {_MOST_CELLS} of {len(cells):,} cells." if len(cells) > _MOST_CELLS else ""),
        columns=columns(
            texts=(*(report.factors or ("cell",)), "link", "heaviest isolated job"),
            numbers=("rate", "isolated / %", "contended / %", "frames lost"),
        ),
        rows=tuple(
            (*_values(report, cell.values, cell.id), *_cells(link))
            for cell, found in cells[:_MOST_CELLS]
            for link in found[:_MOST_SHOWN]
        ),
    )
    head = ("cell", "values", "from", "to", "rate_bits_per_s", "contended", "job", "alone", "frames_lost")
    rows = tuple(
        (cell.id, place_of(cell, report.factors), link.source, link.target, link.rate_bits_per_s, link.contended,
         *(link.busiest_alone or (None, None)), link.drops)
        for cell, found in cells for link in found[:each]
    )  # fmt: skip
    return table, Numbers(name="links", head=head, rows=rows)


def _values(report: StudyReport, values: Mapping[str, str], id_: str) -> tuple[str, ...]:
    return tuple(printable(values.get(name, MISSING)) for name in report.factors) or (id_,)


def _cells(link: CellLink) -> tuple[str, ...]:
    job, share = link.busiest_alone or (MISSING, None)
    return (
        link.name, printable(job), bit_rate(link.rate_bits_per_s), percent(share), percent(link.contended),
        f"{link.drops:,}",
    )  # fmt: skip
