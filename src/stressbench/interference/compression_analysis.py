"""Analysis of a compression measurement: the utilisation and the slowdown of each congestion level, and cautions.

The input is series of probes and run times; this module runs no program.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.units import microseconds_text
from stressbench.interference.compression import RingWaits
from stressbench.interference.link_shares import LinkShares
from stressbench.interference.probe_statistics import (
    PING_PONG_ESTIMATOR,
    PRECISION,
    ProbeStatistics,
    idle_cautions,
    idle_drift,
    joined_idle_probes,
    probe_statistics,
    sparse_probe_cautions,
    utilisation_seen_by,
    wakeup_delay,
)
from stressbench.interference.probes import ProbeSchedule, ProbeSeries, merge_pairs
from stressbench.interference.profile_analysis import slowdown_interval
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import (
    LEAST_SAMPLES,
    Utilisation,
    probes_needed,
)
from stressbench.stats.intervals import Interval

_MAX_STARTUP_SHARE = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class CongestionLevel:
    """One congestion level: its probes without the program, pair by pair, and the program's contended times, s.

    `ended_at_s`: elapsed times, s, of runs that were ended at the time limit. `links`: the share of each link that the
    ring uses without the program, None without link counters.
    """

    configuration: Configuration
    probes: tuple[ProbeSeries, ...]
    times_s: tuple[float, ...]
    ended_at_s: tuple[float, ...] = ()
    links: LinkShares | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class CompressionData:
    """A compression measurement: idle probes before and after (can be empty), isolated times, s, and all levels.

    `start_s`: time to launch an empty program with the same number of ranks, s; None if times do not include the
    launch. `packets`: service time of the ring's packets, None: unknown.
    """

    probing: ProbeSchedule
    before: tuple[ProbeSeries, ...]
    after: tuple[ProbeSeries, ...]
    alone_s: tuple[float, ...]
    levels: tuple[CongestionLevel, ...]
    start_s: float | None = None
    packets: Service | None = None

    @property
    def idle(self) -> tuple[ProbeSeries, ...]:
        """Idle probes of each pair, before and after concatenated."""
        return joined_idle_probes(self.before, self.after)

    @property
    def completed_levels(self) -> tuple[CongestionLevel, ...]:
        """Levels at which the program ran at least once and never reached the time limit."""
        return tuple(one for one in self.levels if one.times_s and not one.ended_at_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelResult:
    """One congestion level: probe latencies, utilisation of the switch, and slowdown of the program.

    `slowdown` is None if a run reached the time limit; `at_least` is then its lower bound.
    """

    configuration: Configuration
    probes: ProbeStatistics
    utilisation: Utilisation
    times_s: tuple[float, ...]
    slowdown: Interval | None
    at_least: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionResult:
    """The slowdown of a program as a function of congestion; `levels` are ordered by mean probe latency.

    `drift`: ratio of the idle latencies after to those before, None without probes after. `cautions`: what makes the
    result doubtful, in sentences.
    """

    idle: ProbeStatistics
    alone_s: tuple[float, ...]
    levels: tuple[LevelResult, ...]
    drift: Interval | None
    cautions: tuple[str, ...]


def ring_waits(idle: Sequence[ProbeSeries], levels: Sequence[CongestionLevel]) -> RingWaits:
    """Mean waits beside each ring, for the selection of congestion levels. They need no knowledge of links or packets.

    The series with the lowest mean latency is taken as that of the idle machine, since deep sleep states of idle cores
    can slow probes down.
    """
    latencies_s = {one.configuration: _mean_latency_s(one.probes) for one in levels}
    idle_s = min(_mean_latency_s(idle), *latencies_s.values()) if levels else _mean_latency_s(idle)
    return RingWaits(idle_s=idle_s, waits_s={one: latency_s - idle_s for one, latency_s in latencies_s.items()})


def _mean_latency_s(pairs: Sequence[ProbeSeries]) -> float:
    """The mean over time: ping-pongs that take long are fewer, each of them standing for more of it."""
    probes = merge_pairs(pairs)
    return float(np.average(probes.latencies_s, weights=probes.stands_for_s))


def analyse_compression(data: CompressionData) -> CompressionResult:
    """Analyse a measurement with at least 30 idle probes, one isolated time, and probes at every level."""
    idle = merge_pairs(data.idle)
    idle_statistics, drift = probe_statistics(idle), idle_drift(data.before, data.after)
    levels = tuple(sorted((_level(one, idle, data) for one in data.levels), key=lambda one: one.probes.mean_s))
    needed = probes_needed(idle.latencies_s, half_width=PRECISION, estimator=PING_PONG_ESTIMATOR, packets=data.packets)
    return CompressionResult(
        idle=idle_statistics, alone_s=data.alone_s, levels=levels, drift=drift,
        cautions=(
            *_late_probe_cautions(idle_statistics, levels),
            *sparse_probe_cautions([one.probes for one in levels], data.probing),
            *idle_cautions(idle_statistics, drift, needed=needed, probing=data.probing),
            *_missing_interval_cautions(levels), *_time_limit_cautions(levels), *_startup_cautions(data),
        ),
    )  # fmt: skip


def _level(one: CongestionLevel, idle: ProbeSeries, data: CompressionData) -> LevelResult:
    loaded, times = merge_pairs(one.probes), one.times_s
    longest_ended_s = max(one.ended_at_s, default=None)
    return LevelResult(
        configuration=one.configuration,
        probes=probe_statistics(loaded),
        utilisation=utilisation_seen_by(one.probes, idle, loaded, packets=data.packets, steady=True),
        times_s=times,
        slowdown=slowdown_interval(data.alone_s, times) if times and longest_ended_s is None else None,
        at_least=None if longest_ended_s is None else longest_ended_s / max(data.alone_s),
    )


def _late_probe_cautions(idle: ProbeStatistics, levels: Sequence[LevelResult]) -> Iterator[str]:
    delays = [delay for one in levels if (delay := wakeup_delay(idle, one.probes, one.utilisation)) is not None]
    if delays:
        worst = max(delays, key=lambda one: one.late_s)
        yield (
            f"beside {len(delays)} of {len(levels)} congestion levels probes woke up late, by up to "
            f"{microseconds_text(worst.late_s)} where their latencies were {microseconds_text(worst.wait_s)} longer: "
            "they waited for cores, perhaps more than for the switch, and so does the program. Leave two cores free on "
            "each host"
        )


def _missing_interval_cautions(levels: Sequence[LevelResult]) -> Iterator[str]:
    without = [one for one in levels if one.slowdown is not None and one.slowdown.low is None]
    if without:
        yield f"{len(without)} of {len(levels)} slowdowns have no interval: it takes 4 isolated and 4 contended times"


def _time_limit_cautions(levels: Sequence[LevelResult]) -> Iterator[str]:
    ended = [one for one in levels if one.at_least is not None]
    if ended:
        yield (
            f"at {len(ended)} of {len(levels)} congestion levels the program was ended at --time-limit; they are left "
            "out of the profile"
        )


def _startup_cautions(data: CompressionData) -> Iterator[str]:
    share = 0.0 if data.start_s is None else data.start_s / float(np.median(data.alone_s))
    if share > _MAX_STARTUP_SHARE:
        yield (
            f"starting its ranks takes at least {share:.0%} of the program's isolated time, so that the slowdown of "
            "the rest is underestimated. Use a larger problem"
        )


def has_enough_probes(loaded: Sequence[ProbeSeries]) -> bool:
    """Whether a congestion level has enough probes to estimate its utilisation."""
    return sum(map(len, loaded)) >= LEAST_SAMPLES
