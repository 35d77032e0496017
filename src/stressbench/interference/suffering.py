"""What compressions do to a program: how busy each keeps the switch, how much it slows the program, and the doubts.

Pure: series of probes and run times in, numbers and sentences out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.formats.profiles.profile import Configuration
from stressbench.interference.link_shares import Shares
from stressbench.interference.pingpongs import Probes, Probing, pooled
from stressbench.interference.probing import LEAST_SAMPLES, Utilisation, point, probes_needed
from stressbench.interference.queueing import Service
from stressbench.interference.readings import slowdown_of
from stressbench.interference.sides import (
    PRECISION,
    READING,
    Side,
    drift_of,
    idle_cautions,
    idle_of,
    lateness_of,
    rare_when_busy,
    said_us,
    seen_by,
    side_of,
)
from stressbench.stats.intervals import Interval

_START = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Suffered:
    """One compression: its probes without the program, pair by pair, and times of the program beside it, s.

    `ended_at_s`: how long the runs took that were ended at their time limit, whose time nobody knows.
    `links`: the share of each link that it uses without the program, where somebody counts.
    """

    configuration: Configuration
    probes: tuple[Probes, ...]
    times_s: tuple[float, ...]
    ended_at_s: tuple[float, ...] = ()
    links: Shares | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Compressed:
    """Everything that was measured: idle before and after (may be empty), times alone, s, and each compression.

    `start_s`: how long it takes to start as many ranks that do nothing; None where times hold no start.
    """

    probing: Probing
    before: tuple[Probes, ...]
    after: tuple[Probes, ...]
    alone_s: tuple[float, ...]
    levels: tuple[Suffered, ...]
    start_s: float | None = None
    traffic: Service | None = None

    @property
    def idle(self) -> tuple[Probes, ...]:
        """Of each pair, before and after."""
        return idle_of(self.before, self.after)

    @property
    def kept(self) -> tuple[Suffered, ...]:
        """Compressions beside which every run came to its end, one at least."""
        return tuple(one for one in self.levels if one.times_s and not one.ended_at_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFound:
    """One compression: latencies of its probes, the switch's utilisation, and the program's time over that alone.

    `slowdown` is None where a run was ended at its time limit: then it is `at_least`.
    """

    configuration: Configuration
    probes: Side
    utilisation: Utilisation
    times_s: tuple[float, ...]
    slowdown: Interval | None
    at_least: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressionFound:
    """What a program suffers; `levels` by utilisation, those of which nobody can tell by mean latency among them.

    `drift`: idle latencies after over those before, None where nobody looked.
    """

    idle: Side
    alone_s: tuple[float, ...]
    levels: tuple[LevelFound, ...]
    drift: Interval | None
    cautions: tuple[str, ...]


def loads_of(
    idle: Sequence[Probes], rings: Mapping[Configuration, Sequence[Probes]], *, traffic: Service | None
) -> dict[Configuration, float]:
    """Utilisations, 0 to below 1, for a choice among rings only: without checks, also where nobody can tell.

    The quietest of all stands for the idle machine, whose cores may sleep so deeply that its own probes are slower.
    """
    latencies = {one: pooled(pairs).latencies_s for one, pairs in rings.items()}
    quietest = min((pooled(idle).latencies_s, *latencies.values()), key=lambda some: float(some.mean()))
    return {one: point(quietest, some, how=READING, traffic=traffic) for one, some in latencies.items()}


def compression_found(measured: Compressed) -> CompressionFound:
    """All of it, of 30 idle probes or more, at least one time alone, and compressions with probes."""
    idle = pooled(measured.idle)
    side, drift = side_of(idle), drift_of(measured.before, measured.after)
    levels = tuple(sorted((_level(one, idle, measured) for one in measured.levels), key=lambda one: one.probes.mean_s))
    needed = probes_needed(idle.latencies_s, half_width=PRECISION, how=READING, traffic=measured.traffic)
    return CompressionFound(
        idle=side, alone_s=measured.alone_s, levels=levels, drift=drift,
        cautions=(
            *_late(side, levels), *rare_when_busy([one.probes for one in levels], measured.probing),
            *idle_cautions(side, drift, needed=needed, probing=measured.probing), *_few(levels), *_ended(levels),
            *_starting(measured),
        ),
    )  # fmt: skip


def _level(one: Suffered, idle: Probes, measured: Compressed) -> LevelFound:
    loaded, times = pooled(one.probes), one.times_s
    ended = max(one.ended_at_s, default=None)
    return LevelFound(
        configuration=one.configuration,
        probes=side_of(loaded),
        utilisation=seen_by(one.probes, idle, loaded, traffic=measured.traffic, steady=True),
        times_s=times,
        slowdown=slowdown_of(measured.alone_s, times) if times and ended is None else None,
        at_least=None if ended is None else ended / max(measured.alone_s),
    )


def _late(idle: Side, levels: Sequence[LevelFound]) -> Iterator[str]:
    late = [found for one in levels if (found := lateness_of(idle, one.probes, one.utilisation)) is not None]
    if late:
        worst = max(late, key=lambda one: one.late_s)
        yield (
            f"beside {len(late)} of {len(levels)} compressions probes woke up late, by up to {said_us(worst.late_s)} "
            f"where their latencies were {said_us(worst.wait_s)} longer: they waited for cores, perhaps more than for "
            "the switch, and so does the program. Leave two cores free on each host"
        )


def _few(levels: Sequence[LevelFound]) -> Iterator[str]:
    without = [one for one in levels if one.slowdown is not None and one.slowdown.low is None]
    if without:
        yield f"{len(without)} of {len(levels)} slow-downs have no interval: it takes 4 times alone and 4 beside"


def _ended(levels: Sequence[LevelFound]) -> Iterator[str]:
    ended = [one for one in levels if one.at_least is not None]
    if ended:
        yield (
            f"beside {len(ended)} of {len(levels)} compressions the program was ended at --time-limit; they are left "
            "out of the profile"
        )


def _starting(measured: Compressed) -> Iterator[str]:
    share = 0.0 if measured.start_s is None else measured.start_s / float(np.median(measured.alone_s))
    if share > _START:
        yield (
            f"to start its ranks takes at least {share:.0%} of the program's time alone: what it does itself is slowed "
            "by more than is told here. Give it more to do"
        )


def enough(loaded: Sequence[Probes]) -> bool:
    """Whether so many probes came beside a compression that something can be told."""
    return sum(map(len, loaded)) >= LEAST_SAMPLES
