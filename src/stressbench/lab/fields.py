"""Types of a lab file's values: how each is written, checked and described in the schema."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from stressbench.lab.gluster import checked_stripe
from stressbench.lab.storage import checked_path
from stressbench.lab.units import Bytes, Duration, Rate, parse_bytes, parse_duration, parse_rate

RateText = Annotated[
    Rate,
    BeforeValidator(parse_rate),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? *[kMGT]?bit(/s)?$", "examples": ["100Mbit"]}),
]
DurationText = Annotated[
    Duration,
    BeforeValidator(parse_duration),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? *(ns|us|ms|s)$", "examples": ["10us"]}),
]
BytesText = Annotated[
    Bytes,
    BeforeValidator(parse_bytes),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? *([kMG]|[KMG]i)?B$", "examples": ["256KiB"]}),
]
StripeText = Annotated[BytesText, AfterValidator(checked_stripe)]
MountPath = Annotated[str, AfterValidator(checked_path)]
Count = Annotated[int, Field(ge=1, le=1000, strict=True)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,10}$", strict=True)]
Prefix = Annotated[str, Field(pattern=r"^[a-z][a-z-]{0,7}$", strict=True)]


class Table(BaseModel):
    """A table of a lab file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
