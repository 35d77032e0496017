"""A share of a rate, as `lab set` and study files write it. Pure."""

import re
from fractions import Fraction

EXPECTED = "full, half, quarter, eighth, 1/5 or 20%"
FULL = "full"
PATTERN = r"^(full|half|quarter|eighth|[0-9]*[1-9][0-9]*/[1-9][0-9]*|[0-9]+(\.[0-9]+)?%)$"
"""For schemas: what `parse_share` takes, but for 0%."""
_NAMED = {FULL: Fraction(1), "half": Fraction(1, 2), "quarter": Fraction(1, 4), "eighth": Fraction(1, 8)}
_FRACTION = re.compile(r"(\d+)/([1-9]\d*)|(\d+(?:\.\d+)?)%")


def parse_share(text: str) -> float | None:
    """`half`, `1/3` or `25%` as a number; None for what is no share."""
    share = parse_fraction(text)
    return None if share is None else float(share)


def parse_fraction(text: str) -> Fraction | None:
    """As `parse_share`, exactly: written as a text it is `1`, `1/2`, `1/3`, however it was given."""
    if match := _FRACTION.fullmatch(text):
        return Fraction(int(match[1]), int(match[2])) if match[1] else Fraction(match[3]) / 100
    return _NAMED.get(text)
