"""Launches of a program under one policy after the other: a JSON object a line, written as each launch ends."""

import os
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from stressbench.study.errors import StudyMistake

FILE = "launches.jsonl"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRecord:
    """What is to be launched: `figures` are regular expressions by name, whose group is the number."""

    type: Literal["plan"] = "plan"
    schema_version: int = SCHEMA_VERSION
    at: datetime
    version: str
    command: tuple[str, ...]
    on: str
    ranks: int
    policies: tuple[str, ...]
    nics: tuple[str, ...]
    transport: str | None
    runs: int
    seed: int
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NicBytes:
    """What went through a card during the launch; `sent` by hosts, as far as somebody counted them."""

    nic: str
    sent: int
    received: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord:
    """One launch, the `repetition`-th of its policy from 0. `carried` is None where nobody counts."""

    type: Literal["launch"] = "launch"
    at: datetime
    policy: str
    repetition: int
    status: int
    wall_s: float
    figures: Mapping[str, float | None]
    carried: tuple[NicBytes, ...] | None


Record: TypeAlias = PlanRecord | LaunchRecord
_ADAPTER: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="type")])


@dataclass(frozen=True, kw_only=True)
class Launches:
    """What could be read; a sentence for each line that could not."""

    plan: PlanRecord
    done: tuple[LaunchRecord, ...]
    complaints: tuple[str, ...]


def in_order(policies: Sequence[str], *, runs: int, seed: int) -> Iterable[tuple[str, int]]:
    """Policy and repetition: all policies once, then all once more, each time in another random order."""
    for repetition in range(runs):
        turn = list(policies)
        random.Random(f"{seed}/{repetition}").shuffle(turn)
        yield from ((policy, repetition) for policy in turn)


def figures_in(output: str, wanted: Mapping[str, str]) -> dict[str, float | None]:
    """Figures of merit in a program's output: of each its last match, None where there is none."""
    return {name: _number(re.findall(pattern, output, re.MULTILINE)) for name, pattern in wanted.items()}


def _number(found: Sequence[str]) -> float | None:
    try:
        return float(found[-1].replace(",", "")) if found else None
    except ValueError:
        return None


def parse_figure(text: str) -> tuple[str, str]:
    """`NAME=REGEX`. ValueError says what was expected."""
    name, equals, pattern = text.partition("=")
    if not equals or not name.strip():
        raise ValueError("expected NAME=REGEX")
    try:
        groups = re.compile(pattern).groups
    except re.error as fault:
        raise ValueError(f"no regular expression: {fault}") from fault
    if groups != 1:
        raise ValueError(f"{groups} groups; expected one, around the number, such as 'FOM=([0-9.]+)'")
    return name, pattern


def append(path: Path, record: Record) -> None:
    """At the end of the file, and on the disk."""
    with path.open("ab") as file:
        file.write(_ADAPTER.dump_json(record) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_launches(path: Path) -> Launches:
    """The file at `path`. Raises StudyMistake where it does not begin with a plan."""
    plan, done, complaints = None, [], []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line:
            continue
        try:
            record = _ADAPTER.validate_json(line)
        except ValidationError as fault:
            complaints.append(f"{path}:{number}: broken line ({fault.errors()[0]['msg'].lower()}); it is left out")
            continue
        if isinstance(record, LaunchRecord):
            done.append(record)
        elif plan is None:
            plan = record
    if plan is None:
        raise StudyMistake(f"{path}: no plan; expected a file that `stressbench rails run -o DIR -- CMD` wrote")
    return Launches(plan=plan, done=tuple(done), complaints=tuple(complaints))
