"""The protocol that the motif `b_eff` writes: every timed loop (docs/beff.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from stressbench.model.errors import reason_of
from stressbench.suite.errors import SuiteFileError

_STRICT = ConfigDict(extra="forbid")


class Kind(StrEnum):
    """Which average a pattern belongs to."""

    ring = "ring"
    random = "random"
    extra = "extra"


@checked(frozen=True, kw_only=True, config=_STRICT)
class Pattern:
    """`messages`: of all ranks, in one iteration."""

    kind: Kind
    name: str
    messages: Annotated[int, Field(gt=0)]


@checked(frozen=True, kw_only=True, config=_STRICT)
class Head:
    """How the benchmark was set up. `memory_bytes` a rank; None where the longest message was given."""

    type: Literal["b_eff"]
    version: Literal[1]
    round: int
    ranks: Annotated[int, Field(ge=2)]
    lmax_bytes: Annotated[int, Field(gt=0)]
    memory_bytes: int | None
    random: str
    seed: int
    attempts: Annotated[int, Field(gt=0)]
    sizes: Annotated[tuple[int, ...], Field(min_length=1)]
    patterns: Annotated[tuple[Pattern, ...], Field(min_length=1)]


@checked(frozen=True, kw_only=True, config=_STRICT)
class Loop:
    """One timed loop: `loops` iterations took the slowest rank `time_s`."""

    type: Literal["loop"]
    pattern: Annotated[int, Field(ge=0)]
    size_bytes: int
    method: Literal["sendrecv", "alltoallv", "nonblocking", "pingpong"]
    attempt: int
    loops: Annotated[int, Field(gt=0)]
    time_s: Annotated[float, Field(gt=0)]


@checked(frozen=True, kw_only=True, config=_STRICT)
class End:
    """What the engine made of it, and how long it took; `timed_s` within loops."""

    type: Literal["end"]
    b_eff_bytes_per_s: float
    timed_s: float
    elapsed_s: float


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One execution of the benchmark. `end` is None where it did not come to its end."""

    head: Head
    loops: tuple[Loop, ...]
    end: End | None


_Record: TypeAlias = Annotated[Head | Loop | End, Field(discriminator="type")]
_ADAPTER: TypeAdapter[Head | Loop | End] = TypeAdapter(_Record)


def read_protocols(path: Path) -> tuple[Protocol, ...]:
    """All executions that a file holds, at least one. Raises SuiteFileError."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as fault:
        raise SuiteFileError(f"{path}: {reason_of(fault)}") from fault
    found = tuple(_protocols(path, lines))
    if not found:
        raise SuiteFileError(f"{path}: holds no b_eff; expected a file that --protocol wrote")
    return found


def _protocols(path: Path, lines: list[bytes]) -> Iterator[Protocol]:
    head: Head | None = None
    loops: list[Loop] = []
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break  # it was being written
        record = _record(path, number, line)
        if isinstance(record, Head):
            if head is not None:
                yield Protocol(head=head, loops=tuple(loops), end=None)
            head, loops = record, []
        elif head is None:
            raise SuiteFileError(f'{path}:{number}: expected a line with "type": "b_eff" first')
        elif isinstance(record, Loop):
            if record.pattern >= len(head.patterns) or record.size_bytes not in head.sizes:
                raise SuiteFileError(f"{path}:{number}: pattern or size is none of those that line 1 names")
            loops.append(record)
        else:
            yield Protocol(head=head, loops=tuple(loops), end=record)
            head = None
    if head is not None:
        yield Protocol(head=head, loops=tuple(loops), end=None)


def _record(path: Path, number: int, line: bytes) -> Head | Loop | End:
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SuiteFileError(f"{path}:{number}: {where}: {first['msg'].lower()}") from fault
