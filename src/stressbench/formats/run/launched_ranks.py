"""What `stressbench-mpi ranks` prints about a launch, one JSON object a line (engine/commands/ranks.cpp)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from stressbench.formats.bounds import Name, Sentence
from stressbench.formats.run.records import Clock, Index

_START = b'{"type":"'


class Carrier(StrEnum):
    """What carried messages, by the counters of connections and NICs. `unknown`: none of them counted the bytes."""

    tcp = "tcp"
    infiniband = "infiniband"
    cxi = "cxi"
    shared_memory = "shared_memory"
    unknown = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedRank:
    """A rank: the processors to which it is bound, and all that its host offers to its control group.

    `yields`: whether it gives up its processor while it waits, None where the MPI library does not say.
    """

    rank: Index
    host: Name
    processors: tuple[Index, ...]
    usable_processors: tuple[Index, ...]
    yields: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchLine:
    """All ranks of an MPI job, with the engine's version, its MPI library and the clock of rank 0."""

    type: Literal["launch"]
    version: Name
    library: Name
    clock: Clock
    ranks: tuple[LaunchedRank, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCarrier:
    """The carrier of messages and the network interface or port; `device` is None if there is none."""

    carrier: Carrier
    device: Name | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankMessages:
    """What carried the messages that a rank received; None where it has no neighbour of this kind."""

    rank: Index
    inside_host: MessageCarrier | None
    between_hosts: MessageCarrier | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesLine:
    """The carriers of messages, of each rank."""

    type: Literal["messages"]
    ranks: tuple[RankMessages, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryCheck:
    """A directory. `fault`: why rank 0 cannot create a file there. `hosts_without`: hosts that do not see this file."""

    path: Name
    fault: Sentence | None
    hosts_without: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoriesLine:
    """The directories that were checked."""

    type: Literal["directories"]
    directories: tuple[DirectoryCheck, ...]


RanksLine: TypeAlias = LaunchLine | MessagesLine | DirectoriesLine
_ADAPTER: TypeAdapter[Any] = TypeAdapter(Annotated[RanksLine, Field(discriminator="type")])


def ranks_lines_in(output: bytes) -> Iterator[RanksLine]:
    """All such lines in the output of a launcher, in their order; other lines are skipped."""
    for line in output.splitlines():
        if not line.startswith(_START):
            continue
        try:
            yield _ADAPTER.validate_json(line)
        except ValidationError:
            continue
