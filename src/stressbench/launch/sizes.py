"""Sizes that people write, spelled as the engine spells them."""

import re
from fractions import Fraction

from stressbench.launch.errors import LaunchMistake

EXPECTED = "a size above 0, such as 4096, 32KiB, 1.5MiB or 4MB"
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(B|[kMGT]B|[KMGT]iB)?")
_LETTERS = "KMGT"


def parse_size(text: str) -> int | None:
    """`32KiB` as 32768 bytes; None where it is no whole number of bytes above 0."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    unit = found[2] or "B"
    power = 0 if unit == "B" else _LETTERS.index(unit[0].upper()) + 1
    value = Fraction(found[1]) * (1024 if "i" in unit else 1000) ** power
    return int(value) if value > 0 and value.denominator == 1 else None


def size_bytes(text: str, *, option: str) -> int:
    """`32KiB` as 32768. Raises LaunchMistake that names the option."""
    value = parse_size(text)
    if value is None:
        raise LaunchMistake(f"{option}: '{text}' must be {EXPECTED}")
    return value
