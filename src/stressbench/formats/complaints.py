"""What pydantic says of a file that a program wrote, as the end of a sentence. Pure."""

from typing import Any

import orjson
from pydantic import ValidationError

_LONGEST_SHOWN = 60


def first_of(fault: ValidationError) -> str:
    """`wall_s: input should be a finite number`: the first thing that is wrong, and its key where it has one."""
    first = fault.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"][:1].lower() + first["msg"][1:]
    return f"{place}: {reason}" if place else reason


def complaint_of(fault: ValidationError) -> str:
    """Of the first key that is wrong: `impact.probes 3: input should be an object`."""
    first = fault.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    given = "" if first["type"] == "missing" else f" {shown(first['input'])}"
    return f"{key}{given}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def shown(value: Any) -> str:
    """As it stands in the file, cut off where it is long."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
