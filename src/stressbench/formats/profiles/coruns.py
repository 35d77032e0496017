"""Measured co-runs as JSON Lines, also from other tools: model, reader and writer (docs/how-to/predict.md)."""

from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from stressbench.formats.complaints import json_excerpt
from stressbench.formats.errors import ProfileFileError
from stressbench.formats.files import FAIL_FAST, BoundedValidator, limits
from stressbench.formats.profiles.profile import SCHEMA_VERSION, Name, parse_record
from stressbench.formats.run.records import MoreThanZero

_EXPECTED_LINE = 'expected a co-run, {"type": "observation", ...}, or a run file of stressbench'

Bounds: TypeAlias = tuple[MoreThanZero, MoreThanZero]


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class CoRun:
    """Slowdown of `victim`: its time beside all `aggressors` at the same time, divided by its isolated time.

    `interval`: 95 % interval of the slowdown, None if unknown. `overlap`: the share of the victim's time in which the
    aggressors ran, None for all of it. `machine`: its name in profiles, None if unknown. `source`: a text that says
    where the numbers come from.
    """

    type: Literal["observation"] = "observation"
    schema_version: Literal[1] = SCHEMA_VERSION
    victim: Name
    aggressors: Annotated[tuple[Name, ...], FAIL_FAST, Field(min_length=1)]
    slowdown: MoreThanZero
    interval: Bounds | None
    overlap: Annotated[float, Field(gt=0, le=1)] | None = None
    machine: Name | None = None
    source: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _interval_contains_slowdown(self) -> Self:
        if self.interval is not None and not self.interval[0] <= self.slowdown <= self.interval[1]:
            raise ValueError(f"interval {json_excerpt(self.interval)} does not hold the slowdown, {self.slowdown:g}")
        return self


ADAPTER: TypeAdapter[CoRun] = TypeAdapter(CoRun)
_VALIDATOR: BoundedValidator[CoRun] = BoundedValidator(CoRun, max_keys=limits.KEYS)


def parse_coruns(text: str | bytes, *, source: Path) -> tuple[CoRun, ...]:
    """Parse one co-run per line; empty lines are skipped.

    Raises ProfileFileError, which names `source`, line, key and value, and says what was expected.
    """
    raw = text.encode() if isinstance(text, str) else text
    lines = [(number, line) for number, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise ProfileFileError(f"the file is empty; {_EXPECTED_LINE}", path=source)
    return tuple(
        parse_record(line, _VALIDATOR, type_="observation", expected=_EXPECTED_LINE, path=source, line=number)
        for number, line in lines
    )


def to_line(co_run: CoRun) -> str:
    """The co-run as one line of JSON with its newline; the inverse of `parse_coruns`."""
    return ADAPTER.dump_json(co_run).decode() + "\n"
