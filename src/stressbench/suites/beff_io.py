"""Evaluation of b_eff_io from the protocol of its patterns and files (Rabenseifner and Koniges, section 5.1).

The result is computed from the measured bytes and times alone, independently of the value that the engine reports.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stressbench.formats.protocols.beff_io import Access, FileLine, Head, PartitionHead, PatternLine, Protocol
from stressbench.formats.protocols.io_patterns import TABLE_2, TYPES, WEIGHTS, Chunk
from stressbench.formats.units import exact_size_text

FULL_T_S: Mapping[int, float] = {1: 900.0, 2: 1800.0}
MIN_MPART_BYTES = 2 * 2**20
MIN_WRITE_S = 300.0
MIN_CACHE_MULTIPLE = 20
COFFEE_CUP_LIMIT_S = 600.0
_ACCESS_WEIGHTS: Mapping[Access, float] = {Access.write: 0.25, Access.rewrite: 0.25, Access.read: 0.5}
_RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class PatternValue:
    """Measurement of a row of Table 2 of the paper. `value` is the bandwidth (bytes/s), None without any transfer.

    `exhausted`: all data of the pattern was read or rewritten before its time was over. `again`: the pattern read the
    same data more than once, which only version 1 of the protocol did.
    """

    number: int
    access: Access
    pattern_type: int
    chunk: Chunk
    chunk_bytes: int
    memory_chunk_bytes: int
    units: int
    calls: int
    bytes: int
    time_s: float
    value: float | None
    again: bool
    exhausted: bool


@dataclass(frozen=True, kw_only=True)
class TypeValue:
    """Measurement of one pattern type, from opening its file to closing it; `value` in bytes/s."""

    pattern_type: int
    bytes: int
    time_s: float
    value: float


@dataclass(frozen=True, kw_only=True)
class AccessValue:
    """Measured pattern types of an access method and its `value` (bytes/s), which is None if a type is missing."""

    access: Access
    types: tuple[TypeValue, ...]
    bytes: int
    value: float | None

    def of_type(self, pattern_type: int) -> TypeValue | None:
        """The measurement of a pattern type; None if it was not measured."""
        return next((one for one in self.types if one.pattern_type == pattern_type), None)


@dataclass(frozen=True, kw_only=True)
class Partition:
    """Result on some of the ranks; `value` (bytes/s) is None if an access method has no value.

    `name`: as in --partitions, such as `2x4`. `nodes`: number of nodes of these ranks, None if unknown.
    `least_bytes` is the amount that the definition requires of the initial write, 300 s at its bandwidth. `enough`:
    whether the initial write was at least 20 times the size of the cache; None if the cache size is unknown.
    """

    name: str
    ranks: int
    nodes: int | None
    value: float | None
    accesses: tuple[AccessValue, ...]
    patterns: tuple[PatternValue, ...]
    least_bytes: float | None
    enough: bool | None

    def of(self, access: Access) -> AccessValue:
        """The result of an access method."""
        return next(one for one in self.accesses if one.access is access)

    def value_at(self, access: Access, pattern_type: int, chunk: Chunk) -> float | None:
        """Bandwidth (bytes/s) of the matching patterns that have a share of T (`units`); None if there are none."""
        patterns = [
            one
            for one in self.patterns
            if one.access is access and one.pattern_type == pattern_type and one.chunk is chunk and one.units
        ]
        total_bytes, total_s = sum(one.bytes for one in patterns), sum(one.time_s for one in patterns)
        return total_bytes / total_s if total_bytes and total_s > 0 else None

    @property
    def label(self) -> str:
        """Its number of ranks, and its name if these are not the first ranks: `8 ranks (2x4)`."""
        return ranks_label(self.ranks, self.name)


def ranks_label(ranks: int, name: str) -> str:
    """A number of ranks, and the name of their partition if that says more: `8 ranks (2x4)`."""
    text = f"{ranks:,} rank{'' if ranks == 1 else 's'}"
    return text if name == str(ranks) else f"{text} ({name})"


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Balance of I/O and memory: time (s) to write the memory of all ranks at `write` bytes/s.

    The coffee-cup rule of the paper allows 10 minutes.
    """

    memory_bytes: int
    write: float
    write_s: float

    @property
    def holds(self) -> bool:
        """Whether the coffee-cup rule holds."""
        return self.write_s <= COFFEE_CUP_LIMIT_S


