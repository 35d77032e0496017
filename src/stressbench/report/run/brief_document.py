"""The document of runs without figures: findings, jobs, percentiles, plans, and limitations."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stressbench.formats.run import Run
from stressbench.report.document import (
    Block,
    BulletList,
    Cell,
    Document,
    Facts,
    Findings,
    Heading,
    Interval,
    Notes,
    Paragraph,
    Section,
    Table,
    columns,
)
from stressbench.report.names import printable
from stressbench.report.run.abstract import abstract_of
from stressbench.report.run.answers import answers
from stressbench.report.run.notes import notes_of
from stressbench.report.run.options import ReportOptions
from stressbench.report.run.records import records_of
from stressbench.report.run.section import RunSection, section_of
from stressbench.report.run.sentences import findings, plans, progress
from stressbench.report.run.tables import jobs_table, tails_table
from stressbench.report.units import plain_ratio, plain_time
from stressbench.stats import JobSummary, median_of

_THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
_CAPTION = (
    f"Impact: contended over isolated time of a job, with its 95{_THIN_SPACE}% interval; p99: contended over isolated "
    "percentile 99 of its repetitions, with its."
)


def brief(runs: Sequence[Run], options: ReportOptions) -> Document:
    """The document with one section per run."""
    sections = [section_of(run, number=number, options=options) for number, run in enumerate(runs, start=1)]
    return Document(
        title="Runs",
        sections=tuple(Section(title=section.title, blocks=tuple(_blocks(section))) for section in sections),
        records=records_of(sections),
        value=[section.summary for section in sections],
        summary=_summary(sections),
        abstract=abstract_of(sections),
    )


def _blocks(section: RunSection) -> Iterator[Block]:
    if (incomplete := progress(section)) is not None:
        yield Paragraph(text=incomplete)
    yield Facts(facts=answers(section))
    yield Findings(sentences=findings(section))
    yield from _with_caption_above(jobs_table(section))
    yield Heading(text="Medians and tails")
    yield from _with_caption_above(tails_table(section))
    if plan_sentences := plans(section):
        yield Heading(text="Additional rounds needed")
        yield BulletList(items=plan_sentences)
    if notes := notes_of(section):
        yield Notes(notes=notes)


def _with_caption_above(table: Table) -> tuple[Block, ...]:
    """The caption as a paragraph, then the table without it."""
    return Paragraph(text=table.caption), replace(table, caption="")


def _summary(sections: Sequence[RunSection]) -> Table:
    interval = f"95{_THIN_SPACE}%"
    return Table(
        columns=columns(texts=("run", "job"), numbers=("isolated", "contended", "impact", interval, "p99", interval)),
        rows=tuple((printable(section.title), *_row(job)) for section in sections for job in section.jobs),
        caption=_CAPTION,
    )


def _row(job: JobSummary) -> tuple[Cell, ...]:
    impact, distributions = job.timing.impact, (job.timing.isolated_s, job.timing.contended_s)
    tail = next(tail for tail in job.timing.tails if tail.share == 0.99)
    return (
        printable(job.name), *(plain_time(median_of(distribution)) for distribution in distributions),
        plain_ratio(impact.ratio), Interval(low=impact.low, high=impact.high),
        plain_ratio(tail.ratio), Interval(low=tail.low, high=tail.high),
    )  # fmt: skip
