"""The lines of a trace file, key by key (docs/trace-format.md); pydantic fills these dataclasses when a file is read.

This is the only declaration of the keys in Python: `RECORDS` drives the reader, and `schema/trace.schema.json` is
generated from it (`stressbench.formats.schemas`). None is "unknown" or "not applicable to this operation", never 0.
Times are in seconds, sizes in bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import AfterValidator, Field

from stressbench.formats.bounds import BoundedFloat, Int64, Name, Sentence
from stressbench.formats.run.records import Bytes, Count, Index, MoreThanZero, Positive, Seconds

TRACE_FORMAT = "stressbench-trace"
TRACE_VERSION = 1

Rule: TypeAlias = tuple[tuple[Int64, Positive], ...]  # [symbol, repetitions]: a call's number, or minus a rule's


class TraceMode(StrEnum):
    """What is recorded: statistics only (profile), or also the sequence of calls (capture)."""

    profile = "profile"
    capture = "capture"


class RankEnd(StrEnum):
    """How a rank ended."""

    finalize = "finalize"
    abort = "abort"
    killed = "killed"


class Wildcard(StrEnum):
    """Wildcards of a receive."""

    source = "source"
    tag = "tag"
    both = "both"


class Lock(StrEnum):
    """Lock type of MPI_Win_lock."""

    exclusive = "exclusive"
    shared = "shared"


MAX_RANKS = 1 << 21
MAX_GAP_TIMES = 1 << 18
"""Calls of a rank for which the tracer keeps the time before each."""
MAX_SIZE_CLASSES = 65
"""Sizes of 0 bytes, and of each number of bits up to 64."""
MAX_BUCKET = 255
"""Highest bucket of gaps: 10^31 s."""


def _check_rank_count(ranks: int) -> int:
    if ranks > MAX_RANKS:
        raise ValueError(f"expected at most {MAX_RANKS} ranks")
    return ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceHeader:
    """The first line: the traced program and its environment.

    `gap_clock`: "cpu" if times outside MPI are processor time, not elapsed time. `timed`: whether there are times; a
    list of the calls that a motif would make has none, and its times are 0.
    """

    format: Literal["stressbench-trace"]
    version: Literal[1]
    mode: TraceMode
    ranks: Annotated[Positive, AfterValidator(_check_rank_count)]
    program: Name | None = None
    library: Name | None = None
    started: Name | None = None
    clock_s: Seconds | None = None
    hosts: Positive | None = None
    gap_clock: Literal["cpu"] | None = None
    timed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Totals over all calls of one operation on one rank; `empty` counts tests and probes that found nothing."""

    op: Name
    calls: Count
    time_s: Seconds
    bytes: Bytes = 0
    max_s: Seconds | None = None
    empty: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCount:
    """Numbers of MPI objects of one kind (`requests`, `communicators`, ...) that a rank created and released."""

    kind: Name
    made: Count
    released: Count


