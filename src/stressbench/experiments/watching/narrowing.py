"""How the intervals of congestion impacts have narrowed: intervals over the first blocks, or the first runs. Pure."""

from collections.abc import Callable, Iterator, Sequence

from stressbench.formats.run import Kind
from stressbench.results.watching import NarrowedInterval
from stressbench.stats import Impact, RoundMedian, congestion_impact
from stressbench.stats.intervals import MIN_PAIRS
from stressbench.stats.pooled import PooledImpact, pooled_impact

_MOST = 5


def over_blocks(rounds: Sequence[RoundMedian]) -> tuple[NarrowedInterval, ...]:
    """The interval of a run after 6, 12, 24, ... and all complete blocks, at most the newest five of them."""
    blocks = _complete_blocks(rounds)

    def impact_of(count: int) -> Impact:
        first = set(blocks[:count])
        return congestion_impact([one for one in rounds if (one.launch, one.block) in first])

    return _intervals(len(blocks), first=MIN_PAIRS, impact_of=impact_of)


def over_runs(runs: Sequence[Sequence[RoundMedian]]) -> tuple[NarrowedInterval, ...]:
    """The interval of a cell after 1, 2, 4, ... and all runs, at most the newest five of them."""
    return _intervals(len(runs), first=1, impact_of=lambda count: pooled_impact(runs[:count]))


def _intervals(
    total: int, *, first: int, impact_of: Callable[[int], Impact | PooledImpact]
) -> tuple[NarrowedInterval, ...]:
    impacts = ((count, impact_of(count)) for count in tuple(_counts(total, first=first))[-_MOST:])
    return tuple(
        NarrowedInterval(count=count, low=impact.low, high=impact.high)
        for count, impact in impacts
        if impact.low is not None and impact.high is not None
    )


def _counts(total: int, *, first: int) -> Iterator[int]:
    count = first
    while count < total:
        yield count
        count *= 2
    if total >= first:
        yield total


def _complete_blocks(rounds: Sequence[RoundMedian]) -> tuple[tuple[int, int], ...]:
    """Launch and number of each block with an isolated and a contended round, in order."""
    kinds: dict[tuple[int, int], set[Kind]] = {}
    for one in rounds:
        kinds.setdefault((one.launch, one.block), set()).add(one.kind)
    return tuple(block for block, found in kinds.items() if len(found) == len(Kind))
