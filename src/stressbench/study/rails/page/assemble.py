"""What was found as one page of HTML, complete in itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench import __version__
from stressbench.analysis.comparison import Verdict, verdict_of
from stressbench.report.drawing import Figure, style
from stressbench.report.page.tables import Column, Table
from stressbench.report.page.template import environment, style_sheet
from stressbench.report.section import printable
from stressbench.study.rails.findings import RailsFound
from stressbench.study.rails.page.figures import draw_bandwidths, draw_boxes
from stressbench.study.rails.sheets import headline, label, sheets_of
from stressbench.study.rails.spread import Subject
from stressbench.study.sheet import Sheet

_EFFECT = 0.02
_MOST_FINDINGS = 12


@dataclass(frozen=True, kw_only=True)
class _View:
    title: str
    progress: str
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]


def render_page(found: RailsFound) -> str:
    """The page as HTML text."""
    with style():
        figures = (*draw_boxes(found), *draw_bandwidths(found))
    view = _View(
        title=printable(found.about or "Rail policies"),
        progress=headline(found),
        findings=tuple(_findings(found))[:_MOST_FINDINGS],
        notes=tuple(map(printable, found.notes)),
        figures=figures,
        tables=tuple(_table(sheet, number) for number, sheet in enumerate(sheets_of(found), start=1)),
    )
    return environment().get_template("rails.html.j2").render(view=view, style=style_sheet(), version=__version__)


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


def _table(sheet: Sheet, number: int) -> Table:
    columns = tuple(Column(head=head, number=place >= sheet.words) for place, head in enumerate(sheet.head))
    rows = tuple(tuple(map(printable, row)) for row in sheet.body)
    return Table(key=f"rails-{number}", caption=f"{sheet.title}. {sheet.reading}", columns=columns, rows=rows)
