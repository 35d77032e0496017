"""The HTML page of runs: an overview if there are several, then each run with its figures and provenance."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stressbench.formats.run import Run
from stressbench.report.document import (
    Block,
    BulletList,
    Collapsible,
    DataFile,
    Document,
    Facts,
    Figure,
    Findings,
    Heading,
    Notes,
    Paragraph,
    Preformatted,
    Role,
    Section,
)
from stressbench.report.drawing import style
from stressbench.report.figures import figures_of
from stressbench.report.figures.impacts import Row, draw_rows
from stressbench.report.names import printable, short
from stressbench.report.page_sections import provenance_blocks
from stressbench.report.palette import tone_of
from stressbench.report.questions import ANSWERS, DOUBTS, PROVENANCE, run_links
from stressbench.report.run.answers import answers
from stressbench.report.run.notes import notes_of
from stressbench.report.run.options import ReportOptions
from stressbench.report.run.provenance import command_of, facts_of, hosts_table
from stressbench.report.run.section import RunSection, section_of
from stressbench.report.run.sentences import findings, plans, progress
from stressbench.report.run.tables import (
    bandwidths_table,
    jobs_table,
    metrics_table,
    motifs_table,
    overview_table,
    tails_table,
)
from stressbench.report.run.telemetry import telemetry_blocks

_MAX_EXPANDED_HOSTS = 16
_LEAD = "The effect of congestion on each job: measured in isolated rounds, and in contended rounds with all jobs."
_FOOT = (
    "Congestion impact is the contended time of a job divided by its isolated time. Its interval is a 95 % confidence "
    "interval over blocks: each block consists of an isolated round of every job and one contended round, in random "
    "order, so that drift of the machine affects both alike. The interval covers the variation between rounds of one "
    "launch, not that between launches."
)


def page(runs: Sequence[Run], options: ReportOptions) -> Document:
    """The page of at least one run."""
    sections = [section_of(run, number=number, options=options) for number, run in enumerate(runs, start=1)]
    run_sections = [
        Section(
            key=section.key,
            title=printable(section.title),
            blocks=tuple(_blocks(section)),
            page_break=len(sections) > 1,
        )
        for section in sections
    ]
    if len(sections) == 1:
        title = f"StressBench: {printable(sections[0].run.header.workload.path.rpartition('/')[2])}"
        return Document(title=title, lead=_LEAD, sections=tuple(run_sections), foot=_FOOT)
    overview = Section(key="overview", title="Overview", blocks=tuple(_overview(sections)))
    return Document(
        title=f"StressBench: {len(sections)} runs", lead=_LEAD, sections=(overview, *run_sections), foot=_FOOT
    )


def _overview(sections: Sequence[RunSection]) -> Iterator[Block]:
    yield overview_table(sections)
    rows = tuple(
        Row(
            label=f"{short(section.title, max_length=22)}: {short(job.name, max_length=20)}",
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
            yield from (figure, _impacts_data(sections))


def _impacts_data(sections: Sequence[RunSection]) -> DataFile:
    """One row per run and job that has an impact."""
    return DataFile(
        name="overview-impacts", head=("run", "job", "impact", "impact_low", "impact_high", "blocks"),
        rows=tuple(
            (
                section.title, job.name, job.timing.impact.ratio, job.timing.impact.low, job.timing.impact.high,
                job.timing.impact.paired_blocks,
            )
            for section in sections
            for job in section.jobs
            if job.timing.impact.ratio is not None
        ),
    )  # fmt: skip


def _blocks(section: RunSection) -> Iterator[Block]:
    if (incomplete := progress(section)) is not None:
        yield Paragraph(text=incomplete, role=Role.banner)
    yield Facts(facts=answers(section), prominent=True, key=f"{section.key}-{ANSWERS}")
    figures = figures_of(section)
    picture = [block for one in figures[:1] for block in _with_data_file(section, *one)]
    rest = tuple(_rest(section, figures[1:]))
    yield from picture
    yield run_links((*picture, *rest), prefix=section.key, subject=printable(section.title))
    yield from rest


def _rest(section: RunSection, figures: Sequence[tuple[Figure, DataFile]]) -> Iterator[Block]:
    """What follows the first screen."""
    yield Heading(text="Each job")
    yield Findings(sentences=findings(section))
    if notes := notes_of(section):
        yield Notes(notes=notes, key=f"{section.key}-{DOUBTS}")
    yield jobs_table(section)
    for figure, data_file in figures:
        yield from _with_data_file(section, figure, data_file)
    yield Heading(text="Medians and tails")
    yield tails_table(section)
    if plan_sentences := plans(section):
        yield Heading(text="Additional rounds needed")
        yield BulletList(items=plan_sentences)
    yield Heading(text="Motifs")
    tables = (motifs_table(section), bandwidths_table(section), metrics_table(section))
    yield from (table for table in tables if table is not None)
    if (telemetry := section.summary.telemetry) is not None:
        yield Heading(text="Counters of the hosts")
        yield from telemetry_blocks(telemetry, section.jobs, key=f"{section.key}-")
    yield from provenance_blocks(facts_of(section), key=f"{section.key}-{PROVENANCE}")
    yield from _reproduction(section)


def _with_data_file(section: RunSection, figure: Figure, data_file: DataFile) -> tuple[Block, ...]:
    run_data_file = replace(
        data_file,
        name=f"{section.key}-{data_file.name}",
        file=data_file.name,
        command="stressbench report --data DIR",
    )
    return figure, run_data_file


def _reproduction(section: RunSection) -> Iterator[Block]:
    """The hosts of the run, the command that repeats it, and its workload."""
    hosts = hosts_table(section)
    rows = len(hosts.rows)
    yield Collapsible(summary=f"Hosts ({rows})", blocks=(hosts,), expanded=rows <= _MAX_EXPANDED_HOSTS)
    yield Heading(text="How to repeat this run")
    yield Paragraph(text="Save the workload under its name and start the same number of ranks with the same seed:")
    yield Preformatted(text=command_of(section.run))
    workload = Preformatted(text=section.run.header.workload.text)
    yield Collapsible(summary="Workload", blocks=(workload,), expanded=True)
