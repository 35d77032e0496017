"""The sensitivity profile of one application on one machine, a JSON file: its impact on others, and theirs on it.

Measured times and latencies are stored; utilisations and slowdowns are derived from them on demand
(`profile_analysis`). The JSON Schema is schema/sensitivity.schema.json.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic.dataclasses import dataclass

from stressbench.formats.bounds import Instant
from stressbench.formats.complaints import first_error, json_excerpt
from stressbench.formats.errors import ProfileFileError, reason_of
from stressbench.formats.files import FAIL_FAST, BoundedValidator, limits, parse_json, read_bytes
from stressbench.formats.run.records import Count, MoreThanZero, Number, Positive

R = TypeVar("R")
SCHEMA_VERSION: Literal[1] = 1
_INVALID_CHARACTERS = re.compile(r"[^A-Za-z0-9._+-]+")
_STRICT = ConfigDict(extra="forbid")

PAPER_MESSAGE_BYTES = 40 * 1024
"""Message size of CompressionB (Casas and Bronevetsky, section III-B)."""
NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"
Name: TypeAlias = Annotated[str, Field(pattern=NAME_PATTERN)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Times: TypeAlias = Annotated[tuple[MoreThanZero, ...], FAIL_FAST, Field(min_length=1)]
PossiblyEmptyTimes: TypeAlias = Annotated[tuple[MoreThanZero, ...], FAIL_FAST]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Provenance:
    """Origin of the measurements: `version` is that of StressBench, `configuration` holds all other settings."""

    measured_at: Instant
    version: str
    command: Annotated[tuple[str, ...], FAIL_FAST]
    nodes: Positive
    ranks: Positive
    configuration: Annotated[Mapping[str, str], FAIL_FAST]


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class ProbeSettings:
    """Settings of the probes: `pairs` pairs of nodes, each with one ping-pong every `interval_s`.

    `averaged`: each latency is the mean of that many messages; 2 if it is half the time of a ping-pong. `packet_s`:
    time for which one packet of the congestor occupies a link, None if unknown; it scales waiting times.
    """

    pairs: Positive
    message_bytes: Positive
    interval_s: MoreThanZero
    averaged: Positive
    packet_s: MoreThanZero | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Latencies:
    """One-way latencies, in order of measurement unless `at_s` has the time of each, from an arbitrary origin.

    `forward_s`: the delay from the first host of a pair to the second; that of the way back is twice the latency less
    this. None if it was not measured. `pair`: the number of the pair of hosts, counted from 0, and `stands_for_s`: the
    time that each latency stands for, since there are fewer of them while they are long; both None in profiles of
    versions before 0.2.0.
    """

    latencies_s: Times
    at_s: Annotated[tuple[Number, ...], FAIL_FAST] | None = None
    forward_s: Annotated[tuple[Number, ...], FAIL_FAST] | None = None
    pair: Annotated[tuple[Count, ...], FAIL_FAST] | None = None
    stands_for_s: Annotated[tuple[MoreThanZero, ...], FAIL_FAST] | None = None

    @model_validator(mode="after")
    def _times_match_latencies(self) -> Self:
        series = {name: getattr(self, name) for name in ("at_s", "forward_s", "pair", "stands_for_s")}
        for name, values in series.items():
            if values is not None and len(values) != len(self.latencies_s):
                held = "pairs" if name == "pair" else "times"
                raise ValueError(f"{name} holds {len(values)} {held} for {len(self.latencies_s)} latencies")
        return self

    @property
    def array(self) -> NDArray[np.float64]:
        """Latencies in order of time, shape (n,), s."""
        return self._in_order(self.latencies_s)

    @property
    def directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Delays there and back in order of time, shapes (n,), s; None if they are unknown."""
        if self.forward_s is None:
            return None
        forward = self._in_order(self.forward_s)
        return forward, 2 * self.array - forward

    @property
    def times(self) -> NDArray[np.float64] | None:
        """Times at which the latencies were taken, in ascending order, shape (n,), s; None if unknown."""
        return None if self.at_s is None else np.sort(np.array(self.at_s))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The pair of hosts of each latency in order of time, shape (n,); all 0 if unknown."""
        numbers = (0,) * len(self.latencies_s) if self.pair is None else self.pair
        return self._in_order(numbers).astype(np.int64)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The time that each latency stands for, in order of time, shape (n,), s; all 1 if unknown."""
        return self._in_order(self.stands_for_s or (1.0,) * len(self.latencies_s))

    def _in_order(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Values of the probes in order of time, shape (n,)."""
        stored = np.array(values, dtype=np.float64)
        return stored if self.at_s is None else stored[np.argsort(np.array(self.at_s), kind="stable")]


class PauseAfter(StrEnum):
    """When a congestor rank pauses: after the messages to each partner (the paper's Figure 5), or once in a round."""

    partner = "partner"
    round = "round"


@dataclass(frozen=True, slots=True, kw_only=True, order=True, config=_STRICT)
class Configuration:
    """Load of a congestor rank: `messages` to each of `partners` ranks, pauses of `pause_s`, then a wait for all.

    Profiles without `pause_after` are of version 0.1.0, which paused once in a round.
    """

    partners: Positive
    messages: Positive
    pause_s: MoreThanZero
    message_bytes: Positive = PAPER_MESSAGE_BYTES
    pause_after: PauseAfter = PauseAfter.round

    @property
    def round_pause_s(self) -> float:
        """All pauses of a round, s."""
        return self.pause_s * (self.partners if self.pause_after is PauseAfter.partner else 1)

    @property
    def offered_bytes_per_s(self) -> float:
        """Upper bound on the rate of a rank, as if sending took no time. It orders loads and is not a measurement."""
        return self.partners * self.messages * self.message_bytes / self.round_pause_s

    def __str__(self) -> str:
        return f"P={self.partners} M={self.messages} B={self.pause_s * 1e6:g}us"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Level:
    """One congestion level: probes without the application, and run times of the application beside it, s.

    `links`: share of each link's capacity that the congestors use alone; None without link counters.
    """

    configuration: Configuration
    probes: Latencies
    times_s: Times
    links: Annotated[Mapping[str, Share], FAIL_FAST] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Impact:
    """The impact of the application (ImpactB): probes beside it without other load.

    `times_s`: its run times with probes, to be compared with `Profile.alone_s`; None if unknown.
    """

    probes: Latencies
    times_s: Times | None = None


@dataclass(frozen=True, kw_only=True, eq=False, config=_STRICT)
class Profile:
    """One application on one machine. Compared by identity; compare `to_json` for equality of content.

    `idle`: probes of the idle machine. `alone_s`: isolated run times; may be empty without levels. `levels`: run times
    beside each congestion level (CompressionB); may be empty. `impact`: None if only levels were measured. `links`:
    share of each link's capacity that the application uses; None without link counters.
    """

    type: Literal["sensitivity"] = "sensitivity"
    schema_version: Literal[1] = SCHEMA_VERSION
    application: Name
    machine: Name
    provenance: Provenance
    probe: ProbeSettings
    idle: Latencies
    alone_s: PossiblyEmptyTimes
    impact: Impact | None
    levels: Annotated[tuple[Level, ...], FAIL_FAST]
    links: Annotated[Mapping[str, Share], FAIL_FAST] | None = None

    @field_validator("levels")
    @classmethod
    def _levels_need_isolated_times(cls, levels: tuple[Level, ...], info: ValidationInfo) -> tuple[Level, ...]:
        if levels and not info.data.get("alone_s", (1.0,)):
            raise ValueError("run times under congestion need isolated run times (alone_s)")
        return levels


ADAPTER: TypeAdapter[Profile] = TypeAdapter(Profile)
_VALIDATOR: BoundedValidator[Profile] = BoundedValidator(Profile, max_keys=limits.KEYS)


def valid_name(text: str) -> str:
    """`text` as a valid name in a profile: each sequence of other characters becomes a hyphen."""
    return _INVALID_CHARACTERS.sub("-", text).lstrip("._+-")[:64] or "unnamed"


def to_json(profile: Profile) -> str:
    """The profile as JSON, indented by two spaces, with a newline at the end; the inverse of `parse_profile`."""
    return ADAPTER.dump_json(profile, indent=2).decode() + "\n"


def parse_profile(text: str | bytes, *, source: Path) -> Profile:
    """A profile from JSON. Raises ProfileFileError, which names `source`, key and value, and what was expected."""
    return parse_record(
        text, _VALIDATOR, type_="sensitivity", expected='expected an object with "type": "sensitivity"', path=source
    )


def parse_record(
    text: str | bytes, validator: BoundedValidator[R], *, type_: str, expected: str, path: Path, line: int | None = None
) -> R:
    """The record of type `type_` and version 1 in a JSON text. Raises ProfileFileError, which names `path`."""
    try:
        raw = parse_json(text)
    except orjson.JSONDecodeError as fault:
        message = f"no JSON: {fault.msg}" if line is None else f"no JSON: {fault.msg}; {expected}"
        raise ProfileFileError(message, path=path, line=line or fault.lineno) from fault
    record_type, version = (raw.get("type"), raw.get("schema_version")) if isinstance(raw, dict) else (raw, None)
    if record_type != type_ or not isinstance(raw, dict):
        raise ProfileFileError(f"type {json_excerpt(record_type)}: {expected}", path=path, line=line)
    if version is True or version != SCHEMA_VERSION:
        message = f"schema_version {json_excerpt(version)}: this StressBench reads version {SCHEMA_VERSION}"
        raise ProfileFileError(message, path=path, line=line)
    try:
        return validator.validate_json(text, strict=True)
    except ValidationError as fault:
        raise ProfileFileError(first_error(fault, show_value=True), path=path, line=line) from fault


def read_profile(path: Path) -> Profile:
    """The profile in the file at `path`. Raises ProfileFileError, also if the file cannot be read."""
    try:
        text = read_bytes(path, limit=limits.PROFILE)
    except OSError as fault:
        raise ProfileFileError(reason_of(fault), path=path) from fault
    return parse_profile(text, source=path)
