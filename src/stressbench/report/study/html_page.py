"""The HTML page of a study: the first screen, then findings, tables and figures, then how to repeat the study."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import ModuleType

from stressbench.report.document import (
    Block,
    Collapsible,
    DataFile,
    Document,
    Facts,
    Figure,
    Findings,
    Heading,
    Link,
    Note,
    Notes,
    Paragraph,
    Role,
    Section,
    Table,
    keys_in,
)
from stressbench.report.drawing import style
from stressbench.report.figures import link_loads, network
from stressbench.report.names import printable
from stressbench.report.page_sections import as_sentence
from stressbench.report.questions import ANSWERS, study_links
from stressbench.report.run.options import ReportOptions
from stressbench.report.run.section import RunSection
from stressbench.report.study import overview
from stressbench.report.study.answers import FirstScreen, cell_text, first_screen
from stressbench.report.study.boxes import draw_boxes
from stressbench.report.study.heat import heat_maps
from stressbench.report.study.impacts import draw_impacts
from stressbench.report.study.links import CellLinks, cell_links, links_table
from stressbench.report.study.page_data import StudyPageData, page_data_of
from stressbench.report.study.placements import draw_placements
from stressbench.report.study.provenance import provenance_blocks
from stressbench.report.study.sentences import summary_of
from stressbench.report.study.tables import (
    WarningGroup,
    cells_table,
    factor_table,
    hosts_table,
    tails_table,
    warnings_of,
)
from stressbench.report.study.telemetry import telemetry_blocks
from stressbench.report.study.timeline import draw_timeline
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_MAX_EXPANDED_ROWS = 24
_MAX_JOBS_NAMED = 6
_LEAD = "The effect of congestion on each job in each cell of the study: measured in isolated and in contended rounds."
_FOOT = (
    "Congestion impact is the contended time of a job divided by its isolated time. With six or more runs of a cell "
    "its 95 % interval is that of the impacts of the runs and covers the variation between launches; with fewer it is "
    "that of all their blocks and does not."
)


@dataclass(frozen=True, kw_only=True)
class _Figures:
    """All figures of the page; `placements_in_all` also counts placements that are not drawn.

    `picture`: that of the first screen. `loads`: those of the links of its run.
    """

    picture: tuple[Figure | DataFile, ...]
    loads: tuple[Figure | DataFile, ...]
    impacts: Figure | None
    boxes: tuple[tuple[Figure, DataFile], ...]
    timeline: tuple[Figure, DataFile] | None
    placements: tuple[tuple[Figure, DataFile], ...]
    placements_in_all: int


def page(report: StudyReport, data: StudyData, options: ReportOptions) -> Document:
    """The page; sections without content are left out. Raises TopologyMistake as `first_screen` does."""
    page_data, links = page_data_of(report, data), cell_links(report, data)
    screen = first_screen(report, data, options)
    figures = _figures(report, data, page_data, screen)
    sections = _with_content((
        ("impacts", "Impacts by cell", _impacts(report, page_data, figures.impacts)),
        ("times", "Isolated and contended times", _times(page_data, figures)),
        ("tails", "Tails", tails_table(report, page_data)),
        ("matrix", "Pairwise slowdowns", heat_maps(report.matrices)),
        ("placements", "Placements", _placements(figures)),
        ("links", "Utilisation of network links", (*links_table(report, links), *figures.loads)),
        ("hosts", "Slowest hosts", hosts_table(page_data)),
        ("counters", "Counters of the hosts", telemetry_blocks(report, data)),
        ("doubts", "Before you rely on these numbers", _limitations(report, data)),
        ("order", "Runs in the order of execution", figures.timeline or ()),
        ("again", "How to repeat this study", provenance_blocks(report, data)),
    ))  # fmt: skip
    keys = [key for section in sections for key in (section.key, *keys_in(section.blocks))]
    summary = _summary(data, screen, figures, keys=keys)
    findings = _findings(report, page_data, links)
    return Document(
        title=printable(report.about or "A study"),
        lead=f"{_LEAD} {report.done:,} of {report.planned:,} runs are done.",
        sections=(*_with_content((("summary", "Summary", (*summary, *findings)),)), *sections),
        foot=_FOOT,
    )


def _with_content(sections: Iterable[tuple[str, str, Iterable[Block]]]) -> tuple[Section, ...]:
    with_blocks = ((key, title, tuple(blocks)) for key, title, blocks in sections)
    return tuple(Section(key=key, title=title, blocks=blocks) for key, title, blocks in with_blocks if blocks)


def _figures(report: StudyReport, data: StudyData, page_data: StudyPageData, screen: FirstScreen) -> _Figures:
    with style():
        placements, placements_in_all = draw_placements(report, data, tones=page_data.tones)
        return _Figures(
            picture=_picture(screen),
            loads=() if screen.section is None else _with_data_file(screen.section, link_loads),
            impacts=draw_impacts(report, page_data),
            boxes=draw_boxes(page_data, report.factors),
            timeline=draw_timeline(page_data),
            placements=placements,
            placements_in_all=placements_in_all,
        )


def _picture(screen: FirstScreen) -> tuple[Figure | DataFile, ...]:
    """The network of the worst cell if it is known, else an overview of all impacts."""
    drawn = () if screen.section is None else _with_data_file(screen.section, network)
    if drawn:
        return drawn
    drawn_overview = overview.draw(screen.verdicts)
    return () if drawn_overview is None else (drawn_overview, overview.data_file(screen.verdicts))


def _with_data_file(section: RunSection, figure: ModuleType) -> tuple[Figure | DataFile, ...]:
    """A figure of the run that stands for the worst cell, with its data; empty without data."""
    drawn = figure.draw(section)
    data_file = figure.data_file(section)
    if drawn is None:
        return ()
    return (drawn, replace(data_file, name=f"{section.key}-{data_file.name}")) if data_file.rows else (drawn,)


def _summary(data: StudyData, screen: FirstScreen, figures: _Figures, *, keys: Iterable[str]) -> Iterator[Block]:
    """The first screen: answers, one picture, and links to the other parts and to the page of the worst cell's run."""
    yield Facts(facts=screen.answers, prominent=True, key=f"study-{ANSWERS}")
    yield from figures.picture
    yield study_links((*keys, *keys_in(figures.picture)), more=_pages(data, screen))
    if (command := _page_command(data, screen)) is not None:
        yield Paragraph(text=command, role=Role.note)


