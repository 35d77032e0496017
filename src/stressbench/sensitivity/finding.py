"""What probes beside a program say: how latencies are spread, how busy the switch was, when, and what is doubtful.

Pure: series of probes in, numbers and sentences out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, exp

import numpy as np

from stressbench.analysis.intervals import CONFIDENCE, Interval, unpaired_interval
from stressbench.analysis.percentiles import Percentile, of_samples, percentile_of
from stressbench.sensitivity.phases import phases_of
from stressbench.sensitivity.pingpongs import AVERAGED, Probes, Probing, one_after_the_other, pooled
from stressbench.sensitivity.probing import (
    OURS,
    PAPER,
    Floats,
    Reading,
    Utilisation,
    probes_needed,
    service_of,
    utilisation,
)
from stressbench.sensitivity.queueing import own_load
from stressbench.sensitivity.readings import slowdown_of

SHARES = (0.5, 0.95, 0.99)
PRECISION = 0.05
"""Of utilisation: to how much an idle switch should be told."""
READING = Reading(service=OURS.service, averaged=AVERAGED)
"""`OURS`, for half round trips."""
_DRIFT = 0.05
_PAIRS_DIFFER = 1.2
_OWN_LOAD = 0.05
_LATE = 0.5
_EFFECT = 1.01
_CLEARLY_ABOVE_0 = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Latencies on one side, s: percentiles 50, 95, 99; `late_s`: how much too late probes woke up, on average."""

    count: int
    mean_s: float
    percentiles: tuple[Percentile, ...]
    late_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A phase of the program, s from its start: the utilisation in it, 0 to 1, with a 95 % interval."""

    began_s: float
    ended_s: float
    utilisation: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFound:
    """One pair of hosts: median latencies, s, None without probes; the utilisation as this pair sees it."""

    hosts: tuple[str, ...]
    idle_median_s: float | None
    loaded_median_s: float | None
    utilisation: Utilisation


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Run times, s, with probes and without; `ratio`: with over without, None where nobody ran without."""

    with_probes_s: tuple[float, ...]
    without_s: tuple[float, ...]
    ratio: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactFound:
    """What one program does to the network. Both utilisations are of all pairs together; `drift`: idle latencies
    after over those before, None where nobody looked; `probes_needed`: for an idle switch to within 5 points;
    `own_load`: share of the switch's time that probes took themselves, at most.
    """

    idle: Side
    loaded: Side
    ours: Utilisation
    paper: Utilisation
    phases: tuple[Stretch, ...]
    pairs: tuple[PairFound, ...]
    drift: Interval | None
    probes_needed: int
    own_load: float
    effect: Effect
    cautions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """Everything that was measured, pair by pair: idle before, beside the program, idle after (may be empty)."""

    probing: Probing
    before: tuple[Probes, ...]
    beside: tuple[Probes, ...]
    after: tuple[Probes, ...]
    with_probes_s: tuple[float, ...]
    without_s: tuple[float, ...]

    @property
    def idle(self) -> tuple[Probes, ...]:
        """Of each pair, before and after."""
        if not self.after:
            return self.before
        return tuple(one_after_the_other(both) for both in zip(self.before, self.after, strict=True))


def seconds_for(count: int, probing: Probing) -> float:
    """How long so many probes take, of all pairs together, s."""
    return ceil(count / probing.pairs) * probing.interval_s


def impact_found(measured: Measured) -> ImpactFound:
    """All of it, of 30 probes or more on each side."""
    idle, beside = pooled(measured.idle), pooled(measured.beside)
    ours, paper = (_utilisation(idle, beside, how, measured.beside) for how in (READING, PAPER))
    service = service_of(idle.latencies_s, READING)
    found = ImpactFound(
        idle=_side(idle),
        loaded=_side(beside),
        ours=ours,
        paper=paper,
        phases=() if ours.low is None else _phases(idle, beside),
        pairs=tuple(_pair(*both) for both in zip(measured.idle, measured.beside, strict=True)),
        drift=_drift(measured),
        probes_needed=probes_needed(idle.latencies_s, half_width=PRECISION, how=READING),
        own_load=own_load(pairs=measured.probing.pairs, interval_s=measured.probing.interval_s, service=service),
        effect=_effect(measured),
        cautions=(),
    )
    return replace(found, cautions=tuple(_cautions(found, measured)))


