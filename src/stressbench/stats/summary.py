"""Summary of a run: the values that `stressbench show` prints."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.errors import UserError
from stressbench.formats.run import Event, Job, Kind, Phase, Role, Run, Samples, Severity, Step
from stressbench.formats.units import UnitError, check_share
from stressbench.stats.distribution import Distribution, PlainRatios, distribution_of, plain_ratios
from stressbench.stats.histograms import histograms_of
from stressbench.stats.impact import Impact, congestion_impact
from stressbench.stats.intervals import IntervalMethod
from stressbench.stats.links import LinkUtilisation, link_utilisation
from stressbench.stats.noise_warnings import autocorrelation_warnings, bimodality_warnings, outlier_warnings
from stressbench.stats.percentiles import Source, TailImpact, grouped_executions, sample_tail_impacts, tail_impacts
from stressbench.stats.planning import Plan, plan_of
from stressbench.stats.quality_warnings import (
    QualityWarning,
    job_warnings,
    mean_median_warnings,
    run_warnings,
    slowest_host_warnings,
    thinning_warnings,
)
from stressbench.stats.selection import RoundMedian, Selection, evenly_subsampled, select
from stressbench.stats.slowest import Slowest, slowest_of
from stressbench.stats.telemetry import TelemetrySummary, telemetry_summary

TARGET = 0.02
"""Default half-width of the congestion impact's interval that a Plan aims for, as a share of the ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Times of a job (s per repetition) or step (s per iteration) and their congestion impact.

    `tails` holds the tail impacts at the median and the percentiles 95, 99 and 99.9, from histograms of single
    executions if the step has any, else from samples. `plan` is None for congestors (role background).
    """

    isolated_s: Distribution | None
    contended_s: Distribution | None
    impact: Impact
    ratios: PlainRatios | None
    tails: tuple[TailImpact, ...]
    plan: Plan | None
    slowest: Slowest | None
    rounds: tuple[RoundMedian, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSummary:
    """A metric that a motif reports, as the maximum over its ranks; the name ends in the unit."""

    name: str
    isolated: Distribution | None
    contended: Distribution | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSummary:
    """One motif of a chain. Bandwidths are those of the median iteration, as `bandwidth_definition` states."""

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
    """Configuration and progress of a run. `rounds_planned` is None if a stopping rule decides.

    `simulated` names the simulator and platform; it is None for ranks on real hosts.
    """

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
    simulated: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Summary of a run. `events` are the engine's warnings and errors.

    `links` is None without link counters, `telemetry` without telemetry.
    """

    facts: RunFacts
    jobs: tuple[JobSummary, ...]
    warnings: tuple[QualityWarning, ...]
    events: tuple[Event, ...]
    links: tuple[LinkUtilisation, ...] | None
    telemetry: TelemetrySummary | None


