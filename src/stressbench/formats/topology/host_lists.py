"""Lists of names in Slurm's notation: `tux[0-3,12],login1`. Pure."""

import re
from itertools import product

from stressbench.formats.excerpts import excerpt

MAX_NAMES = 65_536
"""Largest number of names in one list."""
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\],\s]+)")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def expand_names(text: str) -> tuple[str, ...]:
    """The names that `text` lists, in the order written: `n[08-10]` is n08, n09, n10.

    Raises ValueError, which says what was expected, for other texts and for more than MAX_NAMES names.
    """
    names: list[str] = []
    for item in _items(text):
        names.extend(_expanded(item, room=MAX_NAMES - len(names)))
    return tuple(names)


def _items(text: str) -> list[str]:
    """The parts between the commas that are not in brackets."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if depth not in (0, 1):
            raise ValueError("expected names such as tux[0-3,12], without nested brackets")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    if depth:
        raise ValueError("expected a ] after the [")
    return items


def _expanded(item: str, *, room: int) -> list[str]:
    parts: list[list[str]] = []
    position = 0
    while position < len(item):
        match = _PART.match(item, position)
        if match is None:
            raise ValueError(f"'{excerpt(item)}': expected a name such as tux1, or several such as tux[0-3,12]")
        parts.append([match[2]] if match[1] is None else _numbers(match[1], room=room))
        position = match.end()
    count = 1
    for part in parts:
        count *= len(part)
    if not parts:
        raise ValueError("expected a name between the commas")
    if count > room:
        raise _too_many(item)
    return ["".join(words) for words in product(*parts)]


def _numbers(text: str, *, room: int) -> list[str]:
    numbers: list[str] = []
    for span in text.split(","):
        match = _RANGE.fullmatch(span)
        first = int(match[1]) if match else 1
        last = int(match[2] or match[1]) if match else 0
        if match is None or last < first:
            raise ValueError(f"'{excerpt(span)}' in '[{excerpt(text)}]': expected N or N-M with M not below N")
        if len(numbers) + last - first + 1 > room:
            raise _too_many(text)
        numbers += [f"{number:0{len(match[1])}d}" for number in range(first, last + 1)]
    return numbers


def _too_many(text: str) -> ValueError:
    return ValueError(f"'{excerpt(text)}': expected at most {MAX_NAMES} names")
