"""The utilisation of a link from the share of probes that found it idle, whatever the packets are that load it.

Probes that come at random times find an M/G/1 queue empty with probability 1 - rho, for any law of service times
(Poisson arrivals see time averages; Wolff, Operations Research 30, 1982). So neither the rate of the link nor the size
of its packets has to be known. What has to be told apart is a wait from the variation of an idle latency: latencies
under load are a mixture of idle latencies, and of idle latencies plus a wait whose density decreases. Weights are found
by expectation maximisation (Dempster, Laird and Rubin, J. R. Stat. Soc. B 39, 1977).

A round trip is undelayed if both directions are idle. With equal loads that are independent of each other, the share is
(1 - rho)^2.

Waits that are much longer than idle latencies are told apart by their length only. Simulated errors of both ways are
in docs/explanation/sensitivity.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from stressbench.interference.errors import Inconclusive
from stressbench.interference.utilisation import Floats, Utilisation, check_samples
from stressbench.stats.intervals import CONFIDENCE

LEAST_WAIT = 3.0
"""Waits must be this many times as long, on average, as idle latencies spread, so that they can be told apart."""
FAR = 4.0
"""Waits that are this many times as long as idle latencies, on average, are far from them."""
SATURATED_SHARE = 0.02
"""Below this share of undelayed probes, their number is too small to tell one high utilisation from another."""
SHORTEST = (96.0, 48.0, 24.0, 12.0, 6.0, 3.0)
"""Shortest ranges of waits to try, in spreads of idle latencies. With less, idle machines would appear loaded."""
_COMPONENTS = 24
_WORTH = 3.0
"""Log-likelihood that shorter waits must gain: half the 95 % quantile of a chi-square of two degrees.

Idle latencies are a sample, too, so that n of them and m under load make it vary (n + m) / n times as much.
"""
_ALIKE = 0.05  # waits below this share of their mean
_LONGER = 2.0  # the shortest range of waits that are far from idle latencies, in idle latencies
_TRACE = 0.005  # a share of delayed probes that may be chance
_LEAST_EDGES = 4
_MOSTLY_UNDELAYED = 0.75  # quantile of idle latencies below which there are few delayed probes
_TEST_BINS, _LEAST_EXPECTED, _REFUSED = 10, 10, 0.999
_NEVER = 1e-12  # probability of a bin that no component reaches
_IDLE_BINS, _WAIT_BINS = 24, 96
_MAX_IDLE_POINTS = 256
_ITERATIONS = 200
_RESAMPLES = 99
_BATCHES = 100
_SEED = 1
_ONE_SIGMA = (0.1587, 0.8413)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Latencies under load as a mixture: the share of undelayed probes, and the mean wait of the others, s.

    `fits`: whether undelayed probes vary as on the idle machine, or waits are so long that it does not matter.
    """

    undelayed: float
    wait_s: float
    fits: bool


def spread_of(idle_s: Floats) -> float:
    """Half the width, s, of the middle 68 % of idle latencies: their standard deviation if they were normal."""
    low, high = np.quantile(idle_s, _ONE_SIGMA)
    return float(high - low) / 2


def undelayed_mixture(idle_s: Floats, loaded_s: Floats, *, weights: Floats | None = None) -> Mixture:
    """Split latencies under load, shape (m,), into undelayed and delayed ones, given idle ones, shape (n,); s.

    `weights`: the time that each latency under load stands for, shape (m,), in any unit; None: the same for all. Raises
    Inconclusive where idle latencies are all equal, so that their resolution is unknown.
    """
    if not spread_of(idle_s) > 0:
        raise Inconclusive("idle latencies do not vary: the clock is too coarse for them")
    far = _far_apart(idle_s, loaded_s, weights)
    return _with_short_waits(idle_s, loaded_s, weights) if far is None else far


def _far_apart(idle_s: Floats, loaded_s: Floats, weights: Floats | None) -> Mixture | None:
    """The mixture where waits are much longer than idle latencies; None if they are not.

    All latencies below twice an idle one, and all waits below a twentieth of their mean, are alike here, so that it
    does not matter if what varies on the way of undelayed probes, such as the time to wake up, is another beside the
    program. Waits for the network that are as short as that are part of the distribution of the others.
    """
    near_s = max(float(np.median(idle_s)), SHORTEST[-1] * spread_of(idle_s))
    mixture = _beyond(near_s, idle_s, loaded_s, weights)
    if mixture is None or (alike_s := _ALIKE * mixture.wait_s) <= near_s:
        return mixture
    return _beyond(alike_s, idle_s, loaded_s, weights) or mixture


def _beyond(near_s: float, idle_s: Floats, loaded_s: Floats, weights: Floats | None) -> Mixture | None:
    """The mixture where all latencies up to `near_s` above an idle one are alike; None if waits are not far above."""
    first_s = float(np.median(idle_s)) + near_s
    edges_s = _edges(idle_s, loaded_s)
    edges_s = np.concatenate((edges_s[:1], [first_s], edges_s[edges_s > first_s]))
    if len(edges_s) < _LEAST_EDGES:
        return None
    counts = _counts(loaded_s, edges_s, weights)
    mixture, _ = _fit(idle_s, edges_s, counts, shortest_s=_LONGER * near_s)
    if mixture.undelayed > 1 - _TRACE or mixture.wait_s < FAR * near_s:
        return None
    return replace(mixture, fits=True)


