"""Coverage of the 95 % intervals of the congestion impact, by simulation.

    .venv/bin/python benchmarks/coverage.py [--runs 2000] [--bootstraps 500] [--seed 1]

Goal: 93 to 97 % for the default intervals of `stressbench show`. A row is a kind of noise of the rounds' times, a
column a number of blocks. ranks: the default, before and after widening for dependent blocks; BCa: the bootstrap of
whole blocks, of the ratio of medians (`--interval bootstrap`) and, for comparison, of means. Each method is judged by
its own true value: ranks by the centre of the mean log ratio of two blocks, the bootstraps by the ratio of medians or
means of very many rounds. The last column is the median width at 20 blocks, in percent of the ratio.

"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stressbench.stats.dependence import dependence_of
from stressbench.stats.intervals import paired_interval, widen_interval

BLOCKS = (6, 10, 20, 50)
TRUTH_SAMPLES = 400_000
RESAMPLES = 499
BATCH_RUNS = 100
Floats: TypeAlias = NDArray[np.float64]
Noise: TypeAlias = Callable[[np.random.Generator, tuple[int, int]], tuple[Floats, Floats]]
"""Function that draws logarithms of isolated and of contended times, both of shape (runs, blocks)."""


def same_distribution(one: Callable[[np.random.Generator, tuple[int, int]], Floats]) -> Noise:
    """Noise with the same distribution in both kinds of rounds."""
    return lambda rng, shape: (one(rng, shape), one(rng, shape))


def lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """10 % lognormal noise."""
    return 0.1 * rng.standard_normal(shape)


def student(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Noise with the tails of Student's t with 3 degrees of freedom."""
    return 0.05 * rng.standard_t(3, shape)


