"""Profile of a trace: what `stressbench profile` prints (schema/profile.schema.json), in seconds and bytes."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, overload

from pydantic import PlainSerializer

from stressbench.formats.bounds import Name
from stressbench.formats.ranges import spans
from stressbench.formats.run.records import Number
from stressbench.formats.trace import RankTrace, Trace
from stressbench.formats.trace.records import RankEnd
from stressbench.tracing.matrix import Matrix, MatrixAccumulator, Pair, busiest_pairs
from stressbench.tracing.operations import OperationClass, class_of
from stressbench.tracing.phases import PhaseAccumulator, Phases
from stressbench.tracing.tables import (
    CallSiteAccumulator,
    CommunicatorAccumulator,
    CommunicatorSize,
    ObjectAccumulator,
    ObjectRow,
    OperationAccumulator,
    OperationRow,
    SiteRow,
    SizeAccumulator,
    SizeClass,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBreakdown:
    """Time of one rank or summed over ranks. `application_s` is outside MPI; the five classes add up to `mpi_s`."""

    wall_s: float
    application_s: float
    mpi_s: float
    p2p_s: float
    wait_s: float
    coll_s: float
    io_s: float
    other_s: float

    def share(self, seconds: float) -> float | None:
        """`seconds` as a share of the wall time (0 to 1); None if the wall time is 0."""
        return seconds / self.wall_s if self.wall_s > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One rank: its host (as the lowest rank on it), how it ended, its times, and the messages that it sent."""

    rank: int
    node: int | None
    ended: str
    split: TimeBreakdown
    messages: int
    bytes: int


class RankRows(Sequence[RankRow]):
    """The rows of all ranks, stored by column since a trace may have millions of ranks; rows are built on access."""

    def __init__(self) -> None:
        self._times = {name: array("d") for name in TimeBreakdown.__slots__}
        self._numbers = {
            name: array("q") for name in ("rank", "node", "ended", "messages", "bytes")
        }  # node -1: unknown

    def add(self, rank: RankTrace) -> None:
        """Add the next rank."""
        seconds = [0.0] * len(OperationClass)
        for total in rank.totals:
            seconds[_CLASS_INDEX[class_of(total.op)]] += total.time_s
        mpi_s = sum(seconds)
        times = (rank.wall_s, max(0.0, rank.wall_s - mpi_s), mpi_s, *seconds)
        messages = size = 0
        for peer in rank.peers or ():
            messages += peer.messages
            size += peer.bytes
        node = -1 if rank.node is None else rank.node
        numbers = (rank.rank, node, _RANK_ENDS.index(rank.ended), messages, size)
        for column, time_s in zip(self._times.values(), times, strict=True):
            column.append(time_s)
        for integers, number in zip(self._numbers.values(), numbers, strict=True):
            integers.append(number)

    def __len__(self) -> int:
        return len(self._numbers["rank"])

    @overload
    def __getitem__(self, index: int) -> RankRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankRow]: ...
    def __getitem__(self, index: int | slice) -> RankRow | Sequence[RankRow]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        rank, node, ended, messages, size = (column[index] for column in self._numbers.values())
        times = TimeBreakdown(**{name: column[index] for name, column in self._times.items()})
        return RankRow(
            rank=rank, node=None if node < 0 else node, ended=_RANK_ENDS[ended].value, split=times,
            messages=messages, bytes=size,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankRows):
            return NotImplemented
        return self._times == other._times and self._numbers == other._numbers

    __hash__ = None  # type: ignore[assignment]  # rows can be added

    def numbers(self, name: Literal["rank", "messages", "bytes"]) -> Sequence[int]:
        """A column of integers."""
        return self._numbers[name]

    def times_s(self, name: str) -> Sequence[float]:
        """A column of `TimeBreakdown` in seconds."""
        return self._times[name]


_CLASS_INDEX = {kind: number for number, kind in enumerate(OperationClass)}
_RANK_ENDS = tuple(RankEnd)
_INTEGER_COLUMNS = ("rank", "node", "ended", "messages", "bytes")  # columns of integers; node -1: unknown
_MOST_NAMED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns by which mpiP and Leon et al. (section V, Figure 1) characterise applications.

    Sends, receives and waits count as point-to-point. Mean sizes are None if nothing was sent.
    """

    mpi_percent: Number | None
    p2p_percent: Number | None
    coll_percent: Number | None
    mean_send_bytes: Number | None
    mean_coll_bytes: Number | None


class Quantity(StrEnum):
    """Times whose imbalance over the ranks is reported."""

    application = "application"
    mpi = "mpi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imbalance:
    """Maximum over the ranks with its rank, mean, and the ratio of both (None if the mean is 0)."""

    quantity: Quantity
    rank: int
    max_s: float
    mean_s: float
    ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFacts:
    """The traced program. The file holds `ranks_read` of `ranks` ranks; `wall_s` is that of the slowest rank."""

    program: Name | None
    library: Name | None
    started: Name | None
    ranks: int
    ranks_read: int
    hosts: int | None
    complete: bool
    wall_s: float
    clock_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Profile of a traced run. `total` is the sum over all ranks; `pairs` are those with the most traffic.

    `objects` is None if no rank recorded its MPI objects up to MPI_Finalize. `warnings` are sentences.
    """

    facts: ProfileFacts
    total: TimeBreakdown
    columns: Columns
    operations: tuple[OperationRow, ...]
    sites: tuple[SiteRow, ...]
    sizes: tuple[SizeClass, ...]
    communicators: tuple[CommunicatorSize, ...]
    matrix: Matrix
    pairs: tuple[Pair, ...]
    imbalances: tuple[Imbalance, ...]
    objects: tuple[ObjectRow, ...] | None
    phases: Phases | None
    ranks: Annotated[Sequence[RankRow], PlainSerializer(tuple, return_type=tuple[RankRow, ...])]
    warnings: tuple[str, ...]


