"""Placements of jobs: one figure per placement of the study, as in Fig. 3 of the StressBench paper."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stressbench.formats.run import Run
from stressbench.report.document import DataFile, Figure
from stressbench.report.figures.placement import data_file, draw_nodes
from stressbench.report.run.section import section_of
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

MAX_PLACEMENTS = 12
_OTHER_JOBS_NOTE = " Other cells place other jobs on the same nodes; the names are those of the first such cell."


def draw_placements(
    report: StudyReport, data: StudyData, *, tones: Mapping[str, int]
) -> tuple[tuple[tuple[Figure, DataFile], ...], int]:
    """Figures of the first placements, each with its data, and the number of all placements.

    `tones` maps names of jobs to colour numbers.
    """
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


def _figure(group: tuple[Run, ...], *, number: int, tones: Mapping[str, int]) -> tuple[Figure, DataFile] | None:
    style_numbers = {job.job: tones.get(job.name, job.job) for job in group[0].jobs}
    section = section_of(group[0], number=number)
    figure = draw_nodes(section, style_numbers=style_numbers)
    if figure is None:
        return None
    names = {tuple(job.name for job in run.jobs) for run in group}
    if len(names) > 1:
        figure = replace(figure, caption=figure.caption + _OTHER_JOBS_NOTE)
    data = replace(data_file(section), name=f"placement-{number}", command="stressbench study report STUDY --data DIR")
    return figure, data
