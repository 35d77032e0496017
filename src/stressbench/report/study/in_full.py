"""The HTML page of a study: findings, then tables and figures, then how to repeat the study."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.report.document import (
    Block,
    Details,
    Document,
    Figure,
    Findings,
    Note,
    Notes,
    Numbers,
    Paragraph,
    Role,
    Section,
    Table,
)
from stressbench.report.drawing import style
from stressbench.report.names import printable
from stressbench.report.study.boxes import draw_boxes
from stressbench.report.study.evidence import Evidence, evidence_of
from stressbench.report.study.heat import heat_maps
from stressbench.report.study.impacts import draw_impacts
from stressbench.report.study.links import CellLinks, cell_links, links_table
from stressbench.report.study.origin import origin_of
from stressbench.report.study.placements import draw_placements
from stressbench.report.study.tables import Warned, crossed, every_cell, hosts_table, tails_table, warnings_of
from stressbench.report.study.timeline import draw_timeline
from stressbench.report.study.words import summary_of
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_ROWS_UNFOLDED = 24
_JOBS_NAMED = 6
_LEAD = "The effect of congestion on each job in each cell of the study: measured in isolated and in contended rounds."
_FOOT = (
    "Congestion impact is the contended time of a job divided by its isolated time. With six or more runs of a cell "
    "its 95 % interval is that of the impacts of the runs and covers the variation between launches; with fewer it is "
    "that of all their blocks and does not."
)


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """All figures of the page; `placements_in_all` also counts placements that are not drawn."""

    impacts: Figure | None
    boxes: tuple[tuple[Figure, Numbers], ...]
    timeline: tuple[Figure, Numbers] | None
    placements: tuple[Figure, ...]
    placements_in_all: int


def page(report: StudyReport, data: StudyData) -> Document:
    """The page; sections without content are left out."""
    evidence, links = evidence_of(report, data), cell_links(report, data)
    drawn = _drawn(report, data, evidence)
    sections = (
        ("summary", "Summary", _summary(report, evidence, links)),
        ("impacts", "Impacts by cell", _impacts(report, evidence, drawn.impacts)),
        ("times", "Isolated and contended times", _times(evidence, drawn)),
        ("tails", "Tails", tails_table(report, evidence)),
        ("matrix", "Pairwise slowdowns", heat_maps(report.matrices)),
        ("placements", "Placements", _placements(drawn)),
        ("links", "Utilisation of network links", links_table(report, links)),
        ("hosts", "Slowest hosts", hosts_table(evidence)),
        ("doubts", "Before you rely on these numbers", _doubts(report, data)),
        ("order", "Runs in the order of execution", drawn.timeline or ()),
        ("again", "How to repeat this study", origin_of(report, data)),
    )
    made = ((key, title, tuple(blocks)) for key, title, blocks in sections)
    return Document(
        title=printable(report.about or "A study"),
        lead=f"{_LEAD} {report.done:,} of {report.planned:,} runs are done.",
        sections=tuple(Section(key=key, title=title, blocks=blocks) for key, title, blocks in made if blocks),
        foot=_FOOT,
    )


def _drawn(report: StudyReport, data: StudyData, evidence: Evidence) -> _Drawn:
    with style():
        placements, placements_in_all = draw_placements(report, data, tones=evidence.tones)
        return _Drawn(
            impacts=draw_impacts(report, evidence),
            boxes=draw_boxes(evidence, report.factors),
            timeline=draw_timeline(evidence),
            placements=placements,
            placements_in_all=placements_in_all,
        )


def _summary(report: StudyReport, evidence: Evidence, links: CellLinks) -> Iterator[Block]:
    yield Findings(sentences=summary_of(report, evidence, links))
    known = sum(line.job.impact.low is not None for line in evidence.known)
    if known > 1:
        yield Paragraph(
            text=f"Of {known:,} intervals of 95 %, {0.05 * known:.1f} miss the true value by chance on average: a "
            "single interval that barely excludes 1 is weak evidence.",
            role=Role.note,
        )


def _impacts(report: StudyReport, evidence: Evidence, figure: Figure | None) -> Iterator[Block]:
    table, numbers = every_cell(report, evidence)
    if (short := crossed(report, evidence)) is None:
        yield table
    else:
        yield short
        yield _folded(table)
    yield numbers
    if figure is not None:
        yield figure
        yield Paragraph(text=f"Data of this figure: {numbers.name}.csv, above.", role=Role.key)


def _folded(table: Table) -> Details:
    rows = len(table.rows)
    return Details(summary=f"Every cell with its times ({rows})", blocks=(table,), opened=rows <= _ROWS_UNFOLDED)


def _times(evidence: Evidence, drawn: _Drawn) -> Iterator[Block]:
    for figure, numbers in drawn.boxes:
        yield from (figure, numbers)
    jobs = {line.job.name for line in evidence.lines if len(line.isolated_s) + len(line.contended_s)}
    if drawn.boxes and (left := len(jobs) - len(drawn.boxes)):
        yield Paragraph(text=f"{left} more jobs are listed in the table only.", role=Role.note)


def _placements(drawn: _Drawn) -> Iterator[Block]:
    yield from drawn.placements
    shown = len(drawn.placements)
    if shown and drawn.placements_in_all > shown:
        yield Paragraph(text=f"The first {shown} of {drawn.placements_in_all} placements.", role=Role.note)


def _doubts(report: StudyReport, data: StudyData) -> Iterator[Block]:
    notes = (
        *(Note(text=printable(note)) for note in report.notes),
        *(_note(one) for one in warnings_of(data)),
    )
    if notes:
        yield Notes(title="", notes=notes)


def _note(one: Warned) -> Note:
    more = len(one.jobs) - _JOBS_NAMED
    named = ", ".join(one.jobs[:_JOBS_NAMED]) + (f" and {more} more" if more > 0 else "")
    about = f"{one.kind}, in {one.runs} {'run' if one.runs == 1 else 'runs'}" + (f" ({named})" if named else "")
    return Note(text=f"for example, {one.example}", severity=one.severity, about=about)
