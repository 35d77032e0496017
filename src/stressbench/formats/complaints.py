"""Validation errors of machine-written files, worded as the end of a sentence. Pure."""

from typing import Any

import orjson
from pydantic import ValidationError

_MAX_EXCERPT = 60


def first_error(fault: ValidationError) -> str:
    """The first error with its key, if it has one: `wall_s: input should be a finite number`."""
    first = fault.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    reason = first["msg"][:1].lower() + first["msg"][1:]
    return f"{key}: {reason}" if key else reason


def first_error_with_value(fault: ValidationError) -> str:
    """The first error with its key and the rejected value: `impact.probes 3: input should be an object`."""
    first = fault.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    given = "" if first["type"] == "missing" else f" {json_excerpt(first['input'])}"
    return f"{key}{given}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def json_excerpt(value: Any) -> str:
    """Return the value as JSON, shortened to 60 characters."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = repr(value)
    return text if len(text) <= _MAX_EXCERPT else text[: _MAX_EXCERPT - 3] + "..."
