"""A study as a few facts: what was run, who was slowed by how much, tails, links, and how to repeat it."""

import shlex
from collections.abc import Iterator, Sequence

from stressbench.report.document import Document, Fact
from stressbench.report.names import printable
from stressbench.report.run.abstract import limits_text
from stressbench.report.run.options import VerdictLimits
from stressbench.report.run.sentences import percent_name
from stressbench.report.study.links import CellLink, cell_links
from stressbench.report.study.page_data import factor_text_of
from stressbench.report.units import bit_rate, count, multiplier_text, percent
from stressbench.results.study import CellResult, JobResult, StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import TailImpact

_MOST_NAMED = 3
_PROJECT = "StressBench"
_Result = tuple[CellResult, JobResult]


def summarised(report: StudyReport, data: StudyData, limits: VerdictLimits) -> Document:
    """The document of the summary: a heading and seven facts."""
    return Document(title=report.about, sections=(), abstract=tuple(_facts(report, data, limits)))


def _facts(report: StudyReport, data: StudyData, limits: VerdictLimits) -> Iterator[Fact]:
    results = [(cell, job) for cell in report.cells for job in cell.jobs if job.plan is not None]
    yield Fact(name=_PROJECT, value=printable(report.about or data.name))
    yield Fact(name="What was run", value=_what(report))
    yield Fact(name="Who is slowed", value=_slowed(report, results, limit=limits.slowed_above))
    yield Fact(name="Other results", value=_others(results, limit=limits.slowed_above))
    yield Fact(name="Tail", value=_tail(report, results, limit=limits.tail_above))
    yield Fact(name="Busiest link", value=_busiest(report, data))
    yield Fact(name="Limits", value=limits_text(limits, warnings=len(report.notes)))
    command = f"stressbench study run {shlex.quote(printable(data.name))} -o again"
    yield Fact(name="Reproduce", value=command, is_code=True)


def _what(report: StudyReport) -> str:
    factors = {name: len({cell.values.get(name, "") for cell in report.cells}) for name in report.factors}
    varied = ", ".join(f"{printable(name)} with {count(values, 'value')}" for name, values in factors.items())
    fixed = ", ".join(f"{printable(name)} = {printable(value)}" for name, value in report.fixed.items())
    failed = f", {count(len(report.failures), 'run')} failed" if report.failures else ""
    return (
        f"{report.done:,} of {count(report.planned, 'run')} of {count(len(report.cells), 'cell')}{failed}"
        f"{f'; {varied}' if varied else ''}{f'; {fixed}' if fixed else ''}"
    )


def _slowed(report: StudyReport, results: Sequence[_Result], *, limit: float) -> str:
    above = [one for one in results if (one[1].impact.low or 0.0) > limit]
    above.sort(key=lambda one: -(one[1].impact.ratio or 0.0))
    if not above:
        known = any(job.impact.low is not None for _, job in results)
        return "No result is shown to be slowed beyond the limit." if known else "Unknown: there is no interval."
    named = "; ".join(f"{_subject(report, cell, job)} {_impact(job)}" for cell, job in above[:_MOST_NAMED])
    more = f"; and {len(above) - _MOST_NAMED:,} more" if len(above) > _MOST_NAMED else ""
    return f"{len(above):,} of {count(len(results), 'result')}: {named}{more}."


def _others(results: Sequence[_Result], *, limit: float) -> str:
    unknown = sum(job.impact.low is None or job.impact.high is None for _, job in results)
    clear = sum(job.impact.high is not None and job.impact.high <= limit for _, job in results)
    slowed = sum((job.impact.low or 0.0) > limit for _, job in results)
    undecided = len(results) - slowed - clear - unknown
    return f"{clear:,} not slowed, {undecided:,} undecided, {unknown:,} without an interval."


def _tail(report: StudyReport, results: Sequence[_Result], *, limit: float) -> str:
    known = [
        (cell, job, tail) for cell, job in results for tail in job.tails if tail.share > 0.5 and tail.low is not None
    ]
    if not known:
        return "Unknown: too few repetitions (percentile 95 takes 72 isolated and 72 contended ones, 99 takes 368)."
    longer = [one for one in known if (one[2].low or 0.0) > limit]
    cell, job, tail = max(longer or known, key=lambda one: one[2].ratio or 0.0)
    text = f"percentile {percent_name(tail.share)} of {_subject(report, cell, job)} is {_tail_text(tail)} as long"
    return f"{text} when contended." if longer else f"No tail is shown to be longer beyond the limit; at most, {text}."


def _tail_text(tail: TailImpact) -> str:
    return multiplier_text(tail.ratio or 0.0, tail.low, tail.high)


def _busiest(report: StudyReport, data: StudyData) -> str:
    links = cell_links(report, data)
    first = [(cell, links[cell.id][0]) for cell in report.cells if cell.id in links]
    if not first:
        return "Unknown: the runs have no link counters."
    cell, link = max(first, key=lambda one: one[1].contended or 0.0)
    where = factor_text_of(cell, report.factors)
    return f"{_link_text(link)}{f' with {where}' if where else ''}."


def _link_text(link: CellLink) -> str:
    use = "an unknown share" if link.contended is None else f"{percent(link.contended)} %"
    drops = f", {link.drops:,} frames lost" if link.drops else ""
    return f"{link.name}: {use} of {bit_rate(link.rate_bits_per_s)} in contended rounds{drops}"


def _subject(report: StudyReport, cell: CellResult, job: JobResult) -> str:
    where = factor_text_of(cell, report.factors)
    return f"{printable(job.name)}{f' with {where}' if where else ''}"


def _impact(job: JobResult) -> str:
    return multiplier_text(job.impact.ratio or 0.0, job.impact.low, job.impact.high)
