"""Validation of untrusted JSON in bounded memory: the number of values is limited, and only first errors are recorded.

A value of a few bytes of text takes hundreds of bytes in memory, and pydantic records every wrong element of a list.
"""

from typing import Any, Generic, TypeVar

import orjson
from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator

from stressbench.formats.files import limits

T = TypeVar("T")
_COLLECTIONS = ("dict", "frozenset", "list", "set", "tuple")
_TABLE = 3  # an object takes the memory of this many other values


class _FirstMistake:
    """Annotation of a list or mapping: validation stops at its first wrong element.

    `Shape` does this for all collections except those in pydantic's own dataclasses, whose fields need the annotation.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        found: CoreSchema = _ending_early(handler(source))
        return found


FIRST_MISTAKE = _FirstMistake()


def json_of(text: bytes | str) -> Any:
    """The value of a JSON text. Raises orjson.JSONDecodeError, also if it holds more than `limits.VALUES` values."""
    if fault := _too_many(text, limits.VALUES):
        raise orjson.JSONDecodeError(fault, "", 0)
    return orjson.loads(text)


class Shape(Generic[T]):
    """Validator of JSON records of one type."""

    def __init__(self, kind: Any, *, most: int = limits.VALUES, keys: int | None = None) -> None:
        """`kind` is a type as for TypeAdapter; `most` limits the JSON values of a record.

        `keys` limits the keys of a record, for types that reject unknown keys: each of those is an error to record.
        """
        self._validator = SchemaValidator(_ending_early(TypeAdapter(kind).core_schema))
        self._most, self._keys = most, keys

    def validate_json(self, text: bytes | str, *, strict: bool | None = None) -> T:
        """Parse and validate one record. Raises pydantic's ValidationError."""
        if fault := _too_many(text, self._most) or _too_many_keys(text, self._keys):
            line = {"type": PydanticCustomError("too_many_values", fault), "input": "this"}
            raise ValidationError.from_exception_data("JSON", [line])  # type: ignore[list-item]
        found: T = self._validator.validate_json(text, strict=strict)
        return found


def _too_many(text: bytes | str, most: int) -> str | None:
    """A message if the text may have more than `most` values, estimated from its commas and brackets; else None."""
    if len(text) <= most // _TABLE:  # holds for nearly all texts
        return None
    comma, bracket, brace = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    found = text.count(comma) + text.count(bracket) + _TABLE * text.count(brace)  # type: ignore[arg-type]
    return f"Holds more than {most:,} values, the most that is read" if found > most else None


def _too_many_keys(text: bytes | str, most: int | None) -> str | None:
    found = 0 if most is None else text.count(b":" if isinstance(text, bytes) else ":")  # type: ignore[arg-type]
    return f"Holds more than {most:,} keys, the most that are read" if most is not None and found > most else None


def _ending_early(schema: Any) -> Any:
    if isinstance(schema, dict):
        changed = {key: _ending_early(value) for key, value in schema.items()}
        return changed | {"fail_fast": True} if schema.get("type") in _COLLECTIONS else changed
    return [_ending_early(part) for part in schema] if isinstance(schema, list) else schema
