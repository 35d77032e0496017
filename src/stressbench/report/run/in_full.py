"""The HTML page of runs: an overview if there are several, then each run with its figures and provenance."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stressbench.formats.run import Run
from stressbench.report.chapters import origin
from stressbench.report.document import (
    Block,
    Details,
    Document,
    Figure,
    Findings,
    Heading,
    Listed,
    Listing,
    Notes,
    Numbers,
    Paragraph,
    Role,
    Section,
)
from stressbench.report.drawing import style
from stressbench.report.figures import figures_of
from stressbench.report.figures.impacts import Row, draw_rows
from stressbench.report.names import printable, short
from stressbench.report.palette import tone_of
from stressbench.report.run.doubts import notes_of
from stressbench.report.run.provenance import command_of, facts_of, hosts_table
from stressbench.report.run.section import RunSection, section_of
from stressbench.report.run.tables import (
    bandwidths_table,
    jobs_table,
    metrics_table,
    motifs_table,
    overview_table,
    tails_table,
)
from stressbench.report.run.words import findings, plans, progress

_HOSTS_UNFOLDED = 16
_LEAD = "The effect of congestion on each job: measured in isolated rounds, and in contended rounds with all jobs."
_FOOT = (
    "Congestion impact is the contended time of a job divided by its isolated time. Its interval is a 95 % confidence "
    "interval over blocks: each block consists of an isolated round of every job and one contended round, in random "
    "order, so that drift of the machine affects both alike. The interval covers the variation between rounds of one "
    "launch, not that between launches."
)


def page(runs: Sequence[Run]) -> Document:
    """The page of at least one run."""
    sections = [section_of(run, number=number) for number, run in enumerate(runs, start=1)]
    chapters = [
        Section(
            key=section.key, title=printable(section.title), blocks=tuple(_blocks(section)), new_sheet=len(sections) > 1
        )
        for section in sections
    ]
    if len(sections) == 1:
        title = f"StressBench: {printable(sections[0].run.header.workload.path.rpartition('/')[2])}"
        return Document(title=title, lead=_LEAD, sections=tuple(chapters), foot=_FOOT)
    overview = Section(key="overview", title="Overview", blocks=tuple(_overview(sections)))
    return Document(title=f"StressBench: {len(sections)} runs", lead=_LEAD, sections=(overview, *chapters), foot=_FOOT)


def _overview(sections: Sequence[RunSection]) -> Iterator[Block]:
    yield overview_table(sections)
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
    if rows:
        with style():
            figure = draw_rows(rows, key="overview-impacts", title="Congestion impact of each job, by run")
        if figure is not None:
            yield figure


def _blocks(section: RunSection) -> Iterator[Block]:
    if (incomplete := progress(section)) is not None:
        yield Paragraph(text=incomplete, role=Role.banner)
    yield Findings(sentences=findings(section))
    if doubts := notes_of(section):
        yield Notes(notes=doubts)
    yield jobs_table(section)
    for figure, numbers in figures_of(section):
        yield from _with_numbers(section, figure, numbers)
    yield Heading(text="Medians and tails")
    yield tails_table(section)
    if told := plans(section):
        yield Heading(text="Additional rounds needed")
        yield Listed(items=told)
    yield Heading(text="Motifs")
    tables = (motifs_table(section), bandwidths_table(section), metrics_table(section))
    yield from (table for table in tables if table is not None)
    yield from origin(facts_of(section))
    yield from _again(section)


def _with_numbers(section: RunSection, figure: Figure, numbers: Numbers) -> tuple[Block, ...]:
    kept = replace(
        numbers, name=f"{section.key}-{numbers.name}", file=numbers.name, command="stressbench report --data FOLDER"
    )
    return figure, kept


def _again(section: RunSection) -> Iterator[Block]:
    """The hosts of the run, the command that repeats it, and its workload."""
    hosts = hosts_table(section)
    rows = len(hosts.rows)
    yield Details(summary=f"Hosts ({rows})", blocks=(hosts,), opened=rows <= _HOSTS_UNFOLDED)
    yield Heading(text="How to repeat this run")
    yield Paragraph(text="Save the workload under its name and start the same number of ranks with the same seed:")
    yield Listing(text=command_of(section.run))
    workload = Listing(text=section.run.header.workload.text)
    yield Details(summary="Workload", blocks=(workload,), opened=True)
