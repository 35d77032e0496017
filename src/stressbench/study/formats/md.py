"""Markdown: the table, the matrix, what failed, and what makes a number doubtful."""

from collections.abc import Iterator

from stressbench.report.markup import md_table, md_text
from stressbench.report.units import chance, plain_interval, plain_ratio, plain_time
from stressbench.results.material import NOTHING, Material
from stressbench.results.matrix import Matrix
from stressbench.results.study import StudyReport
from stressbench.study.formats.rows import rows
from stressbench.study.tails import TAIL_SHARES, study_plan, tail_of, tail_text


def render(report: StudyReport, _: Material = NOTHING) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: StudyReport) -> Iterator[str]:
    yield f"# {md_text(report.about) or 'A study'}"
    yield ""
    yield f"{report.done} of {report.planned} runs are done."
    if report.fixed:
        yield ""
        yield "In all cells: " + ", ".join(md_text(f"{name} = {value}") for name, value in report.fixed.items()) + "."
    yield ""
    yield "Congestion impact: contended time over isolated time of a job; 1 is no impact. Intervals are of 95 %."
    yield ""
    yield from md_table(
        (*report.factors, "job", "isolated", "contended", "impact", "95 %", "runs"),
        [
            (*row.values, "-", "-", "-", "-", "-", _runs(row.cell.done, row.cell.planned))
            if row.job is None
            else (
                *row.values, row.job.name, plain_time(row.job.isolated_s), plain_time(row.job.contended_s),
                plain_ratio(row.job.impact.ratio), plain_interval(row.job.impact.low, row.job.impact.high),
                _runs(row.cell.done, row.cell.planned),
            )
            for row in rows(report)
        ],
    )  # fmt: skip
    known = [row for row in rows(report) if row.job is not None]
    if known:
        yield ""
        yield "## Tails, and how many more rounds"
        yield ""
        yield (
            "Tail impact: the percentile contended over the percentile isolated, of all runs' repetitions. P(slower): "
            "the share of pairs of an isolated and a contended round in which the contended one is the slower."
        )
        yield ""
        yield from md_table(
            (*report.factors, "job", "p99", "p99.9", "P(slower)", "to know the impact better"),
            [
                (*row.values, row.job.name, *(tail_text(tail_of(row.job, share)) for share in TAIL_SHARES),
                 chance(row.job.superiority), study_plan(row.job))
                for row in known if row.job is not None
            ],
        )  # fmt: skip
    for matrix in report.matrices:
        yield ""
        yield from _matrix(matrix)
    if report.failures:
        yield ""
        yield "## Runs that failed"
        yield ""
        yield from md_table(
            ("run", "values", "attempts", "status", "reason"),
            [
                (one.run, ", ".join(f"{name} = {value}" for name, value in one.values.items()), str(one.attempts),
                 "-" if one.status is None else str(one.status), one.reason or "-")
                for one in report.failures
            ],
        )  # fmt: skip
    if report.notes:
        yield ""
        yield "## Notes"
        yield ""
        yield from (f"- {md_text(note)}" for note in report.notes)


def _matrix(matrix: Matrix) -> Iterator[str]:
    where = ", ".join(f"{name} = {value}" for name, value in matrix.where.items())
    yield "## Who slows whom" + (f": {md_text(where)}" if where else "")
    yield ""
    yield "A row is a job that suffers, a column the job beside it. Numbers: how many times its time alone it takes."
    yield ""
    body = [
        (victim, *(_field(matrix, victim, beside) for beside in matrix.jobs), _ratio(matrix, victim, causes=False))
        for victim in matrix.jobs
    ]
    last = ("causes (mean)", *(_ratio(matrix, job, causes=True) for job in matrix.jobs), "")
    yield from md_table(("", *(f"beside {job}" for job in matrix.jobs), "suffers (mean)"), [*body, last])
    if matrix.groups:
        yield ""
        yield from md_table(
            ("job", "beside", "impact", "95 %"),
            [
                (one.victim, " + ".join(one.beside), plain_ratio(one.impact.ratio),
                 plain_interval(one.impact.low, one.impact.high))
                for one in matrix.groups
            ],
        )  # fmt: skip
    yield ""
    yield md_text(f"Aggressor: {matrix.aggressor or 'none'}. Victim: {matrix.victim or 'none'}.")
    yield ""
    yield md_text(f"Advice: {matrix.advice}.")


def _field(matrix: Matrix, victim: str, beside: str) -> str:
    found = matrix.entry(victim, beside)
    if found is None:
        return "-"
    return f"{plain_ratio(found.impact.ratio)} {plain_interval(found.impact.low, found.impact.high)}"


def _ratio(matrix: Matrix, job: str, *, causes: bool) -> str:
    found = next(one for one in matrix.standings if one.name == job)
    return plain_ratio(found.causes if causes else found.suffers)


def _runs(done: int, planned: int) -> str:
    return str(done) if done == planned else f"{done} of {planned}"