@dataclass(frozen=True, kw_only=True)
class BEffIO:
    """The result of b_eff_io in bytes/s with its parts; `b_eff_io` is None for the reason in `missing`.

    `best` is the number of ranks of the best partition, `best_name` its name. `scheduled_s` is the scheduled time of
    all partitions. `claimed` is the engine's own value. `reduced` lists deviations from the definition that make the
    result incomparable with published ones; `cautions` lists reasons to doubt it.
    """

    head: Head
    b_eff_io: float | None
    missing: str | None
    best: int | None
    best_name: str | None
    partitions: tuple[Partition, ...]
    balance: Balance | None
    scheduled_s: float
    elapsed_s: float | None
    claimed: float | None
    reduced: tuple[str, ...]
    cautions: tuple[str, ...]
    complete: bool
    """Whether the benchmark was completed."""


def b_eff_io_of(protocol: Protocol, *, cache_bytes: int | None = None) -> BEffIO:
    """Evaluate a protocol, complete or not (Rabenseifner and Koniges, section 5.1).

    b_eff_io is the maximum over the partitions. A partition's value weights initial write, rewrite and read by 25, 25
    and 50 %; an access method's value is the mean over pattern types with double weight for type 0. `cache_bytes` is
    the amount of data that the file system may keep in memory.
    """
    head, end = protocol.head, protocol.end
    lines = [_PartitionLines() for _ in head.partitions]
    for pattern in protocol.patterns:
        lines[pattern.partition].patterns.append(pattern)
    for file in protocol.files:
        lines[file.partition].files.append(file)
    partitions = tuple(
        _partition(of_it, ranks, known, release=head.release, cache_bytes=cache_bytes)
        for of_it, ranks, known in zip(lines, head.partition_ranks, head.partition_heads, strict=True)
    )
    values = [one.value for one in partitions if one.value is not None]
    missing = _missing(protocol, partitions)
    number = max(values) if missing is None else None
    best = None if number is None else next(one for one in partitions if one.value == number)
    return BEffIO(
        head=head,
        b_eff_io=number,
        missing=missing,
        best=None if best is None else best.ranks,
        best_name=None if best is None else best.name,
        partitions=partitions,
        balance=None if best is None else _balance(head, best.of(Access.write).value),
        scheduled_s=head.scheduled_s * (len(partitions) if head.release == 1 else 1),
        elapsed_s=None if end is None else end.elapsed_s,
        claimed=None if end is None else end.b_eff_io_bytes_per_s,
        reduced=tuple(_reductions(head)),
        cautions=tuple(_cautions(protocol, partitions, number=number, cache_bytes=cache_bytes)),
        complete=end is not None,
    )


def types_of(access: Access, *, release: int) -> tuple[int, ...]:
    """Pattern types of an access method by the definition of this release (1 or 2)."""
    return (0,) if release == 2 and access is Access.rewrite else TYPES


@dataclass(frozen=True)
class _PartitionLines:
    """The lines of a protocol on one partition."""

    patterns: list[PatternLine] = field(default_factory=list)
    files: list[FileLine] = field(default_factory=list)


def _partition(
    lines: _PartitionLines, ranks: int, known: PartitionHead | None, *, release: int, cache_bytes: int | None
) -> Partition:
    accesses = tuple(_access(lines.files, access, release=release) for access in Access)
    values = {one.access: one.value for one in accesses}
    weighted = [_ACCESS_WEIGHTS[access] * value for access, value in values.items() if value is not None]
    write = accesses[0]
    return Partition(
        name=str(ranks) if known is None else known.name,
        ranks=ranks,
        nodes=None if known is None else known.nodes,
        value=math.fsum(weighted) if len(weighted) == len(accesses) else None,
        accesses=accesses,
        patterns=tuple(map(_pattern, lines.patterns)),
        least_bytes=None if write.value is None else MIN_WRITE_S * write.value,
        enough=None if cache_bytes is None or write.value is None else write.bytes >= MIN_CACHE_MULTIPLE * cache_bytes,
    )


