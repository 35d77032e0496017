"""What was found as one page of HTML, complete in itself."""

from collections.abc import Iterator

from stressbench.report.drawing import style
from stressbench.report.page.plain import Chapter, Plain, render_plain, tables_of
from stressbench.report.section import printable
from stressbench.results.rails import RailsFound, Subject
from stressbench.stats.comparison import Verdict, verdict_of
from stressbench.study.rails.page.figures import draw_bandwidths, draw_boxes
from stressbench.study.rails.sheets import headline, label, sheets_of

_EFFECT = 0.02
_MOST_FINDINGS = 12
_FOOT = "The method is that of León, Chembreau and Leininger, “What Do Scientific Applications Need?”."


def render_page(found: RailsFound) -> str:
    """The page as HTML text."""
    with style():
        figures = (*draw_boxes(found), *draw_bandwidths(found))
    title = printable(found.about or "Rail policies")
    chapter = Chapter(
        key="rails",
        title=title,
        findings=tuple(_findings(found))[:_MOST_FINDINGS],
        notes=tuple(map(printable, found.notes)),
        figures=tuple((figure, None) for figure in figures),
        tables=tables_of(sheets_of(found), key="rails"),
    )
    lead = f"Which card of its host each rank's messages took, and what that did. {headline(found)}"
    return render_plain(Plain(title=title, lead=lead, chapters=(chapter,), foot=_FOOT))


def _findings(found: RailsFound) -> Iterator[str]:
    """What whole intervals say, the largest differences first."""
    told = []
    for subject in found.subjects:
        for entry in subject.entries:
            ratio = entry.ratio
            verdict = verdict_of(low=ratio.low, high=ratio.high, effect=_EFFECT)
            if verdict in (Verdict.slower, Verdict.faster) and ratio.ratio and ratio.low and ratio.high:
                where = ", ".join((*subject.where.values(), label(subject)))
                told.append((
                    max(ratio.ratio, 1 / ratio.ratio),
                    f"{printable(where)} {_said(subject, ratio.ratio)} with {printable(subject.baseline)} when ranks "
                    f"go by {printable(entry.policy)}, 95 % interval {ratio.low:.3f} to {ratio.high:.3f}.",
                ))  # fmt: skip
    yield from (sentence for _, sentence in sorted(told, reverse=True))
    if not told:
        yield f"No policy differs from the others by more than {_EFFECT:.0%}, as far as intervals tell."


def _said(subject: Subject, ratio: float) -> str:
    return f"takes {ratio:.3f} times as long as" if subject.unit == "s" else f"is {ratio:.3f} times what it is"
