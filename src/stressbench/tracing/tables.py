"""Totals over all ranks by operation, call site, message size, communicator size and MPI object kind.

Each table has an accumulator, to which ranks are added one at a time.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from stressbench.formats.trace import RankTrace
from stressbench.formats.trace.records import Call, Total, site_name
from stressbench.tracing.operations import OperationClass, class_of

_CLASSES_WITH_SIZES = ("p2p", "coll", "io")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRow:
    """One operation over all ranks. `empty` counts calls that found nothing; `mean_bytes` is None without sizes."""

    op: str
    kind: OperationClass
    calls: int
    empty: int
    time_s: float
    max_s: float | None
    bytes: int
    mean_bytes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRow:
    """One operation at one call site (`module+0xOFFSET`) over all ranks; `function` is None without symbols."""

    site: str
    function: str | None
    op: str
    ranks: int
    calls: int
    time_s: float
    max_s: float | None
    bytes: int
    mean_bytes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeClass:
    """Calls of one class with sizes in [`at_least`, `below`) bytes."""

    kind: OperationClass
    at_least: int
    below: int
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunicatorSize:
    """All communicators of one size: their number (None if some of their ranks are not in the file), calls and time."""

    size: int
    communicators: int | None
    calls: int
    time_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRow:
    """MPI objects of one kind over the `ranks` that reached MPI_Finalize: `made`, and `left` without being released.

    `least` and `most` are the minimum and maximum of `left` over the ranks; `most_rank` is the first with the maximum.
    """

    kind: str
    made: int
    left: int
    ranks: int
    least: int
    most: int
    most_rank: int


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    empty: int = 0
    time_s: float = 0.0
    max_s: float | None = None
    bytes: int = 0
    ranks: int = 0
    last_rank: int = -1

    def add(self, counts: Total | Call, *, rank: int) -> None:
        if isinstance(counts, Total):
            self.calls += counts.calls
            self.empty += counts.empty
            self.bytes += counts.bytes
        else:
            self.calls += counts.n
            self.bytes += counts.n * (counts.bytes or 0)
        self.time_s += counts.time_s
        if counts.max_s is not None:
            self.max_s = counts.max_s if self.max_s is None else max(self.max_s, counts.max_s)
        self.ranks += rank != self.last_rank
        self.last_rank = rank

    @property
    def mean_bytes(self) -> float | None:
        return self.bytes / self.calls if self.bytes and self.calls else None


@dataclass(slots=True)
class OperationAccumulator:
    """Accumulates totals by operation."""

    _sums: dict[str, _Sum] = field(default_factory=lambda: defaultdict(_Sum))

    def add(self, rank: RankTrace) -> None:
        """Add one rank."""
        for total in rank.totals:
            self._sums[total.op].add(total, rank=rank.rank)

    def rows(self) -> tuple[OperationRow, ...]:
        """The table, in descending order of time."""
        ordered = sorted(self._sums.items(), key=lambda item: (-item[1].time_s, item[0]))
        return tuple(
            OperationRow(
                op=op, kind=class_of(op), calls=one.calls, empty=one.empty, time_s=one.time_s, max_s=one.max_s,
                bytes=one.bytes, mean_bytes=one.mean_bytes,
            )
            for op, one in ordered
        )  # fmt: skip


@dataclass(slots=True)
class CallSiteAccumulator:
    """Accumulates totals by call site and operation."""

    symbols: Mapping[str, str]
    _sums: dict[tuple[str, str], _Sum] = field(default_factory=lambda: defaultdict(_Sum))

    def add(self, rank: RankTrace) -> None:
        """Add one rank."""
        names = [site_name(rank.module_of(site), site.offset) for site in rank.sites]
        for stream in rank.streams_by_thread():
            for call in stream.calls:
                if call.site is not None and call.n > 0:
                    self._sums[names[call.site], call.op].add(call, rank=rank.rank)

    def rows(self) -> tuple[SiteRow, ...]:
        """The table, in descending order of time."""
        ordered = sorted(self._sums.items(), key=lambda item: (-item[1].time_s, item[0]))
        return tuple(
            SiteRow(
                site=site, function=self.symbols.get(site), op=op, ranks=one.ranks, calls=one.calls,
                time_s=one.time_s, max_s=one.max_s, bytes=one.bytes, mean_bytes=one.mean_bytes,
            )
            for (site, op), one in ordered
        )  # fmt: skip


@dataclass(slots=True)
class SizeAccumulator:
    """Accumulates histograms of message and I/O sizes."""

    _counts: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in _CLASSES_WITH_SIZES})

    def add(self, rank: RankTrace) -> None:
        """Add one rank."""
        if rank.sizes is None:
            return
        for kind, sums in self._counts.items():
            calls_by_bucket = getattr(rank.sizes, kind)
            sums += [0] * (len(calls_by_bucket) - len(sums))
            for bucket, calls in enumerate(calls_by_bucket):
                sums[bucket] += calls

    def rows(self) -> tuple[SizeClass, ...]:
        """Sizes that occur, by class and then in ascending order."""
        return tuple(
            SizeClass(kind=OperationClass(kind), at_least=1 << bucket >> 1, below=1 << bucket, calls=calls)
            for kind, sums in self._counts.items()
            for bucket, calls in enumerate(sums)
            if calls
        )


@dataclass(slots=True)
class CommunicatorAccumulator:
    """Accumulates totals by communicator size; MPI_COMM_SELF counts only if it was used."""

    _memberships: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    _sums: dict[int, _Sum] = field(default_factory=lambda: defaultdict(_Sum))

    def add(self, rank: RankTrace) -> None:
        """Add one rank."""
        used_comms: set[int] = set()
        for stream in rank.streams_by_thread():
            for call in stream.calls:
                if call.comm is not None and call.n > 0:
                    self._sums[rank.comms[call.comm].size].add(call, rank=rank.rank)
                    used_comms.add(call.comm)
        for number, comm in enumerate(rank.comms):
            if number != 1 or number in used_comms:
                self._memberships[comm.size] += 1

    def rows(self) -> tuple[CommunicatorSize, ...]:
        """The table, in descending order of size."""
        return tuple(
            CommunicatorSize(
                size=size,
                communicators=memberships // size if size and memberships % size == 0 else None,
                calls=self._sums[size].calls if size in self._sums else 0,
                time_s=self._sums[size].time_s if size in self._sums else 0.0,
            )
            for size, memberships in sorted(self._memberships.items(), reverse=True)
        )


@dataclass(slots=True)
class ObjectAccumulator:
    """Accumulates MPI objects by kind, in the tracer's order."""

    _rows: dict[str, ObjectRow] = field(default_factory=dict)

    def add(self, rank: RankTrace) -> None:
        """Add one rank."""
        for counts in rank.objects or ():
            left = max(0, counts.made - counts.released)  # objects created by untraced calls appear only when released
            previous = self._rows.get(counts.kind)
            self._rows[counts.kind] = ObjectRow(
                kind=counts.kind, made=counts.made + (previous.made if previous else 0),
                left=left + (previous.left if previous else 0),
                ranks=1 + (previous.ranks if previous else 0), least=min(left, previous.least) if previous else left,
                most=max(left, previous.most) if previous else left,
                most_rank=previous.most_rank if previous and previous.most >= left else rank.rank,
            )  # fmt: skip

    def rows(self) -> tuple[ObjectRow, ...] | None:
        """The table; None if no rank recorded objects."""
        return tuple(self._rows.values()) or None
