"""The protocol that the motif `b_eff` writes: every timed loop (docs/how-to/beff.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from stressbench.formats.bounds import CHECK_INT64, CHECK_MAGNITUDE
from stressbench.formats.files import FAIL_FAST, BoundedValidator, limits
from stressbench.formats.protocols.reading import STRICT, Line, read_executions


class Kind(StrEnum):
    """Which average a pattern belongs to."""

    ring = "ring"
    random = "random"
    extra = "extra"


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class Pattern:
    """A communication pattern; `messages` is the number of messages of all ranks in one iteration."""

    kind: Kind
    name: str
    messages: Annotated[int, Field(gt=0), CHECK_INT64]


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class Head:
    """Settings of the benchmark. `memory_bytes`: memory per rank, None if the longest message was given instead."""

    type: Literal["b_eff"]
    version: Literal[1]
    round: Annotated[int, CHECK_INT64]
    ranks: Annotated[int, Field(ge=2), CHECK_INT64]
    lmax_bytes: Annotated[int, Field(gt=0), CHECK_INT64]
    memory_bytes: Annotated[int, CHECK_INT64] | None
    random: str
    seed: int
    attempts: Annotated[int, Field(gt=0), CHECK_INT64]
    sizes: Annotated[tuple[Annotated[int, CHECK_INT64], ...], FAIL_FAST, Field(min_length=1)]
    patterns: Annotated[tuple[Pattern, ...], FAIL_FAST, Field(min_length=1)]


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class Loop:
    """One timed loop: `loops` iterations took the slowest rank `time_s`."""

    type: Literal["loop"]
    pattern: Annotated[int, Field(ge=0), CHECK_INT64]
    size_bytes: Annotated[int, CHECK_INT64]
    method: Literal["sendrecv", "alltoallv", "nonblocking", "pingpong"]
    attempt: Annotated[int, CHECK_INT64]
    loops: Annotated[int, Field(gt=0), CHECK_INT64]
    time_s: Annotated[float, Field(gt=0), CHECK_MAGNITUDE]


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class End:
    """The result that the engine computed, and the elapsed time; `timed_s` is the part within loops."""

    type: Literal["end"]
    b_eff_bytes_per_s: Annotated[float, CHECK_MAGNITUDE]
    timed_s: Annotated[float, CHECK_MAGNITUDE]
    elapsed_s: Annotated[float, CHECK_MAGNITUDE]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One execution of the benchmark. `end` is None if it did not complete."""

    head: Head
    loops: tuple[Loop, ...]
    end: End | None


Record: TypeAlias = Annotated[Head | Loop | End, Field(discriminator="type")]
_VALIDATOR: BoundedValidator[Head | Loop | End] = BoundedValidator(Record, max_keys=limits.KEYS)


def read_protocols(path: Path) -> tuple[Protocol, ...]:
    """All executions in a file, at least one. Raises SuiteFileError."""
    return tuple(_protocol(lines) for lines in read_executions(path, _VALIDATOR, motif="b_eff", head=Head, end=End))


def _protocol(lines: Sequence[Line[Head | Loop | End]]) -> Protocol:
    head = lines[0].record
    assert isinstance(head, Head)
    sizes = frozenset(head.sizes)
    loops: list[Loop] = []
    end: End | None = None
    for line in lines[1:]:
        if isinstance(line.record, Loop):
            if line.record.pattern >= len(head.patterns) or line.record.size_bytes not in sizes:
                raise line.error(f"pattern or size is none of those that line {lines[0].number} names")
            loops.append(line.record)
        elif isinstance(line.record, End):
            end = line.record
    return Protocol(head=head, loops=tuple(loops), end=end)
