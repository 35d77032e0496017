"""Launches of a program at several injection bandwidths and numbers of ranks: the records of launches.jsonl."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from stressbench.formats.launches import journal
from stressbench.formats.units import UnitError, parse_rate_share


def _check_rate(text: str) -> str:
    with suppress(UnitError):
        if 0 < parse_rate_share(text, allow_one=True) <= 1:
            return text
    raise ValueError("expected a share of the full rate, such as 1 or 1/2")


def _check_full_rate(rates: tuple[str, ...]) -> tuple[str, ...]:
    if "1" not in rates:
        raise ValueError("expected the full rate, 1, among them")
    return rates


Rate = Annotated[str, Field(max_length=40), AfterValidator(_check_rate)]
Rates = Annotated[tuple[Rate, ...], AfterValidator(_check_full_rate)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesPlan(journal.Plan):
    """The planned launches: `rates` as `1` and `1/2`. For figures in `lower`, a lower value is better.

    Figures are read from the file `figures_from`, or from standard output if it is None. `hpcc_n`: matrix order N
    of HPC Challenge's Linpack if its input file was generated.
    """

    rates: Rates
    ranks: tuple[journal.Count, ...]
    lower: tuple[str, ...]
    figures_from: str | None
    rate_command: str | None
    hpcc_n: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLaunch(journal.BaseLaunch):
    """One launch."""

    rate: Rate
    ranks: journal.Count


RateLaunches: TypeAlias = journal.RecordedLaunches[RatesPlan, RateLaunch]
JOURNAL = journal.Journal(plan=RatesPlan, launch=RateLaunch, writer="stressbench degrade run -o DIR -- CMD")


def read_launches(path: Path) -> RateLaunches:
    """Read the file at `path`. Raises StudyMistake if it does not begin with a plan."""
    return JOURNAL.read(path)
