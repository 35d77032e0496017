"""Bounded types of fields: numbers whose products, squares and reciprocals do not overflow, times, and texts."""

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from stressbench.formats.files import limits

LARGEST, SMALLEST = 1e100, 1e-100
LARGEST_INT64 = 2**63 - 1


def _check_int64(value: int) -> int:
    if abs(value) > LARGEST_INT64:
        raise ValueError("expected an integer of at most 64 bits")
    return value


def _check_magnitude(value: float) -> float:
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise ValueError(f"expected 0, or a number from {SMALLEST:g} to {LARGEST:g}")
    return value


def _in_utc(value: datetime) -> datetime:
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("expected a time of the years 1 to 9999 in UTC") from None


def _check_name_length(value: str) -> str:
    if len(value) > limits.NAME:
        raise ValueError(f"expected at most {limits.NAME} characters")
    return value


def _check_sentence_length(value: str) -> str:
    if len(value) > limits.SENTENCE:
        raise ValueError(f"expected at most {limits.SENTENCE} characters")
    return value


CHECK_INT64 = AfterValidator(_check_int64)
"""Validator of 64-bit integers. It follows a `Field`, so that the JSON Schema keeps the limits of the `Field`."""
CHECK_MAGNITUDE = AfterValidator(_check_magnitude)
"""The same for floats: 0, or a magnitude from SMALLEST to LARGEST."""
Int64: TypeAlias = Annotated[int, Field(ge=-LARGEST_INT64, le=LARGEST_INT64)]
"""A 64-bit integer as by `CHECK_INT64`, for the many integers of a trace: pydantic checks it without calling Python."""
BoundedFloat: TypeAlias = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
"""The same for floats, without a lower bound on the magnitude."""
Instant: TypeAlias = Annotated[datetime, AfterValidator(_in_utc)]
"""A date and time, converted to UTC; UTC is assumed if no offset is given."""
Name: TypeAlias = Annotated[str, AfterValidator(_check_name_length)]
"""A short text that may be repeated for every row of a table."""
Sentence: TypeAlias = Annotated[str, AfterValidator(_check_sentence_length)]
