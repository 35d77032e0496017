"""What is wrong with a record of a file, in words: the key, what stands there, and what was expected."""

from typing import Any

import orjson
from pydantic import ValidationError

_LONGEST_SHOWN = 60


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