def summarise(
    run: Run, *, include_extra: bool = False, interval: IntervalMethod = IntervalMethod.ranks, target: float = TARGET,
    most_steps: int | None = None,
) -> RunSummary:  # fmt: skip
    """Summarise every job of `run` and its steps, or only the `most_steps` longest steps of each job.

    `include_extra` includes the extra repetitions of contended rounds. `interval` selects the interval of congestion
    impacts. `target` is the half-width that plans aim for, as a share above 0. Raises UserError for other targets.
    """
    try:
        check_share(target, zero=False)
    except UnitError as mistake:
        raise UserError(f"--plan {target:g}: {mistake}") from None
    options = SummaryOptions(include_extra=include_extra, interval=interval, target=target, most_steps=most_steps)
    jobs = tuple(_summarise_job(run, job, options=options) for job in run.jobs)
    warnings = [*run_warnings(run), *(warning for job in jobs for warning in _warnings(run, job, options=options))]
    warnings += [warning for job in run.jobs if include_extra for warning in thinning_warnings(run, job)]
    return RunSummary(
        facts=_facts(run, options=options),
        jobs=jobs,
        warnings=tuple(warnings),
        events=tuple(event for event in run.events if event.severity is not Severity.note),
        links=link_utilisation(run),
        telemetry=telemetry_summary(run),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
    """Arguments of `summarise`."""

    include_extra: bool
    interval: IntervalMethod
    target: float
    most_steps: int | None


def _facts(run: Run, *, options: SummaryOptions) -> RunFacts:
    header = run.header
    return RunFacts(
        path=str(run.path), workload=header.workload.path, workload_hash=header.workload.hash,
        started_at=header.started_at.isoformat(), launches=len(run.launches), ranks=header.ranks,
        nodes=len(header.nodes), hosts=len(set(header.nodes.hosts.values())), mpi=header.mpi.library,
        transports=header.mpi.transports, seed=header.seed, placement=header.plan.placement,
        finish=header.plan.finish, rounds_done=len(run.rounds), rounds_planned=run.planned_rounds,
        complete=run.complete, end_reason=run.end.reason if run.end else None, includes_extra=options.include_extra,
        simulated=None if header.simulation is None else str(header.simulation),
    )  # fmt: skip


def _summarise_job(run: Run, job: Job, *, options: SummaryOptions) -> JobSummary:
    selection = select(run, job=job.job, include_extra=options.include_extra)
    return JobSummary(
        job=job.job, name=job.name, role=job.role, ranks=job.ranks, nodes=job.nodes,
        hosts=len(run.hosts_of(job=job.job)),
        timing=_timing(selection, role=job.role, options=options, tails=sample_tail_impacts([selection])),
        steps=tuple(
            _summarise_step(run, job, step, options=options) for step in _longest(run, job, most=options.most_steps)
        ),
    )  # fmt: skip


def _longest(run: Run, job: Job, *, most: int | None) -> Sequence[Step]:
    """The `most` steps with the longest total time in measured repetitions, in the order of the chain."""
    if most is None or len(job.steps) <= most:
        return job.steps
    total_times = [_time_of(run.samples_of(job=job.job, step=step.step)) for step in job.steps]
    return [job.steps[number] for number in sorted(np.argsort(total_times, kind="stable")[::-1][:most])]


def _time_of(samples: Samples | None) -> float:
    return 0.0 if samples is None else float(np.nansum(samples.time_max_s[samples.in_phases(Phase.measured)]))


def _summarise_step(run: Run, job: Job, step: Step, *, options: SummaryOptions) -> StepSummary:
    selection = select(run, job=job.job, step=step.step, include_extra=options.include_extra)
    isolated, contended = (
        grouped_executions(histograms_of(run, job=job.job, step=step.step, kind=kind))
        for kind in (Kind.isolated, Kind.contended)
    )
    if isolated is None and contended is None:
        timing = _timing(selection, role=job.role, options=options, tails=sample_tail_impacts([selection]))
    else:
        timing = _timing(
            selection,
            role=job.role,
            options=options,
            tails=tail_impacts(isolated, contended, source=Source.executions),
        )
    return StepSummary(
        step=step.step, motif=step.motif, size_bytes=step.size_bytes, iterations=step.iterations,
        executions=step.executions, timer=step.timer, quantity=step.quantity, timing=timing,
        isolated_bytes_per_s=_bandwidth(step, timing.isolated_s),
        contended_bytes_per_s=_bandwidth(step, timing.contended_s),
        bandwidth_definition=step.bandwidth_definition,
        metrics=_metrics(run, job=job.job, step=step.step, include_extra=options.include_extra),
    )  # fmt: skip


def _timing(selection: Selection, *, role: Role, options: SummaryOptions, tails: tuple[TailImpact, ...]) -> Timing:
    background = role is Role.background
    return Timing(
        isolated_s=distribution_of(selection.isolated_s, selection.isolated_round),
        contended_s=distribution_of(selection.contended_s, selection.contended_round),
        impact=_background_impact() if background else congestion_impact(selection.rounds, interval=options.interval),
        ratios=plain_ratios(selection.isolated_s, selection.contended_s),
        tails=tails,
        plan=None if background else plan_of(selection.rounds, target=options.target),
        slowest=slowest_of(selection),
        rounds=selection.rounds,
    )


def _background_impact() -> Impact:
    return Impact(
        ratio=None, low=None, high=None, ratio_of_medians=None, paired_blocks=0, isolated_alone=0, contended_alone=0,
        method=None, autocorrelation=None, widened_by=1.0, reason="background job: it has no isolated rounds",
    )  # fmt: skip


def _bandwidth(step: Step, spread: Distribution | None) -> float | None:
    """Bandwidth (bytes/s) of the median iteration; None without one. Reverts the step's `quantity_scale`."""
    if step.bandwidth_bytes is None or spread is None or spread.median <= 0:
        return None
    return step.bandwidth_bytes * step.quantity_scale / spread.median


def _metrics(run: Run, *, job: int, step: int, include_extra: bool) -> tuple[MetricSummary, ...]:
    contended = [round_.round for round_ in run.rounds if round_.kind is Kind.contended]
    summaries = []
    for metric in run.metrics_of(job=job, step=step):
        mask = metric.in_phases(Phase.measured, *([Phase.extra] if include_extra else []))
        if include_extra:
            mask &= evenly_subsampled(run, metric, job=job)
        is_contended = np.isin(metric.round, contended)
        summaries.append(
            MetricSummary(
                name=metric.name,
                isolated=distribution_of(metric.maximum[mask & ~is_contended], metric.round[mask & ~is_contended]),
                contended=distribution_of(metric.maximum[mask & is_contended], metric.round[mask & is_contended]),
            )
        )
    return tuple(summaries)


def _warnings(run: Run, summary: JobSummary, *, options: SummaryOptions) -> tuple[QualityWarning, ...]:
    job, timing = run.jobs[summary.job], summary.timing
    parts = [("the job", timing), *((f"step {step.step} ({step.motif})", step.timing) for step in summary.steps)]
    spreads = [
        warning
        for name, part in parts
        for kind, spread in ((Kind.isolated, part.isolated_s), (Kind.contended, part.contended_s))
        for warning in mean_median_warnings(name, kind, spread, job=job.name)
    ]
    return (
        *job_warnings(run, job, impact=timing.impact, rounds=timing.rounds),
        *autocorrelation_warnings(timing.impact, job=job.name),
        *outlier_warnings(timing.rounds, job=job.name),
        *bimodality_warnings("the job", select(run, job=job.job, include_extra=options.include_extra), job=job.name),
        *spreads,
        *slowest_host_warnings(run, job, timing.slowest),
    )
