"""Launches of a program at one injection bandwidth after the other, on some numbers of ranks."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from stressbench.formats.units import UnitError, parse_rate_share
from stressbench.study.programs import journal
from stressbench.study.programs.order import in_groups, in_order


def _checked_rate(text: str) -> str:
    with suppress(UnitError):
        if 0 < parse_rate_share(text, plain_one=True) <= 1:
            return text
    raise ValueError("expected a share of the full rate, such as 1 or 1/2")


def _with_full(rates: tuple[str, ...]) -> tuple[str, ...]:
    if "1" not in rates:
        raise ValueError("expected the full rate, 1, among them")
    return rates


Rate = Annotated[str, Field(max_length=40), AfterValidator(_checked_rate)]
Rates = Annotated[tuple[Rate, ...], AfterValidator(_with_full)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesPlan(journal.Plan):
    """What is to be launched: `rates` as `1` and `1/2`. Of figures in `lower` less is better.

    Figures stand in the file `figures_from`, None: on standard output. `hpcc_n`: N of HPC Challenge's Linpack where its
    input was written for it.
    """

    rates: Rates
    ranks: tuple[journal.Count, ...]
    lower: tuple[str, ...]
    figures_from: str | None
    rate_command: str | None
    hpcc_n: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLaunch(journal.Launched):
    """One launch."""

    rate: Rate
    ranks: journal.Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a launch is under."""

    rate: str
    ranks: int

    def __str__(self) -> str:
        """`rate 1/2 on 4 ranks`."""
        return f"rate {self.rate} on {self.ranks} {'rank' if self.ranks == 1 else 'ranks'}"


RateLaunches: TypeAlias = journal.Launches[RatesPlan, RateLaunch]
JOURNAL = journal.Journal(plan=RatesPlan, launch=RateLaunch, writer="stressbench degrade run -o DIR -- CMD")


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


def read_launches(path: Path) -> RateLaunches:
    """The file at `path`. Raises StudyMistake where it does not begin with a plan."""
    return JOURNAL.read(path)