def pareto(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Skewed noise without a variance: times of 1 plus 10 % of a Lomax variable with exponent 2."""
    return np.log1p(0.1 * rng.pareto(2, shape))


def autocorrelated(correlation: float) -> Callable[[np.random.Generator, tuple[int, int]], Floats]:
    """AR(1) noise along the last axis, started in its stationary state."""

    def noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        fresh = rng.standard_normal(shape)
        values = np.empty(shape)
        values[..., 0] = fresh[..., 0]
        for index in range(1, shape[-1]):
            values[..., index] = correlation * values[..., index - 1] + (1 - correlation**2) ** 0.5 * fresh[..., index]
        return 0.1 * values

    return noise


def median_within_rounds(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """The median of ten repetitions with AR(1) noise (coefficient 0.8)."""
    values: Floats = np.median(autocorrelated(0.8)(rng, (*shape, 10)), axis=-1)  # type: ignore[arg-type]
    return values


def common_drift(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """A random walk from block to block, common to both kinds of rounds, and 5 % lognormal noise."""
    walk = np.cumsum(rng.normal(0, 0.05, shape), axis=-1)
    return walk + 0.05 * rng.standard_normal(shape), walk + 0.05 * rng.standard_normal(shape)


def skewed_when_contended(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """2 % lognormal noise in isolated rounds; contended rounds are longer by an exponential 20 %."""
    return 0.02 * rng.standard_normal(shape), np.log1p(rng.exponential(0.2, shape))


NOISES: dict[str, Noise] = {
    "lognormal": same_distribution(lognormal),
    "Student t3": same_distribution(student),
    "Pareto": same_distribution(pareto),
    "skewed when contended": skewed_when_contended,
    "drift of both": common_drift,
    "AR(1) 0.8 within rounds": same_distribution(median_within_rounds),
    "AR(1) 0.3 across blocks": same_distribution(autocorrelated(0.3)),
    "AR(1) 0.6 across blocks": same_distribution(autocorrelated(0.6)),
}


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Interval bounds of many simulated runs, as logarithms; both of shape (runs,)."""

    low: Floats
    high: Floats

    def cover(self, truth: float) -> float:
        """Percentage of intervals that contain `truth`."""
        return 100 * float(np.mean((self.low <= truth) & (truth <= self.high)))

    @property
    def width(self) -> float:
        """Median width in percent of the ratio."""
        return 100 * float(np.median(np.exp(self.high) - np.exp(self.low)))


def by_ranks(isolated: Floats, contended: Floats, *, widen: bool) -> Bounds:
    """Rank-based intervals of each run, widened for dependent blocks (as in `congestion_impact`) if `widen`."""
    intervals = []
    for row in contended - isolated:
        dependence = dependence_of(row) if widen else None
        intervals.append(widen_interval(paired_interval(row), 1.0 if dependence is None else dependence.factor))
    return Bounds(low=np.array([one.low for one in intervals]), high=np.array([one.high for one in intervals]))


def by_bootstrap(isolated: Floats, contended: Floats, *, location: Callable[..., Floats], seed: int) -> Bounds:
    """BCa bootstrap intervals of each run over whole blocks, for the ratio of `location` (median or mean)."""

    def statistic(first: Floats, second: Floats, axis: int) -> Floats:
        ratio: Floats = np.log(location(second, axis=axis) / location(first, axis=axis))
        return ratio

    rng = np.random.default_rng(seed)
    parts = [
        stats.bootstrap(
            (np.exp(isolated[start : start + BATCH_RUNS]), np.exp(contended[start : start + BATCH_RUNS])), statistic,
            paired=True, vectorized=True, axis=-1, method="BCa", n_resamples=RESAMPLES, rng=rng,
        ).confidence_interval
        for start in range(0, len(isolated), BATCH_RUNS)
    ]  # fmt: skip
    return Bounds(low=np.concatenate([one.low for one in parts]), high=np.concatenate([one.high for one in parts]))


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Logarithms of the values that the methods estimate."""

    ranks: float
    medians: float
    means: float


def truth_of(noise: Noise, rng: np.random.Generator) -> Truth:
    """True values from very many independent pairs of rounds."""
    isolated, contended = (one.ravel() for one in noise(rng, (TRUTH_SAMPLES, 2)))
    pairs = (contended - isolated).reshape(-1, 2)
    return Truth(
        ranks=float(np.median(pairs[:, 0] / 2 + rng.permutation(pairs[:, 1]) / 2)),
        medians=float(np.median(contended) - np.median(isolated)),
        means=float(np.log(np.exp(contended).mean() / np.exp(isolated).mean())),
    )


EXACT = Truth(ranks=0.0, medians=0.0, means=0.0)


def main() -> None:
    """Print a line per noise and method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs per cell for rank intervals")
    parser.add_argument("--bootstraps", type=int, default=500, help="simulated runs per cell for bootstrap intervals")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    print(f"{'noise':24} {'interval':14}" + "".join(f"{f'n = {n}':>8}" for n in BLOCKS) + "   width at 20", flush=True)
    for name, noise in NOISES.items():
        truth = truth_of(noise, rng) if noise is skewed_when_contended else EXACT
        cells = [noise(rng, (arguments.runs, n)) for n in BLOCKS]
        bootstrap_cells = [tuple(side[: arguments.bootstraps] for side in cell) for cell in cells]
        rows = [
            ("ranks, plain", truth.ranks, [by_ranks(*cell, widen=False) for cell in cells]),
            ("ranks", truth.ranks, [by_ranks(*cell, widen=True) for cell in cells]),
            (
                "BCa, medians",
                truth.medians,
                [by_bootstrap(*c, location=np.median, seed=arguments.seed) for c in bootstrap_cells],
            ),
            (
                "BCa, means",
                truth.means,
                [by_bootstrap(*c, location=np.mean, seed=arguments.seed) for c in bootstrap_cells],
            ),
        ]
        for method, value, bounds in rows:
            shares = "".join(f"{one.cover(value):8.1f}" for one in bounds)
            print(f"{name:24} {method:14}{shares}{bounds[BLOCKS.index(20)].width:10.1f} %", flush=True)


if __name__ == "__main__":
    main()
