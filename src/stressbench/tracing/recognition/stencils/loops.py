"""The loops of a program that no motif explains: one pass of each rank. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stressbench.formats.trace import Call
from stressbench.tracing.grammar import Rules, expand, rule_lengths, single_pass
from stressbench.tracing.iterations import FEWEST_IN_ROW, runs_of

LONGEST_PASS = 1000
"""Calls of a rank in a pass."""
_MOST_LOOPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSequence:
    """A rank's calls: as rules, as a text with a character for each, and as their numbers.

    `text` has other characters in place of calls that belong to a motif; `text_of` gives that of calls by number.
    """

    rules: Rules
    text: str
    numbers: Sequence[int]
    calls: Sequence[Call]
    text_of: Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPasses:
    """A loop that all ranks run `times` times: the numbers of the calls of a pass, by rank."""

    times: int
    numbers: tuple[tuple[int, ...], ...]


def loops_of(ranks: Sequence[RankSequence]) -> Iterator[LoopPasses]:
    """The loops of all ranks, those with the most bytes on rank 0 first."""
    loops = [_loops(rank) for rank in ranks]
    seen: set[LoopPasses] = set()
    for loop in loops[0]:
        passes: list[tuple[int, ...]] = []
        times: set[int] = set()
        for rank, own in zip(ranks, loops, strict=True):
            found = _pass_like(rank, own, loop)
            if found is None:
                break
            passes.append(found[0])
            times.add(found[1])
        if len(passes) == len(ranks) and len(times) == 1 and min(times) >= FEWEST_IN_ROW:
            one = LoopPasses(times=times.pop(), numbers=tuple(passes))
            if one not in seen:
                seen.add(one)
                yield one


@dataclass(frozen=True, slots=True)
class _RankLoop:
    """A loop in the rules of a rank: a pass as text, its operations, and how many bytes all passes have."""

    times: int
    text: str
    operations: frozenset[str]
    bytes: int

    @property
    def weight(self) -> tuple[int, int]:
        return self.bytes, self.times * len(self.text)


def _loops(rank: RankSequence) -> list[_RankLoop]:
    lengths = rule_lengths(rank.rules)
    symbols = {(symbol, times) for rule in rank.rules for symbol, times in rule if times > 1}
    found: list[_RankLoop] = []
    for symbol, times in sorted(symbols):
        if 0 < (1 if symbol >= 0 else lengths[-symbol]) <= LONGEST_PASS:
            numbers = list(expand(single_pass(rank.rules, symbol)))
            calls = [rank.calls[number] for number in numbers]
            found.append(
                _RankLoop(
                    times=times, text=rank.text_of(numbers),
                    operations=frozenset(call.op for call in calls),
                    bytes=times * sum(call.bytes or 0 for call in calls),
                )
            )  # fmt: skip
    return sorted(found, key=lambda loop: loop.weight, reverse=True)[:_MOST_LOOPS]


def _pass_like(rank: RankSequence, loops: Sequence[_RankLoop], loop: _RankLoop) -> tuple[tuple[int, ...], int] | None:
    """The pass of the rank's loop with about as many passes, from where the loop begins, and how often it is run.

    Of several, the one with the most alike operations is taken: ranks at a border may lack some.
    """
    alike = (own for own in loops if abs(own.times - loop.times) <= 1)
    for own in sorted(alike, key=lambda one: len(one.operations ^ loop.operations)):
        runs = list(runs_of(rank.text, own.text))
        if not runs:
            continue
        run = max(runs, key=lambda one: one.times)
        start, end, calls = run.start, run.end, run.calls
        while start and rank.text[start - 1] == rank.text[start - 1 + calls]:
            start -= 1
        while end < len(rank.text) and rank.text[end] == rank.text[end - calls]:
            end += 1
        return tuple(rank.numbers[start : start + calls]), (end - start) // calls
    return None
