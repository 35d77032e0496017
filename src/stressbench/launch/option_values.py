"""Parses times and sizes given as options. Errors name the option."""

from stressbench.formats.units import A_SIZE, A_TIME, UnitError, parse_seconds, parse_size
from stressbench.launch.errors import LaunchMistake


def seconds(text: str, *, option: str) -> float:
    """The seconds of a time such as `55min`. Raises LaunchMistake, which names the option."""
    try:
        return parse_seconds(text)
    except UnitError:
        raise LaunchMistake(f"{option}: '{text}' must be {A_TIME}; 1ns at least, 100 years at most") from None


def optional_seconds(text: str | None, *, option: str) -> float | None:
    """As `seconds`; None for an option that was not given."""
    return None if text is None else seconds(text, option=option)


def size_bytes(text: str, *, option: str) -> int:
    """The bytes of a size such as `32KiB`. Raises LaunchMistake, which names the option."""
    try:
        return parse_size(text)
    except UnitError:
        raise LaunchMistake(f"{option}: '{text}' must be {A_SIZE}; less than 2^63 bytes") from None
