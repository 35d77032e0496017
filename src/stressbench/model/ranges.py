"""The notation of `[NID_LIST]`: `0-3,8`, `0-30:2`."""

import re
from collections.abc import Iterable

_ITEM = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
_LONGEST = 10_000_000


def parse_ranges(text: str) -> tuple[int, ...]:
    """Numbers named by `text`, in the order written. ValueError names the item that is no `N`, `N-M`, `N-M:S`."""
    numbers: list[int] = []
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None or match[3] == "0":
            raise ValueError(f"'{item}' in '{text}': expected N, N-M or N-M:STRIDE")
        first = int(match[1])
        last = int(match[2] or first)
        if last - first > _LONGEST:
            raise ValueError(f"'{item}' in '{text}': expected at most {_LONGEST} numbers")
        numbers.extend(range(first, last + 1, int(match[3] or 1)))
    return tuple(numbers)


def spans(numbers: Iterable[int]) -> str:
    """Numbers in that notation, without strides: `0-3,8`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
