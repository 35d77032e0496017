"""Probes of the network as a workload, and their latencies from its run file (Casas and Bronevetsky, III-A).

Each pair of nodes is one job, which repeats a pause and a ping-pong. The pauses vary: with equal ones, a program whose
iterations are in step with the probes would always be sampled in the same phase. This module runs no program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from stressbench.formats.run import Kind, Run
from stressbench.formats.run.samples import Integers
from stressbench.interference.errors import Inconclusive
from stressbench.interference.one_way import forward_delays
from stressbench.interference.utilisation import Floats

MESSAGES_PER_LATENCY = 2
"""A latency is half a round trip, and thus the mean of two messages."""
ROUND_S = 1.0
"""Length of a round of probes, s."""
_MOST_PAUSES = 50
_MIN_PAUSE_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSchedule:
    """How probes are sent: by `pairs` pairs of nodes, `message_bytes` each way, every `interval_s` on average."""

    pairs: int
    message_bytes: int
    interval_s: float

    @property
    def per_round(self) -> int:
        """Ping-pongs of a pair per round, which takes a second, or one interval if that is longer."""
        return self.repetitions * self.pauses

    @property
    def repetitions(self) -> int:
        """How often a round of a second repeats the sequence of pauses of a pair."""
        return self._repetitions(ROUND_S)

    def _repetitions(self, seconds: float) -> int:
        return max(1, round(seconds / self.interval_s / self.pauses))

    @property
    def pauses(self) -> int:
        """Length of the sequence of pauses of a pair."""
        return min(_MOST_PAUSES, max(1, round(ROUND_S / self.interval_s)))

    def pauses_ns(self, pair: int) -> tuple[int, ...]:
        """The sequence of pauses of a pair, counted from 0: half an interval to one and a half, in ns.

        Pauses are evenly spread and shuffled. Each pair has its own order and values, since all pairs start a round at
        the same time and should not probe at the same time.
        """
        order = np.random.default_rng(pair).permutation(self.pauses)
        places = (order + (pair + 0.5) / self.pairs) / self.pauses
        return tuple(round(self.interval_s * 1e9 * (_MIN_PAUSE_SHARE + place)) for place in places.tolist())

    @property
    def longest_pause_s(self) -> float:
        """The longest of all pauses, s."""
        return self.interval_s * (_MIN_PAUSE_SHARE + 1)

    def rounds(self, seconds: float) -> int:
        """Rounds that take `seconds`, plus the first one, which establishes connections and is not counted."""
        return 1 + ceil(seconds / (self.per_round * self.interval_s))

    def workload(self, *, seconds: float = ROUND_S) -> str:
        """A workload (.sb text) of probes only, whose rounds take about `seconds`, but one interval at least."""
        return "# probes of `stressbench impact`\n" + "".join(
            self.job(pair, where="[NODES] 2\n", seconds=seconds) for pair in range(self.pairs)
        )

    def job(self, pair: int, *, where: str, seconds: float = ROUND_S) -> str:
        """One pair, counted from 0, as a job of a workload; `where`: the lines that place it on nodes.

        A round takes about `seconds`, but one interval at least.
        """
        return f"[JOB_NAME] pair{pair}\n{where}[REPEAT] {self._repetitions(seconds)}\n" + "".join(
            f"[MOTIF] compute --mode sleep --mean {pause}ns\n"
            f"[MOTIF] one_way_delay --size {self.message_bytes}B --clocks raw\n"
            for pause in self.pauses_ns(pair)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeSeries:
    """Ping-pongs in temporal order; all arrays have shape (n,).

    For each ping-pong: one-way latency, start time (from any origin), round, number of the pair, and the delay of the
    preceding wake-up on the slower side of the pair. `hosts`: hosts of all pairs in the series. `forward_s`: the delay
    from the first host of the pair to the second; None if unknown. `stands_for_s`: the time that each stands for: half
    of that to the ping-pong before it and half of that to the next one. A ping-pong that waits delays those that follow
    it, so that there are fewer of them while the network is busy.
    """

    hosts: tuple[str, ...]
    latencies_s: Floats
    at_s: Floats
    round: Integers
    pair: Integers
    late_s: Floats
    stands_for_s: Floats
    forward_s: Floats | None = None

    def __len__(self) -> int:
        """Number of ping-pongs."""
        return len(self.latencies_s)

    @property
    def backward_s(self) -> Floats | None:
        """The delays from the second host of the pair to the first; None if unknown."""
        return None if self.forward_s is None else 2 * self.latencies_s - self.forward_s

    @property
    def delays_s(self) -> Floats | None:
        """The delays of both directions in temporal order, shape (2 n,); None if unknown."""
        if self.forward_s is None or self.backward_s is None:
            return None
        both: Floats = np.stack((self.forward_s, self.backward_s), axis=1).ravel()
        return both


def read_probe_series(run: Run, probing: ProbeSchedule) -> tuple[ProbeSeries, ...]:
    """Latencies of each pair, without the first round; times count from the start of the launch.

    Congestor jobs that follow those of the pairs are ignored. Raises Inconclusive if `run` does not match `probing`.
    """
    steps = 2 * probing.pauses
    if len(run.measured_jobs) != probing.pairs or any(len(job.steps) != steps for job in run.measured_jobs):
        raise Inconclusive(f"{run.path} holds no probes of {probing.pairs} pairs")
    return tuple(_pair(run, job, np.array(probing.pauses_ns(job)) * 1e-9) for job in range(probing.pairs))


def _pair(run: Run, job: int, pauses_s: Floats) -> ProbeSeries:
    pauses, ping_pongs = (_table(run, job, first=first, steps=len(pauses_s)) for first in (0, 1))
    if pauses is None or ping_pongs is None:
        empty = np.empty(0)
        no_rounds = np.empty(0, dtype=np.int64)
        return ProbeSeries(
            hosts=run.hosts_of(job=job), latencies_s=empty, at_s=empty, round=no_rounds, pair=no_rounds, late_s=empty,
            stands_for_s=empty,
        )  # fmt: skip
    starts = {one.round: one.started_s for one in run.rounds if one.kind is Kind.contended}
    times_s = ping_pongs.time_s
    durations_s = (pauses.time_s + times_s).ravel()
    numbers = np.repeat(pauses.round, len(pauses_s))
    ends_s = np.cumsum(durations_s)
    first_of_round = np.searchsorted(numbers, numbers)  # index of the first ping-pong of each round
    began_s = np.array([starts.get(number, np.nan) for number in numbers.tolist()])
    at_s = began_s + ends_s - (ends_s - durations_s)[first_of_round] - times_s.ravel()
    latencies_s = times_s.ravel() * run.jobs[job].steps[1].quantity_scale
    known = np.isfinite(latencies_s) & np.isfinite(at_s) & (latencies_s > 0)
    kept = known & (numbers != min(starts, default=0))
    forward_s, backward_s = (
        _metric(run, job, name, shape=times_s.shape) for name in ("forward_delay_s", "backward_delay_s")
    )
    return ProbeSeries(
        hosts=run.hosts_of(job=job), latencies_s=latencies_s[kept], at_s=at_s[kept], round=numbers[kept],
        pair=np.full(int(kept.sum()), job),
        late_s=(pauses.time_s - pauses_s).ravel()[kept], stands_for_s=_stands_for(at_s[kept], numbers[kept]),
        forward_s=None
        if forward_s is None or backward_s is None
        else forward_delays(latencies_s[kept], forward_s[kept], backward_s[kept], at_s[kept]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    """Times of a job's pauses or ping-pongs, shape (repetitions, pauses), and the round of each repetition."""

    time_s: Floats
    round: Integers


