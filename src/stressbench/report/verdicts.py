"""Verdicts on congestion impacts and tails from their intervals, and the words that state them. Pure."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from stressbench.stats import TailImpact

MAX_NAMED = 3
"""Jobs that a sentence names; it counts the others."""
LEAST_DISTANCE = 0.005
"""An impact that is closer to the limit than this (natural logarithm of the ratio) is at the limit."""
TOO_FEW_REPETITIONS = (
    "Unknown: too few repetitions (percentile 95 takes 72 isolated and 72 contended ones, 99 takes 368)."
)


class Verdict(StrEnum):
    """Whether a job is slowed by more than the limit; unknown without an interval."""

    slowed = "slowed"
    not_slowed = "not slowed"
    undecided = "undecided"
    unknown = "unknown"


def verdict_on(low: float | None, high: float | None, *, slowed_above: float) -> Verdict:
    """The verdict from the 95 % interval of a congestion impact."""
    if low is None or high is None:
        return Verdict.unknown
    if low > slowed_above:
        return Verdict.slowed
    return Verdict.not_slowed if high <= slowed_above else Verdict.undecided


def farthest_tail(tails: Iterable[TailImpact]) -> TailImpact | None:
    """The highest percentile from 95 upwards whose ratio has an interval."""
    known = (tail for tail in tails if tail.share > 0.5 and tail.low is not None)
    return max(known, key=lambda tail: tail.share, default=None)


def excess(limit: float) -> str:
    """`by more than 5 %`; `at all` for a limit of 1."""
    return "at all" if limit == 1 else f"by more than {100 * (limit - 1):.3g} %"


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def some_of(names: Sequence[str]) -> str:
    """The first names, and how many more there are: `a, b, c and 4 more`."""
    more = len(names) - MAX_NAMED
    return joined([*names[:MAX_NAMED], f"{more} more"] if more > 0 else names)
