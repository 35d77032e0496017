"""Markdown: findings, the jobs, their tails, how many more rounds it takes, and what makes a number doubtful."""

from collections.abc import Iterator, Sequence

from stressbench.formats.run import Run
from stressbench.report.markup import md_table, md_text
from stressbench.report.page.assemble import warnings_of
from stressbench.report.page.tables import Table, jobs_table, tails_table
from stressbench.report.section import Section, section_of
from stressbench.report.words import findings, plans, progress


def render(runs: Sequence[Run]) -> str:
    """A chapter a run."""
    sections = [section_of(run, number=number) for number, run in enumerate(runs, start=1)]
    return "\n".join(line for section in sections for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    yield f"# {md_text(section.title)}"
    yield ""
    incomplete = progress(section)
    if incomplete is not None:
        yield from (md_text(incomplete), "")
    yield from _list(findings(section))
    yield from _table(jobs_table(section))
    yield "## Medians and tails"
    yield ""
    yield from _table(tails_table(section))
    if plans(section):
        yield "## How many more rounds would it take?"
        yield ""
        yield from _list(plans(section))
    if warnings_of(section):
        yield "## Before you rely on these numbers"
        yield ""
        yield from _list([f"{one.about}: {one.text}" if one.about else one.text for one in warnings_of(section)])


def _list(sentences: Sequence[str]) -> Iterator[str]:
    yield from (f"- {md_text(sentence)}" for sentence in sentences)
    yield ""


def _table(table: Table) -> Iterator[str]:
    yield table.caption
    yield ""
    yield from md_table([column.head for column in table.columns], table.rows)
    yield ""
