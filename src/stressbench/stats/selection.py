"""Selection of a run's samples for statistics, and the median of each round."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Kind, MetricSamples, Phase, Run, Samples
from stressbench.stats.distribution import medians_by_round

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundMedian:
    """Median time of a job (s per repetition) or step (s per iteration) in one round."""

    round: int
    launch: int
    block: int
    kind: Kind
    median_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selection:
    """Selected samples of a job or step: times (s) and round numbers by kind, shape (samples,), and round medians.

    `slowest_rank` and `slowest_host` (index into `hosts`) belong to all selected samples in the order of the file.
    """

    isolated_s: Floats
    contended_s: Floats
    isolated_round: NDArray[np.int64]
    contended_round: NDArray[np.int64]
    rounds: tuple[RoundMedian, ...]
    slowest_rank: NDArray[np.int64]
    slowest_host: NDArray[np.int64]
    hosts: tuple[str, ...]

    def of(self, kind: Kind) -> tuple[RoundMedian, ...]:
        """Round medians of one kind, in the order of the rounds."""
        return tuple(round_ for round_ in self.rounds if round_.kind is kind)


_EMPTY = Selection(
    isolated_s=np.empty(0), contended_s=np.empty(0), isolated_round=np.empty(0, dtype=np.int64),
    contended_round=np.empty(0, dtype=np.int64), rounds=(), slowest_rank=np.empty(0, dtype=np.int64),
    slowest_host=np.empty(0, dtype=np.int64), hosts=(),
)  # fmt: skip


def select(run: Run, *, job: int, step: int | None = None, include_extra: bool = False) -> Selection:
    """Measured samples of a job (`step` is None) or step; `include_extra` adds extra repetitions of contended rounds.

    The time of a job is `time_max_s` of the repetition, that of its slowest rank (docs/records.md). The time of a step
    is that of one iteration times its `quantity_scale` (0.5 for one-way times from round trips).
    """
    samples = run.samples_of(job=job, step=step)
    if samples is None:
        return _EMPTY
    mask = samples.in_phases(Phase.measured, *([Phase.extra] if include_extra else []))
    mask &= np.isfinite(samples.time_max_s)
    if include_extra:
        mask &= evenly_subsampled(run, samples, job=job)
    rounds, values = samples.round[mask], sample_times_s(run, samples)[mask]
    contended = np.isin(rounds, [round_.round for round_ in run.rounds if round_.kind is Kind.contended])
    return Selection(
        isolated_s=values[~contended],
        contended_s=values[contended],
        isolated_round=rounds[~contended],
        contended_round=rounds[contended],
        rounds=_round_medians(run, rounds, values),
        slowest_rank=samples.slowest_rank[mask],
        slowest_host=samples.slowest_host[mask],
        hosts=samples.hosts,
    )


def evenly_subsampled(run: Run, rows: Samples | MetricSamples, *, job: int) -> Mask:
    """Mask, shape (rows,), that thins measured repetitions as much as the file thins the extra ones of the round.

    Without it, measured repetitions, which are all recorded, would have more weight than the extra ones.
    """
    mask = np.ones(len(rows.round), dtype=bool)
    is_extra, is_measured = rows.in_phases(Phase.extra), rows.in_phases(Phase.measured)
    for round_ in run.rounds:
        counts = next((one for one in round_.jobs if one.job == job), None)
        if round_.kind is not Kind.contended or counts is None or not counts.extra:
            continue
        in_round = rows.round == round_.round
        measured, extra = np.flatnonzero(in_round & is_measured), int(np.count_nonzero(in_round & is_extra))
        if extra == 0 or len(measured) == 0:
            continue
        step = round(counts.extra / extra * len(measured) / max(counts.measured, 1))
        if step > 1:
            mask[measured] = (np.arange(len(measured)) + step // 2) % step == 0
    return mask


def sample_times_s(run: Run, samples: Samples) -> Floats:
    """Times, shape (samples,): seconds per repetition for a job, scaled seconds per iteration for a step."""
    if samples.step is None:
        return samples.time_max_s
    step = run.jobs[samples.job].steps[samples.step]
    return samples.time_max_s * step.quantity_scale / samples.iterations


def _round_medians(run: Run, rounds: NDArray[np.int64], values: Floats) -> tuple[RoundMedian, ...]:
    numbers, medians = medians_by_round(values, rounds)
    median_of = dict(zip(numbers.tolist(), medians.tolist(), strict=True))
    return tuple(
        RoundMedian(
            round=round_.round, launch=launch.header.launch, block=round_.block, kind=round_.kind,
            median_s=median_of[round_.round],
        )
        for launch in run.launches
        for round_ in launch.rounds
        if round_.round in median_of
    )  # fmt: skip
