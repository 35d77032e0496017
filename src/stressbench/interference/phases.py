"""Phases of an application's load: the series of probe latencies is split where the latency level changes."""

from dataclasses import dataclass

import numpy as np

from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import (
    DEFAULT_ESTIMATOR,
    Estimator,
    Floats,
    bootstrap_utilisations,
    point_estimate,
)

MIN_SEGMENT_LENGTH = 20
_CRITICAL_DEVIATIONS = 4.5
"""Critical value of the rank sum, in standard deviations: reached by 1 in 1,000 series without a change."""
_RESAMPLES = 199


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadPhase:
    """A period of constant load: its share of the time, and its utilisation (0 to 1) with bootstrap `draws`."""

    share: float
    utilisation: float
    draws: Floats


def constant_load_segments(latencies: Floats) -> tuple[slice, ...]:
    """Consecutive parts of `latencies`, shape (n,), of at least 20 each, within which the level does not change.

    Binary segmentation: a part is cut where the ranks before and after differ most, if the difference is significant
    (Mann and Whitney's test, which is robust against heavy tails). Autocorrelated series are cut too often.
    """
    segments: list[slice] = []
    pending = [slice(0, len(latencies))]
    while pending:
        part = pending.pop()
        cut = _best_cut(latencies[part])
        if cut is None:
            segments.append(part)
        else:
            pending += [slice(part.start, part.start + cut), slice(part.start + cut, part.stop)]
    return tuple(sorted(segments, key=lambda part: part.start))


def phases_of(
    idle_s: Floats, loaded_s: Floats, *, at_s: Floats | None = None, estimator: Estimator = DEFAULT_ESTIMATOR,
    packets: Service | None = None, resamples: int = _RESAMPLES,
) -> tuple[LoadPhase, ...]:  # fmt: skip
    """Phases in the latencies `loaded_s` (s), sampled at `at_s` (s, any order); evenly spaced without times.

    `packets` as in `estimate_utilisation`.
    """
    times = np.arange(len(loaded_s), dtype=np.float64) if at_s is None else np.sort(at_s)
    ordered = loaded_s if at_s is None else loaded_s[np.argsort(at_s, kind="stable")]
    parts = constant_load_segments(ordered)
    borders = [times[0], *((times[part.start - 1] + times[part.start]) / 2 for part in parts[1:]), times[-1]]
    lengths = np.diff(np.array(borders))
    shares = lengths / lengths.sum() if lengths.sum() > 0 else np.full(len(parts), 1 / len(parts))
    return tuple(
        LoadPhase(
            share=float(share),
            utilisation=point_estimate(idle_s, ordered[part], estimator=estimator, packets=packets),
            draws=bootstrap_utilisations(
                idle_s, ordered[part], estimator=estimator, packets=packets, resamples=resamples, seed=1 + number
            ),
        )
        for number, (part, share) in enumerate(zip(parts, shares, strict=True))
    )


def _best_cut(values: Floats) -> int | None:
    n = len(values)
    if n < 2 * MIN_SEGMENT_LENGTH:
        return None
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    sizes = np.arange(MIN_SEGMENT_LENGTH, n - MIN_SEGMENT_LENGTH + 1)
    sums = np.cumsum(ranks)[sizes - 1]
    rank_variance = ranks.var()  # with ties
    if rank_variance == 0:
        return None
    deviations = np.abs(sums - sizes * (n + 1) / 2) / np.sqrt(sizes * (n - sizes) * rank_variance / (n - 1))
    best = int(np.argmax(deviations))
    return int(sizes[best]) if deviations[best] > _CRITICAL_DEVIATIONS else None
