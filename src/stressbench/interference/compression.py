"""Configurations of the congestor ring (CompressionB; Casas and Bronevetsky, III-B) and the selection among them.

Each rank sends `messages` messages to each of the `partners` ranks that precede it in a ring of nodes, receives as many
from those that follow it, and sleeps after those of each partner.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from stressbench.formats.profiles.profile import PAPER_MESSAGE_BYTES, Configuration, PauseAfter

PAPER_PARTNERS = (1, 4, 7, 14, 17)
PAPER_CYCLES = (2.5e4, 2.5e5, 2.5e6, 2.5e7)
PAPER_MESSAGES = (1, 10)
PAPER_CLOCK_HZ = 2.6e9
"""Clock of the Xeon E5-2670 of Cab, the paper's cluster: its pauses ("bubbles") last 9.6 us to 9.6 ms."""
_SATURATED = 0.95
_LIGHTER, _MUCH_LIGHTER = 2.0, 10.0  # factors of pauses where every load so far leaves a gap above the idle machine


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


def next_configuration(
    measured: Mapping[Configuration, float], candidates: Sequence[Configuration], *, gap_limit: float = 0.05,
    changes_pauses: bool = False,
) -> Configuration | None:  # fmt: skip
    """The configuration to probe next: the one expected to lie within the largest gap between measured utilisations.

    `measured` holds utilisations, 0 to 1. The lightest and the heaviest offered load of the candidates come first. The
    utilisation of an untried load is interpolated on a monotone curve through the measured ones, over the logarithm of
    the offered load. With `changes_pauses`, a gap into which no candidate falls gets a configuration with another
    pause, and the idle machine, at 0, is an end of a gap, too. None if no candidate is left, or none is expected within
    a gap wider than `gap_limit`.
    """
    remaining = sorted(
        (one for one in candidates if one not in measured), key=lambda one: (one.offered_bytes_per_s, one)
    )
    if not measured:
        return remaining[0] if remaining else None
    offered = [one.offered_bytes_per_s for one in measured]
    if remaining and remaining[0].offered_bytes_per_s < min(offered):
        return remaining[0]
    if remaining and remaining[-1].offered_bytes_per_s > max(offered):
        return remaining[-1]
    expected = dict(zip(remaining, _interpolated_utilisations(measured, remaining), strict=True))
    ends = sorted((*measured.values(), *([0.0] if changes_pauses else [])))
    for low, high in sorted(pairwise(ends), key=lambda gap: gap[0] - gap[1]):
        if high - low <= gap_limit:
            return None
        within = [one for one in remaining if low < expected[one] < high]
        if within:
            return min(within, key=lambda one: abs(expected[one] - (low + high) / 2))
        between = _with_other_pause(measured, low, high) if changes_pauses else None
        if between is not None and between not in measured:
            return between
    return None


def _with_other_pause(measured: Mapping[Configuration, float], low: float, high: float) -> Configuration | None:
    """The lightest configuration above the gap, with a pause that brings it into the gap.

    That is the geometric mean of the loads at the ends, which is the middle on the curve of `next_configuration`. None
    if the load at the upper end is not the heavier one.
    """
    above = min((one for one in measured if measured[one] >= high), key=lambda one: (one.offered_bytes_per_s, one))
    below = [one.offered_bytes_per_s for one in measured if measured[one] <= low]
    if below:
        ratio = (above.offered_bytes_per_s / max(below)) ** 0.5
    else:
        ratio = _LIGHTER if high < _SATURATED else _MUCH_LIGHTER
    return replace(above, pause_s=float(f"{above.pause_s * ratio:.3g}")) if ratio > 1 else None


def _interpolated_utilisations(measured: Mapping[Configuration, float], target: Sequence[Configuration]) -> list[float]:
    from scipy.optimize import isotonic_regression  # takes a second to import

    known = sorted(measured, key=lambda one: one.offered_bytes_per_s)
    monotone = isotonic_regression(np.array([measured[one] for one in known])).x
    logs = [np.log([one.offered_bytes_per_s for one in configurations]) for configurations in (known, target)]
    utilisations: list[float] = np.interp(logs[1], logs[0], monotone).tolist()
    return utilisations
