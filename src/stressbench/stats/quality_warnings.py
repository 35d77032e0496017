"""Warnings about the quality of a run's measurements. Each check takes values and returns its warnings."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Finish, Job, Kind, Phase, Role, Run, Samples, Timer, fault_sentence
from stressbench.stats.distribution import Distribution
from stressbench.stats.impact import Impact
from stressbench.stats.selection import RoundMedian
from stressbench.stats.slowest import Slowest
from stressbench.stats.trend import trend_of

MEAN_MEDIAN_FACTOR = 2.0
DRIFT_CHANGE = 0.05
DRIFT_P = 0.01
TIMER_SHARE = 0.01
SLOWEST_SHARE = 0.9
FIRST_REPETITION_FACTOR = 1.2
_MIN_ROUNDS = 5
_MIN_SAMPLES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityWarning:
    """A warning: a stable `kind` for programs, a `text` for users, and the `job` concerned (None: the whole run)."""

    kind: str
    text: str
    job: str | None = None


def run_warnings(run: Run) -> tuple[QualityWarning, ...]:
    """Warnings about the run as a whole."""
    return (*_incomplete(run), *_faults(run), *_load_increase(run), *_missing_extra(run))


def job_warnings(run: Run, job: Job, *, impact: Impact, rounds: Iterable[RoundMedian]) -> tuple[QualityWarning, ...]:
    """Warnings about one job's rounds and repetitions."""
    samples = run.samples_of(job=job.job)
    warnings = [*_few_blocks(job, impact), *_drift(job, [one for one in rounds if one.kind is Kind.isolated])]
    if samples is not None:
        warnings += [*_short_warmup(job, samples), *_timer(run, job)]
    return tuple(warnings)


def mean_median_warnings(name: str, kind: Kind, spread: Distribution | None, *, job: str) -> tuple[QualityWarning, ...]:
    """Warning if mean and median differ by more than a factor of MEAN_MEDIAN_FACTOR."""
    if spread is None or spread.median <= 0:
        return ()
    factor = max(spread.mean / spread.median, spread.median / spread.mean)
    if factor <= MEAN_MEDIAN_FACTOR:
        return ()
    text = f"{name}, {kind}: mean and median differ {factor:.1f}x; a few samples dominate the mean, trust the median"
    return (QualityWarning(kind="mean_median", text=text, job=job),)


def slowest_host_warnings(run: Run, job: Job, slowest: Slowest | None) -> tuple[QualityWarning, ...]:
    """Warning if one of several hosts is slowest in at least SLOWEST_SHARE of the samples."""
    hosts = run.hosts_of(job=job.job)
    if slowest is None or len(hosts) < 2 or slowest.samples < _MIN_SAMPLES or slowest.host_share < SLOWEST_SHARE:
        return ()
    text = (
        f"host {slowest.host} was slowest in {slowest.host_share:.0%} of {slowest.samples} samples, "
        f"with {len(hosts)} hosts in the job: a slow host, or a root of its motifs"
    )
    return (QualityWarning(kind="slowest_host", text=text, job=job.name),)


def thinning_warnings(run: Run, job: Job) -> tuple[QualityWarning, ...]:
    """Warning if the run file holds only a subset of the extra repetitions. For summaries that include these."""
    samples = run.samples_of(job=job.job)
    performed = sum(one.extra for round_ in run.rounds for one in round_.jobs if one.job == job.job)
    recorded = 0 if samples is None else int(np.count_nonzero(samples.in_phases(Phase.extra)))
    if performed <= recorded:
        return ()
    text = (
        f"of {performed:,} extra repetitions, {recorded:,} evenly spaced ones are in the file and "
        f"{performed - recorded:,} are not: "
        "times that include extra repetitions use the recorded ones and an equal share of the measured ones"
    )
    return (QualityWarning(kind="extra_thinned", text=text, job=job.name),)


def _incomplete(run: Run) -> Iterable[QualityWarning]:
    if run.complete:
        return
    planned = run.planned_rounds
    of = "" if planned is None else f" of {planned}"
    reason = f"it ended early ({run.end.reason})" if run.end else "it has no end record: killed, or still running"
    torn_note = ", the last line is cut off" if run.torn else ""
    text = f"the run is incomplete: {len(run.rounds)}{of} rounds are done, {reason}{torn_note}; `--continue` resumes it"
    yield QualityWarning(kind="incomplete", text=text)


def _faults(run: Run) -> Iterable[QualityWarning]:
    """Warning about the first fault of each launch; faults of other ranks are mostly its consequences."""
    for number, launch in enumerate(run.launches, start=1):
        if launch.faults:
            launch_name = "the run" if len(run.launches) == 1 else f"launch {number}"
            more = f" (and {len(launch.faults) - 1} more)" if len(launch.faults) > 1 else ""
            text = f"{launch_name} ended with a fault: {fault_sentence(launch.faults[0], run.jobs)}{more}"
            yield QualityWarning(kind="fault", text=text)


