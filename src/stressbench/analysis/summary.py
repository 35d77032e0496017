"""Everything `stressbench show` says about a run, as values."""

from dataclasses import dataclass

import numpy as np

from stressbench.analysis.distribution import Distribution, distribution_of
from stressbench.analysis.doubts import Doubt, job_doubts, run_doubts, slowest_doubts, spread_doubts
from stressbench.analysis.impact import Impact, congestion_impact
from stressbench.analysis.links import LinkUse, link_use
from stressbench.analysis.selection import RoundMedian, Selection, select
from stressbench.analysis.slowest import Slowest, slowest_of
from stressbench.model import Event, Job, Kind, Phase, Role, Run, Severity, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Times of a job (seconds a repetition) or step (seconds an iteration): spread of samples, rounds, impact."""

    isolated_s: Distribution | None
    contended_s: Distribution | None
    impact: Impact
    slowest: Slowest | None
    rounds: tuple[RoundMedian, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """What a motif measured itself, the largest value over the ranks; the unit stands in the name."""

    name: str
    isolated: Distribution | None
    contended: Distribution | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSummary:
    """One motif of a chain. Bandwidths follow from the median iteration, as `bandwidth_definition` says in words."""

    step: int
    motif: str
    size_bytes: int | None
    iterations: int
    executions: int
    timer: str
    quantity: str
    timing: Timing
    isolated_bytes_per_s: float | None
    contended_bytes_per_s: float | None
    bandwidth_definition: str | None
    metrics: tuple[MetricSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSummary:
    """One job and its steps."""

    job: int
    name: str
    role: Role
    ranks: int
    nodes: str
    hosts: int
    timing: Timing
    steps: tuple[StepSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What ran, and how far it got; `rounds_planned` is None when a stopping rule decides."""

    path: str
    workload: str
    workload_hash: str
    started_at: str
    launches: int
    ranks: int
    nodes: int
    hosts: int
    mpi: str
    transports: str | None
    seed: int
    placement: str
    finish: str
    rounds_done: int
    rounds_planned: int | None
    complete: bool
    end_reason: str | None
    includes_extra: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run in numbers. `events` are the engine's own warnings and errors; `links` is None where nobody counted."""

    facts: RunFacts
    jobs: tuple[JobSummary, ...]
    warnings: tuple[Doubt, ...]
    events: tuple[Event, ...]
    links: tuple[LinkUse, ...] | None


def summarise(run: Run, *, include_extra: bool = False) -> RunSummary:
    """Numbers of every job and step of `run`; `include_extra` counts the extra repetitions of contended rounds too."""
    jobs = tuple(_summarise_job(run, job, include_extra=include_extra) for job in run.jobs)
    doubts = [*run_doubts(run), *(doubt for job in jobs for doubt in _doubts(run, job))]
    return RunSummary(
        facts=_facts(run, include_extra=include_extra),
        jobs=jobs,
        warnings=tuple(doubts),
        events=tuple(event for event in run.events if event.severity is not Severity.note),
        links=link_use(run),
    )


def _facts(run: Run, *, include_extra: bool) -> RunFacts:
    header = run.header
    return RunFacts(
        path=str(run.path), workload=header.workload.path, workload_hash=header.workload.hash,
        started_at=header.started_at.isoformat(), launches=len(run.launches), ranks=header.ranks,
        nodes=len(header.nodes), hosts=len({node.host for node in header.nodes}), mpi=header.mpi.library,
        transports=header.mpi.transports, seed=header.seed, placement=header.plan.placement,
        finish=header.plan.finish, rounds_done=len(run.rounds), rounds_planned=run.planned_rounds,
        complete=run.complete, end_reason=run.end.reason if run.end else None, includes_extra=include_extra,
    )  # fmt: skip


def _summarise_job(run: Run, job: Job, *, include_extra: bool) -> JobSummary:
    whole = select(run, job=job.job, include_extra=include_extra)
    return JobSummary(
        job=job.job, name=job.name, role=job.role, ranks=job.ranks, nodes=job.nodes,
        hosts=len(run.hosts_of(job=job.job)), timing=_timing(whole, role=job.role),
        steps=tuple(_summarise_step(run, job, step, include_extra=include_extra) for step in job.steps),
    )  # fmt: skip


def _summarise_step(run: Run, job: Job, step: Step, *, include_extra: bool) -> StepSummary:
    timing = _timing(select(run, job=job.job, step=step.step, include_extra=include_extra), role=job.role)
    return StepSummary(
        step=step.step, motif=step.motif, size_bytes=step.size_bytes, iterations=step.iterations,
        executions=step.executions, timer=step.timer, quantity=step.quantity, timing=timing,
        isolated_bytes_per_s=_bandwidth(step, timing.isolated_s),
        contended_bytes_per_s=_bandwidth(step, timing.contended_s),
        bandwidth_definition=step.bandwidth_definition,
        metrics=_metrics(run, job=job.job, step=step.step, include_extra=include_extra),
    )  # fmt: skip


def _timing(selection: Selection, *, role: Role) -> Timing:
    return Timing(
        isolated_s=distribution_of(selection.isolated_s),
        contended_s=distribution_of(selection.contended_s),
        impact=_background_impact() if role is Role.background else congestion_impact(selection.rounds),
        slowest=slowest_of(selection),
        rounds=selection.rounds,
    )


def _background_impact() -> Impact:
    return Impact(
        ratio=None, low=None, high=None, ratio_of_medians=None, paired_blocks=0, isolated_alone=0, contended_alone=0,
        method=None, reason="background job: it is never run alone",
    )  # fmt: skip


def _bandwidth(step: Step, spread: Distribution | None) -> float | None:
    """Bytes a second of the median iteration; its time is unscaled again."""
    if step.bandwidth_bytes is None or spread is None or spread.median <= 0:
        return None
    return step.bandwidth_bytes * step.quantity_scale / spread.median


def _metrics(run: Run, *, job: int, step: int, include_extra: bool) -> tuple[MetricSummary, ...]:
    contended = [found.round for found in run.rounds if found.kind is Kind.contended]
    summaries = []
    for metric in run.metrics_of(job=job, step=step):
        wanted = metric.in_phases(Phase.measured, *([Phase.extra] if include_extra else []))
        loaded = np.isin(metric.round, contended)
        summaries.append(
            MetricSummary(
                name=metric.name,
                isolated=distribution_of(metric.maximum[wanted & ~loaded]),
                contended=distribution_of(metric.maximum[wanted & loaded]),
            )
        )
    return tuple(summaries)


def _doubts(run: Run, summary: JobSummary) -> tuple[Doubt, ...]:
    job, timing = run.jobs[summary.job], summary.timing
    parts = [("the job", timing), *((f"step {step.step} ({step.motif})", step.timing) for step in summary.steps)]
    spreads = [
        doubt
        for name, part in parts
        for kind, spread in ((Kind.isolated, part.isolated_s), (Kind.contended, part.contended_s))
        for doubt in spread_doubts(name, kind, spread, job=job.name)
    ]
    return (
        *job_doubts(run, job, impact=timing.impact, rounds=timing.rounds),
        *spreads,
        *slowest_doubts(run, job, timing.slowest),
    )
