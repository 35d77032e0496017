"""Runs as records: one per run and job, times in seconds."""

from collections.abc import Iterator, Sequence

from stressbench.report.document import DataFile, Value
from stressbench.report.run.section import RunSection
from stressbench.stats import JobSummary, median_of, round_superiority

_HEAD = (
    "run", "job", "role", "isolated_s", "contended_s", "impact", "impact_low", "impact_high", "blocks", "superiority",
    "more_blocks",
)  # fmt: skip
_TAILS = ("isolated_s", "contended_s", "impact", "low", "high")
_SHARES = {0.95: "p95", 0.99: "p99", 0.999: "p999"}


def records_of(sections: Sequence[RunSection]) -> DataFile:
    """Records of all runs and jobs; None is unknown."""
    tails = (f"{name}_{column}" for name in _SHARES.values() for column in _TAILS)
    rows = ((section.title, *_values(job), *_tails(job)) for section in sections for job in section.jobs)
    return DataFile(name="runs", head=(*_HEAD, *tails), rows=tuple(rows))


def _values(job: JobSummary) -> tuple[Value, ...]:
    timing = job.timing
    return (
        job.name, job.role.value, median_of(timing.isolated_s), median_of(timing.contended_s),
        timing.impact.ratio, timing.impact.low, timing.impact.high, timing.impact.paired_blocks,
        round_superiority(timing.rounds), None if timing.plan is None else timing.plan.more_blocks,
    )  # fmt: skip


def _tails(job: JobSummary) -> Iterator[Value]:
    for tail in job.timing.tails:
        if tail.share in _SHARES:
            yield from (None if side is None else side.value_s for side in (tail.isolated, tail.contended))
            yield from (tail.ratio, tail.low, tail.high)
