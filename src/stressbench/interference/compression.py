"""Configurations of the congestor ring (CompressionB; Casas and Bronevetsky, III-B) and the selection among them.

Each rank sends `messages` messages to each of the `partners` ranks that precede it in a ring of nodes, receives as many
from those that follow it, and sleeps after those of each partner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite

import numpy as np

from stressbench.formats.profiles.profile import PAPER_MESSAGE_BYTES, Configuration, PauseAfter

PAPER_PARTNERS = (1, 4, 7, 14, 17)
PAPER_CYCLES = (2.5e4, 2.5e5, 2.5e6, 2.5e7)
PAPER_MESSAGES = (1, 10)
PAPER_CLOCK_HZ = 2.6e9
"""Clock of the Xeon E5-2670 of Cab, the paper's cluster: its pauses ("bubbles") last 9.6 us to 9.6 ms."""
_HEAVIEST = 0.95
_LIGHTER, _MUCH_LIGHTER = 2.0, 10.0  # factors of queues where every load so far leaves a gap above the idle machine
_LONGEST_PAUSE, _PAUSES = 1e6, 601  # of a changed pause, as a multiple; and how many are looked at


def configurations(*, nodes: int = 18, clock_hz: float = PAPER_CLOCK_HZ) -> tuple[Configuration, ...]:
    """The paper's 40 configurations, or fewer for less than its 18 nodes: a rank has at most nodes - 1 partners.

    `clock_hz` converts the paper's pauses from cycles to seconds. Raises ValueError for fewer than 2 nodes and for a
    clock that is not above 0.
    """
    if nodes < 2:
        raise ValueError(f"nodes {nodes}: a ring needs at least 2")
    if not clock_hz > 0:
        raise ValueError(f"clock_hz {clock_hz}: expected a number above 0")
    return configuration_grid(
        partners=sorted({min(count, nodes - 1) for count in PAPER_PARTNERS}),
        pauses_s=[cycles / clock_hz for cycles in PAPER_CYCLES],
        messages=PAPER_MESSAGES,
    )


def configuration_grid(
    *, partners: Sequence[int], pauses_s: Sequence[float], messages: Sequence[int],
    message_bytes: int = PAPER_MESSAGE_BYTES, pause_after: PauseAfter = PauseAfter.partner,
) -> tuple[Configuration, ...]:  # fmt: skip
    """All combinations of the parameters, each once."""
    return tuple(
        dict.fromkeys(
            Configuration(
                partners=partner_count,
                messages=message_count,
                pause_s=pause_s,
                message_bytes=message_bytes,
                pause_after=pause_after,
            )
            for partner_count in partners
            for pause_s in pauses_s
            for message_count in messages
        )
    )


