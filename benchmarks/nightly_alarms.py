"""How often a nightly comparison raises an alarm, by simulation: without a change of the machine, and with one.

    .venv/bin/python benchmarks/nightly_alarms.py [--sites 60] [--nights 20] [--figures 31] [--within 0.05] [--seed 1]

A site has one baseline and a number of nights, each of 3 launches of 8 rounds for every figure, as `stressbench machine
run` makes them. The logarithm of a round's value is the sum of three normal variables: one per night and figure, one
per launch, one per round (1 %). Each row is a pair of standard deviations of nights and launches. Columns: of 100
nights without a change, how many have an alarm; then the same where one figure is worse by twice the smallest
difference of interest, and only alarms of this figure count.

each: `machine compare`, one measurement. together: with --simultaneous. confirmed: --simultaneous and --confirm, as
packaging/nightly/stressbench-nightly.sh does; the second measurement has launches of its own in the same night.

"""

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.stats.comparison import Verdict, verdict_of
from stressbench.stats.intervals import CONFIDENCE, unpaired_interval

LAUNCHES, ROUNDS = 3, 8
ROUND_NOISE = 0.01
NOISE = ((0.0, 0.0), (0.0, 0.01), (0.0, 0.02), (0.01, 0.01), (0.02, 0.02), (0.03, 0.03))
"""Standard deviations of the logarithm of a value, of nights and of launches."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Noise of a machine, and how it is compared."""

    night_noise: float
    launch_noise: float
    figures: int
    within: float

    def measured(self, rng: np.random.Generator, night: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithms of the values of all rounds, shape (figures, rounds), around those of the night, (figures,)."""
        launches = rng.normal(0, self.launch_noise, (self.figures, LAUNCHES)).repeat(ROUNDS, axis=1)
        rounds = rng.normal(0, ROUND_NOISE, launches.shape)
        values: NDArray[np.float64] = night[:, None] + launches + rounds
        return values

    def worse(self, a: NDArray[np.float64], b: NDArray[np.float64], *, simultaneous: bool) -> NDArray[np.bool_]:
        """Whether each figure of B takes longer than that of A, shape (figures,)."""
        confidence = 1 - (1 - CONFIDENCE) / self.figures if simultaneous else CONFIDENCE
        found = []
        for first, second in zip(a, b, strict=True):
            interval = unpaired_interval(first, second, confidence=confidence)
            low, high = (None if one is None else float(np.exp(one)) for one in (interval.low, interval.high))
            found.append(verdict_of(low=low, high=high, effect=self.within) is Verdict.slower)
        return np.array(found)


def alarms(machine: Machine, rng: np.random.Generator, *, sites: int, nights: int, change: float) -> list[float]:
    """Alarms in 100 nights by each policy; with `change`, the first figure takes longer by it, and only it counts."""
    counts = np.zeros(3)
    counted = slice(0, 1) if change else slice(None)
    shift = np.zeros(machine.figures)
    shift[0] = np.log1p(change)
    for _ in range(sites):
        baseline = machine.measured(rng, rng.normal(0, machine.night_noise, machine.figures))
        for _ in range(nights):
            night = rng.normal(0, machine.night_noise, machine.figures) + shift
            first, second = (machine.measured(rng, night) for _ in range(2))
            simultaneous = machine.worse(baseline, first, simultaneous=True)
            again = machine.worse(baseline, second, simultaneous=True) if simultaneous.any() else simultaneous
            each = machine.worse(baseline, first, simultaneous=False)
            counts += [one[counted].any() for one in (each, simultaneous, simultaneous & again)]
    return [100 * float(one) / (sites * nights) for one in counts]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=60)
    parser.add_argument("--nights", type=int, default=20)
    parser.add_argument("--figures", type=int, default=31)
    parser.add_argument("--within", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("nights  launches |  no change: each  together  confirmed |  one figure: each  together  confirmed")
    for night_noise, launch_noise in NOISE:
        machine = Machine(
            night_noise=night_noise, launch_noise=launch_noise, figures=options.figures, within=options.within
        )
        rng = np.random.default_rng(options.seed)
        columns = [
            alarms(machine, rng, sites=options.sites, nights=options.nights, change=change)
            for change in (0.0, 2 * options.within)
        ]
        cells = "  |  ".join("  ".join(f"{value:9.1f}" for value in found) for found in columns)
        print(f"{night_noise:6.1%}  {launch_noise:8.1%} | {cells}")


if __name__ == "__main__":
    main()
