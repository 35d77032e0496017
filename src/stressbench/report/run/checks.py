"""The impacts of runs as checks for continuous integration."""

from collections.abc import Iterator, Sequence

from stressbench.formats.run import Role, Run
from stressbench.report.document import Check, Checks, Document, Fact
from stressbench.report.impact_checks import MeasuredTimes, impact_check, limit_facts, tail_checks
from stressbench.report.names import unique
from stressbench.report.run.options import ReportOptions
from stressbench.report.run.section import RunSection, section_of
from stressbench.stats import median_of

_SUITE = "stressbench report"


def checked(runs: Sequence[Run], options: ReportOptions) -> Document:
    """The checks of each measured job of each run: its congestion impact, and its tail impacts from percentile 95 on.

    A group is a job, with several runs after the name of its file. Background jobs have no impact and no checks.
    """
    sections = [section_of(run, number=number, options=options) for number, run in enumerate(runs, start=1)]
    files = unique(section.title for section in sections)
    checks = [
        check
        for file, section in zip(files, sections, strict=True)
        for check in _checks_of(section, prefix="" if len(sections) == 1 else f"{file}: ")
    ]
    facts = (*(Fact(name="run", value=file) for file in files), *limit_facts(options.limits))
    return Document(title=_SUITE, sections=(), checks=Checks(name=_SUITE, facts=facts, checks=tuple(checks)))


def _checks_of(section: RunSection, *, prefix: str) -> Iterator[Check]:
    limits = section.options.limits
    measured = [job for job in section.jobs if job.role is Role.measured]
    for name, job in zip(unique(job.name for job in measured), measured, strict=True):
        group, timing = prefix + name, job.timing
        times = MeasuredTimes(isolated_s=median_of(timing.isolated_s), contended_s=median_of(timing.contended_s))
        yield impact_check(timing.impact, times, group=group, limit=limits.slowed_above)
        yield from tail_checks(timing.tails, group=group, limit=limits.tail_above)