def _table(run: Run, job: int, *, first: int, steps: int) -> _Table | None:
    samples = [run.samples_of(job=job, step=step) for step in range(first, 2 * steps, 2)]
    available = [one for one in samples if one is not None]
    if len(available) < steps or len({len(one) for one in available}) > 1:
        return None
    return _Table(time_s=np.stack([one.time_max_s for one in available], axis=1), round=available[0].round)


def _stands_for(at_s: Floats, rounds: Integers) -> Floats:
    """The time that each ping-pong stands for, shape (n,), s; between rounds, the median of the others."""
    apart = np.diff(at_s)
    within = rounds[1:] == rounds[:-1]
    usual = float(np.median(apart[within])) if within.any() else 1.0
    gaps = np.concatenate(([usual], np.where(within, apart, usual), [usual]))
    halves: Floats = (gaps[:-1] + gaps[1:]) / 2
    return halves[: len(at_s)]


def _metric(run: Run, job: int, name: str, *, shape: tuple[int, ...]) -> Floats | None:
    """A metric of a job's ping-pongs in the order of their times, of this shape; None where it was not measured."""
    repetitions, steps = shape
    found = [
        one.maximum for step in range(1, 2 * steps, 2) for one in run.metrics_of(job=job, step=step) if one.name == name
    ]
    if len(found) < steps or {len(one) for one in found} != {repetitions}:
        return None
    values: Floats = np.stack(found, axis=1).ravel()
    return values