def _with_short_waits(idle_s: Floats, loaded_s: Floats, weights: Floats | None) -> Mixture:
    """The mixture where waits may be as short as idle latencies.

    Short waits resemble variation of idle latencies, so only waits from a shortest range on are considered: the longest
    of `SHORTEST` with which the latencies are about as likely as with any shorter one.
    """
    edges_s = _edges(idle_s, loaded_s)
    counts, spread_s = _counts(loaded_s, edges_s, weights), spread_of(idle_s)
    worth = _WORTH * (1 + len(loaded_s) / len(idle_s))
    chosen, best = _fit(idle_s, edges_s, counts, shortest_s=SHORTEST[0] * spread_s)
    for one in SHORTEST[1:]:
        mixture, log_likelihood = _fit(idle_s, edges_s, counts, shortest_s=one * spread_s)
        if log_likelihood > best + worth:
            chosen, best = mixture, log_likelihood
    return chosen


def _counts(loaded_s: Floats, edges_s: Floats, weights: Floats | None) -> Floats:
    """The number of latencies in each bin, shape (bins,), weighted."""
    counts = np.histogram(loaded_s, edges_s, weights=weights)[0].astype(np.float64)
    scaled: Floats = counts * (len(loaded_s) / counts.sum())
    return scaled


def _fit(idle_s: Floats, edges_s: Floats, counts: Floats, *, shortest_s: float) -> tuple[Mixture, float]:
    """The most likely mixture with waits from this shortest range on, and the logarithm of its likelihood."""
    shares, means_s = _components(idle_s, edges_s, shortest_s=shortest_s)
    parts, log_likelihood = _most_likely(shares, counts)
    delayed = float(parts[1:].sum())
    wait_s = float(parts[1:] @ means_s[1:]) / delayed if delayed > 0 else 0.0
    undelayed = edges_s[1:] <= np.quantile(idle_s, _MOSTLY_UNDELAYED)
    fits = _is_likely(counts[undelayed], (parts @ shares)[undelayed], samples=len(idle_s))
    undelayed_share = min(1.0, float(parts[0]))  # rounding may leave more
    return Mixture(undelayed=undelayed_share, wait_s=wait_s, fits=fits), log_likelihood


