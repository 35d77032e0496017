"""Findings of a study as sentences: the largest effects, then inconclusive, failed and missing results."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from stressbench.report.names import printable
from stressbench.report.study.links import CellLink
from stressbench.report.study.page_data import CellJob, StudyPageData, factor_text_of
from stressbench.report.units import count, factor, interval
from stressbench.results.study import StudyReport

MAX_SENTENCES = 6
_MAX_NAMED = 4
_RIGHT_TO_LEFT = ("R", "AL")
_ISOLATE, _POP_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def bidi_isolated(text: str) -> str:
    """The printable text; with right-to-left letters in a Unicode isolate, so that it cannot reorder its sentence."""
    text = printable(text)
    right_to_left = any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in text)
    return f"{_ISOLATE}{text}{_POP_ISOLATE}" if right_to_left else text


def summary_of(
    report: StudyReport, page_data: StudyPageData, links: Mapping[str, Sequence[CellLink]]
) -> tuple[str, ...]:  # fmt: skip
    """The summary of the page as sentences."""
    sentences = [*_effects(page_data, links), *_inconclusive(page_data), *_missing_results(report)]
    return (
        tuple(sentences) if report.done else ("No run is done yet, so there are no results.", *_missing_results(report))
    )


def finding_of(page_data: StudyPageData) -> str:
    """The title of the figure of impacts: the largest significant slowdown, if any."""
    if page_data.slowed:
        worst = page_data.slowed[0]
        return f"{worst.name} is slowed down most, {_impact_text(worst)}{_with_factors(worst)}"
    if any(entry.job.impact.low is not None for entry in page_data.with_impact):
        return "No job is significantly slowed down"
    return "No confidence interval is available yet"


def _effects(page_data: StudyPageData, links: Mapping[str, Sequence[CellLink]]) -> Iterator[str]:
    slowed = page_data.slowed
    for entry in slowed[:MAX_SENTENCES]:
        yield (
            f"{_slowdown_clause(entry)} {_impact_text(entry)}{_with_factors(entry)}"
            f"{_link_text(entry, links.get(entry.cell.id, ()))}."
        )
    further = slowed[MAX_SENTENCES:]
    if further:
        least, most = (factor(entry.job.impact.ratio) for entry in (further[-1], further[0]))
        span = f"{most}×" if least == most else f"{least}× to {most}×"
        yield (f"{count(len(further), 'more significant slowdown')} of {span}: see the table.")
    if not slowed and any(entry.job.impact.low is not None for entry in page_data.with_impact):
        yield "No job is significantly slowed down: no 95 % interval lies above 1."
    faster = [
        entry for entry in page_data.with_impact if entry.job.impact.high is not None and entry.job.impact.high < 1
    ]
    if faster:
        yield f"Faster when contended, so check what else changed: {_listed(faster)}."


def _slowdown_clause(entry: CellJob) -> str:
    name = bidi_isolated(entry.job.name)
    if len(entry.other_jobs) == 1:
        return f"{bidi_isolated(entry.other_jobs[0])} slows down {name}"
    return f"{name} is slowed down" + (f" by {len(entry.other_jobs):,} other jobs" if entry.other_jobs else "")


def _impact_text(entry: CellJob) -> str:
    impact = entry.job.impact
    return f"{factor(impact.ratio)}×" + ("" if impact.low is None else f" {interval(impact.low, impact.high)}")


def _with_factors(entry: CellJob) -> str:
    return f" with {bidi_isolated(entry.factor_text)}" if entry.factor_text else ""


def _link_text(entry: CellJob, links: Sequence[CellLink]) -> str:
    """The link that lost the most frames, or else the busiest link; empty without link counters."""
    most_drops = max(links, key=lambda link: link.drops, default=None)
    if most_drops is None:
        return ""
    link, description = (most_drops, "most frames lost on") if most_drops.drops else (links[0], "busiest:")
    shares = [
        f"{share:.0%} {kind}".replace("%", "\N{NO-BREAK SPACE}%")
        for kind, share in (
            ("in its isolated rounds", link.isolated_share(entry.job.name)),
            ("contended", link.contended),
        )
        if share is not None
    ]
    return f"; {description} link {bidi_isolated(link.name)}" + (f" ({', '.join(shares)})" if shares else "")


def _inconclusive(page_data: StudyPageData) -> Iterator[str]:
    measured = [entry for entry in page_data.cell_jobs if entry.measured]
    inconclusive = [entry for entry in measured if _interval_includes_one(entry)]
    if inconclusive:
        widest = sorted(inconclusive, key=lambda entry: -((entry.job.impact.high or 1) / (entry.job.impact.low or 1)))
        yield (
            f"Inconclusive for {len(inconclusive):,} of {count(len(measured), 'result')}, whose interval includes 1 "
            f"(the widest first): {_listed(widest)}."
        )
    without_interval = sorted(
        (entry for entry in measured if entry.job.impact.low is None),
        key=lambda entry: -(entry.job.impact.ratio or 0.0),
    )
    if without_interval:
        reason = without_interval[0].job.impact.reason or "reason unknown"
        share = f"{len(without_interval):,} of {count(len(measured), 'result')}"
        yield f"No interval for {share} ({printable(reason)}): {_listed(without_interval)}."


def _interval_includes_one(entry: CellJob) -> bool:
    impact = entry.job.impact
    return impact.low is not None and impact.high is not None and impact.low <= 1 <= impact.high


def _listed(cell_jobs: Sequence[CellJob]) -> str:
    named = [
        f"{bidi_isolated(entry.job.name)}{_with_factors(entry)}"
        + ("" if entry.job.impact.ratio is None else f", {_impact_text(entry)}")
        for entry in cell_jobs[:_MAX_NAMED]
    ]
    return "; ".join(named) + (f"; and {len(cell_jobs) - _MAX_NAMED:,} more" if len(cell_jobs) > _MAX_NAMED else "")


def _missing_results(report: StudyReport) -> Iterator[str]:
    for failure in report.failures[:_MAX_NAMED]:
        factor_values = ", ".join(
            f"{name} = {bidi_isolated(value)}" for name, value in failure.values.items() if name in report.factors
        )
        status = "" if failure.status is None else f", status {failure.status}"
        yield (
            f"Run {failure.run}{f' ({factor_values})' if factor_values else ''} failed "
            f"{count(failure.attempts, 'time')}: "
            f"{bidi_isolated(failure.reason or 'reason unknown')}{status}."
        )
    if len(report.failures) > _MAX_NAMED:
        yield f"{len(report.failures) - _MAX_NAMED:,} more runs failed."
    unfinished = [cell for cell in report.cells if not cell.jobs]
    if unfinished and report.done:
        named = "; ".join(bidi_isolated(factor_text_of(cell, report.factors)) for cell in unfinished[:_MAX_NAMED])
        more = f"; and {len(unfinished) - _MAX_NAMED:,} more" if len(unfinished) > _MAX_NAMED else ""
        yield f"{count(len(unfinished), 'cell')} without a finished run: {named}{more}."
    skipped = sum(cell.spared for cell in report.cells)
    remaining = report.planned - report.done - skipped - len(report.failures)
    if remaining > 0:
        yield f"{remaining:,} of {count(report.planned, 'run')} {'is' if remaining == 1 else 'are'} still to be done."
    incomplete = sum(cell.incomplete for cell in report.cells)
    if incomplete:
        counts = "its completed rounds count" if incomplete == 1 else "their completed rounds count"
        yield f"{count(incomplete, 'run')} reached the time limit of a run; {counts}."
