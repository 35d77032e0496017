"""Validation errors of machine-written files, worded as the end of a sentence. Pure."""

import orjson
from pydantic import ValidationError

from stressbench.formats.excerpts import excerpt, shortened

_MAX_EXCERPT = 60
_WITHOUT_VALUE = ("missing", "json_invalid")  # nothing, and the whole line


def first_error(fault: ValidationError, *, record: str | None = None, show_value: bool = False) -> str:
    """The first error with its key, if it has one: `wall_s: input should be a finite number`.

    `record`: the type of the record, the beginning of the key. `show_value`: the rejected value follows the key, as in
    `impact.probes 3: input should be an object`.
    """
    first = fault.errors()[0]
    key = ".".join([*([] if record is None else [record]), *(str(part) for part in first["loc"])])
    given = f" {json_excerpt(first['input'])}" if show_value and first["type"] not in _WITHOUT_VALUE else ""
    reason = first["msg"][:1].lower() + first["msg"][1:]
    return f"{excerpt(key)}{given}: {shortened(reason)}" if key or given else shortened(reason)


def json_excerpt(value: object) -> str:
    """Return the value as JSON, shortened to 60 characters."""
    try:
        text = orjson.dumps(value, default=repr).decode()
    except TypeError:  # an integer beyond 64 bits, or an unpaired surrogate
        text = ascii(value)
    return text if len(text) <= _MAX_EXCERPT else text[: _MAX_EXCERPT - 3] + "..."
