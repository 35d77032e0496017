"""Documents of rail policies: their effect on times and figures of merit, and the bytes that each NIC carried."""

from collections.abc import Iterator

from stressbench.report.document import Document
from stressbench.report.names import printable
from stressbench.report.page_sections import brief_section, page_section
from stressbench.report.rails.records import records_of
from stressbench.report.rails.tables import headline, label, tables_of
from stressbench.report.renderers import formats
from stressbench.results.rails import RailsReport, Subject
from stressbench.stats.comparison import Verdict, verdict_of

_KIND = "Rail policies"
_EFFECT = 0.02
_MAX_FINDINGS = 12
_FOOT = "The method is that of León, Chembreau and Leininger, “What Do Scientific Applications Need?”."


def brief(results: RailsReport) -> Document:
    """The document for formats without figures: tables and notes."""
    title = results.about or _KIND
    section = brief_section(title=title, headline=headline(results), tables=tables_of(results), notes=results.notes)
    return Document(title=title, sections=(section,), records=records_of(results), value=results)


def page(results: RailsReport) -> Document:
    """The HTML page: findings, figures and tables."""
    from stressbench.report.rails.figures import draw  # figures take a second to import

    title = printable(results.about or _KIND)
    section = page_section(
        key="rails",
        title=title,
        findings=tuple(_findings(results))[:_MAX_FINDINGS],
        notes=results.notes,
        figures=draw(results),
        tables=tables_of(results),
    )
    lead = f"The NIC that each rank's messages use, and its effect on the program. {headline(results)}"
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def _findings(results: RailsReport) -> Iterator[str]:
    """Significant differences, the largest first."""
    differences = []
    for subject in results.subjects:
        for entry in subject.entries:
            ratio = entry.ratio
            verdict = verdict_of(low=ratio.low, high=ratio.high, effect=_EFFECT)
            if verdict in (Verdict.slower, Verdict.faster) and ratio.ratio and ratio.low and ratio.high:
                where = ", ".join((*subject.where.values(), label(subject)))
                differences.append((
                    max(ratio.ratio, 1 / ratio.ratio),
                    f"Under the policy {printable(entry.policy)}, {printable(where)} "
                    f"{_ratio_clause(subject, ratio.ratio)} under {printable(subject.baseline)}, 95 % interval "
                    f"{ratio.low:.3f} to {ratio.high:.3f}.",
                ))  # fmt: skip
    yield from (sentence for _, sentence in sorted(differences, reverse=True))
    if not differences:
        yield f"No policy differs significantly from the baseline by more than {100 * _EFFECT:g} %."


def _ratio_clause(subject: Subject, ratio: float) -> str:
    return f"takes {ratio:.3f} times as long as" if subject.unit == "s" else f"is {ratio:.3f} times what it is"


FORMATS = formats(brief=brief, page=page)
