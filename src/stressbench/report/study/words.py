"""Findings of a study as sentences: the largest effects, then inconclusive, failed and missing results."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from stressbench.report.names import printable
from stressbench.report.study.evidence import Evidence, Line, place_of
from stressbench.report.study.links import CellLink
from stressbench.report.units import count, factor, interval
from stressbench.results.study import StudyReport

MOST_SENTENCES = 6
_MOST_NAMED = 4
_LEFTWARDS = ("R", "AL")
_ISOLATE, _POP = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def isolated(text: str) -> str:
    """The printable text; with right-to-left letters in a Unicode isolate, so that it cannot reorder its sentence."""
    text = printable(text)
    turns = any(unicodedata.bidirectional(letter) in _LEFTWARDS for letter in text)
    return f"{_ISOLATE}{text}{_POP}" if turns else text


def summary_of(
    report: StudyReport, evidence: Evidence, links: Mapping[str, Sequence[CellLink]]
) -> tuple[str, ...]:  # fmt: skip
    """The summary of the page as sentences."""
    said = [*_effects(evidence, links), *_undecided(evidence), *_missing(report)]
    return tuple(said) if report.done else ("No run is done yet, so there are no results.", *_missing(report))


def finding_of(evidence: Evidence) -> str:
    """The title of the figure of impacts: the largest significant slowdown, if any."""
    if evidence.slowed:
        worst = evidence.slowed[0]
        return f"{worst.name} is slowed down most, {_shown(worst)}{_at(worst)}"
    if any(line.job.impact.low is not None for line in evidence.known):
        return "No job is significantly slowed down"
    return "No confidence interval is available yet"


def _effects(evidence: Evidence, links: Mapping[str, Sequence[CellLink]]) -> Iterator[str]:
    slowed = evidence.slowed
    for line in slowed[:MOST_SENTENCES]:
        yield f"{_cause(line)} {_shown(line)}{_at(line)}{_link(line, links.get(line.cell.id, ()))}."
    left = slowed[MOST_SENTENCES:]
    if left:
        least, most = (factor(line.job.impact.ratio) for line in (left[-1], left[0]))
        span = f"{most}×" if least == most else f"{least}× to {most}×"
        yield (f"{count(len(left), 'more significant slowdown')} of {span}: see the table.")
    if not slowed and any(line.job.impact.low is not None for line in evidence.known):
        yield "No job is significantly slowed down: no 95 % interval lies above 1."
    faster = [line for line in evidence.known if line.job.impact.high is not None and line.job.impact.high < 1]
    if faster:
        yield f"Faster when contended, so check what else changed: {_listed(faster)}."


def _cause(line: Line) -> str:
    name = isolated(line.job.name)
    if len(line.others) == 1:
        return f"{isolated(line.others[0])} slows down {name}"
    return f"{name} is slowed down" + (f" by {len(line.others):,} other jobs" if line.others else "")


def _shown(line: Line) -> str:
    impact = line.job.impact
    return f"{factor(impact.ratio)}×" + ("" if impact.low is None else f" {interval(impact.low, impact.high)}")


def _at(line: Line) -> str:
    return f" with {isolated(line.where)}" if line.where else ""


def _link(line: Line, links: Sequence[CellLink]) -> str:
    """The link that lost the most frames, or else the busiest link; empty without link counters."""
    losing = max(links, key=lambda link: link.drops, default=None)
    if losing is None:
        return ""
    chosen, word = (losing, "most frames lost on") if losing.drops else (links[0], "busiest:")
    shares = [
        f"{share:.0%} {kind}".replace("%", "\N{NO-BREAK SPACE}%")
        for kind, share in (("isolated", chosen.alone(line.job.name)), ("contended", chosen.contended))
        if share is not None
    ]
    return f"; {word} link {isolated(chosen.name)}" + (f" ({', '.join(shares)})" if shares else "")


def _undecided(evidence: Evidence) -> Iterator[str]:
    measured = [line for line in evidence.lines if line.measured]
    open_ = [line for line in measured if _holds_1(line)]
    if open_:
        widest = sorted(open_, key=lambda line: -((line.job.impact.high or 1) / (line.job.impact.low or 1)))
        yield (
            f"Inconclusive for {len(open_):,} of {count(len(measured), 'result')}, whose interval includes 1 "
            f"(the widest first): {_listed(widest)}."
        )
    blind = sorted(
        (line for line in measured if line.job.impact.low is None), key=lambda line: -(line.job.impact.ratio or 0.0)
    )
    if blind:
        reason = blind[0].job.impact.reason or "reason unknown"
        share = f"{len(blind):,} of {count(len(measured), 'result')}"
        yield f"No interval for {share} ({printable(reason)}): {_listed(blind)}."


def _holds_1(line: Line) -> bool:
    impact = line.job.impact
    return impact.low is not None and impact.high is not None and impact.low <= 1 <= impact.high


def _listed(lines: Sequence[Line]) -> str:
    named = [
        f"{isolated(line.job.name)}{_at(line)}" + ("" if line.job.impact.ratio is None else f", {_shown(line)}")
        for line in lines[:_MOST_NAMED]
    ]
    return "; ".join(named) + (f"; and {len(lines) - _MOST_NAMED:,} more" if len(lines) > _MOST_NAMED else "")


def _missing(report: StudyReport) -> Iterator[str]:
    for failure in report.failures[:_MOST_NAMED]:
        where = ", ".join(
            f"{name} = {isolated(value)}" for name, value in failure.values.items() if name in report.factors
        )
        status = "" if failure.status is None else f", status {failure.status}"
        yield (
            f"Run {failure.run}{f' ({where})' if where else ''} failed {count(failure.attempts, 'time')}: "
            f"{isolated(failure.reason or 'reason unknown')}{status}."
        )
    if len(report.failures) > _MOST_NAMED:
        yield f"{len(report.failures) - _MOST_NAMED:,} more runs failed."
    empty = [cell for cell in report.cells if not cell.jobs]
    if empty and report.done:
        named = "; ".join(isolated(place_of(cell, report.factors)) for cell in empty[:_MOST_NAMED])
        more = f"; and {len(empty) - _MOST_NAMED:,} more" if len(empty) > _MOST_NAMED else ""
        yield f"{count(len(empty), 'cell')} without a finished run: {named}{more}."
    skipped = sum(cell.spared for cell in report.cells)
    left = report.planned - report.done - skipped - len(report.failures)
    if left > 0:
        yield f"{left:,} of {count(report.planned, 'run')} {'is' if left == 1 else 'are'} still to be done."
    short = sum(cell.incomplete for cell in report.cells)
    if short:
        counts = "its completed rounds count" if short == 1 else "their completed rounds count"
        yield f"{count(short, 'run')} reached the time limit of a run; {counts}."