SizeClasses: TypeAlias = Annotated[tuple[Count, ...], Field(max_length=MAX_SIZE_CLASSES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCounts:
    """Calls by size: element 0 counts 0 bytes, element k > 0 sizes in [2^(k-1), 2^k)."""

    p2p: SizeClasses = ()
    coll: SizeClasses = ()
    io: SizeClasses = ()


class Peer(NamedTuple):
    """Messages and bytes sent to one world rank; rank -1 sums up the peers beyond the capacity of the table."""

    rank: Int64
    messages: Int64
    bytes: Int64


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Seconds in MPI by class, in slices of `width_s` from the end of MPI_Init; all lists are of one length."""

    width_s: MoreThanZero
    p2p: tuple[Seconds, ...]
    coll: tuple[Seconds, ...]
    wait: tuple[Seconds, ...]
    io: tuple[Seconds, ...]
    other: tuple[Seconds, ...]


class MemberRun(NamedTuple):
    """`length` world ranks: first, first + stride, ..."""

    first: Int64
    stride: Int64
    length: Int64


@dataclass(frozen=True, slots=True, kw_only=True)
class Communicator:
    """A communicator from the view of this rank; `members` is None if they are too irregular to be listed."""

    size: Count
    slot: Int64 | None = None
    rank: Int64 | None = None
    members: tuple[MemberRun, ...] | None = None
    inter: bool = False


class Site(NamedTuple):
    """A call site: index of its module (-1: unknown), and offset in the file of the module."""

    module: Int64
    offset: Int64


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One distinct call, which occurred `n` times; ranks are those of `comm`."""

    op: Name
    n: Count
    time_s: Seconds
    min_s: Seconds | None = None
    max_s: Seconds | None = None
    site: Index | None = None
    comm: Index | None = None
    peer: Int64 | None = None
    tag: Int64 | None = None
    any: Wildcard | None = None
    bytes: Bytes | None = None
    unit: Count | None = None
    type: Name | None = None
    source: Int64 | None = None
    receive_tag: Int64 | None = None
    receive_bytes: Bytes | None = None
    reduction: Name | None = None
    root: Int64 | None = None
    in_place: bool | None = None
    request: Index | None = None
    requests: tuple[Int64, ...] | None = None
    done: tuple[Int64, ...] | None = None
    inits: tuple[Int64, ...] | None = None
    counts: tuple[Count, ...] | None = None
    receive_counts: tuple[Count, ...] | None = None
    made: Index | None = None
    colour: Int64 | None = None
    key: Int64 | None = None
    dims: tuple[Int64, ...] | None = None
    periods: tuple[bool | Int64, ...] | None = None
    sources: tuple[Int64, ...] | None = None
    destinations: tuple[Int64, ...] | None = None
    remain: tuple[Int64, ...] | None = None
    file: Int64 | None = None
    offset: Int64 | None = None
    whence: Name | None = None
    amode: Int64 | Name | None = None
    filetype: tuple[Count, ...] | None = None
    window: Int64 | None = None
    size: Count | None = None
    displacement: Int64 | None = None
    lock: Lock | None = None
    assertion: tuple[Name, ...] | None = None

    def creators_of_requests(self, in_slots: Mapping[int, int]) -> tuple[int | None, ...]:
        """For each of `requests`, the number of the call that created it; None if it is unknown.

        `in_slots`: by slot, the call of the sequence that created the request which is in this slot at present.
        """
        requests = self.requests or ()
        inits = (-1,) * len(requests) if self.inits is None else self.inits
        return tuple(in_slots.get(slot) if init < 0 else init for slot, init in zip(requests, inits, strict=True))


class Gap(NamedTuple):
    """Time outside MPI between call `before` (-1: none) and call `after`; buckets grow by the square root of 2."""

    before: Int64
    after: Int64
    n: Int64
    sum_s: BoundedFloat
    min_s: BoundedFloat
    max_s: BoundedFloat
    sum_of_squares: BoundedFloat
    buckets: tuple[tuple[Annotated[int, Field(ge=0, le=MAX_BUCKET)], Int64], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """What the tracer gave up recording (`sequence`, `calls`, `gaps`, `threads`), after how many calls, and why."""

    what: Name
    after_calls: Count | None = None
    why: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The calls of one thread. Rule 0 of `rules` is the whole sequence; None without a recorded sequence.

    `gap_times_ns`: nanoseconds outside MPI before each of the first calls of the sequence, rounded to 24 binary digits;
    None where not recorded.
    """

    calls: tuple[Call, ...] = ()
    gaps: tuple[Gap, ...] | None = None
    tail_s: Seconds | None = None
    gap_times_ns: Annotated[tuple[Count, ...], Field(max_length=MAX_GAP_TIMES)] | None = None
    rules: tuple[Rule, ...] | None = None
    sequence_calls: Count | None = None
    lost: tuple[Lost, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTrace(Stream):
    """The line of a rank and the calls of its first thread; `streams`: those of all threads if several called MPI.

    `working_set_bytes`: memory that the rank used in the recorded part, None where it was not measured.
    """

    rank: Index
    ended: RankEnd
    wall_s: Seconds
    totals: tuple[Total, ...]
    node: Index | None = None
    host: Name | None = None
    threads: Count | None = None
    working_set_bytes: Count | None = None
    objects: tuple[ObjectCount, ...] | None = None
    sizes: SizeCounts | None = None
    peers: tuple[Peer, ...] | None = None
    timeline: Timeline | None = None
    comms: tuple[Communicator, ...] = ()
    modules: tuple[Name, ...] = ()
    sites: tuple[Site, ...] = ()
    streams: tuple[Stream, ...] | None = None

    def module_of(self, site: Site) -> str:
        """Name of the module that a call site lies in; `?` where it is not known."""
        return self.modules[site.module] if site.module >= 0 else "?"

    def streams_by_thread(self) -> tuple[Stream, ...]:
        """The streams of all threads that called MPI; a single one if only one thread did."""
        return self.streams or (self,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbols:
    """Names of call sites: `module+0xOFFSET` -> `function (file:line)`."""

    sites: Mapping[Name, Sentence]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEnd:
    """The last line: the number of lines of ranks, and whether every rank ended in MPI_Finalize."""

    ranks: Count
    complete: bool


RECORDS: Mapping[str, type[Any]] = {"header": TraceHeader, "rank": RankTrace, "symbols": Symbols, "end": TraceEnd}
"""The model of each type of line. Readers skip types that are not here: they belong to later versions."""


def site_name(module: str, offset: int) -> str:
    """Name of a call site in `symbols`: `module+0xOFFSET`."""
    return f"{module}+{offset:#x}"
