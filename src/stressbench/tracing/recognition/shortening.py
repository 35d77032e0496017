"""Sequences of calls with fewer passes of their loops, each of which stands for one or more passes. Pure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.trace import Rule
from stressbench.tracing.grammar import MAX_EXPANDED_CALLS, Rules, children_first, rule_lengths

MOST_PASSES = 1000
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """Rules of a shorter sequence, and for each of its calls how many calls of the whole sequence it stands for.

    `stands_for` is None if the sequence is whole, and if it is still longer than what is expanded.
    """

    rules: Rules
    stands_for: Counts | None


def shortened(rules: Rules, *, most: int = MOST_PASSES) -> Shortened:
    """The sequence with at most `most` passes of each loop, of which the one in the middle stands for all others."""
    short: list[Rule] = [tuple((symbol, min(times, most)) for symbol, times in rule) for rule in rules]
    lengths = rule_lengths(short)
    if short == list(map(tuple, rules)) or lengths[0] > MAX_EXPANDED_CALLS:
        return Shortened(rules=short, stands_for=None)
    counts: dict[int, Counts] = {}
    for number in children_first(rules):
        if lengths[number] <= lengths[0]:  # others are in no part of the sequence
            parts = [_passes(np.ones(1, dtype=np.int64) if symbol >= 0 else counts[-symbol], times, most)
                     for symbol, times in rules[number]]  # fmt: skip
            counts[number] = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    return Shortened(rules=short, stands_for=counts[0])


def _passes(one: Counts, times: int, most: int) -> Counts:
    kept = min(times, most)
    passes = np.tile(one, (kept, 1))
    passes[kept // 2] *= times - kept + 1
    return passes.ravel()
