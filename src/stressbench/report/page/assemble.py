"""The page: sections to views, views through one template."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from stressbench import __version__
from stressbench.formats.run import Run, Severity
from stressbench.report.document import Fact, Figure, Numbers
from stressbench.report.drawing import style
from stressbench.report.figures import figures_of
from stressbench.report.figures.impacts import Row, draw_rows
from stressbench.report.names import printable, short
from stressbench.report.page.provenance import command_of, facts_of, hosts_table
from stressbench.report.page.sheets import Sheet, sheet
from stressbench.report.page.tables import (
    Table,
    bandwidths_table,
    jobs_table,
    metrics_table,
    motifs_table,
    overview_table,
    tails_table,
)
from stressbench.report.page.template import environment, style_sheet
from stressbench.report.palette import tone_of
from stressbench.report.section import Section, section_of
from stressbench.report.words import findings, plans, progress

MOST_ROWS_IN_PAGE = 4000


@dataclass(frozen=True, kw_only=True)
class Caveat:
    """Something that the reader should doubt; `about` is a job's name or None for the run."""

    severity: str
    about: str | None
    text: str


@dataclass(frozen=True, kw_only=True)
class View:
    """A section as the template takes it: text, tables and drawn figures."""

    key: str
    title: str
    findings: tuple[str, ...]
    progress: str | None
    warnings: tuple[Caveat, ...]
    figures: tuple[tuple[Figure, Numbers, Sheet | None], ...]
    tails: Table
    plans: tuple[str, ...]
    tables: tuple[Table, ...]
    facts: tuple[Fact, ...]
    hosts: Table
    workload: str
    command: str


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What stands before the sections where there are several."""

    table: Table
    figure: Figure | None


def render(runs: Sequence[Run]) -> str:
    """The page of these runs, at least one, as HTML text."""
    sections = [section_of(run, number=number) for number, run in enumerate(runs, start=1)]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            title=_title(sections),
            views=[_view(section) for section in sections],
            overview=_overview(sections) if len(sections) > 1 else None,
            style=style_sheet(),
            version=__version__,
        )
    )


def _title(sections: Sequence[Section]) -> str:
    if len(sections) > 1:
        return f"StressBench: {len(sections)} runs"
    return f"StressBench: {printable(sections[0].run.header.workload.path.rpartition('/')[2])}"


def _view(section: Section) -> View:
    tables = (jobs_table(section), motifs_table(section), bandwidths_table(section), metrics_table(section))
    return View(
        key=section.key,
        title=printable(section.title),
        findings=findings(section),
        progress=progress(section),
        warnings=warnings_of(section),
        figures=tuple((figure, numbers, _sheet(section, numbers)) for figure, numbers in figures_of(section)),
        tails=tails_table(section),
        plans=plans(section),
        tables=tuple(table for table in tables if table is not None),
        facts=facts_of(section),
        hosts=hosts_table(section),
        workload=section.run.header.workload.text,
        command=command_of(section.run),
    )


def _sheet(section: Section, numbers: Numbers) -> Sheet | None:
    """The numbers within the page; None where they are too many for it."""
    if len(numbers.rows) > MOST_ROWS_IN_PAGE:
        return None
    return sheet(f"{section.key}-{numbers.name}.csv", numbers.head, numbers.rows)


def warnings_of(section: Section) -> tuple[Caveat, ...]:
    """The engine's events and the analysis' doubts; an incomplete run has its own banner."""
    names = [printable(job.name) for job in section.run.jobs]
    events = (
        Caveat(
            severity="error" if event.severity is Severity.error else "warning",
            about=names[event.job] if event.job is not None and event.job < len(names) else None,
            text=printable(event.message),
        )
        for event in section.summary.events
    )
    doubts = (
        Caveat(
            severity="warning", about=None if doubt.job is None else printable(doubt.job), text=printable(doubt.text)
        )
        for doubt in section.summary.warnings
        if doubt.kind != "incomplete"
    )
    return tuple(chain(events, doubts))


def _overview(sections: Sequence[Section]) -> Overview:
    rows = tuple(
        Row(
            label=f"{short(section.title, longest=22)}: {short(job.name, longest=20)}",
            tone=tone_of(job.job),
            impact=job.timing.impact,
            rounds=job.timing.rounds,
        )
        for section in sections
        for job in section.jobs
        if job.timing.impact.ratio is not None
    )
    with style():
        figure = (
            draw_rows(rows, key="overview-impacts", title="How much is each job slowed, run by run?") if rows else None
        )
    return Overview(table=overview_table(sections), figure=figure)
