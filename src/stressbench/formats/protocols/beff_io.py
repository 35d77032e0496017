"""The protocol that the motif `b_eff_io` writes: every pattern and every file (docs/how-to/beff-io.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from stressbench.formats.bounds import CHECK_INT64, CHECK_MAGNITUDE
from stressbench.formats.files import FAIL_FAST, BoundedValidator, limits
from stressbench.formats.protocols.io_patterns import TABLE_2
from stressbench.formats.protocols.reading import STRICT, Line, read_executions

_Count: TypeAlias = Annotated[int, Field(ge=0), CHECK_INT64]
_Positive: TypeAlias = Annotated[int, Field(gt=0), CHECK_INT64]
_Type: TypeAlias = Annotated[int, Field(ge=0, le=4), CHECK_INT64]


class Access(StrEnum):
    """Access methods, in the order of the definition of b_eff_io."""

    write = "write"
    rewrite = "rewrite"
    read = "read"


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class PartitionHead:
    """The ranks of a partition: `name` as in --partitions (`8`, `2x4` or `r0-3+8`), and on how many nodes they are."""

    name: Annotated[str, Field(min_length=1)]
    ranks: _Positive
    nodes: _Positive


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class Head:
    """Settings of the benchmark. Lines of version 1 state `memory_bytes` of a rank, and partitions by their size.

    `scheduled_s`: time of one partition in release 1, of all together in release 2. `node_memory_bytes`: memory of a
    node, None if the longest chunk was given instead. `limit_bytes`: largest total size of the files, None without a
    limit. `random`: patterns were rewritten and read in random order. `pattern_hints`: `number:key=value`.
    """

    type: Literal["b_eff_io"]
    version: Literal[1, 2]
    round: Annotated[int, CHECK_INT64]
    ranks: _Positive
    scheduled_s: Annotated[float, Field(gt=0), CHECK_MAGNITUDE]
    release: Literal[1, 2]
    shared_pointers: bool
    random: bool = False
    nodes: _Positive | None = None
    memory_bytes: _Positive | None = None
    node_memory_bytes: _Positive | None = None
    mpart_bytes: _Positive
    limit_bytes: _Positive | None
    partitions: Annotated[tuple[_Positive | PartitionHead, ...], FAIL_FAST, Field(min_length=1)]
    types: Annotated[tuple[_Type, ...], FAIL_FAST, Field(min_length=1)]
    hints: Annotated[tuple[str, ...], FAIL_FAST]
    pattern_hints: Annotated[tuple[str, ...], FAIL_FAST] = ()

    @property
    def partition_heads(self) -> tuple[PartitionHead | None, ...]:
        """What is known of each partition; None for those of version 1."""
        return tuple(one if isinstance(one, PartitionHead) else None for one in self.partitions)

    @property
    def partition_ranks(self) -> tuple[int, ...]:
        """Number of ranks of each partition."""
        return tuple(one.ranks if isinstance(one, PartitionHead) else one for one in self.partitions)

    @property
    def all_memory_bytes(self) -> int | None:
        """Memory of all nodes, or of all ranks in version 1; None if it is unknown."""
        if self.memory_bytes is not None:
            return self.memory_bytes * self.ranks
        if self.node_memory_bytes is None or self.nodes is None:
            return None
        return self.node_memory_bytes * self.nodes


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class PatternLine:
    """The measurement of one row of Table 2 (`io_patterns`): `calls` and `bytes` of all ranks, `time_s` of the slowest.

    `exhausted`: reading or rewriting reached the end of the pattern's data before its scheduled time was over.
    `again`: in version 1, it then started again from the beginning.
    """

    type: Literal["pattern"]
    partition: _Count
    access: Access
    pattern_type: _Type
    number: Annotated[int, Field(ge=0, lt=len(TABLE_2)), CHECK_INT64]
    chunk_bytes: _Count
    memory_chunk_bytes: _Count
    units: _Count
    calls: _Count
    bytes: _Count
    time_s: Annotated[float, Field(ge=0), CHECK_MAGNITUDE]
    again: bool = False
    exhausted: bool = False


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class FileLine:
    """All patterns of one type: `time_s` of the slowest rank includes opening and closing the file."""

    type: Literal["file"]
    partition: _Count
    access: Access
    pattern_type: _Type
    bytes: _Count
    time_s: Annotated[float, Field(gt=0), CHECK_MAGNITUDE]


@pydantic_dataclass(frozen=True, kw_only=True, config=STRICT)
class End:
    """The result that the engine computed, None if the definition gives none, and the elapsed time."""

    type: Literal["end"]
    b_eff_io_bytes_per_s: Annotated[float, Field(ge=0), CHECK_MAGNITUDE] | None
    elapsed_s: Annotated[float, Field(ge=0), CHECK_MAGNITUDE]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """One execution of the benchmark. `end` is None if it did not complete."""

    head: Head
    patterns: tuple[PatternLine, ...]
    files: tuple[FileLine, ...]
    end: End | None


_Any: TypeAlias = Head | PatternLine | FileLine | End
Record: TypeAlias = Annotated[_Any, Field(discriminator="type")]
_VALIDATOR: BoundedValidator[_Any] = BoundedValidator(Record, max_keys=limits.KEYS)


def read_io_protocols(path: Path) -> tuple[Protocol, ...]:
    """All executions in a file, at least one. Raises SuiteFileError."""
    return tuple(_protocol(lines) for lines in read_executions(path, _VALIDATOR, motif="b_eff_io", head=Head, end=End))


def _protocol(lines: Sequence[Line[_Any]]) -> Protocol:
    head = lines[0].record
    assert isinstance(head, Head)
    if (largest := max(head.partition_ranks)) > head.ranks:
        raise lines[0].error(f"partitions: {largest} is more than the {head.ranks} ranks that there are")
    patterns: list[PatternLine] = []
    files: list[FileLine] = []
    end: End | None = None
    types = frozenset(head.types)
    seen: set[tuple[object, ...]] = set()
    for line in lines[1:]:
        record = line.record
        if isinstance(record, PatternLine | FileLine) and (
            reason := _inconsistency(record, head=head, types=types, first=lines[0].number, seen=seen)
        ):
            raise line.error(reason)
        if isinstance(record, PatternLine):
            patterns.append(record)
        elif isinstance(record, FileLine):
            files.append(record)
        elif isinstance(record, End):
            end = record
    return Protocol(head=head, patterns=tuple(patterns), files=tuple(files), end=end)


def _inconsistency(
    record: PatternLine | FileLine, *, head: Head, types: frozenset[int], first: int, seen: set[tuple[object, ...]]
) -> str | None:
    """Why a record contradicts the head or repeats an earlier one; None if it does not, after adding it to `seen`."""
    if record.partition >= len(head.partitions) or record.pattern_type not in types:
        return f"partition or type is none of those that line {first} names"
    number = record.number if isinstance(record, PatternLine) else None
    if number is not None and TABLE_2[number].pattern_type != record.pattern_type:
        return f"pattern {number} is of type {TABLE_2[number].pattern_type}, not {record.pattern_type}"
    key = (record.type, record.partition, record.access, record.pattern_type, number)
    if key in seen:
        return f"a second {record.type} of the same partition, access and type"
    seen.add(key)
    return None
