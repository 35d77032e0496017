"""The document of a study without figures: impacts, tails, pairwise slowdowns, failed runs, and notes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stressbench.report.document import (
    Block,
    BulletList,
    Cell,
    Document,
    Fact,
    Facts,
    Heading,
    Interval,
    Note,
    Notes,
    Paragraph,
    Section,
    Table,
    columns,
    table_columns,
)
from stressbench.report.run.options import ReportOptions
from stressbench.report.study.answers import first_screen
from stressbench.report.study.records import Row, records_of, rows_of
from stressbench.report.study.tails import TAIL_SHARES, study_plan, tail_of, tail_text
from stressbench.report.study.telemetry import telemetry_sentences
from stressbench.report.study.verdicts import StudyVerdicts
from stressbench.report.units import plain_interval, plain_ratio, plain_time, probability
from stressbench.results.matrix import Matrix
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_NO_TITLE = "A study"
_IMPACT = "Congestion impact: contended time over isolated time of a job; 1 is no impact. Intervals are of 95 %."
_TAILS = (
    "Tail impact: the percentile contended over the percentile isolated, of all runs' repetitions. P(slower): "
    "the share of pairs of an isolated and a contended round in which the contended one is the slower."
)


@dataclass(frozen=True, kw_only=True)
class _ReportWithVerdicts(StudyReport):
    """The results with the verdicts and the sentences of the first screen by their names, for JSON."""

    verdicts: StudyVerdicts
    answers: Mapping[str, str]


def brief(report: StudyReport, data: StudyData, options: ReportOptions) -> Document:
    """The document for formats without figures. Raises TopologyMistake as `first_screen` does."""
    title = report.about or _NO_TITLE
    screen = first_screen(report, data, options)
    texts = {fact.name.lower().replace(" ", "_"): fact.value for fact in screen.answers}
    return Document(
        title=title,
        sections=(Section(blocks=tuple(_blocks(report, data, screen.answers))),),
        records=records_of(report),
        value=_ReportWithVerdicts(**vars(report), verdicts=screen.verdicts, answers=texts),
        summary=_summary(report),
    )


def _summary(report: StudyReport) -> Table:
    return Table(
        columns=columns(
            texts=(*report.factors, "job"), numbers=("isolated", "contended", "impact", "95\N{NARROW NO-BREAK SPACE}%")
        ),
        rows=tuple((*row.values, *_impact(row)) for row in rows_of(report)),
        caption=f"{report.about or _NO_TITLE}. Impact: contended over isolated time of a job, with its "
        f"95\N{NARROW NO-BREAK SPACE}% interval; {report.done} of {report.planned} runs.",
    )


def _impact(row: Row) -> tuple[Cell, ...]:
    if row.job is None:
        return (None,) * 5
    job = row.job
    ratio, interval = plain_ratio(job.impact.ratio), Interval(low=job.impact.low, high=job.impact.high)
    return (job.name, plain_time(job.isolated_s), plain_time(job.contended_s), ratio, interval)


def _blocks(report: StudyReport, data: StudyData, answers: tuple[Fact, ...]) -> Iterator[Block]:
    yield Paragraph(text=f"{report.done} of {report.planned} runs are done.")
    yield Facts(facts=answers)
    if report.fixed:
        yield Paragraph(text=f"In all cells: {', '.join(f'{k} = {v}' for k, v in report.fixed.items())}.")
    yield Paragraph(text=_IMPACT)
    yield Table(
        columns=table_columns(
            (*report.factors, "job", "isolated", "contended", "impact", "95 %", "runs"), text_columns=1
        ),
        rows=tuple((*row.values, *_impact(row), _runs(row)) for row in rows_of(report)),
    )
    known = [(row, row.job) for row in rows_of(report) if row.job is not None]
    if known:
        yield Heading(text="Tails, and additional rounds needed")
        yield Paragraph(text=_TAILS)
        yield Table(
            columns=table_columns(
                (*report.factors, "job", "p99", "p99.9", "P(slower)", "rounds needed"), text_columns=1
            ),
            rows=tuple(
                (*row.values, job.name, *(tail_text(tail_of(job, share)) for share in TAIL_SHARES),
                 probability(job.superiority), study_plan(job))
                for row, job in known
            ),
        )  # fmt: skip
    for matrix in report.matrices:
        yield from _matrix(matrix)
    if counted := telemetry_sentences(report, data):
        yield Heading(text="Counters of the hosts")
        yield BulletList(items=counted)
    if report.failures:
        yield Table(
            title="Failed runs",
            columns=table_columns(("run", "values", "attempts", "status", "reason"), text_columns=5),
            rows=tuple(
                (one.run, ", ".join(f"{name} = {value}" for name, value in one.values.items()), str(one.attempts),
                 None if one.status is None else str(one.status), one.reason)
                for one in report.failures
            ),
        )  # fmt: skip
    if report.notes:
        yield Notes(title="Notes", notes=tuple(Note(text=note) for note in report.notes))


def _runs(row: Row) -> str:
    done, planned = row.cell.done, row.cell.planned
    return str(done) if done == planned else f"{done} of {planned}"


def _matrix(matrix: Matrix) -> Iterator[Block]:
    factor_values = ", ".join(f"{name} = {value}" for name, value in matrix.where.items())
    yield Heading(text="Pairwise slowdowns" + (f": {factor_values}" if factor_values else ""))
    yield Paragraph(text="Rows: victims; columns: aggressors. Numbers: contended over isolated time.")
    standings = {one.name: one for one in matrix.standings}
    yield Table(
        columns=table_columns(("", *(f"beside {job}" for job in matrix.jobs), "slowed down (mean)"), text_columns=1),
        rows=(
            *(
                (victim, *(_field(matrix, victim, aggressor) for aggressor in matrix.jobs),
                 plain_ratio(standings[victim].suffers))
                for victim in matrix.jobs
            ),
            ("slows others (mean)", *(plain_ratio(standings[job].causes) for job in matrix.jobs), ""),
        ),
    )  # fmt: skip
    if matrix.groups:
        yield Table(
            columns=table_columns(("job", "beside", "impact", "95 %"), text_columns=2),
            rows=tuple(
                (one.victim, " + ".join(one.beside), plain_ratio(one.impact.ratio),
                 Interval(low=one.impact.low, high=one.impact.high))
                for one in matrix.groups
            ),
        )  # fmt: skip
    yield Paragraph(text=f"Aggressor: {matrix.aggressor or 'none'}. Victim: {matrix.victim or 'none'}.")
    yield Paragraph(text=f"Advice: {matrix.advice}.")


def _field(matrix: Matrix, victim: str, aggressor: str) -> str | None:
    entry = matrix.entry(victim, aggressor)
    if entry is None:
        return None
    return f"{plain_ratio(entry.impact.ratio)} {plain_interval(entry.impact.low, entry.impact.high)}"
