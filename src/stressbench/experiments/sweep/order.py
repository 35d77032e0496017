"""The order of launches. Pure."""

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

Condition = TypeVar("Condition")


def in_order(conditions: Sequence[Condition], *, runs: int, seed: int) -> Iterable[tuple[Condition, int]]:
    """Pairs of condition and repetition: each repetition has all conditions, in a random order of its own."""
    for repetition in range(runs):
        turn = list(conditions)
        random.Random(f"{seed}/{repetition}").shuffle(turn)
        yield from ((condition, repetition) for condition in turn)


def in_groups(groups: Sequence[Sequence[Condition]], *, runs: int, seed: int) -> Iterable[tuple[Condition, int]]:
    """As `in_order`, but the conditions of a group stay together, since changing the group is expensive."""
    for repetition in range(runs):
        generator = random.Random(f"{seed}/{repetition}")
        for group in generator.sample(groups, len(groups)):
            yield from ((condition, repetition) for condition in generator.sample(group, len(group)))
