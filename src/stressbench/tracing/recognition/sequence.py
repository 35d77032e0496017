"""What a program does one after the other: motifs, and the parts between them. Pure."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from stressbench.tracing.iterations import IterationSpan

Item = TypeVar("Item", bound=Hashable)
Numbers = tuple[int, ...]
MotifRuns: TypeAlias = Sequence[tuple[IterationSpan, int]]
"""Where the iterations of motifs are in the calls of a rank, each run with the number of its motif."""


@dataclass(frozen=True, slots=True)
class Run:
    """Successive iterations of a motif, by its number in the order in which motifs were found."""

    motif: int
    times: int


@dataclass(frozen=True, slots=True)
class Part:
    """Calls between motifs: their numbers, by rank, and that of the call before them (None: the program begins)."""

    numbers: tuple[Numbers, ...]
    before: tuple[int | None, ...]

    @property
    def calls(self) -> int:
        """Calls of all ranks."""
        return sum(map(len, self.numbers))

    def split(self, splits: Sequence[Callable[[int], bool]]) -> Iterator["Part"]:
        """The part in pieces, so that successive calls for which `splits` of a rank is true are pieces of their own.

        The whole part if ranks have different numbers of such calls.
        """
        cuts = [
            [0, *(k for k in range(1, len(own)) if is_split(own[k]) or is_split(own[k - 1])), len(own)]
            for own, is_split in zip(self.numbers, splits, strict=True)
        ]
        kinds = {
            tuple(is_split(own[k]) for k in at[:-1] if k < len(own)) if own else None
            for own, is_split, at in zip(self.numbers, splits, cuts, strict=True)
        }
        if len(kinds) > 1 or len(set(map(len, cuts))) > 1:
            yield self
            return
        for piece in range(len(cuts[0]) - 1):
            numbers = tuple(own[at[piece] : at[piece + 1]] for own, at in zip(self.numbers, cuts, strict=True))
            before = tuple(
                own[at[piece] - 1] if at[piece] else first
                for own, at, first in zip(self.numbers, cuts, self.before, strict=True)
            )
            yield Part(numbers=numbers, before=before)

    def cut(self, runs: Sequence[MotifRuns]) -> tuple["Run | Part", ...]:
        """The part with runs of iterations in it, given by rank with the number of the motif, and what is between them.

        The whole part if ranks have them in different orders.
        """
        ranks = [RankRuns(numbers=own, runs=found) for own, found in zip(self.numbers, runs, strict=True)]
        items = sequence_of(ranks)
        return (self,) if items is None else tuple(self._after(one) if isinstance(one, Part) else one for one in items)

    def _after(self, piece: "Part") -> "Part":
        """A piece of the part, of which ranks without calls before them have those before the part."""
        before = (first if own is None else own for first, own in zip(self.before, piece.before, strict=True))
        return Part(numbers=piece.numbers, before=tuple(before))


@dataclass(frozen=True, slots=True)
class RankRuns:
    """The calls of a rank by number, and where the iterations of each motif are in them."""

    numbers: Sequence[int]
    runs: MotifRuns


def sequence_of(ranks: Sequence[RankRuns]) -> tuple[Run | Part, ...] | None:
    """Runs and parts in their order, without empty parts; None if the motifs of ranks follow one another otherwise."""
    ordered = [_in_order(rank.runs) for rank in ranks]
    if not _are_alike(ordered):
        return None
    items: list[Run | Part] = []
    ends = [0] * len(ranks)
    for runs in zip(*ordered, strict=True):
        items += _part(ranks, ends, [span.start for span, _ in runs])
        items.append(Run(motif=runs[0][1], times=runs[0][0].times))
        ends = [span.end for span, _ in runs]
    items += _part(ranks, ends, [len(rank.numbers) for rank in ranks])
    return tuple(items)


def are_in_one_order(ranks: Sequence[MotifRuns]) -> bool:
    """Whether the motifs follow one another in the same way on all ranks, whose runs are given."""
    return _are_alike(list(map(_in_order, ranks)))


def _in_order(runs: MotifRuns) -> MotifRuns:
    return sorted(runs, key=lambda run: run[0].start)


def _are_alike(ordered: Sequence[MotifRuns]) -> bool:
    return len({tuple((motif, span.times) for span, motif in runs) for runs in ordered}) <= 1


def _part(ranks: Sequence[RankRuns], starts: Sequence[int], ends: Sequence[int]) -> Iterator[Part]:
    numbers = tuple(tuple(rank.numbers[a:b]) for rank, a, b in zip(ranks, starts, ends, strict=True))
    before = tuple(rank.numbers[a - 1] if a else None for rank, a in zip(ranks, starts, strict=True))
    if any(numbers):
        yield Part(numbers=numbers, before=before)


@dataclass(frozen=True, slots=True)
class Loop(Generic[Item]):
    """Items that are repeated."""

    times: int
    items: tuple["Item | Loop[Item]", ...]


def folded(
    items: Sequence[Item], may_repeat: Callable[[Sequence[Item]], bool] = lambda _: True
) -> Iterator[Item | Loop[Item]]:  # fmt: skip
    """The items with successive equal parts as loops, the longest first. `may_repeat`: whether a part may be in one."""
    place = 0
    while place < len(items):
        times, length = _longest_loop(items, place, may_repeat)
        if times == 1:
            yield items[place]
        else:
            yield Loop(times=times, items=tuple(folded(items[place : place + length], may_repeat)))
        place += times * length


def _longest_loop(
    items: Sequence[Item], place: int, may_repeat: Callable[[Sequence[Item]], bool]
) -> tuple[int, int]:  # fmt: skip
    """How often a part from `place` on is repeated, and how long it is."""
    best = (1, 1)
    for length in range(1, (len(items) - place) // 2 + 1):
        part, times = items[place : place + length], 1
        while items[place + times * length : place + (times + 1) * length] == part:
            times += 1
        if times > 1 and times * length > best[0] * best[1] and may_repeat(part):
            best = (times, length)
    return best
