"""Types of a study file's values: how each is written, checked and described in the schema."""

import re
import shlex
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticKnownError

from stressbench.formats.bounds import LARGEST_INT64
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.formats.study.rail_policies import RailPolicy, Transport, parse_nic, parse_policy
from stressbench.formats.units import (
    A_RATE_SHARE,
    PERCENT_PATTERN,
    RATE_SHARE_PATTERN,
    TIME_PATTERN,
    RateShare,
    Stated,
    UnitError,
    parse_percent,
    parse_rate_share,
    parse_seconds,
)

_PLACEMENT = re.compile(r"linear|interleaved|random:([0-9]{1,99})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

MAX_RETRIES = 1_000_000
"""Largest number of times that a failed run is retried."""

Value = TypeVar("Value")


def split_command(text: str) -> tuple[str, ...]:
    """The words of a command; none if it is empty or a quote is not closed."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _stated_as(parse: Callable[[str], Value]) -> PlainValidator:
    """Validator that returns the value of a text with its text. What is `Stated` already is parsed again."""

    def read(given: object) -> Stated[Value]:
        text = given.text if isinstance(given, Stated) else given
        if not isinstance(text, str):
            raise PydanticKnownError("string_type")
        return Stated(parse(text), text)

    return PlainValidator(read)


def _check_placement(text: str) -> str:
    match = _PLACEMENT.fullmatch(text)
    if match is None:
        raise ValueError("expected linear, interleaved or random:SEED, such as random:1")
    if int(match[1] or 0) > LARGEST_INT64:
        raise ValueError("expected a seed below 2^63, such as random:1")
    return text


def _check_finish(text: str) -> str:
    if text not in ("sustain", "once"):
        raise ValueError("expected sustain or once")
    return text


def _parse_rate(text: str) -> Fraction:
    with suppress(UnitError):
        if (share := parse_rate_share(text)) > 0:
            return share
    raise ValueError(f"expected a share of the lab's rates above 0: {A_RATE_SHARE}")


def _check_transport(text: str) -> str:
    if text not in tuple(Transport):
        raise ValueError(f"expected {', '.join(Transport)}")
    return text


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _distinct(values: tuple[Value, ...]) -> tuple[Value, ...]:
    if not values:
        raise ValueError("expected at least one value")
    for number, value in enumerate(values):
        if value in values[:number]:
            raise ValueError(f"{value} is given twice; expected each value once")
    return values


def _distinct_rates(rates: tuple[RateShare, ...]) -> tuple[RateShare, ...]:
    """As `_distinct`, but compares the values of the texts, such as `half` and `50%`."""
    stated: dict[Fraction, RateShare] = {}
    for rate in _distinct(rates):
        if (before := stated.setdefault(rate.value, rate)) != rate:
            raise ValueError(f"{rate} equals {before}; expected each value once")
    return rates


def _single_or_list_schema(schema: dict[str, Any]) -> WithJsonSchema:
    array = {"type": "array", "items": schema, "minItems": 1, "uniqueItems": True}
    return WithJsonSchema({"anyOf": [schema, array]})


def _variable_text(value: Any) -> str:
    """The value as the text that is passed to the workload."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("expected a text or a number")
    return str(value)


def _check_variable_names(sets: dict[str, Value]) -> dict[str, Value]:
    for name in sets:
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"'{name}' is no variable's name: expected letters, digits and _, no digit first")
    return sets


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": MAX_NUMBERS}
_PLACEMENTS: dict[str, Any] = {"type": "string", "pattern": "^(linear|interleaved|random:[0-9]+)$"}
_FINISHES: dict[str, Any] = {"enum": ["sustain", "once"]}
_RATES: dict[str, Any] = {"type": "string", "pattern": RATE_SHARE_PATTERN}
_POLICIES: dict[str, Any] = {
    "type": "string", "pattern": "^(default|nic[0-9]{1,3}|round-robin|local|per-job|jobs:[^=,]+=[0-9]{1,3}"
    "(,[^=,]+=[0-9]{1,3})*)$",
}  # fmt: skip
_NICS: dict[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_.:-]*$"}
_TRANSPORTS: dict[str, Any] = {"enum": list(Transport)}
_VARIABLE: dict[str, Any] = {"type": ["string", "number"]}

Text: TypeAlias = Annotated[str, Field(min_length=1, strict=True)]
Positive: TypeAlias = Annotated[int, Field(ge=1, strict=True)]
NonNegative: TypeAlias = Annotated[int, Field(ge=0, strict=True)]
Retries: TypeAlias = Annotated[int, Field(ge=0, le=MAX_RETRIES, strict=True)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=LARGEST_INT64, strict=True)]
Time: TypeAlias = Annotated[
    Stated[float],
    _stated_as(parse_seconds),
    WithJsonSchema({"type": "string", "pattern": TIME_PATTERN, "examples": ["30s"]}),
]
Share: TypeAlias = Annotated[
    Stated[float],
    _stated_as(parse_percent),
    WithJsonSchema({"type": "string", "pattern": PERCENT_PATTERN, "examples": ["5%"]}),
]
FinishMode: TypeAlias = Annotated[str, Field(strict=True), AfterValidator(_check_finish), WithJsonSchema(_FINISHES)]
_Count: TypeAlias = Annotated[int, Field(ge=1, le=MAX_NUMBERS, strict=True)]
"""A number of ranks, or of what there is at most one of per rank."""
_Placement: TypeAlias = Annotated[str, Field(strict=True), AfterValidator(_check_placement)]
_Finish: TypeAlias = Annotated[str, Field(strict=True), AfterValidator(_check_finish)]
_Rate: TypeAlias = Annotated[RateShare, _stated_as(_parse_rate)]
_Policy: TypeAlias = Annotated[Stated[RailPolicy], _stated_as(parse_policy)]
_Nic: TypeAlias = Annotated[str, Field(strict=True), AfterValidator(parse_nic)]
TransportName: TypeAlias = Annotated[
    str, Field(strict=True), AfterValidator(_check_transport), WithJsonSchema(_TRANSPORTS)
]  # fmt: skip
_Variable: TypeAlias = Annotated[str, BeforeValidator(_variable_text)]

Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_TEXT)]
Counts = Annotated[
    tuple[_Count, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_COUNT)
]
Placements = Annotated[
    tuple[_Placement, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_PLACEMENTS)
]
Finishes = Annotated[
    tuple[_Finish, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_FINISHES)
]
Rates = Annotated[
    tuple[_Rate, ...], BeforeValidator(_as_list), AfterValidator(_distinct_rates), _single_or_list_schema(_RATES)
]
Policies = Annotated[
    tuple[_Policy, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_POLICIES)
]
Nics = Annotated[tuple[_Nic, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_NICS)]
Variables = Annotated[
    tuple[_Variable, ...], BeforeValidator(_as_list), AfterValidator(_distinct), _single_or_list_schema(_VARIABLE)
]
Sets = Annotated[dict[str, Variables], AfterValidator(_check_variable_names)]