def _is_likely(counts: Floats, expected_shares: Floats, *, samples: int) -> bool:
    """Whether counts like these are to be expected, by a likelihood ratio test against any other shares of the bins.

    `samples`: idle latencies that `expected_shares` come from, which vary, too.
    """
    from scipy.stats import chi2  # takes a second to import

    total = float(counts.sum())
    wanted = int(min(_TEST_BINS, total // _LEAST_EXPECTED))
    if wanted < 2:
        return True
    below = np.cumsum(expected_shares) / expected_shares.sum()
    bins = np.minimum((below * wanted - _NEVER).astype(np.int64), wanted - 1)
    seen = np.bincount(bins, counts, minlength=wanted)
    expected = np.bincount(bins, expected_shares, minlength=wanted) / expected_shares.sum() * total
    ratio = 2 * sum(one * np.log(one / other) for one, other in zip(seen, expected, strict=True) if one > 0)
    return bool(ratio <= chi2.ppf(_REFUSED, wanted - 1) * (1 + total / samples))


def estimate_from_undelayed(
    idle_s: Floats, loaded_s: Floats, *, directions: int = 2, weights: Floats | None = None, resamples: int = _RESAMPLES
) -> Utilisation:
    """The utilisation while `loaded_s` was measured; latencies in s, in temporal order, shapes (n,) and (m,).

    `weights`: as in `undelayed_mixture`. `directions`: queues that a latency passes, 2 for round trips, which are taken
    to be equally loaded. The interval is a bootstrap over batches of consecutive samples. A `reason` tells why there is
    no value: too few samples, waits that cannot be told from the variation of idle latencies, or hardly any undelayed
    probe (then `low` is a bound).
    """
    try:
        check_samples(idle_s, what="on the idle machine")
        check_samples(loaded_s, what="under load")
        return _estimate(
            idle_s, loaded_s, np.ones(len(loaded_s)) if weights is None else weights, directions=directions,
            resamples=resamples,
        )  # fmt: skip
    except Inconclusive as reason:
        return Utilisation(value=None, low=None, high=None, reason=str(reason))


def _estimate(
    idle_s: Floats, loaded_s: Floats, weights: Floats, *, directions: int, resamples: int
) -> Utilisation:  # fmt: skip
    mixture = undelayed_mixture(idle_s, loaded_s, weights=weights)
    spread_s = spread_of(idle_s)
    random = np.random.default_rng(_SEED)
    draws = []
    for _ in range(resamples):
        (idle,), (loaded, drawn_weights) = _resampled(random, idle_s), _resampled(random, loaded_s, weights)
        draws.append(undelayed_mixture(idle, loaded, weights=drawn_weights).undelayed)
    least, most = np.quantile(draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist()
    value, low, high = (
        1 - share ** (1 / directions)
        for share in (mixture.undelayed, max(most, mixture.undelayed), min(least, mixture.undelayed))
    )
    if not mixture.fits:
        reason = (
            f"delayed probes waited {mixture.wait_s:.3g} s on average, about as long as idle latencies, and undelayed "
            "ones vary differently than on the idle machine: waits for the network cannot be told from those for cores"
        )
        return Utilisation(value=None, low=0.0, high=high, reason=reason)
    if mixture.undelayed < SATURATED_SHARE and mixture.wait_s < FAR * float(np.median(idle_s)):
        raise Inconclusive(
            f"nearly all probes took about {mixture.wait_s:.3g} s longer than on the idle machine: they waited for "
            "cores rather than for the network, or each packet takes less time than idle latencies vary"
        )
    if mixture.undelayed < SATURATED_SHARE:
        reason = f"saturated: {mixture.undelayed:.1%} of the probes were not delayed, so the load is at least {low:.0%}"
        return Utilisation(value=None, low=low, high=None, reason=reason)
    if low > 0 and mixture.wait_s < LEAST_WAIT * spread_s:
        raise Inconclusive(
            f"delayed probes waited {mixture.wait_s:.3g} s on average, and idle latencies vary by {spread_s:.3g} s: "
            "waits this short cannot be told from that variation"
        )
    return Utilisation(value=value, low=low, high=high, reason=None)


def _edges(idle_s: Floats, loaded_s: Floats) -> Floats:
    """Bins with about equal numbers of idle latencies, and wider and wider ones above them."""
    inside = np.quantile(idle_s, np.linspace(0, 1, _IDLE_BINS + 1))
    least, most = min(float(inside[0]), float(loaded_s.min())), max(float(inside[-1]), float(loaded_s.max()))
    width = max(float(inside[-1] - inside[0]) / _IDLE_BINS, np.finfo(np.float64).tiny)
    above = float(inside[-1]) + np.geomspace(width, max(most - float(inside[-1]), 2 * width), _WAIT_BINS)
    edges: Floats = np.unique(np.concatenate(([least], inside, above, [np.nextafter(most, np.inf)])))
    return edges


def _components(idle_s: Floats, edges_s: Floats, *, shortest_s: float) -> tuple[Floats, Floats]:
    """Probability of each bin, shape (components, bins), and the mean wait of each component, s.

    The first has no wait, the others waits that are uniform from 0 to a maximum.
    """
    points = np.quantile(idle_s, (np.arange(_MAX_IDLE_POINTS) + 0.5) / _MAX_IDLE_POINTS)
    longest_s = max(float(edges_s[-1] - points[0]), 2 * shortest_s)
    ranges_s = np.geomspace(shortest_s, longest_s, _COMPONENTS)
    beyond_s = edges_s[:, None] - points[None, :]  # how far each edge lies above each idle latency
    reached = [_idle_share_below(idle_s, edges_s)]
    reached += [np.clip(beyond_s / one, 0.0, 1.0).mean(axis=1) for one in ranges_s]
    return np.diff(np.stack(reached), axis=1), np.concatenate(([0.0], ranges_s / 2))


def _idle_share_below(idle_s: Floats, edges_s: Floats) -> Floats:
    """Probability that an idle latency is below each edge, shape (edges,).

    Of n latencies the next one is above the longest with probability 1 / (n + 1), and below the shortest likewise: it
    is then taken to be as far from it, at most, as that one is from the median.
    """
    ordered = np.sort(idle_s)
    middle = float(np.median(ordered))
    ends = (2 * ordered[0] - middle, 2 * ordered[-1] - middle)
    positions = np.concatenate(([ends[0]], ordered, [ends[1]]))
    below: Floats = np.interp(edges_s, positions, np.arange(len(positions)) / (len(positions) - 1))
    return below


def _most_likely(shares: Floats, counts: Floats) -> tuple[Floats, float]:
    """Weights of the components for which the counts of the bins are most likely, and the logarithm of that."""
    seen = counts > 0
    shares, counts = shares[:, seen] + _NEVER, counts[seen]
    weights = np.full(len(shares), 1 / len(shares))
    for _ in range(_ITERATIONS):
        weights = weights * (shares @ (counts / (weights @ shares))) / counts.sum()
    return weights, float(counts @ np.log(weights @ shares))


def _resampled(random: np.random.Generator, *columns: Floats) -> tuple[Floats, ...]:
    """As many batches of consecutive samples, drawn with replacement: the same ones of each column."""
    batches = np.array_split(np.arange(len(columns[0])), min(len(columns[0]), _BATCHES))
    drawn = np.concatenate([batches[number] for number in random.integers(len(batches), size=len(batches))])
    return tuple(column[drawn] for column in columns)
