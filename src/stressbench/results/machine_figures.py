"""From run files of the suite to the figures of a machine: values of rounds, their median and its interval. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.machines import Better, MachineFigure, Part, Percentiles, Unit
from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Histogram, Job, Phase, Run, Step
from stressbench.stats.distribution import medians_by_round
from stressbench.stats.histograms import merge
from stressbench.stats.impact import pair_blocks
from stressbench.stats.percentiles import grouped_samples, percentile_of
from stressbench.stats.pooled import concatenate_runs, pooled_impact
from stressbench.stats.selection import RoundMedian, sample_times_s, select

Floats = NDArray[np.float64]
_MEDIAN, _TAIL = 0.5, 0.99


class Quantity(StrEnum):
    """What a figure is computed from.

    time: the time of one iteration of the motif. bandwidth: its bytes over that time. metric: a metric of the motif.
    impact: contended over isolated time. difference: of two rounds that ran the same, one isolated and one contended,
    the distance of their ratio from 1 (an A/A comparison). tail: the 99th percentile of single executions over their
    median, within a round.
    """

    time = "time"
    bandwidth = "bandwidth"
    metric = "metric"
    impact = "impact"
    difference = "difference"
    tail = "tail"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A figure to compute from step `step` of job `job`. `metric`: name of the metric. `beside`: the congestor's motif.

    `motif` has the options that determine what is measured, without those that only determine how often.
    """

    name: str
    part: Part
    about: str
    job: str
    step: int
    quantity: Quantity
    motif: str
    metric: str | None = None
    placement: str | None = None
    beside: str | None = None

    @property
    def unit(self) -> Unit:
        """The unit of the figure."""
        if self.quantity is Quantity.time:
            return Unit.seconds
        return Unit.bytes_per_s if self.quantity in (Quantity.bandwidth, Quantity.metric) else Unit.ratio

    @property
    def better(self) -> Better:
        """Bandwidths are better if they are higher, everything else if it is lower."""
        return Better.more if self.unit is Unit.bytes_per_s else Better.less


@dataclass(frozen=True, kw_only=True)
class NamedRun:
    """A run of the workload that has the measurement, and the name of its file in the result."""

    file: str
    run: Run


@dataclass(frozen=True, kw_only=True)
class _Estimate:
    values: Floats
    value: float
    low: float | None
    high: float | None


def figure_of(measurement: Measurement, runs: Sequence[NamedRun]) -> MachineFigure | None:
    """The figure over all rounds of these runs; None if none of them has a value."""
    measured = [(named, job) for named in runs if (job := _job(named.run, measurement.job)) is not None]
    if not measured:
        return None
    pairs = [(named.run, job) for named, job in measured]
    estimate = _estimate(measurement, pairs)
    if estimate is None:
        return None
    job = measured[0][1]
    return MachineFigure(
        name=measurement.name, part=measurement.part, about=measurement.about, unit=measurement.unit,
        better=measurement.better, value=estimate.value, low=estimate.low, high=estimate.high,
        n=len(estimate.values), percentiles=_percentiles(measurement, pairs), motif=measurement.motif,
        ranks=job.ranks, nodes=len(parse_ranges(job.nodes)), placement=measurement.placement,
        beside=measurement.beside, values=tuple(estimate.values.tolist()),
        sources=tuple(named.file for named, _ in measured),
    )  # fmt: skip


def _estimate(measurement: Measurement, runs: Sequence[tuple[Run, Job]]) -> _Estimate | None:
    step = measurement.step
    match measurement.quantity:
        case Quantity.impact:
            return _impact([select(run, job=job.job, step=step).rounds for run, job in runs])
        case Quantity.difference:
            rounds = concatenate_runs([select(run, job=job.job, step=step).rounds for run, job in runs])
            return _median(np.abs(_block_ratios(rounds) - 1))
        case Quantity.tail:
            return _median(np.array([value for run, job in runs for value in _tails(run, job, step)]))
        case Quantity.metric:
            assert measurement.metric is not None
            values = [_metric_by_round(run, job, step, name=measurement.metric) for run, job in runs]
            return _median(np.concatenate(values))
        case Quantity.bandwidth:
            return _median(np.array([value for run, job in runs for value in _bandwidths(run, job, step)]))
    times = [round_.median_s for run, job in runs for round_ in select(run, job=job.job, step=step).rounds]
    return _median(np.array(times))


