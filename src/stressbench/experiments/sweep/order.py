"""The order of launches. Pure."""

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

Condition = TypeVar("Condition")


def in_order(conditions: Sequence[Condition], *, runs: int, seed: int) -> Iterable[tuple[Condition, int]]:
    """Condition and repetition: all conditions once, then all once more, each time in another random order."""
    for repetition in range(runs):
        turn = list(conditions)
        random.Random(f"{seed}/{repetition}").shuffle(turn)
        yield from ((condition, repetition) for condition in turn)


def in_groups(groups: Sequence[Sequence[Condition]], *, runs: int, seed: int) -> Iterable[tuple[Condition, int]]:
    """The same, but conditions of a group follow each other: it is dear to change from one group to another."""
    for repetition in range(runs):
        generator = random.Random(f"{seed}/{repetition}")
        for group in generator.sample(groups, len(groups)):
            yield from ((condition, repetition) for condition in generator.sample(group, len(group)))
