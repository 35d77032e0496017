"""Utilisation of network links in each cell, over its runs. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

from stressbench.formats.run import Run
from stressbench.report.document import DataFile, Table, columns
from stressbench.report.names import printable
from stressbench.report.study.page_data import factor_text_of, row_head
from stressbench.report.units import MISSING, bit_rate, percent
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import LinkUtilisation, link_utilisation

_MAX_SHOWN = 3
_MAX_KEPT = 10_000
_MAX_CELLS = 300


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
    def busiest_isolated(self) -> tuple[str, float] | None:
        """The job with the highest isolated utilisation."""
        return max(self.isolated.items(), key=lambda one: one[1], default=None)

    def isolated_share(self, job: str) -> float | None:
        """The share in isolated rounds of this job; None if unknown."""
        return self.isolated.get(job)


CellLinks: TypeAlias = Mapping[str, tuple[CellLink, ...]]
"""Links by cell id, the busiest first."""


def cell_links(report: StudyReport, data: StudyData) -> CellLinks:
    """Utilisation of links by cell, without the cells that have no link counters."""
    runs = data.by_cell
    links_by_cell = {cell.id: _links_of_runs(tuple(runs.get(cell.id, {}).values())) for cell in report.cells}
    return {cell: links for cell, links in links_by_cell.items() if links}


def _links_of_runs(runs: Sequence[Run]) -> tuple[CellLink, ...]:
    by_direction: dict[tuple[str, str, str], list[tuple[Run, LinkUtilisation]]] = {}
    for run in runs:
        for use in link_utilisation(run) or ():
            by_direction.setdefault((use.link, use.source, use.target), []).append((run, use))
    links = [_merge_runs(uses) for uses in by_direction.values()]
    return tuple(sorted(links, key=lambda link: (-(link.contended or 0.0), link.name)))


def _merge_runs(uses: Sequence[tuple[Run, LinkUtilisation]]) -> CellLink:
    isolated: dict[str, list[float]] = {}
    for run, use in uses:
        for job_use in use.isolated:
            isolated.setdefault(run.jobs[job_use.job].name, []).append(job_use.use)
    first = uses[0][1]
    contended = [use.contended for _, use in uses if use.contended is not None]
    return CellLink(
        source=first.source, target=first.target, rate_bits_per_s=first.rate_bits_per_s,
        contended=median(contended) if contended else None,
        isolated={name: median(values) for name, values in isolated.items()}, drops=sum(use.drops for _, use in uses),
    )  # fmt: skip


def links_table(report: StudyReport, links: CellLinks) -> tuple[Table, DataFile] | tuple[()]:
    """Table of the busiest links of each cell, with data of more links; empty without link counters."""
    if not links:
        return ()
    cells = [(cell, links[cell.id]) for cell in report.cells if cell.id in links]
    links_per_cell = max(_MAX_SHOWN, _MAX_KEPT // len(cells))
    table = Table(
        key="study-links",
        caption=f"The {_MAX_SHOWN} link directions with the highest contended utilisation in each cell: shares of the "
        "link's rate, medians over rounds and runs; frames lost, summed over all rounds of the cell."
        + (f" The first {_MAX_CELLS} of {len(cells):,} cells." if len(cells) > _MAX_CELLS else ""),
        columns=columns(
            texts=(*(report.factors or ("cell",)), "link", "heaviest isolated job"),
            numbers=("rate", "isolated / %", "contended / %", "frames lost"),
        ),
        rows=tuple(
            (*row_head(cell, report), *_cells(link))
            for cell, links_of_cell in cells[:_MAX_CELLS]
            for link in links_of_cell[:_MAX_SHOWN]
        ),
    )
    head = ("cell", "values", "from", "to", "rate_bits_per_s", "contended", "job", "alone", "frames_lost")
    rows = tuple(
        (cell.id, factor_text_of(cell, report.factors), link.source, link.target, link.rate_bits_per_s, link.contended,
         *(link.busiest_isolated or (None, None)), link.drops)
        for cell, links_of_cell in cells for link in links_of_cell[:links_per_cell]
    )  # fmt: skip
    return table, DataFile(name="links", head=head, rows=rows)


def _cells(link: CellLink) -> tuple[str, ...]:
    job, share = link.busiest_isolated or (MISSING, None)
    return (
        link.name, printable(job), bit_rate(link.rate_bits_per_s), percent(share), percent(link.contended),
        f"{link.drops:,}",
    )  # fmt: skip