def _pages(data: StudyData, screen: FirstScreen) -> Iterator[Link]:
    """Existing pages of runs of the worst cell, that of the run in the picture first."""
    worst = screen.verdicts.worst
    if worst is None:
        return
    runs = data.by_cell.get(worst.cell, {})
    for run in sorted(runs, key=lambda run: run != screen.run):
        if run in data.pages:
            cell = f" of the worst cell ({cell_text(worst.values)})" if worst.values else ""
            yield Link(text=f"Page of run {run}{cell}", path=data.pages[run])


def _page_command(data: StudyData, screen: FirstScreen) -> str | None:
    """The command that makes a page of the worst cell's run; None if there is a page, or no run file is known."""
    if screen.run is None or screen.run not in data.files or screen.run in data.pages:
        return None
    file = shlex.quote(str(PurePath(data.directory) / data.files[screen.run]))
    return f"A page of run {screen.run} alone, with the rounds of each job: `stressbench report {file}`"


def _findings(report: StudyReport, page_data: StudyPageData, links: CellLinks) -> Iterator[Block]:
    yield Heading(text="Largest effects")
    yield Findings(sentences=summary_of(report, page_data, links))
    known = sum(entry.job.impact.low is not None for entry in page_data.with_impact)
    if known > 1:
        yield Paragraph(
            text=f"Of {known:,} intervals of 95 %, {0.05 * known:.1f} miss the true value by chance on average: a "
            "single interval that barely excludes 1 is weak evidence.",
            role=Role.note,
        )


def _impacts(report: StudyReport, page_data: StudyPageData, figure: Figure | None) -> Iterator[Block]:
    table, data_file = cells_table(report, page_data)
    if (compact_table := factor_table(report, page_data)) is None:
        yield table
    else:
        yield compact_table
        yield _collapsible_table(table)
    yield data_file
    if figure is not None:
        yield figure
        yield Paragraph(text=f"Data of this figure: {data_file.name}.csv, above.", role=Role.key)


def _collapsible_table(table: Table) -> Collapsible:
    rows = len(table.rows)
    return Collapsible(
        summary=f"Every cell with its times ({rows})", blocks=(table,), expanded=rows <= _MAX_EXPANDED_ROWS
    )


def _times(page_data: StudyPageData, figures: _Figures) -> Iterator[Block]:
    for figure, data_file in figures.boxes:
        yield from (figure, data_file)
    jobs = {entry.job.name for entry in page_data.cell_jobs if len(entry.isolated_s) + len(entry.contended_s)}
    if figures.boxes and (omitted := len(jobs) - len(figures.boxes)):
        yield Paragraph(text=f"{omitted} more jobs are listed in the table only.", role=Role.note)


def _placements(figures: _Figures) -> Iterator[Block]:
    for figure, data_file in figures.placements:
        yield from (figure, data_file)
    shown = len(figures.placements)
    if shown and figures.placements_in_all > shown:
        yield Paragraph(text=f"The first {shown} of {figures.placements_in_all} placements.", role=Role.note)


def _limitations(report: StudyReport, data: StudyData) -> Iterator[Block]:
    notes = (
        *(Note(text=printable(as_sentence(note))) for note in report.notes),
        *(_note(one) for one in warnings_of(data)),
    )
    if notes:
        yield Notes(title="", notes=notes)


def _note(one: WarningGroup) -> Note:
    more = len(one.jobs) - _MAX_JOBS_NAMED
    named = ", ".join(one.jobs[:_MAX_JOBS_NAMED]) + (f" and {more} more" if more > 0 else "")
    about = f"`{one.kind}`, in {one.runs} {'run' if one.runs == 1 else 'runs'}" + (f" ({named})" if named else "")
    return Note(text=f"for example, {one.example}", severity=one.severity, about=about)