def _access(files: Iterable[FileLine], access: Access, *, release: int) -> AccessValue:
    types = tuple(
        TypeValue(pattern_type=one.pattern_type, bytes=one.bytes, time_s=one.time_s, value=one.bytes / one.time_s)
        for one in sorted(files, key=lambda one: one.pattern_type)
        if one.access is access
    )
    required_types = types_of(access, release=release)
    required = [one for one in types if one.pattern_type in required_types]
    weights = [WEIGHTS[one.pattern_type] for one in required]
    value = math.fsum(weight * one.value for weight, one in zip(weights, required, strict=True)) / max(1, sum(weights))
    return AccessValue(
        access=access,
        types=types,
        bytes=sum(one.bytes for one in types),
        value=value if len(required) == len(required_types) else None,
    )


def _pattern(line: PatternLine) -> PatternValue:
    return PatternValue(
        number=line.number, access=line.access, pattern_type=line.pattern_type, chunk=TABLE_2[line.number].chunk,
        chunk_bytes=line.chunk_bytes, memory_chunk_bytes=line.memory_chunk_bytes, units=line.units, calls=line.calls,
        bytes=line.bytes, time_s=line.time_s, again=line.again, exhausted=line.exhausted,
        value=line.bytes / line.time_s if line.calls and line.time_s > 0 else None,
    )  # fmt: skip


def _balance(head: Head, write: float | None) -> Balance | None:
    memory = head.all_memory_bytes
    if memory is None or not write:
        return None
    return Balance(memory_bytes=memory, write=write, write_s=memory / write)


def _missing(protocol: Protocol, partitions: Sequence[Partition]) -> str | None:
    """Reason why there is no result, or None."""
    if protocol.end is None:
        return "the benchmark was not completed"
    missing_types = [str(one) for one in TYPES if one not in protocol.head.types]
    if missing_types:
        return f"pattern type{'' if len(missing_types) == 1 else 's'} {', '.join(missing_types)} left out"
    for partition in partitions:
        for access in partition.accesses:
            if access.value is None:
                return f"not every type of {access.access} was measured on {partition.label}"
    return None


def _reductions(head: Head) -> Iterable[str]:
    full_s = FULL_T_S[head.release]
    if head.scheduled_s < full_s:
        of = "per partition" if head.release == 1 else "in all"
        yield f"T is {head.scheduled_s:g} s {of} instead of {full_s:g} s or more"
    if head.limit_bytes is not None:
        yield f"files end at {exact_size_text(head.limit_bytes)}, whatever time is left"
    if not head.shared_pointers:
        yield "type 1 without shared file pointers"
    if head.random:
        yield "patterns were rewritten and read in random order"
    if head.mpart_bytes < MIN_MPART_BYTES:
        yield f"M_PART is {exact_size_text(head.mpart_bytes)} instead of {exact_size_text(MIN_MPART_BYTES)} or more"


def _cautions(
    protocol: Protocol, partitions: Sequence[Partition], *, number: float | None, cache_bytes: int | None
) -> Iterable[str]:
    for one in partitions:
        if one.enough is False and cache_bytes is not None:
            written_bytes = one.of(Access.write).bytes
            yield (
                f"{one.label} wrote {written_bytes / cache_bytes:.3g} times the cache instead of "
                f"{MIN_CACHE_MULTIPLE}: part of it may never have left memory"
            )
    repeated_reads = sum(one.again for one in protocol.patterns)
    if repeated_reads:
        yield (
            f"{repeated_reads} reading pattern{'' if repeated_reads == 1 else 's'} went through the same data more "
            "than once"
        )
    bytes_by_file: Counter[tuple[int, Access, int]] = Counter()
    for pattern in protocol.patterns:
        bytes_by_file[pattern.partition, pattern.access, pattern.pattern_type] += pattern.bytes
    for file in protocol.files:
        pattern_bytes = bytes_by_file[file.partition, file.access, file.pattern_type]
        if pattern_bytes != file.bytes:
            yield (
                f"{file.access} of type {file.pattern_type} on {partitions[file.partition].label}: the "
                f"file has {file.bytes} bytes, its patterns {pattern_bytes}"
            )
    claimed = None if protocol.end is None else protocol.end.b_eff_io_bytes_per_s
    if number is not None and claimed is not None and not math.isclose(number, claimed, rel_tol=_RELATIVE_TOLERANCE):
        yield f"the engine made {claimed:.6g} bytes/s of the same protocol"