def _median(values: Floats) -> _Estimate | None:
    """The median of `values`, shape (rounds,), and its interval between two order statistics; None without values."""
    finite = values[np.isfinite(values)]
    middle = percentile_of(grouped_samples(finite, np.zeros(len(finite), dtype=np.int64)), _MEDIAN)
    if middle is None:
        return None
    low, high = middle.low_s, middle.high_s
    if low is None or high is None:
        low = high = None
    return _Estimate(values=finite, value=middle.value_s, low=low, high=high)


def _impact(rounds: Sequence[Sequence[RoundMedian]]) -> _Estimate | None:
    """Congestion impact over all blocks; None without a block that has both kinds of rounds."""
    impact = pooled_impact(rounds)
    ratios = _block_ratios(concatenate_runs(rounds))
    if impact.ratio is None or len(ratios) == 0:
        return None
    return _Estimate(values=ratios, value=impact.ratio, low=impact.low, high=impact.high)


def _block_ratios(rounds: Sequence[RoundMedian]) -> Floats:
    """Contended over isolated time of each block, shape (blocks,), without blocks that have a time of 0 s."""
    pairing = pair_blocks(rounds)
    timed = (pairing.isolated > 0) & (pairing.contended > 0)
    ratios: Floats = pairing.contended[timed] / pairing.isolated[timed]
    return ratios


def _bandwidths(run: Run, job: Job, step: int) -> Iterator[float]:
    """Bytes per second of each round's median iteration."""
    declared = job.steps[step]
    for round_ in select(run, job=job.job, step=step).rounds:
        if declared.bandwidth_bytes is not None and round_.median_s > 0:
            yield declared.bandwidth_bytes * declared.quantity_scale / round_.median_s


def _metric_by_round(run: Run, job: Job, step: int, *, name: str) -> Floats:
    """The median of a metric in each round, shape (rounds,)."""
    metric = next((one for one in run.metrics_of(job=job.job, step=step) if one.name == name), None)
    if metric is None:
        return np.empty(0)
    mask = metric.in_phases(Phase.measured)
    _, medians = medians_by_round(metric.maximum[mask], metric.round[mask])
    return medians


def _tails(run: Run, job: Job, step: int) -> Iterator[float]:
    for histogram in _histograms(run, job, job.steps[step]):
        merged = merge([histogram])
        if merged is not None and (middle := merged.quantile_s(_MEDIAN)) > 0:
            yield merged.quantile_s(_TAIL) / middle


def _percentiles(measurement: Measurement, runs: Sequence[tuple[Run, Job]]) -> Percentiles | None:
    """Percentiles of a time, from single executions where they were recorded, or of a bandwidth; None for others."""
    if measurement.quantity not in (Quantity.time, Quantity.bandwidth):
        return None
    step = measurement.step
    histograms = [one for run, job in runs for one in _histograms(run, job, job.steps[step])]
    merged = merge(histograms) if measurement.quantity is Quantity.time else None
    if merged is not None:
        low, high, tail = (merged.quantile_s(share) for share in (0.05, 0.95, _TAIL))
        return Percentiles(of="executions", count=merged.count, p5=low, p95=high, p99=tail)
    values = np.concatenate([_sampled(measurement, run, job) for run, job in runs])
    if len(values) == 0:
        return None
    low, high, tail = (float(value) for value in np.quantile(values, [0.05, 0.95, _TAIL]))
    return Percentiles(of="samples", count=len(values), p5=low, p95=high, p99=tail)


def _sampled(measurement: Measurement, run: Run, job: Job) -> Floats:
    """Times or bandwidths of all measured repetitions, shape (samples,)."""
    samples = run.samples_of(job=job.job, step=measurement.step)
    if samples is None:
        return np.empty(0)
    times = sample_times_s(run, samples)[samples.in_phases(Phase.measured)]
    times = times[np.isfinite(times) & (times > 0)]
    step = job.steps[measurement.step]
    if measurement.quantity is Quantity.time or step.bandwidth_bytes is None:
        return times
    rates: Floats = step.bandwidth_bytes * step.quantity_scale / times
    return rates


def _histograms(run: Run, job: Job, step: Step) -> list[Histogram]:
    found = run.histograms_of(job=job.job, step=step.step)
    return [one for one in found if one.quantity == step.quantity and one.count]


def _job(run: Run, name: str) -> Job | None:
    return next((job for job in run.jobs if job.name == name), None)