def series_between(probes: ProbeSeries, *, began_s: float, ended_s: float) -> ProbeSeries:
    """Ping-pongs that started at `began_s` or later and finished by `ended_s`; times are relative to `began_s`."""
    kept = (probes.at_s >= began_s) & (probes.at_s + MESSAGES_PER_LATENCY * probes.latencies_s <= ended_s)
    chosen = _chosen(probes, np.flatnonzero(kept))
    return replace(chosen, at_s=chosen.at_s - began_s)


def concatenate_series(launches: Sequence[ProbeSeries]) -> ProbeSeries:
    """Several launches of one pair, at least one, as one series: each starts where the one before it ends."""
    at, rounds, origin, first = [], [], 0.0, 0
    for one in launches:
        at.append(one.at_s + origin)
        rounds.append(one.round + first)
        if len(one):
            origin, first = float(at[-1][-1]), int(rounds[-1].max())
    return replace(_joined(launches), at_s=np.concatenate(at), round=np.concatenate(rounds))


def merge_pairs(pairs: Sequence[ProbeSeries]) -> ProbeSeries:
    """All pairs, at least one, as one series in temporal order."""
    joined = _joined(pairs)
    return _chosen(joined, np.argsort(joined.at_s, kind="stable"))


def _chosen(probes: ProbeSeries, places: Integers) -> ProbeSeries:
    """The ping-pongs at these places, in their order."""
    return replace(
        probes, latencies_s=probes.latencies_s[places], at_s=probes.at_s[places], round=probes.round[places],
        pair=probes.pair[places], late_s=probes.late_s[places], stands_for_s=probes.stands_for_s[places],
        forward_s=None if probes.forward_s is None else probes.forward_s[places],
    )  # fmt: skip


def _joined(series: Sequence[ProbeSeries]) -> ProbeSeries:
    """All series, at least one, one after the other, with their times and rounds as they are."""
    return ProbeSeries(
        hosts=tuple(dict.fromkeys(host for one in series for host in one.hosts)),
        latencies_s=np.concatenate([one.latencies_s for one in series]),
        at_s=np.concatenate([one.at_s for one in series]), round=np.concatenate([one.round for one in series]),
        pair=np.concatenate([one.pair for one in series]), late_s=np.concatenate([one.late_s for one in series]),
        stands_for_s=np.concatenate([one.stands_for_s for one in series]), forward_s=_all_forward(series),
    )  # fmt: skip


def _all_forward(series: Sequence[ProbeSeries]) -> Floats | None:
    """The delays of the way there of all series, one after the other; None if those of one are unknown."""
    known = [one.forward_s for one in series if one.forward_s is not None]
    return np.concatenate(known) if len(known) == len(series) else None
