"""Validation errors of machine-written files, worded as the end of a sentence. Pure."""

from typing import Any

import orjson
from pydantic import ValidationError

_LONGEST_SHOWN = 60


def first_of(fault: ValidationError) -> str:
    """The first error with its key, if it has one: `wall_s: input should be a finite number`."""
    first = fault.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"][:1].lower() + first["msg"][1:]
    return f"{place}: {reason}" if place else reason


def complaint_of(fault: ValidationError) -> str:
    """The first error with its key and the rejected value: `impact.probes 3: input should be an object`."""
    first = fault.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    given = "" if first["type"] == "missing" else f" {shown(first['input'])}"
    return f"{key}{given}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def shown(value: Any) -> str:
    """Return the value as JSON, shortened to 60 characters."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