def spread_over_utilisation(calibrated: Mapping[Configuration, float], *, count: int) -> tuple[Configuration, ...]:
    """At most `count` configurations that cover the range of utilisation, the least loaded first.

    The selection starts with the lightest and the heaviest and repeatedly adds the one farthest from those selected.
    `calibrated` holds utilisations, 0 to 1. Raises ValueError for a `count` below 1.
    """
    if count < 1:
        raise ValueError(f"count {count}: expected 1 or more")
    remaining = sorted(calibrated, key=lambda one: (calibrated[one], one))
    chosen = [remaining.pop(0)] if remaining else []
    while remaining and len(chosen) < count:
        farthest = max(remaining, key=lambda one: min(abs(calibrated[one] - calibrated[other]) for other in chosen))
        remaining.remove(farthest)
        chosen.append(farthest)
    return tuple(sorted(chosen, key=lambda one: (calibrated[one], one)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RingWaits:
    """Mean latency of probes on the idle machine, s, and what it grows by beside each ring that was probed, s.

    A wait is infinite beside a ring that lets too few probes through.
    """

    idle_s: float
    waits_s: Mapping[Configuration, float]

    @property
    def congestion(self) -> dict[Configuration, float]:
        """Waits on a logarithmic scale from 0, the idle machine, to 1, the longest one.

        A wait as long as an idle latency is a step on this scale, and so is any other factor of two: queues of rings
        that use all of a link can differ a hundredfold in length, and so can the waits in them.
        """
        longest_s = max((one for one in self.waits_s.values() if isfinite(one)), default=0.0)
        if longest_s <= 0:
            return {one: 0.0 if isfinite(wait_s) else 1.0 for one, wait_s in self.waits_s.items()}
        return {
            one: float(np.log1p(max(0.0, min(wait_s, longest_s)) / self.idle_s) / np.log1p(longest_s / self.idle_s))
            for one, wait_s in self.waits_s.items()
        }

    @property
    def bytes_per_s(self) -> float:
        """The rate at which links drain the queues of rings, within a factor of about two; infinite if unknown.

        That of the ring with the longest wait for its outstanding bytes, which keeps its queue full.
        """
        rates = [_burst_bytes(one) / wait_s for one, wait_s in self.waits_s.items() if 0 < wait_s < inf]
        return min(rates, default=inf)


def next_configuration(
    measured: RingWaits, candidates: Sequence[Configuration], *, gap_limit: float = 0.05, changes_pauses: bool = False
) -> Configuration | None:  # fmt: skip
    """The configuration to probe next: the one expected to lie within the largest gap of `RingWaits.congestion`.

    The lightest and the heaviest offered load of the candidates come first. The congestion by an untried ring is
    interpolated on a monotone curve through the measured ones, over the logarithm of the mean length of its queue. With
    `changes_pauses`, a gap into which no candidate falls gets a configuration with another pause, and the idle machine,
    at 0, is an end of a gap, too. None if no candidate is left, or none is expected within a gap wider than
    `gap_limit`.
    """
    congestion = measured.congestion
    remaining = sorted((one for one in candidates if one not in congestion), key=_offered)
    if not congestion:
        return remaining[0] if remaining else None
    if remaining and _offered(remaining[0]) < min(map(_offered, congestion)):
        return remaining[0]
    if remaining and _offered(remaining[-1]) > max(map(_offered, congestion)):
        return remaining[-1]
    rate = measured.bytes_per_s
    expected = dict(zip(remaining, _interpolated(congestion, remaining, bytes_per_s=rate), strict=True))
    ends = sorted((*congestion.values(), *([0.0] if changes_pauses else [])))
    for low, high in sorted(pairwise(ends), key=lambda gap: gap[0] - gap[1]):
        if high - low <= gap_limit:
            return None
        within = [one for one in remaining if low < expected[one] < high]
        if within:
            return min(within, key=lambda one: abs(expected[one] - (low + high) / 2))
        between = _with_other_pause(congestion, low, high, bytes_per_s=rate) if changes_pauses else None
        if between is not None and between not in congestion:
            return between
    return None


def _offered(one: Configuration) -> tuple[float, int, Configuration]:
    """Orders configurations from the lightest to the heaviest load; equal rates by the bytes outstanding at a time."""
    return one.offered_bytes_per_s, _burst_bytes(one), one


def _burst_bytes(one: Configuration) -> int:
    return one.partners * one.messages * one.message_bytes


def mean_queue_bytes(one: Configuration, *, bytes_per_s: float) -> float:
    """About the mean length of the queue that a rank of the ring keeps before a link that drains `bytes_per_s`.

    It sends for a share of the time and pauses for the rest. While it sends to one partner, what it sent to those
    before it is still queued to the extent that pauses are too short to drain it.
    """
    if not isfinite(bytes_per_s):
        return one.offered_bytes_per_s
    at_once = one.partners if one.pause_after is PauseAfter.round else 1
    burst = at_once * one.messages * one.message_bytes
    busy = burst / bytes_per_s / (burst / bytes_per_s + one.pause_s)
    return burst * busy * (1 + (one.partners / at_once - 1) * busy)


def _with_other_pause(
    congestion: Mapping[Configuration, float], low: float, high: float, *, bytes_per_s: float
) -> Configuration | None:
    """The lightest configuration above the gap, with a pause that brings it into the gap.

    Its queue is the geometric mean of those at the ends, which is the middle on the curve of `next_configuration`. None
    if the ring at the upper end does not have the longer queue.
    """

    def queue(one: Configuration) -> float:
        return mean_queue_bytes(one, bytes_per_s=bytes_per_s)

    above = min((one for one in congestion if congestion[one] >= high), key=lambda one: (queue(one), one))
    below = [queue(one) for one in congestion if congestion[one] <= low]
    lighter = _LIGHTER if high < _HEAVIEST else _MUCH_LIGHTER
    ratio = (queue(above) / max(below)) ** 0.5 if below else lighter
    if ratio <= 1:
        return None
    pauses_s = above.pause_s * np.geomspace(1, _LONGEST_PAUSE, _PAUSES)
    queues = np.array([queue(replace(above, pause_s=pause_s)) for pause_s in pauses_s.tolist()])
    pause_s = np.exp(np.interp(-np.log(queue(above) / ratio), -np.log(queues), np.log(pauses_s)))
    return replace(above, pause_s=float(f"{pause_s:.3g}"))


def _interpolated(
    congestion: Mapping[Configuration, float], target: Sequence[Configuration], *, bytes_per_s: float
) -> list[float]:
    from scipy.optimize import isotonic_regression  # takes a second to import

    known, queues = list(congestion), np.array([mean_queue_bytes(one, bytes_per_s=bytes_per_s) for one in congestion])
    order = np.argsort(queues, kind="stable")
    monotone = isotonic_regression(np.array([congestion[known[number]] for number in order])).x
    wanted = [mean_queue_bytes(one, bytes_per_s=bytes_per_s) for one in target]
    values: list[float] = np.interp(np.log(wanted), np.log(queues[order]), monotone).tolist()
    return values
