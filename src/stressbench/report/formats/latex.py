"""LaTeX: a booktabs table to put into a paper."""

from collections.abc import Iterator, Sequence

from stressbench.formats.run import Run
from stressbench.report.markup import latex_interval, latex_number, latex_table, latex_text
from stressbench.report.names import printable
from stressbench.report.section import Section, section_of
from stressbench.report.units import plain_ratio, plain_time
from stressbench.stats import median_of

_CAPTION = (
    r"Impact: contended over isolated time of a job, with its 95\,\% interval; p99: contended over isolated "
    r"percentile 99 of its repetitions, with its."
)
_HEAD = ("run", "job", "isolated", "contended", "impact", r"95\,\%", "p99", r"95\,\%")


def render(runs: Sequence[Run]) -> str:
    """The table with a caption that says how to read it."""
    sections = [section_of(run, number=number) for number, run in enumerate(runs, start=1)]
    body = [row for section in sections for row in _rows(section)]
    return latex_table(caption=_CAPTION, texts=2, head=_HEAD, body=body)


def _rows(section: Section) -> Iterator[tuple[str, ...]]:
    for job in section.jobs:
        impact, spreads = job.timing.impact, (job.timing.isolated_s, job.timing.contended_s)
        tail = next(tail for tail in job.timing.tails if tail.share == 0.99)
        yield (
            latex_text(printable(section.title)), latex_text(printable(job.name)),
            *(latex_number(plain_time(median_of(spread))) for spread in spreads),
            latex_number(plain_ratio(impact.ratio)), latex_interval(impact.low, impact.high),
            latex_number(plain_ratio(tail.ratio)), latex_interval(tail.low, tail.high),
        )  # fmt: skip
