"""A share of a rate, as `lab set` and study files write it. Pure."""

import re

EXPECTED = "full, half, quarter, eighth, 1/5 or 20%"
FULL = "full"
PATTERN = r"^(full|half|quarter|eighth|[0-9]*[1-9][0-9]*/[1-9][0-9]*|[0-9]+(\.[0-9]+)?%)$"
"""For schemas: what `parse_share` takes, but for 0%."""
_NAMED = {FULL: 1.0, "half": 1 / 2, "quarter": 1 / 4, "eighth": 1 / 8}
_FRACTION = re.compile(r"(\d+)/([1-9]\d*)|(\d+(?:\.\d+)?)%")


def parse_share(text: str) -> float | None:
    """`half`, `1/3` or `25%` as a number; None for what is no share."""
    if match := _FRACTION.fullmatch(text):
        return int(match[1]) / int(match[2]) if match[1] else float(match[3]) / 100
    return _NAMED.get(text)