def profile_of(trace: Trace) -> Profile:
    """Profile of all ranks in the file, which are read one at a time."""
    operations, sites, sizes, communicators = (
        OperationAccumulator(),
        CallSiteAccumulator(trace.symbols),
        SizeAccumulator(),
        CommunicatorAccumulator(),
    )
    matrix, phases, objects = MatrixAccumulator(trace.header.ranks), PhaseAccumulator(), ObjectAccumulator()
    rows, warnings = RankRows(), _Warnings()
    for rank in trace.ranks():
        for accumulator in (operations, sites, sizes, communicators, matrix, phases, objects, warnings, rows):
            accumulator.add(rank)
    total = TimeBreakdown(**{name: sum(rows.times_s(name)) for name in TimeBreakdown.__slots__})
    operation_rows = operations.rows()
    return Profile(
        facts=_facts(trace, rows), total=total, columns=_columns(total, rows, operation_rows),
        operations=operation_rows, sites=sites.rows(), sizes=sizes.rows(), communicators=communicators.rows(),
        matrix=matrix.finish(), pairs=busiest_pairs(matrix), imbalances=_imbalances(rows), objects=objects.rows(),
        phases=phases.finish(), ranks=rows, warnings=(*_file_warnings(trace), *warnings.sentences()),
    )  # fmt: skip


def _facts(trace: Trace, rows: RankRows) -> ProfileFacts:
    header = trace.header
    return ProfileFacts(
        program=header.program, library=header.library, started=header.started, ranks=header.ranks,
        ranks_read=len(rows), hosts=header.hosts, complete=trace.end is not None and trace.end.complete,
        wall_s=max(rows.times_s("wall_s"), default=0.0), clock_s=header.clock_s,
    )  # fmt: skip


def _columns(total: TimeBreakdown, rows: RankRows, operations: Sequence[OperationRow]) -> Columns:
    collectives = [row for row in operations if row.kind is OperationClass.coll]
    messages, calls = sum(rows.numbers("messages")), sum(row.calls for row in collectives)
    return Columns(
        mpi_percent=_percent(total.share(total.mpi_s)),
        p2p_percent=_percent(total.share(total.p2p_s + total.wait_s)),
        coll_percent=_percent(total.share(total.coll_s)),
        mean_send_bytes=sum(rows.numbers("bytes")) / messages if messages else None,
        mean_coll_bytes=sum(row.bytes for row in collectives) / calls if calls else None,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _imbalances(rows: RankRows) -> tuple[Imbalance, ...]:
    return tuple(_imbalance(rows, quantity) for quantity in Quantity) if rows else ()


def _imbalance(rows: RankRows, quantity: Quantity) -> Imbalance:
    seconds = rows.times_s(f"{quantity.value}_s")
    largest = max(seconds)
    mean = sum(seconds) / len(seconds)
    return Imbalance(
        quantity=quantity, rank=rows.numbers("rank")[seconds.index(largest)], max_s=largest, mean_s=mean,
        ratio=largest / mean if mean > 0 else None,
    )  # fmt: skip


class _Warnings:
    """Accumulates warnings about single ranks and merges equal ones."""

    def __init__(self) -> None:
        self._ranks: dict[str, list[int]] = {}

    def add(self, rank: RankTrace) -> None:
        for sentence in _rank_warnings(rank):
            ranks = self._ranks.setdefault(sentence, [])
            if len(ranks) <= _MOST_NAMED:
                ranks.append(rank.rank)

    def sentences(self) -> Iterable[str]:
        for sentence, ranks in self._ranks.items():
            shown = spans(ranks[:_MOST_NAMED]) + (", ..." if len(ranks) > _MOST_NAMED else "")
            yield f"{'rank' if len(ranks) == 1 else 'ranks'} {shown}: {sentence}"


def _rank_warnings(rank: RankTrace) -> Iterable[str]:
    if rank.ended is not RankEnd.finalize:
        yield f"ended by {'MPI_Abort' if rank.ended is RankEnd.abort else 'a signal'}; counted up to its last call"
    if rank.threads is not None and rank.threads > 1:
        yield f"{rank.threads} threads called MPI: their times are summed and may exceed the wall time"
    if any(peer.rank < 0 for peer in rank.peers or ()):
        yield "sent to more ranks than the tracer distinguishes; the matrix does not include the others"
    for lost in rank.lost or ():
        if lost.what == "calls":
            yield "too many distinct calls: call sites and communicators lack the later ones, totals are complete"


def _file_warnings(trace: Trace) -> Iterable[str]:
    if trace.truncated:
        yield f"the file is cut off: {len(trace.positions):,} of {trace.header.ranks:,} ranks are whole"
    elif missing := trace.missing:
        yield f"no line of rank {spans(missing[:_MOST_NAMED])}{', ...' if len(missing) > _MOST_NAMED else ''}"
