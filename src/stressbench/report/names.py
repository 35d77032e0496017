"""Sanitising and shortening of names for display."""

from collections import Counter
from collections.abc import Iterable

_MAX_LENGTH = 28


def printable(text: str) -> str:
    """The text with U+FFFD in place of unprintable characters, since XML does not allow control characters."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def short(name: str, *, max_length: int = _MAX_LENGTH) -> str:
    """The printable name, cut to `max_length` characters to fit into a figure; tables show it in full."""
    name = printable(name)
    return name if len(name) <= max_length else name[: max_length - 1] + "…"


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """The printable names, of which those that repeat are numbered: `a`, `a (2)`."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in map(printable, names):
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return tuple(numbered)
