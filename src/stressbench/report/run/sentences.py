"""Findings and plans of a run as sentences."""

from stressbench.formats.run import Kind, Role
from stressbench.report.names import printable
from stressbench.report.run.section import RunSection
from stressbench.report.units import MISSING, TimeUnit, count, digits, factor, interval, time
from stressbench.stats import Impact, JobSummary, Percentile, Plan


def findings(section: RunSection) -> tuple[str, ...]:
    """One sentence per measured job, the largest impact first, then one for all background jobs."""
    measured = [job for job in section.jobs if job.role is Role.measured]
    measured.sort(key=lambda job: -(job.timing.impact.ratio or 0.0))
    others = len(section.jobs) > 1
    sentences = [finding(job, others=others) for job in measured]
    background = [printable(job.name) for job in section.jobs if job.role is Role.background]
    if background:
        verb = "runs" if len(background) == 1 else "run"
        sentences.append(f"In the background: {', '.join(background)} {verb} in contended rounds only.")
    return tuple(sentences)


def finding(job: JobSummary, *, others: bool) -> str:
    """The congestion impact of one measured job as a sentence; `others`: the run has other jobs."""
    name, impact = printable(job.name), job.timing.impact
    if impact.ratio is None:
        return _no_impact_sentence(name, job)
    if not others:
        return f"{name} is the only job, so nothing contends with it: its ratio of {_impact_text(impact)} should be 1."
    if impact.low is None or impact.high is None:
        return (
            f"{name} takes {factor(impact.ratio)}× as long when contended; "
            f"no confidence interval is available ({impact.reason})."
        )
    if impact.low > 1:
        return f"{name} is slowed down {_impact_text(impact)} by the other jobs."
    if impact.high < 1:
        return f"{name} is faster when contended, {_impact_text(impact)}: check what else changed."
    return f"No slowdown of {name} is shown: {_impact_text(impact)} includes 1."


def _no_impact_sentence(name: str, job: JobSummary) -> str:
    kinds = {one.kind for one in job.timing.rounds}
    if kinds == {Kind.isolated}:
        return (
            f"{name} has isolated rounds only ({count(len(job.timing.rounds), 'round')}): there is no contended round."
        )
    if kinds == {Kind.contended}:
        return f"{name} has contended rounds only: there is no isolated round to compare with."
    return f"{name} has no result: {job.timing.impact.reason}."


def _impact_text(impact: Impact) -> str:
    return f"{factor(impact.ratio)}× {interval(impact.low, impact.high)}"


def tail_finding(section: RunSection) -> str:
    """Title of a figure: the job and percentile (95, 99 or 99.9) with the largest significant tail impact, if any."""
    known = [
        (job, tail) for job in section.jobs for tail in job.timing.tails if tail.low is not None and tail.share > 0.5
    ]
    longer = [(job, tail) for job, tail in known if (tail.low or 0.0) > 1]
    if longer:
        job, tail = max(longer, key=lambda one: one[1].ratio or 0.0)
        ratio = f"{factor(tail.ratio)}× {interval(tail.low, tail.high)}"
        return f"Percentile {percent_name(tail.share)} of {printable(job.name)} is {ratio} as long when contended"
    if known:
        return "No job's tail is significantly longer when contended"
    return "Distribution of repetition times; too few repetitions to compare tails"


def percent_name(share: float) -> str:
    """`99.9` for a share of 0.999."""
    return f"{100 * share:g}"


def percentile_text(one: Percentile | None, unit: TimeUnit) -> str:
    """A percentile with its interval in this unit: `1.13 [1.12, –]`."""
    if one is None:
        return MISSING
    value = time(one.value_s, unit=unit)
    if one.low_s is None and one.high_s is None:
        return f"{value} [no interval]"
    low, high = (MISSING if bound is None else digits(bound * unit.per_second) for bound in (one.low_s, one.high_s))
    return f"{value} [{low}, {high}]"


def plan_text(plan: Plan | None, *, options: bool) -> str:
    """The number of additional rounds needed; with `options`, also the options of `stressbench run` for them."""
    if plan is None or plan.half_width is None:
        return f"no number: {plan.reason if plan else 'a background job'}"
    target = f"±{100 * plan.target:.3g} %"
    current = f"the interval is ±{100 * plan.half_width:.3g} % after {plan.blocks:,} blocks"
    if plan.more_blocks is None:
        return f"{current}; {target} takes {plan.reason}"
    if plan.more_blocks == 0:
        return f"{current}: enough for {target}"
    total = plan.blocks + plan.more_blocks
    conservative = "" if plan.more_blocks_sure is None else f" ({plan.more_blocks_sure:,} to be 80 % sure)"
    options_text = f": --isolated {total} --contended {total}" if options else ""
    return f"{current}; {target} takes {plan.more_blocks:,} more rounds of each kind{conservative}{options_text}"


def plans(section: RunSection) -> tuple[str, ...]:
    """The plan of each measured job as a sentence."""
    return tuple(
        f"{printable(job.name)}: {plan_text(job.timing.plan, options=True)}."
        for job in section.jobs
        if job.timing.plan is not None
    )


def progress(section: RunSection) -> str | None:
    """The progress of an incomplete run as sentences; None for a complete run."""
    facts = section.summary.facts
    if facts.complete:
        return None
    planned = "" if facts.rounds_planned is None else f" of {facts.rounds_planned:,}"
    why = f"it ended early ({facts.end_reason.replace('_', ' ')})" if facts.end_reason else "it has no end record"
    return (
        f"This run is incomplete: {facts.rounds_done:,}{planned} rounds are recorded, {why}. "
        "All results are from these rounds only; `stressbench run … --continue` resumes it."
    )
