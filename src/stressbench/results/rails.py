"""Effects of rail policies: the spread of times per policy, ratios to the baseline, and the bytes of each NIC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from stressbench.stats.pooled import PooledImpact
from stressbench.stats.unpaired import PooledRatio, RatioSource, pooled_ratio
from stressbench.tracing.profile import Columns

Floats = NDArray[np.float64]
BASELINE = "default"
_MIN_RUNS = 4
_WHISKER_REACH = 1.5
_BASELINE_RATIO = PooledRatio(ratio=1.0, low=None, high=None, source=None, reason="others are compared with it")


class ValueKind(StrEnum):
    """What each value of a box plot is: the median over the rounds of a run, or a single round."""

    runs = "runs"
    rounds = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Box plot. Whiskers `low` and `high` reach the last value within 1.5 box widths, outliers lie beyond."""

    count: int
    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float
    outliers: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Results of one policy. `ratio`: relative to the baseline."""

    policy: str
    box: Box | None
    ratio: PooledRatio


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A job's time, or a figure of merit of a program, by policy. `where`: values of the other factors.

    `unit`: s, or empty where it is unknown. `step`: number of the motif from 0, None for a whole job.
    """

    where: Mapping[str, str]
    name: str
    step: int | None
    motif: str | None
    unit: str
    of: ValueKind
    baseline: str
    entries: tuple[Entry, ...]


def subject_of(
    values: Mapping[str, Sequence[Floats]], *, where: Mapping[str, str], name: str, step: int | None = None,
    motif: str | None = None, unit: str = "s",
) -> Subject:  # fmt: skip
    """The subject from `values`, for each policy a sequence of runs, each with one value per round, shape (rounds,).

    Ratios are relative to the policy `default`, or without it to the first one. Box plots are of medians of runs if
    every policy has at least four runs, else of all rounds.
    """
    medians = {
        policy: np.array([np.median(rounds) for rounds in runs if len(rounds)]) for policy, runs in values.items()
    }
    of = ValueKind.runs if all(len(found) >= _MIN_RUNS for found in medians.values()) else ValueKind.rounds
    if all(len(rounds) <= 1 for runs in values.values() for rounds in runs):
        of = ValueKind.runs  # every run has only one value
    baseline = BASELINE if BASELINE in values else next(iter(values))
    entries = tuple(
        Entry(
            policy=policy,
            box=box_of(medians[policy] if of is ValueKind.runs else np.concatenate([np.empty(0), *runs])),
            ratio=_BASELINE_RATIO if policy == baseline else _ratio_to_baseline(values[baseline], runs),
        )
        for policy, runs in values.items()
    )
    return Subject(
        where=where, name=name, step=step, motif=motif, unit=unit, of=of, baseline=baseline, entries=entries
    )  # fmt: skip


def box_of(values: Floats) -> Box | None:
    """The box plot of values, shape (n,), None without any. Percentiles interpolate linearly."""
    if len(values) == 0:
        return None
    first, middle, third = (float(value) for value in np.percentile(values, (25, 50, 75)))
    reach = _WHISKER_REACH * (third - first)
    ordered = np.sort(values)
    within = ordered[(ordered >= first - reach) & (ordered <= third + reach)]
    beyond = ordered[(ordered < first - reach) | (ordered > third + reach)]
    return Box(
        count=len(values), low=min(first, float(within[0])), first_quartile=first, median=middle, third_quartile=third,
        high=max(third, float(within[-1])), outliers=tuple(map(float, beyond)), values=tuple(map(float, values)),
    )  # fmt: skip


def _ratio_to_baseline(baseline: Sequence[Floats], runs: Sequence[Floats]) -> PooledRatio:
    found = pooled_ratio(baseline, runs, what="values")
    return PooledRatio(
        ratio=found.ratio, low=found.low, high=found.high, reason=found.reason,
        source=RatioSource.runs if found.low is not None and all(len(one) <= 1 for one in runs) else found.source,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class NicLoad:
    """Bytes that hosts sent over their NIC of this name, including frame headers. None: not counted.

    `asked`: whether the policy selects this NIC, None where MPI or each host chooses.
    """

    nic: str
    asked: bool | None
    sent_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NicTraffic:
    """Bytes that hosts sent under one policy while `job` ran isolated, or (None) all jobs contended.

    `asked`: the selected NICs as text.
    """

    where: Mapping[str, str]
    policy: str
    job: str | None
    asked: str
    loads: tuple[NicLoad, ...]

    @property
    def total(self) -> int | None:
        """Bytes over all NICs, None where none were counted."""
        known = [load.sent_bytes for load in self.loads if load.sent_bytes is not None]
        return sum(known) if known else None

    def share(self, load: NicLoad) -> float | None:
        """Share of one NIC in all bytes, None where none were sent or counted."""
        return load.sent_bytes / self.total if load.sent_bytes is not None and self.total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth:
    """Bandwidth of a motif's messages of one size, by policy: of all its pairs, from the median time over rounds.

    `low` and `high`: its 95 % interval.
    """

    where: Mapping[str, str]
    job: str
    step: int
    motif: str
    size_bytes: int
    bytes_per_s: Mapping[str, float | None]
    low: Mapping[str, float | None]
    high: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyImpact:
    """Congestion impact on a job under one policy: its contended time relative to its isolated time."""

    where: Mapping[str, str]
    job: str
    policy: str
    impact: PooledImpact


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiProfile:
    """Profile of a program's time in MPI, like that of mpiP. `source`: name of the file with the profile."""

    source: str
    program: str | None
    ranks: int
    columns: Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiTimes:
    """Time of a launch in MPI, s, mean over its ranks. Waits count as point-to-point; others only in `mpi_s`."""

    elapsed_s: float
    mpi_s: float
    p2p_s: float
    collective_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A launch of a program: `number` counts starts from 1, `started_s` is the time since the first one's start.

    `values`: by subject, those that are known. `mpi`: None if the launch was not profiled.
    """

    number: int
    started_s: float
    policy: str
    values: Mapping[str, float]
    mpi: MpiTimes | None


@dataclass(frozen=True, kw_only=True)
class RailsReport:
    """Results of a rail sweep. `time`: isolated or contended rounds, or launches. `factors`: others than the policy.

    `launches`: those of a program that succeeded, in the order of their starts.
    """

    about: str
    time: str
    factors: tuple[str, ...]
    policies: tuple[str, ...]
    planned: int
    done: int
    subjects: tuple[Subject, ...]
    bandwidths: tuple[Bandwidth, ...]
    carried: tuple[NicTraffic, ...]
    beside: tuple[PolicyImpact, ...]
    talk: tuple[MpiProfile, ...]
    notes: tuple[str, ...]
    launches: tuple[Launch, ...] = ()
