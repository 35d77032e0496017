"""A side of a comparison by probes, the idle machine or a load; what both say together, and what is doubtful."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp

import numpy as np

from stressbench.interference.pingpongs import AVERAGED, Probes, Probing, one_after_the_other, pooled
from stressbench.interference.probing import OURS, Floats, Reading, Utilisation, utilisation
from stressbench.interference.queueing import Service
from stressbench.stats.intervals import Interval, unpaired_interval
from stressbench.stats.percentiles import Percentile, grouped_samples, percentile_of

SHARES = (0.5, 0.95, 0.99)
PRECISION = 0.05
"""Of utilisation: to how much an idle switch should be told."""
READING = Reading(service=OURS.service, averaged=AVERAGED)
"""`OURS`, for half round trips."""
_DRIFT = 0.05
_LATE = 0.5
_CLEARLY_ABOVE_0 = 0.02
_OFTEN = 0.25
"""A ping-pong's time over the interval from which on probes that wait come too seldom; then 70 % reads as 68 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Latencies on one side, s: percentiles 50, 95, 99; `late_s`: how much too late probes woke up, on average."""

    count: int
    mean_s: float
    percentiles: tuple[Percentile, ...]
    late_s: float


def side_of(probes: Probes) -> Side:
    """Of at least one probe."""
    grouped = grouped_samples(probes.latencies_s, probes.round)
    return Side(
        count=len(probes), mean_s=float(probes.latencies_s.mean()), late_s=float(np.nanmean(probes.late_s)),
        percentiles=tuple(found for share in SHARES if (found := percentile_of(grouped, share)) is not None),
    )  # fmt: skip


def idle_of(before: Sequence[Probes], after: Sequence[Probes]) -> tuple[Probes, ...]:
    """Of each pair, before and after; `after` may be empty."""
    if not after:
        return tuple(before)
    return tuple(one_after_the_other(both) for both in zip(before, after, strict=True))


def seen_by(
    pairs: Sequence[Probes], idle: Probes, loaded: Probes, *, steady: bool, how: Reading = READING,
    traffic: Service | None = None,
) -> Utilisation:  # fmt: skip
    """Utilisation that `loaded` tells of, probes of these `pairs`; pairs within one host tell nothing.

    `traffic` and `steady` as `utilisation` takes them.
    """
    for pair in pairs:
        if len(pair.hosts) == 1:
            return Utilisation(value=None, low=None, high=None, reason=said_one_host(pair.hosts[0]))
    return utilisation(idle.latencies_s, loaded.latencies_s, how=how, traffic=traffic, steady=steady)


def said_one_host(host: str) -> str:
    """Why such a pair tells nothing."""
    return f"both ranks of a pair are on {host}: their messages go through memory, not through a switch"


def drift_of(before: Sequence[Probes], after: Sequence[Probes]) -> Interval | None:
    """Idle latencies after over those before; None where nobody looked."""
    if not after:
        return None
    earlier, later = pooled(before).latencies_s, pooled(after).latencies_s
    if not len(earlier) or not len(later):
        return None
    return drift_between(earlier, later)


def drift_between(earlier_s: Floats, later_s: Floats) -> Interval:
    """Later latencies over earlier ones, neither of them empty."""
    logs = unpaired_interval(np.log(earlier_s), np.log(later_s))
    low, high = (None if bound is None else exp(bound) for bound in (logs.low, logs.high))
    return Interval(centre=exp(logs.centre), low=low, high=high)


def has_moved(drift: Interval) -> bool:
    """By more than a twentieth, and by more than chance explains."""
    if drift.low is None or drift.high is None:
        return False
    return (drift.low > 1 or drift.high < 1) and abs(drift.centre - 1) > _DRIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """Under load probes woke up so much later than on the idle machine, and took so much longer; s, on average."""

    late_s: float
    wait_s: float


def lateness_of(idle: Side, loaded: Side, busy: Utilisation) -> Lateness | None:
    """Where a load was seen, and probes woke up so late that they may have waited for cores; else None."""
    found = Lateness(late_s=loaded.late_s - idle.late_s, wait_s=loaded.mean_s - idle.mean_s)
    clear = busy.low is not None and busy.low > _CLEARLY_ABOVE_0
    return found if clear and found.late_s > _LATE * found.wait_s else None


def rare_when_busy(loaded: Sequence[Side], probing: Probing) -> Iterator[str]:
    """A sentence where ping-pongs take so long that too few of them see the network when it is busiest."""
    worst = max((AVERAGED * one.mean_s for one in loaded), default=0.0)
    if worst > _OFTEN * probing.interval_s:
        yield (
            f"a ping-pong took {said_us(worst)} on average, and the next one waited for it: while the network is busy "
            f"probes came more seldom, so that more is there than is told; --every {ceil(worst / _OFTEN * 1e3)}ms "
            "tells more"
        )


def idle_cautions(idle: Side, drift: Interval | None, *, needed: int, probing: Probing) -> Iterator[str]:
    """What makes the idle side doubtful, in sentences; `needed` probes would tell an idle switch to within 5 points."""
    if drift is not None and has_moved(drift):
        yield (
            f"idle latencies after the program are {drift.centre:.2f} times those before it: the machine changed "
            "meanwhile, or the program left something behind"
        )
    if idle.count < needed:
        yield (
            f"{idle.count} idle probes: to tell an idle switch to within {PRECISION:.0%} these latencies need "
            f"{needed}, which is --idle {ceil(seconds_for(needed, probing))}s"
        )


def seconds_for(count: int, probing: Probing) -> float:
    """How long so many probes take, of all pairs together, s."""
    return ceil(count / probing.pairs) * probing.interval_s


def said_us(seconds: float) -> str:
    """`1,234.5 us`."""
    return f"{seconds * 1e6:,.1f} us"
