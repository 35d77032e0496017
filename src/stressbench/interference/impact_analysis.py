"""Analysis of an impact measurement: latencies, utilisation of the switch and its phases, and cautions.

The input is series of probes; this module runs no program.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stressbench.formats.units import microseconds_text
from stressbench.interference.link_shares import LinkShares
from stressbench.interference.phases import LoadPhase, phases_of
from stressbench.interference.probe_statistics import (
    PING_PONG_ESTIMATOR,
    PRECISION,
    ProbeStatistics,
    idle_cautions,
    idle_drift,
    joined_idle_probes,
    on_network,
    probe_statistics,
    sparse_probe_cautions,
    undelayed_seen_by,
    utilisation_seen_by,
    wakeup_delay,
)
from stressbench.interference.probes import ProbeSchedule, ProbeSeries, merge_pairs
from stressbench.interference.profile_analysis import slowdown_interval
from stressbench.interference.queueing import Service, own_load
from stressbench.interference.undelayed import estimate_from_undelayed
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Floats, Utilisation, probes_needed, service_estimate
from stressbench.stats.intervals import CONFIDENCE, Interval

_MAX_PAIR_MEDIAN_RATIO = 1.2
_MAX_OWN_LOAD = 0.05
_MAX_PROBE_SLOWDOWN = 1.01
_MAX_UNSEEN_LOAD = 0.05  # of a link, above the utilisation that probes found


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEstimate:
    """A phase of the program: its bounds, s from the start, and its utilisation, 0 to 1, with a 95 % interval."""

    began_s: float
    ended_s: float
    utilisation: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEstimate:
    """One pair of hosts: median latencies, s, None without probes, and the utilisation from its probes.

    `forward` and `backward`: from the undelayed probes of each direction, None if delays of directions are unknown.
    """

    hosts: tuple[str, ...]
    idle_median_s: float | None
    loaded_median_s: float | None
    utilisation: Utilisation
    forward: Utilisation | None = None
    backward: Utilisation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeEffect:
    """Run times, s, with and without probes; `ratio`: with over without, None if either is missing."""

    with_probes_s: tuple[float, ...]
    without_s: tuple[float, ...]
    ratio: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactResult:
    """The impact of a program on the network.

    `ours` and `paper` (as Casas and Bronevetsky estimate it) are utilisations from all pairs together, and so is
    `undelayed`, the mean of both directions by the share of undelayed probes. `drift`: ratio of the idle latencies
    after to those before, None without probes after. `probes_needed`: number of probes for an interval of +-5
    percentage points on an idle switch. `own_load`: upper bound on the utilisation by the probes. `cautions`: what
    makes the result doubtful, in sentences, the most important first.
    """

    idle: ProbeStatistics
    loaded: ProbeStatistics
    ours: Utilisation
    paper: Utilisation
    undelayed: Utilisation
    phases: tuple[PhaseEstimate, ...]
    pairs: tuple[PairEstimate, ...]
    drift: Interval | None
    probes_needed: int
    own_load: float
    effect: ProbeEffect
    links: LinkShares | None
    cautions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class ImpactData:
    """An impact measurement, pair by pair: probes before, during and after the program (`after` can be empty).

    `packets`: service time of the packets that load the switch, None: unknown. `links`: the share of each link that
    program and probes used, None without link counters.
    """

    probing: ProbeSchedule
    before: tuple[ProbeSeries, ...]
    beside: tuple[ProbeSeries, ...]
    after: tuple[ProbeSeries, ...]
    with_probes_s: tuple[float, ...]
    without_s: tuple[float, ...]
    packets: Service | None = None
    links: LinkShares | None = None

    @property
    def idle(self) -> tuple[ProbeSeries, ...]:
        """Idle probes of each pair, before and after concatenated."""
        return joined_idle_probes(self.before, self.after)


def analyse_impact(data: ImpactData) -> ImpactResult:
    """Analyse a measurement with at least 30 probes on the idle machine and 30 during the program."""
    idle, beside = merge_pairs(data.idle), merge_pairs(data.beside)
    packets = data.packets
    ours = utilisation_seen_by(data.beside, idle, beside, packets=packets, steady=False)  # programs have phases
    service = service_estimate(idle.latencies_s, PING_PONG_ESTIMATOR)
    result = ImpactResult(
        idle=probe_statistics(idle),
        loaded=probe_statistics(beside),
        ours=ours,
        paper=utilisation_seen_by(data.beside, idle, beside, estimator=PAPER_ESTIMATOR, steady=False),
        undelayed=undelayed_seen_by(data.beside, idle, beside),
        phases=() if ours.low is None else _phases(idle, beside, packets),
        pairs=tuple(_pair(*both, packets) for both in zip(data.idle, data.beside, strict=True)),
        drift=idle_drift(data.before, data.after),
        probes_needed=probes_needed(
            idle.latencies_s, half_width=PRECISION, estimator=PING_PONG_ESTIMATOR, packets=packets
        ),
        own_load=own_load(pairs=data.probing.pairs, interval_s=data.probing.interval_s, service=service),
        effect=_effect(data),
        links=data.links,
        cautions=(),
    )
    return replace(result, cautions=tuple(_cautions(result, data)))


def phase_estimates(phases: Sequence[LoadPhase], times_s: Floats) -> tuple[PhaseEstimate, ...]:
    """Phases with their bounds and intervals; `times_s`: start times of all probes, in order."""
    began_s, duration_s = float(times_s[0]), float(times_s[-1] - times_s[0])
    estimates = []
    for phase in phases:
        ended_s = began_s + phase.share * duration_s
        low, high = np.quantile(phase.draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist()
        estimates.append(
            PhaseEstimate(
                began_s=began_s, ended_s=ended_s, utilisation=phase.utilisation, low=min(low, phase.utilisation),
                high=max(high, phase.utilisation),
            )
        )  # fmt: skip
        began_s = ended_s
    return tuple(estimates)


def _phases(idle: ProbeSeries, beside: ProbeSeries, packets: Service | None) -> tuple[PhaseEstimate, ...]:
    phases = phases_of(
        idle.latencies_s, beside.latencies_s, at_s=beside.at_s, estimator=PING_PONG_ESTIMATOR, packets=packets
    )  # fmt: skip
    return phase_estimates(phases, beside.at_s)


def _pair(idle: ProbeSeries, beside: ProbeSeries, packets: Service | None) -> PairEstimate:
    return PairEstimate(
        hosts=beside.hosts,
        idle_median_s=float(np.median(idle.latencies_s)) if len(idle) else None,
        loaded_median_s=float(np.median(beside.latencies_s)) if len(beside) else None,
        utilisation=utilisation_seen_by((beside,), idle, beside, packets=packets, steady=False),
        forward=_direction(beside, idle.forward_s, beside.forward_s),
        backward=_direction(beside, idle.backward_s, beside.backward_s),
    )


def _direction(pair: ProbeSeries, idle_s: Floats | None, loaded_s: Floats | None) -> Utilisation | None:
    """The utilisation from undelayed probes of one direction of a pair; None if its delays are unknown."""
    if idle_s is None or loaded_s is None:
        return None
    return on_network((pair,)) or estimate_from_undelayed(idle_s, loaded_s, directions=1, weights=pair.stands_for_s)


def _effect(data: ImpactData) -> ProbeEffect:
    complete = data.with_probes_s and data.without_s
    return ProbeEffect(
        with_probes_s=data.with_probes_s,
        without_s=data.without_s,
        ratio=slowdown_interval(data.without_s, data.with_probes_s) if complete else None,
    )


def _cautions(result: ImpactResult, data: ImpactData) -> Iterator[str]:
    """Cautions, the most important first; sentences without a full stop."""
    late = wakeup_delay(result.idle, result.loaded, result.ours)
    if late is not None:
        yield (
            f"beside the program probes woke up {microseconds_text(late.late_s)} later than on the idle machine, and "
            f"their latencies are {microseconds_text(late.wait_s)} longer: they waited for cores, perhaps more than "
            "for the switch. Leave a core free on each host"
        )
    yield from sparse_probe_cautions((result.loaded,), data.probing)
    yield from idle_cautions(result.idle, result.drift, needed=result.probes_needed, probing=data.probing)
    medians = [one.idle_median_s for one in result.pairs if one.idle_median_s is not None]
    if medians and max(medians) > _MAX_PAIR_MEDIAN_RATIO * min(medians):
        yield (
            f"pairs differ on the idle machine, with medians from {microseconds_text(min(medians))} to "
            f"{microseconds_text(max(medians))}: interpret them one by one"
        )
    if result.own_load > _MAX_OWN_LOAD:
        yield f"probes themselves keep the switch busy up to {result.own_load:.1%} of the time; send them less often"
    yield from _unseen_loads(result)
    ratio = result.effect.ratio
    if ratio is not None and ratio.low is not None and ratio.low > _MAX_PROBE_SLOWDOWN:
        yield f"probes slow the program down by a factor of {ratio.centre:.3f}; use fewer, or send them less often"


def _unseen_loads(result: ImpactResult) -> Iterator[str]:
    """A caution if a link's counters show more than undelayed probes can have found in any direction."""
    by_direction = [way for pair in result.pairs for way in (pair.forward, pair.backward) if way is not None]
    estimates = by_direction or [result.undelayed]
    bounds = [one.high for one in estimates if one.high is not None]
    if not result.links or len(bounds) < len(estimates):
        return
    found = max(bounds)
    link, share = max(result.links.items(), key=lambda one: one[1])
    if share > found + _MAX_UNSEEN_LOAD:
        yield (
            f"link {link} was busy {share:.0%} of the time by its counters, and undelayed probes show at most "
            f"{found:.0%} in any direction: no pair crosses it, or its messages come so evenly that few probes wait"
        )
