"""LaTeX: a booktabs table to put into a paper."""

from collections.abc import Iterator

from stressbench.report.markup import latex_interval, latex_number, latex_table, latex_text
from stressbench.report.units import plain_ratio, plain_time
from stressbench.results.material import NOTHING, Material
from stressbench.results.study import StudyReport
from stressbench.study.formats.rows import rows


def render(report: StudyReport, _: Material = NOTHING) -> str:
    """The table with a caption that says how to read it."""
    caption = (
        rf"{latex_text(report.about or 'A study')}. Impact: contended over isolated time of a job, with its "
        rf"95\,\% interval; {report.done} of {report.planned} runs."
    )
    head = (*map(latex_text, report.factors), "job", "isolated", "contended", "impact", r"95\,\%")
    return latex_table(caption=caption, texts=len(report.factors) + 1, head=head, body=list(_body(report)))


def _body(report: StudyReport) -> Iterator[list[str]]:
    for row in rows(report):
        values = [latex_text(value) for value in row.values]
        if row.job is None:
            yield [*values, "--", "--", "--", "--", "--"]
            continue
        impact = row.job.impact
        times = [latex_number(plain_time(row.job.isolated_s)), latex_number(plain_time(row.job.contended_s))]
        interval = latex_interval(impact.low, impact.high)
        yield [*values, latex_text(row.job.name), *times, latex_number(plain_ratio(impact.ratio)), interval]