def _load_increase(run: Run) -> Iterable[QualityWarning]:
    """Warning if rank 0's host has a load average above the initial one plus the run's ranks there plus 1."""
    for launch in run.launches:
        if launch.header.load_average is None:
            continue
        start = launch.header.load_average[0]
        loads = [round_.load_average for round_ in launch.rounds if round_.load_average is not None]
        rank0_host = next((node.host for node in launch.header.nodes if 0 in parse_ranges(node.ranks)), None)
        own_ranks = sum(len(parse_ranges(node.ranks)) for node in launch.header.nodes if node.host == rank0_host)
        if loads and max(loads) > start + own_ranks + 1:
            text = (
                f"the load average of rank 0's host rose from {start:.1f} to {max(loads):.1f}; this run's own "
                f"{own_ranks} processes there explain {own_ranks}: something else used the machine"
            )
            yield QualityWarning(kind="load_rose", text=text)


def _missing_extra(run: Run) -> Iterable[QualityWarning]:
    contended = [round_ for round_ in run.rounds if round_.kind is Kind.contended]
    if run.header.plan.finish is not Finish.sustain or len(run.jobs) < 2 or not contended:
        return
    if not any(job.extra for round_ in contended for job in round_.jobs):
        text = (
            "no job of a contended round ran extra repetitions, although --finish sustain asks for them: "
            "some contended times may have been measured on a partly idle machine"
        )
        yield QualityWarning(kind="sustain_no_extra", text=text)


def _few_blocks(job: Job, impact: Impact) -> Iterable[QualityWarning]:
    if job.role is Role.background:
        return
    if impact.ratio is not None and impact.low is None and impact.reason:
        yield QualityWarning(kind="too_few_blocks", text=f"no interval: {impact.reason}", job=job.name)
    unpaired = impact.isolated_alone + impact.contended_alone
    if impact.ratio is not None and unpaired:
        text = (
            f"{impact.isolated_alone} isolated and {impact.contended_alone} contended rounds are unpaired in their "
            "block; " + (
                "they count in the distribution of times but not in the congestion impact"
                if impact.paired_blocks
                else "the interval treats all rounds as independent and does not cancel drift of the machine"
            )
        )  # fmt: skip
        yield QualityWarning(kind="unpaired_rounds", text=text, job=job.name)


def _drift(job: Job, isolated: list[RoundMedian]) -> Iterable[QualityWarning]:
    """Warning about a trend of isolated times: significance by Kendall's tau, size by the Theil-Sen slope."""
    values = np.array([round_.median_s for round_ in isolated])
    if len(values) < _MIN_ROUNDS or values.min() == values.max():
        return
    trend = trend_of(values)
    change = trend.change / float(np.median(values)) if np.median(values) > 0 else 0.0
    if trend.p < DRIFT_P and abs(change) > DRIFT_CHANGE:
        direction = "rose" if change > 0 else "fell"
        text = (
            f"isolated times {direction} by {abs(change):.0%} over {len(values)} rounds "
            f"(Kendall's tau {trend.tau:+.2f}, p = {trend.p:.2g}): "
            "the machine drifted; pairing within blocks keeps this out of the congestion impact, not out of the times"
        )
        yield QualityWarning(kind="drift", text=text, job=job.name)


def _short_warmup(job: Job, samples: Samples) -> Iterable[QualityWarning]:
    """Warning if the first measured repetition of rounds is usually slower than the median of the later ones."""
    mask = samples.in_phases(Phase.measured) & np.isfinite(samples.time_max_s)
    rounds, times = samples.round[mask], samples.time_max_s[mask]
    starts = np.flatnonzero(np.diff(rounds, prepend=-1))
    rounds_s = [round_s.tolist() for round_s in np.split(times, starts[1:]) if len(round_s) >= 3]
    later = [(round_s[0], median(round_s[1:])) for round_s in rounds_s]
    factors = np.array([first / level for first, level in later if level > 0])
    if len(factors) < _MIN_ROUNDS:
        return
    if np.median(factors) > FIRST_REPETITION_FACTOR and np.mean(factors > 1) >= 0.8:
        text = (
            f"the first measured repetition of a round takes {np.median(factors):.2f}x the later ones "
            f"(median of {len(factors)} rounds): more --warmup would help"
        )
        yield QualityWarning(kind="short_warmup", text=text, job=job.name)


def _timer(run: Run, job: Job) -> Iterable[QualityWarning]:
    """Warning if clock resolution or overhead exceeds TIMER_SHARE of the time between two clock readings."""
    clock = run.header.clock
    clock_limit_s = max(clock.resolution_s, clock.overhead_s)
    for step in job.steps:
        samples = run.samples_of(job=job.job, step=step.step)
        if samples is None or not np.any(np.isfinite(samples.time_max_s)):
            continue
        regions = samples.iterations if step.timer is Timer.iteration else np.full(len(samples), step.executions)
        region_s = float(np.nanmedian(samples.time_max_s / regions))
        if clock_limit_s > TIMER_SHARE * region_s:
            share = "more than all" if region_s <= clock_limit_s else f"{clock_limit_s / region_s:.0%}"
            text = (
                f"step {step.step} ({step.motif}): the clock resolves {clock.resolution_s:.2g} s and costs "
                f"{clock.overhead_s:.2g} s per reading, {share} of one timed region; "
                "time more iterations together"
            )
            yield QualityWarning(kind="timer_resolution", text=text, job=job.name)
