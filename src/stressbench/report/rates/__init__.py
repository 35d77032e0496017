"""Documents of degradations: slowdown with reduced injection bandwidth, and the smallest sufficient rate."""

from collections.abc import Iterator

from stressbench.report.document import Document
from stressbench.report.names import printable
from stressbench.report.page_sections import brief_section, page_section
from stressbench.report.rates.records import records_of
from stressbench.report.rates.tables import headline, name_of, percent_text, tables_of
from stressbench.report.renderers import formats
from stressbench.report.units import count
from stressbench.results.rates import Curve, Degradation

_KIND = "Injection bandwidth"
_MAX_FINDINGS = 12
_FOOT = (
    "A degradation factor is the time at a rate divided by the time at the full rate: the median of all ratios of two "
    "rounds, with the 95 % interval of Mann and Whitney. The method is that of Pedretti and others, “The Impact of "
    "Injection Bandwidth Performance on Application Scalability”. Rates are those that were set."
)


def brief(degradation: Degradation) -> Document:
    """The document for formats without figures: tables and notes."""
    title = degradation.about or _KIND
    section = brief_section(
        title=title, headline=headline(degradation), tables=tables_of(degradation), notes=degradation.notes
    )
    return Document(title=title, sections=(section,), records=records_of(degradation), value=degradation)


def page(degradation: Degradation) -> Document:
    """The HTML page: findings, figures and tables."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.rates.by_ranks import draw_by_ranks
    from stressbench.report.rates.by_rate import draw_by_rate
    from stressbench.report.rates.by_size import draw_by_size

    title = printable(degradation.about or _KIND)
    with style():
        figures = (*draw_by_rate(degradation), *draw_by_ranks(degradation), *draw_by_size(degradation))
    section = page_section(
        key="degradation",
        title=title,
        findings=_findings(degradation),
        notes=degradation.notes,
        figures=(*figures, records_of(degradation)) if figures else (),
        tables=tables_of(degradation),
    )
    lead = f"Slowdown of jobs with reduced injection bandwidth. {headline(degradation)}"
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def _findings(degradation: Degradation) -> Iterator[str]:
    """One sentence per curve, ordered by the largest lower bound of its factors, descending."""
    if not any(_worst(curve) for curve in degradation.curves):
        yield "No job has times at two rates yet, so there is nothing to compare."
        return
    ordered = sorted(degradation.curves, key=_worst, reverse=True)
    for curve in ordered[:_MAX_FINDINGS]:
        yield _finding(curve, degradation)
    if (more := len(ordered) - _MAX_FINDINGS) > 0:
        yield f"The tables have {more} more."


def _worst(curve: Curve) -> float:
    known = [point.factor.low or point.factor.ratio for point in curve.points[1:] if point.factor.ratio is not None]
    return max((value for value in known if value is not None), default=0.0)


def _finding(curve: Curve, degradation: Degradation) -> str:
    ranks = "" if curve.ranks is None else f" on {count(curve.ranks, 'rank')}"
    subject = f"{printable(name_of(curve))}{ranks}"
    known = [point for point in curve.points[1:] if point.factor.ratio is not None]
    if not known:
        return f"{subject}: no values to compare with the full rate."
    last = known[-1]
    interval_text = (
        "no interval"
        if last.factor.low is None or last.factor.high is None
        else f"95 % interval {last.factor.low:.3f} to {last.factor.high:.3f}"
    )
    verb, worse = ("takes", "times as long") if curve.unit == "s" else ("is", "times worse")
    loss = f"{subject} {verb} {last.factor.ratio:.3f} {worse} at {last.rate} of the bandwidth, {interval_text}"
    max_loss = percent_text(degradation.at_most)
    if curve.needs is None:
        return f"{loss}; the smallest rate for a loss of at most {max_loss} is unknown."
    undecided = f", undecided: {', '.join(curve.undecided)}" if curve.undecided else ""
    sufficient_rate = (
        "the full rate is needed" if curve.needs == degradation.rates[0] else f"{curve.needs} of it suffices"
    )
    return f"{loss}; to lose at most {max_loss}, {sufficient_rate}{undecided}."


FORMATS = formats(brief=brief, page=page)
