"""What was found as one page of HTML, complete in itself."""

from collections.abc import Iterator

from stressbench.report.drawing import style
from stressbench.report.page.plain import Chapter, Plain, render_plain, tables_of
from stressbench.report.page.sheets import sheet
from stressbench.report.section import printable
from stressbench.report.units import count
from stressbench.results.rates import Curve, Degradation
from stressbench.study.degradation.page.by_ranks import draw_by_ranks
from stressbench.study.degradation.page.by_rate import draw_by_rate
from stressbench.study.degradation.page.lines import name_of
from stressbench.study.degradation.rows import HEAD, rows_of
from stressbench.study.degradation.sheets import headline, percent_text, sheets_of

_MOST_FINDINGS = 12
_FOOT = (
    "A degradation factor is the time at a rate over the time at the full rate: the middle of all ratios of two "
    "rounds, with Mann and Whitney's 95 % interval. The method is that of Pedretti and others, “The Impact of "
    "Injection Bandwidth Performance on Application Scalability”. The rate is what was set, not what arrived."
)


def render_page(found: Degradation) -> str:
    """The page as HTML text."""
    with style():
        drawn = (*draw_by_rate(found), *draw_by_ranks(found))
    title = printable(found.about or "Injection bandwidth")
    where = tuple(found.curves[0].where) if found.curves else ()
    numbers = sheet("degradation.csv", (*where, *HEAD), rows_of(found))
    chapter = Chapter(
        key="degradation",
        title=title,
        findings=tuple(_findings(found)),
        notes=tuple(map(printable, found.notes)),
        figures=tuple((one, numbers if number == len(drawn) else None) for number, one in enumerate(drawn, start=1)),
        tables=tables_of(sheets_of(found), key="degradation"),
    )
    lead = f"How much slower jobs get with less injection bandwidth. {headline(found)}"
    return render_plain(Plain(title=title, lead=lead, chapters=(chapter,), foot=_FOOT))


def _findings(found: Degradation) -> Iterator[str]:
    """The hardest hit first, by the lowest end of what they lose at the smallest rate that is known."""
    if not any(_worst(curve) for curve in found.curves):
        yield "No job has a time at two rates yet: there is nothing to compare."
        return
    ordered = sorted(found.curves, key=_worst, reverse=True)
    for curve in ordered[:_MOST_FINDINGS]:
        yield _finding(curve, found)
    if (more := len(ordered) - _MOST_FINDINGS) > 0:
        yield f"The tables have {more} more."


def _worst(curve: Curve) -> float:
    known = [point.factor.low or point.factor.ratio for point in curve.points[1:] if point.factor.ratio is not None]
    return max((value for value in known if value is not None), default=0.0)


def _finding(curve: Curve, found: Degradation) -> str:
    ranks = "" if curve.ranks is None else f" on {count(curve.ranks, 'rank')}"
    subject = f"{printable(name_of(curve))}{ranks}"
    known = [point for point in curve.points[1:] if point.factor.ratio is not None]
    if not known:
        return f"{subject}: nothing can be compared with the full rate."
    last = known[-1]
    ends = (
        "no interval"
        if last.factor.low is None or last.factor.high is None
        else f"95 % interval {last.factor.low:.3f} to {last.factor.high:.3f}"
    )
    verb, worse = ("takes", "times as long") if curve.unit == "s" else ("is", "times worse")
    said = f"{subject} {verb} {last.factor.ratio:.3f} {worse} at {last.rate} of the bandwidth, {ends}"
    most = percent_text(found.at_most)
    if curve.needs is None:
        return f"{said}; which rate is enough for at most {most} nobody can tell."
    undecided = f", and perhaps {', '.join(curve.undecided)}" if curve.undecided else ""
    enough = "it needs all of it" if curve.needs == found.rates[0] else f"{curve.needs} of it is enough"
    return f"{said}; to lose at most {most}, {enough}{undecided}."
