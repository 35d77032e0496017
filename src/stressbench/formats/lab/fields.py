"""Types of a lab file's values: how each is written, checked and described in the schema."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from stressbench.formats.lab.paths import checked_path
from stressbench.formats.units import (
    BYTE_RATE_PATTERN,
    BYTES_PATTERN,
    DURATION_PATTERN,
    RATE_PATTERN,
    Bytes,
    Duration,
    Rate,
    parse_byte_rate,
    parse_bytes,
    parse_duration,
    parse_rate,
)

_LEAST_STRIPE = Bytes(4 * 2**20)  # GlusterFS cuts files into pieces of at least this size


def checked_stripe(stripe: Bytes) -> Bytes:
    """Return `stripe`. Raises ValueError if it is too small for GlusterFS."""
    if stripe.count < _LEAST_STRIPE.count:
        raise ValueError(f"expected at least {_LEAST_STRIPE}, or no stripe: then files lie whole on one I/O node each")
    return stripe


def as_switches(value: object) -> object:
    """One switch as a list of one; lists as they are. Raises ValueError for an empty list."""
    if value == []:
        raise ValueError("expected a switch, or a list of switches such as ['g0r0', 'g1r0']")
    return [value] if isinstance(value, str) else value


def checked_limit(limit: Duration) -> Duration:
    """Return `limit`. Raises ValueError if it is 0."""
    if limit.ns == 0:
        raise ValueError("a limit of 0 would mark every frame; expected more than 0, such as 1ms")
    return limit


RateText = Annotated[
    Rate,
    BeforeValidator(parse_rate),
    WithJsonSchema({"type": "string", "pattern": RATE_PATTERN, "examples": ["100Mbit"]}),
]
DurationText = Annotated[
    Duration,
    BeforeValidator(parse_duration),
    WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN, "examples": ["10us"]}),
]
LimitText = Annotated[DurationText, AfterValidator(checked_limit)]
BytesText = Annotated[
    Bytes,
    BeforeValidator(parse_bytes),
    WithJsonSchema({"type": "string", "pattern": BYTES_PATTERN, "examples": ["256KiB"]}),
]
ByteRateText = Annotated[
    Bytes,
    BeforeValidator(parse_byte_rate),
    WithJsonSchema({"type": "string", "pattern": BYTE_RATE_PATTERN, "examples": ["500MB/s"]}),
]
StripeText = Annotated[BytesText, AfterValidator(checked_stripe)]
Switches = Annotated[
    tuple[str, ...],
    BeforeValidator(as_switches),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]
MountPath = Annotated[str, AfterValidator(checked_path)]
Count = Annotated[int, Field(ge=1, le=1000, strict=True)]
HostCount = Annotated[int, Field(ge=1, le=1024, strict=True)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,10}$", strict=True)]
Prefix = Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,7}$", strict=True)]


def expected_pattern(pattern: str) -> str:
    """What was expected of a text that does not match this pattern, in words."""
    if pattern.startswith("^[a-z]"):
        return (
            "expected lower-case letters, digits and -, at most 11 of them, a letter first (8 for a prefix, no digits)"
        )
    if pattern.endswith(":1$"):
        return "expected k:1, such as 2:1"
    return "expected a name below /run/lab, such as /run/lab/scratch"
