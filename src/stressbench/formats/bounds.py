"""Numbers that arithmetic can take: products, squares and reciprocals of them are numbers, too. Times, and texts."""

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from stressbench.formats.files import limits

LARGEST, SMALLEST = 1e100, 1e-100
LARGEST_WHOLE = 2**63 - 1


def _whole(value: int) -> int:
    if abs(value) > LARGEST_WHOLE:
        raise ValueError("expected an integer of at most 64 bits")
    return value


def _real(value: float) -> float:
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise ValueError(f"expected 0, or a number from {SMALLEST:g} to {LARGEST:g}")
    return value


def _in_utc(value: datetime) -> datetime:
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("expected a time of the years 1 to 9999 in UTC") from None


def _name(value: str) -> str:
    if len(value) > limits.NAME:
        raise ValueError(f"expected at most {limits.NAME} characters")
    return value


def _sentence(value: str) -> str:
    if len(value) > limits.SENTENCE:
        raise ValueError(f"expected at most {limits.SENTENCE} characters")
    return value


Fits = AfterValidator(_whole)
"""Behind the `Field` of an integer, whose JSON Schema then keeps its own limits."""
Sane = AfterValidator(_real)
"""Likewise of a number."""
Whole: TypeAlias = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]
"""As `Fits`, for the many integers of a trace: pydantic checks it without calling Python."""
Real: TypeAlias = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
"""Likewise a number, which may be as small as it likes."""
Instant: TypeAlias = Annotated[datetime, AfterValidator(_in_utc)]
"""A date and time, of any offset from UTC, in UTC; without an offset it is that already."""
Name: TypeAlias = Annotated[str, AfterValidator(_name)]
"""A short text that may be repeated for every row of a table."""
Sentence: TypeAlias = Annotated[str, AfterValidator(_sentence)]
