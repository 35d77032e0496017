"""Which samples of a run count, and what one round says: the median of its measured times."""

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
    """One round's value of a job (seconds a repetition) or step (seconds an iteration)."""

    round: int
    launch: int
    block: int
    kind: Kind
    median_s: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selection:
    """Counted samples of a job or step: times (samples,) in seconds, split by kind, and the rounds' medians."""

    isolated_s: Floats
    contended_s: Floats
    isolated_round: NDArray[np.int64]
    contended_round: NDArray[np.int64]
    rounds: tuple[RoundMedian, ...]
    slowest_rank: NDArray[np.int64]
    slowest_host: NDArray[np.int64]
    hosts: tuple[str, ...]

    def of(self, kind: Kind) -> tuple[RoundMedian, ...]:
        """Rounds of one kind, in order."""
        return tuple(found for found in self.rounds if found.kind is kind)


_EMPTY = Selection(
    isolated_s=np.empty(0), contended_s=np.empty(0), isolated_round=np.empty(0, dtype=np.int64),
    contended_round=np.empty(0, dtype=np.int64), rounds=(), slowest_rank=np.empty(0, dtype=np.int64),
    slowest_host=np.empty(0, dtype=np.int64), hosts=(),
)  # fmt: skip


def select(run: Run, *, job: int, step: int | None = None, include_extra: bool = False) -> Selection:
    """Measured samples of a job (`step` None) or step; `include_extra` adds the extra ones of contended rounds.

    A job's time is `time_max_s` of the repetition, until its last rank was through (docs/records.md). A step's is that
    of one iteration, times its `quantity_scale` (one way is half a round trip).
    """
    samples = run.samples_of(job=job, step=step)
    if samples is None:
        return _EMPTY
    wanted = samples.in_phases(Phase.measured, *([Phase.extra] if include_extra else []))
    wanted &= np.isfinite(samples.time_max_s)
    if include_extra:
        wanted &= evenly_subsampled(run, samples, job=job)
    rounds, values = samples.round[wanted], sample_times_s(run, samples)[wanted]
    contended = np.isin(rounds, [found.round for found in run.rounds if found.kind is Kind.contended])
    return Selection(
        isolated_s=values[~contended],
        contended_s=values[contended],
        isolated_round=rounds[~contended],
        contended_round=rounds[contended],
        rounds=_round_medians(run, rounds, values),
        slowest_rank=samples.slowest_rank[wanted],
        slowest_host=samples.slowest_host[wanted],
        hosts=samples.hosts,
    )


def evenly_subsampled(run: Run, rows: Samples | MetricSamples, *, job: int) -> Mask:
    """Shape (rows,): of rounds that kept one extra repetition in so many, one measured in as many.

    Else the measured ones, which are all there, would count for more than the extra ones that stand for others.
    """
    taken = np.ones(len(rows.round), dtype=bool)
    is_extra, is_measured = rows.in_phases(Phase.extra), rows.in_phases(Phase.measured)
    for found in run.rounds:
        counts = next((one for one in found.jobs if one.job == job), None)
        if found.kind is not Kind.contended or counts is None or not counts.extra:
            continue
        here = rows.round == found.round
        measured, extra = np.flatnonzero(here & is_measured), int(np.count_nonzero(here & is_extra))
        if extra == 0 or len(measured) == 0:
            continue
        each = round(counts.extra / extra * len(measured) / max(counts.measured, 1))
        if each > 1:
            taken[measured] = (np.arange(len(measured)) + each // 2) % each == 0
    return taken


def sample_times_s(run: Run, samples: Samples) -> Floats:
    """Shape (samples,): seconds a repetition for a whole job, scaled seconds an iteration for a step."""
    if samples.step is None:
        return samples.time_max_s
    step = run.jobs[samples.job].steps[samples.step]
    return samples.time_max_s * step.quantity_scale / samples.iterations


def _round_medians(run: Run, rounds: NDArray[np.int64], values: Floats) -> tuple[RoundMedian, ...]:
    numbers, medians = medians_by_round(values, rounds)
    median_of = dict(zip(numbers.tolist(), medians.tolist(), strict=True))
    return tuple(
        RoundMedian(
            round=found.round, launch=launch.header.launch, block=found.block, kind=found.kind,
            median_s=median_of[found.round],
        )
        for launch in run.launches
        for found in launch.rounds
        if found.round in median_of
    )  # fmt: skip
