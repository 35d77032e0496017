"""One-way delays from raw clocks: what the clocks of two hosts differ by is estimated from the probes themselves.

Half the difference of the delays of both directions is the offset between the clocks, plus half the difference of the
waits. In the fastest round trips there was hardly a wait, so the offset and its drift are those of a line through them
(Theil and Sen: the median of all slopes). Both directions of a path are taken to be equally fast without load, as in
NTP (RFC 5905); a path that is not only moves the delays of all probes, idle and loaded ones alike. If the fastest round
trips were unusually fast in one direction only, others would seem to arrive before they were sent: then the offset is
changed by as little as is needed.
"""

import numpy as np

from stressbench.interference.utilisation import Floats

LEAST_PROBES = 8
"""Fewer are not enough for a line."""
_FASTEST = 0.1
_LEAST_DELAY = 0.1
"""No message takes less than this share of the fastest half of a round trip."""
_MOST_POINTS = 400


def forward_delays(latencies_s: Floats, forward_s: Floats, backward_s: Floats, at_s: Floats) -> Floats | None:
    """One-way delays, shape (n,), s, of the way there; those of the way back are twice the latencies less these.

    `latencies_s`: half of each round trip; `forward_s` and `backward_s`: differences of the raw clocks; `at_s`: times;
    all of shape (n,) and from one launch. None with too few probes.
    """
    if len(latencies_s) < LEAST_PROBES:
        return None
    difference_s = (forward_s - backward_s) / 2
    fastest = np.argsort(latencies_s, kind="stable")[: max(LEAST_PROBES, round(_FASTEST * len(latencies_s)))]
    fastest = np.sort(fastest[:_MOST_POINTS])
    slope, at_zero_s = _line(at_s[fastest], difference_s[fastest])
    return _possible(latencies_s + difference_s - (at_zero_s + slope * at_s), latencies_s)


def _possible(forward_s: Floats, latencies_s: Floats) -> Floats:
    """The delays of the way there, all moved by the least time with which both ways take a possible one."""
    least_s = _LEAST_DELAY * float(latencies_s.min())
    longest_s = 2 * latencies_s - least_s
    later_s = max(0.0, least_s - float(forward_s.min()))
    earlier_s = max(0.0, float((forward_s - longest_s).max()))
    delays: Floats = np.clip(forward_s + later_s - earlier_s, least_s, longest_s)
    return delays


def _line(at_s: Floats, values_s: Floats) -> tuple[float, float]:
    """Slope and value at 0 of the line of Theil and Sen."""
    first, second = np.triu_indices(len(at_s), k=1)
    apart = at_s[second] - at_s[first]
    rises = values_s[second] - values_s[first]
    slope = float(np.median(rises[apart > 0] / apart[apart > 0])) if np.any(apart > 0) else 0.0
    return slope, float(np.median(values_s - slope * at_s))
