"""Times that people write, spelled as the engine spells them."""

import re

from stressbench.launch.errors import LaunchMistake

EXPECTED = "a time with its unit, such as 500ms, 30s, 10min or 2h"
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|min|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def parse_seconds(text: str) -> float | None:
    """`55min` as 3300.0; None where it is no time above 0."""
    found = _TIME.fullmatch(text)
    return (float(found[1]) * _SECONDS[found[2]] or None) if found else None


def seconds(text: str, *, option: str) -> float:
    """`55min` as 3300.0. Raises LaunchMistake that names the option."""
    value = parse_seconds(text)
    if value is None:
        raise LaunchMistake(f"{option}: '{text}' must be {EXPECTED}")
    return value
