"""A job's tail impacts and plan in a cell as text, for the tables of all formats."""

from stressbench.report.run.sentences import plan_text
from stressbench.report.units import MISSING, factor_and_interval
from stressbench.results.study import JobResult
from stressbench.stats import TailImpact

TAIL_SHARES = (0.99, 0.999)


def tail_of(job: JobResult, share: float) -> TailImpact | None:
    """The job's tail at this share."""
    return next((tail for tail in job.tails if tail.share == share), None)


def tail_text(tail: TailImpact | None) -> str:
    """A tail impact with its interval: `1.42 [1.31, 1.55]`, or a dash."""
    if tail is None or tail.ratio is None:
        return MISSING
    return factor_and_interval(tail.ratio, tail.low, tail.high)


def study_plan(job: JobResult) -> str:
    """The job's plan over all runs of the cell as text."""
    return plan_text(job.plan, options=False)
