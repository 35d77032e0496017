"""Times on the command line, spelled as the engine spells them."""

import re

from stressbench.launch.errors import LaunchMistake

_TIME = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|min|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text: str, *, option: str) -> float:
    """`55min` as 3300.0. Raises LaunchMistake that names the option."""
    found = _TIME.fullmatch(text)
    value = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if value <= 0:
        raise LaunchMistake(f"{option}: '{text}' must be a time with its unit, such as 500ms, 30s, 10min or 2h")
    return value
