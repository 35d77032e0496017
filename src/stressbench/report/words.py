"""Findings in sentences, before any figure."""

from stressbench.analysis import Impact, JobSummary
from stressbench.model import Kind, Role
from stressbench.report.section import Section, printable
from stressbench.report.units import count, factor, interval


def findings(section: Section) -> tuple[str, ...]:
    """One sentence a measured job, the hardest hit first, then one for background jobs."""
    measured = [job for job in section.jobs if job.role is Role.measured]
    measured.sort(key=lambda job: -(job.timing.impact.ratio or 0.0))
    others = len(section.jobs) > 1
    said = [finding(job, others=others) for job in measured]
    background = [printable(job.name) for job in section.jobs if job.role is Role.background]
    if background:
        verb = "loads" if len(background) == 1 else "load"
        said.append(f"In the background: {', '.join(background)} {verb} the machine in contended rounds only.")
    return tuple(said)


def finding(job: JobSummary, *, others: bool) -> str:
    """What the run says about one measured job."""
    name, impact = printable(job.name), job.timing.impact
    if impact.ratio is None:
        return _unknown(name, job)
    if not others:
        return f"{name} is the only job, so nothing contends with it: its ratio of {_shown(impact)} should be 1."
    if impact.low is None or impact.high is None:
        return (
            f"{name} took {factor(impact.ratio)}× as long beside the others; "
            f"how sure that is nobody can tell ({impact.reason})."
        )
    if impact.low > 1:
        return f"{name} is slowed {_shown(impact)} by the others."
    if impact.high < 1:
        return f"{name} is faster beside the others, {_shown(impact)}: look for what else changed."
    return f"No slowdown of {name} is shown: {_shown(impact)} includes 1."


def _unknown(name: str, job: JobSummary) -> str:
    kinds = {one.kind for one in job.timing.rounds}
    if kinds == {Kind.isolated}:
        return (
            f"{name} was measured alone only ({count(len(job.timing.rounds), 'round')}): there is no contended round."
        )
    if kinds == {Kind.contended}:
        return f"{name} was measured beside the others only: there is no isolated round to compare with."
    return f"{name} has no result: {job.timing.impact.reason}."


def _shown(impact: Impact) -> str:
    return f"{factor(impact.ratio)}× {interval(impact.low, impact.high)}"


def progress(section: Section) -> str | None:
    """A sentence where the run is not complete, else None."""
    facts = section.summary.facts
    if facts.complete:
        return None
    planned = "" if facts.rounds_planned is None else f" of {facts.rounds_planned:,}"
    why = f"it ended early ({facts.end_reason.replace('_', ' ')})" if facts.end_reason else "it has no end record"
    return (
        f"This run is not complete: {facts.rounds_done:,}{planned} rounds are here, {why}. "
        "What follows holds for these rounds only; stressbench run … --continue goes on."
    )
