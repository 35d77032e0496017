"""The order in which a program is launched at each injection bandwidth, on some numbers of ranks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.experiments.study.programs.order import in_groups, in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a launch is under."""

    rate: str
    ranks: int

    def __str__(self) -> str:
        """`rate 1/2 on 4 ranks`."""
        return f"rate {self.rate} on {self.ranks} {'rank' if self.ranks == 1 else 'ranks'}"


def turns_of(
    rates: Sequence[str], ranks: Sequence[int], *, runs: int, seed: int, rates_together: bool
) -> tuple[tuple[Condition, int], ...]:
    """All conditions once, then all once more, each time in another random order; with repetitions, from 0.

    `rates_together`: launches at one rate follow each other, where a program of the site sets it.
    """
    by_rate = [[Condition(rate=rate, ranks=count) for count in ranks] for rate in rates]
    if rates_together:
        return tuple(in_groups(by_rate, runs=runs, seed=seed))
    return tuple(in_order([one for group in by_rate for one in group], runs=runs, seed=seed))
