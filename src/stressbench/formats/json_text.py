"""Values as indented JSON: names that are not UTF-8 are escaped, as on a terminal. Pure."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, to_json


def json_text(value: Any, kind: Any) -> str:
    """Return a value of the type `kind` as JSON: two spaces of indent per level, no line feed at the end.

    Sequences of any type become arrays.
    """
    adapter = TypeAdapter(kind)
    try:
        return adapter.dump_json(value, indent=2, fallback=tuple).decode()
    except PydanticSerializationError:
        return to_json(_in_utf8(adapter.dump_python(value)), indent=2, inf_nan_mode="null", fallback=tuple).decode()


def _in_utf8(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_in_utf8(key): _in_utf8(item) for key, item in value.items()}
    if isinstance(value, (str, PurePath)):
        return str(value).encode(errors="backslashreplace").decode()
    if isinstance(value, Sequence):
        return [_in_utf8(item) for item in value]
    return value
