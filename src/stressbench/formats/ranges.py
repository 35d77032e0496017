"""Lists of numbers in the notation of `[NID_LIST]`: `0-3,8`, `0-30:2`."""

import re
from collections.abc import Iterable

from stressbench.formats.excerpts import excerpt

_MAX_ITEM = 60
_ITEM = re.compile(r"([0-9]+)(?:-([0-9]+)(?::([0-9]+))?)?")
MAX_NUMBERS = 1 << 21
"""Largest count of numbers in a list, equal to the largest number of ranks of a run."""
_MAX_NUMBER = (1 << 31) - 1  # of a rank or a node, as in the engine


def parse_ranges(text: str, *, max_numbers: int = MAX_NUMBERS) -> tuple[int, ...]:
    """The numbers that `text` lists, at most `max_numbers`, in the order written.

    Raises ValueError, which names the item, for an item other than `N`, `N-M` or `N-M:S`, and for too many numbers.
    """
    numbers: list[int] = []
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None or match[3] == "0":
            raise ValueError(f"'{excerpt(item)}' in '{excerpt(text)}': expected N, N-M or N-M:STRIDE")
        if len(match[0]) > _MAX_ITEM or max(int(digits or 0) for digits in match.groups()) > _MAX_NUMBER:
            raise ValueError(f"'{excerpt(item)}': expected numbers below 2^31")
        first = int(match[1])
        item_numbers = range(first, int(match[2] or first) + 1, int(match[3] or 1))
        if len(numbers) + len(item_numbers) > max_numbers:
            raise ValueError(f"'{excerpt(item)}' in '{excerpt(text)}': expected at most {max_numbers} numbers")
        numbers.extend(item_numbers)
    return tuple(numbers)


def spans(numbers: Iterable[int]) -> str:
    """The numbers in ascending order in the notation of `[NID_LIST]`, without strides: `0-3,8`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