def _utilisation(idle: Probes, beside: Probes, how: Reading, pairs: Sequence[Probes]) -> Utilisation:
    """Programs have phases, so a load that drifts is no reason for doubt."""
    for pair in pairs:
        if len(pair.hosts) == 1:
            reason = (
                f"both ranks of a pair are on {pair.hosts[0]}: their messages go through memory, not through a switch"
            )
            return Utilisation(value=None, low=None, high=None, reason=reason)
    return utilisation(idle.latencies_s, beside.latencies_s, how=how, steady=False)


def _side(probes: Probes) -> Side:
    grouped = of_samples(probes.latencies_s, probes.round)
    return Side(
        count=len(probes), mean_s=float(probes.latencies_s.mean()), late_s=float(np.nanmean(probes.late_s)),
        percentiles=tuple(found for share in SHARES if (found := percentile_of(grouped, share)) is not None),
    )  # fmt: skip


def _phases(idle: Probes, beside: Probes) -> tuple[Stretch, ...]:
    found, began = [], float(beside.at_s[0])
    whole = float(beside.at_s[-1]) - began
    for phase in phases_of(idle.latencies_s, beside.latencies_s, at_s=beside.at_s, how=READING):
        ended = began + phase.share * whole
        low, high = _bounds(phase.draws)
        found.append(
            Stretch(
                began_s=began, ended_s=ended, utilisation=phase.utilisation, low=min(low, phase.utilisation),
                high=max(high, phase.utilisation),
            )
        )  # fmt: skip
        began = ended
    return tuple(found)


def _bounds(draws: Floats) -> tuple[float, float]:
    low, high = np.quantile(draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return float(low), float(high)


def _pair(idle: Probes, beside: Probes) -> PairFound:
    return PairFound(
        hosts=beside.hosts,
        idle_median_s=float(np.median(idle.latencies_s)) if len(idle) else None,
        loaded_median_s=float(np.median(beside.latencies_s)) if len(beside) else None,
        utilisation=_utilisation(idle, beside, READING, (beside,)),
    )


def _drift(measured: Measured) -> Interval | None:
    if not measured.after:
        return None
    before, after = pooled(measured.before).latencies_s, pooled(measured.after).latencies_s
    if not len(before) or not len(after):
        return None
    logs = unpaired_interval(np.log(before), np.log(after))
    low, high = (None if bound is None else exp(bound) for bound in (logs.low, logs.high))
    return Interval(centre=exp(logs.centre), low=low, high=high)


def _effect(measured: Measured) -> Effect:
    known = measured.with_probes_s and measured.without_s
    return Effect(
        with_probes_s=measured.with_probes_s,
        without_s=measured.without_s,
        ratio=slowdown_of(measured.without_s, measured.with_probes_s) if known else None,
    )


def _cautions(found: ImpactFound, measured: Measured) -> Iterator[str]:
    """What a reader must know, most important first; sentences without a full stop."""
    late, wait = found.loaded.late_s - found.idle.late_s, found.loaded.mean_s - found.idle.mean_s
    clear = found.ours.low is not None and found.ours.low > _CLEARLY_ABOVE_0
    if clear and late > _LATE * wait:
        yield (
            f"beside the program probes woke up {_us(late)} later than on the idle machine, and their latencies are "
            f"{_us(wait)} longer: they waited for cores, perhaps more than for the switch. Leave a core free on each "
            "host"
        )
    drift = found.drift
    if drift is not None and drift.low is not None and drift.high is not None:
        moved = drift.low > 1 or drift.high < 1
        if moved and abs(drift.centre - 1) > _DRIFT:
            yield (
                f"idle latencies after the program are {drift.centre:.2f} times those before it: the machine changed "
                "meanwhile, or the program left something behind"
            )
    if found.idle.count < found.probes_needed:
        seconds = seconds_for(found.probes_needed, measured.probing)
        yield (
            f"{found.idle.count} idle probes: to tell an idle switch to within {PRECISION:.0%} these latencies need "
            f"{found.probes_needed}, which is --idle {ceil(seconds)}s"
        )
    medians = [one.idle_median_s for one in found.pairs if one.idle_median_s is not None]
    if medians and max(medians) > _PAIRS_DIFFER * min(medians):
        yield (
            f"pairs differ on the idle machine, medians from {_us(min(medians))} to {_us(max(medians))}: read them "
            "one by one"
        )
    if found.own_load > _OWN_LOAD:
        yield f"probes themselves keep the switch busy up to {found.own_load:.1%} of the time; send them less often"
    ratio = found.effect.ratio
    if ratio is not None and ratio.low is not None and ratio.low > _EFFECT:
        yield f"probes made the program {ratio.centre:.3f} times as long; send them less often, or fewer pairs"


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} us"
