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
_OBJECT_WEIGHT = 3  # an object takes the memory of this many other values


class _FailFast:
    """Annotation of a list or mapping: validation stops at its first wrong element.

    `BoundedValidator` does this for all collections except those in pydantic's own dataclasses, whose fields need
    the annotation.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: CoreSchema = _with_fail_fast(handler(source))
        return schema


FAIL_FAST = _FailFast()


def parse_json(text: bytes | str) -> Any:
    """The value of a JSON text. Raises orjson.JSONDecodeError, also if it holds more than `limits.VALUES` values."""
    if fault := _too_many_values(text, limits.VALUES):
        raise orjson.JSONDecodeError(fault, "", 0)
    return orjson.loads(text)


class BoundedValidator(Generic[T]):
    """Validator of JSON records of one type."""

    def __init__(self, kind: Any, *, max_values: int = limits.VALUES, max_keys: int | None = None) -> None:
        """`kind` is a type as for TypeAdapter; `max_values` limits the JSON values of a record.

        `max_keys` limits the keys of a record, for types that reject unknown keys: each of those is an error to record.
        """
        self._validator = SchemaValidator(_with_fail_fast(TypeAdapter(kind).core_schema))
        self._max_values, self._max_keys = max_values, max_keys

    def validate_json(self, text: bytes | str, *, strict: bool | None = None) -> T:
        """Parse and validate one record. Raises pydantic's ValidationError."""
        if fault := _too_many_values(text, self._max_values) or _too_many_keys(text, self._max_keys):
            line = {"type": PydanticCustomError("too_many_values", fault), "input": "this"}
            raise ValidationError.from_exception_data("JSON", [line])  # type: ignore[list-item]
        record: T = self._validator.validate_json(text, strict=strict)
        return record


def _too_many_values(text: bytes | str, max_values: int) -> str | None:
    """A message if the text may have more than `max_values` values, by its commas and brackets; None otherwise."""
    if len(text) <= max_values // _OBJECT_WEIGHT:  # holds for nearly all texts
        return None
    comma, bracket, brace = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    count = text.count(comma) + text.count(bracket) + _OBJECT_WEIGHT * text.count(brace)  # type: ignore[arg-type]
    return f"Holds more than {max_values:,} values, the most that is read" if count > max_values else None


def _too_many_keys(text: bytes | str, max_keys: int | None) -> str | None:
    count = 0 if max_keys is None else text.count(b":" if isinstance(text, bytes) else ":")  # type: ignore[arg-type]
    return (
        f"Holds more than {max_keys:,} keys, the most that are read"
        if max_keys is not None and count > max_keys
        else None
    )


def _with_fail_fast(schema: Any) -> Any:
    if isinstance(schema, dict):
        result = {key: _with_fail_fast(value) for key, value in schema.items()}
        return result | {"fail_fast": True} if schema.get("type") in _COLLECTIONS else result
    return [_with_fail_fast(part) for part in schema] if isinstance(schema, list) else schema
