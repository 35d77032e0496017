"""A job's tails and plan in a cell, as the tables of all formats tell them."""

from stressbench.report.run.words import plan_text
from stressbench.report.units import MISSING, factor_and_interval
from stressbench.results.study import JobResult
from stressbench.stats import TailImpact

TAIL_SHARES = (0.99, 0.999)


def tail_of(job: JobResult, share: float) -> TailImpact | None:
    """The job's tail at this share."""
    return next((tail for tail in job.tails if tail.share == share), None)


def tail_text(tail: TailImpact | None) -> str:
    """`1.42 [1.31, 1.55]`."""
    if tail is None or tail.ratio is None:
        return MISSING
    return factor_and_interval(tail.ratio, tail.low, tail.high)


def study_plan(job: JobResult) -> str:
    """Over all of the cell's runs."""
    return plan_text(job.plan, options=False)
