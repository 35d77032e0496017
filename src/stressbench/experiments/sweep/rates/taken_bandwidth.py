"""The bandwidth that competing traffic actually took, from run files. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median

from stressbench.experiments.sweep.rates.competing_traffic import JOB, RATE
from stressbench.formats.run import Kind, Role, Run
from stressbench.formats.study.cells import Cell
from stressbench.formats.units import UnitError, parse_rate_share
from stressbench.results.rates import Competition

COMPETING_NOTE = (
    "rates are the shares of --link that competing traffic leaves: no link was slowed, and queues were shared with it"
)


def remaining_share(cell: Cell) -> Fraction | None:
    """The share of a link that competing traffic should leave in this cell, None without such traffic."""
    text = dict(cell.sets).get(RATE)
    if text is None:
        return None
    try:
        return parse_rate_share(text, allow_one=True)
    except UnitError:
        return None


def competition_of(
    by_rate: Mapping[Fraction, Sequence[Run]], *, where: Mapping[str, str], ranks: int | None
) -> Iterator[Competition]:
    """Requested and taken share of the competing traffic at each rate below the full one, in descending order."""
    for rate, runs in sorted(by_rate.items(), key=lambda item: item[0], reverse=True):
        if rate < 1:
            requested = float(1 - rate)
            known = [taken for run in runs if (taken := _taken_share(run, requested)) is not None]
            yield Competition(
                where=where, ranks=ranks, rate=str(rate), asked=requested, taken=median(known) if known else None
            )


def _taken_share(run: Run, requested: float) -> float | None:
    """The share of the link that the competing job took: bytes of a rank per time, the median over contended rounds.

    The job's [RATE] corresponds to the share `requested`. None where the run lacks such a job or its byte counts.
    """
    job = next((one for one in run.jobs if one.name == JOB and one.role is Role.background), None)
    if job is None or job.rate_bytes_per_s is None or any(step.bandwidth_bytes is None for step in job.steps):
        return None
    each = sum((step.bandwidth_bytes or 0.0) * step.iterations * step.executions for step in job.steps)
    rates = [
        each * (job_round.measured + job_round.extra + job_round.warmup) / round_.duration_s
        for round_ in run.rounds
        if round_.kind is Kind.contended and round_.duration_s > 0
        for job_round in round_.jobs
        if job_round.job == job.job
    ]
    return requested * median(rates) / job.rate_bytes_per_s if rates else None
