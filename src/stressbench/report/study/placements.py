"""Placements of jobs: one figure per placement of the study, as in Fig. 3 of the StressBench paper."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stressbench.formats.run import Run
from stressbench.report.document import Figure
from stressbench.report.figures.placement import draw_nodes
from stressbench.report.run.section import section_of
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

MAX_PLACEMENTS = 12
_OTHER_JOBS_NOTE = " Other cells place other jobs on the same nodes; the names are those of the first such cell."


def draw_placements(
    report: StudyReport, data: StudyData, *, tones: Mapping[str, int]
) -> tuple[tuple[Figure, ...], int]:
    """Figures of the first placements and the number of all; `tones` maps names of jobs to colour numbers."""
    cells = data.by_cell
    groups = _groups(run for cell in report.cells for run in cells.get(cell.id, {}).values())
    figures = [
        _figure(group, number=number, tones=tones) for number, group in enumerate(groups[:MAX_PLACEMENTS], start=1)
    ]
    return tuple(figure for figure in figures if figure is not None), len(groups)


def _groups(runs: Iterable[Run]) -> tuple[tuple[Run, ...], ...]:
    """Runs grouped by placement: the same keyword, and the same nodes for the first job, the second, and so on."""
    by_placement: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        nodes = tuple(job.nodes for job in run.jobs)
        by_placement.setdefault((run.header.plan.placement, nodes, len(run.header.nodes)), []).append(run)
    return tuple(map(tuple, by_placement.values()))


def _figure(group: tuple[Run, ...], *, number: int, tones: Mapping[str, int]) -> Figure | None:
    style_numbers = {job.job: tones.get(job.name, job.job) for job in group[0].jobs}
    figure = draw_nodes(section_of(group[0], number=number), style_numbers=style_numbers)
    names = {tuple(job.name for job in run.jobs) for run in group}
    return figure if figure is None or len(names) == 1 else replace(figure, caption=figure.caption + _OTHER_JOBS_NOTE)
