"""The levels of an algebraic multigrid, recognised in the exchanges of a captured V-cycle. Pure.

On each level, AMG (docs/motifs/amg.md) exchanges three times the borders of the level's matrix on the way down, and
once those of the restriction. On the way up it exchanges once those of the interpolation, which are those of the
restriction in the opposite direction, and twice those of the matrix. At the bottom, the coarsest level is gathered, or
relaxed with one exchange of its matrix. A rank leaves out an exchange in which it has no message. Its calls alone
therefore do not show to which levels they belong; its messages relate them to the calls of other ranks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from stressbench.formats.trace import Trace, TraceFileError
from stressbench.tracing.comments import in_comment
from stressbench.tracing.segments import Exchange, Gathering, Segment, Step, repeated_segments

Borders: TypeAlias = Mapping[tuple[int, int], int]
"""Bytes of the message from one rank to another."""

_DOWN, _UP = 3, 2  # exchanges of a level's matrix
_TIMES = (1, _DOWN + _UP, _DOWN + _UP + 1)
_TIMES_TEXT = "1 (between levels), 5 (matrix of a level), or 6 (with a product)"
_UNKNOWN_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Borders of the matrix of each level, and of the interpolation to it, from the finest to the last but one.

    `gathered`: the unknowns of the coarsest level by rank. `relaxed`: the borders of its matrix if it is relaxed
    instead. `cycles`: how often the capture has this V-cycle.
    """

    matrices: tuple[Borders, ...]
    interpolations: tuple[Borders, ...]
    gathered: Mapping[int, int]
    relaxed: Borders | None
    cycles: int


def levels_of(trace: Trace) -> Levels:
    """The levels of the V-cycle that the capture repeats most.

    Raises TraceFileError, with a reason, if nothing in it is a V-cycle as described above.
    """
    reasons: list[tuple[int, str]] = []
    for segment in repeated_segments(trace):
        try:
            return _levels(segment.ranks, cycles=segment.times)
        except _NotACycle as fault:
            reasons.append((segment.steps, str(fault)))
    _, reason = max(reasons, key=lambda item: item[0])
    raise TraceFileError(f"no V-cycle of AMG lies between collectives of all ranks: {reason}", path=trace.path)


def levels_text(levels: Levels, *, program: str, ranks: int) -> str:
    """The levels as a file for `amg --levels`."""
    lines = [
        f"# The multigrid of {in_comment(program)} on {ranks} ranks, from a capture with {levels.cycles} V-cycles.",
        "# Written by `stressbench trace levels`; the format: docs/motifs/amg.md.",
    ]
    matrices = [*levels.matrices, *([] if levels.relaxed is None else [levels.relaxed])]
    for kind, borders_by_level in (("matrix", matrices), ("interpolation", levels.interpolations)):
        for level, borders in enumerate(borders_by_level):
            lines += [f"{kind} {level} {source} {to} {size}" for (source, to), size in sorted(borders.items())]
    lines += [f"coarsest {rank} {unknowns}" for rank, unknowns in sorted(levels.gathered.items())]
    if levels.relaxed is not None:
        lines.append(f"relaxed {len(levels.matrices)}")
    return "\n".join(lines) + "\n"


class _NotACycle(Exception):
    """The calls are not those of a V-cycle. The message says why."""


def _levels(ranks: Sequence[Segment], *, cycles: int) -> Levels:
    packages = _packages(ranks)
    transfers = _transfers(packages)
    if not transfers.interpolation_of:
        raise _NotACycle("no restriction is followed by its interpolation")
    matrices, restrictions = _by_level(packages, transfers)
    interpolations = [[transfers.interpolation_of[package] for package in level] for level in restrictions]
    gatherings = _gatherings(ranks)
    if gatherings and transfers.coarsest:
        raise _NotACycle("the coarsest level is both gathered and relaxed")
    for rank, steps in enumerate(ranks):
        bottom = (gatherings[rank],) if rank in gatherings else _of(rank, transfers.coarsest)
        cycle = tuple(_cycle(rank, matrices, restrictions, interpolations, bottom=bottom))
        if steps not in (cycle, cycle + _of(rank, matrices[0])):  # a matrix product may follow
            raise _NotACycle(f"the exchanges of rank {rank} are not in the order of levels")
    return Levels(
        matrices=tuple(map(_borders, matrices)),
        interpolations=tuple(map(_borders, interpolations)),
        gathered={rank: step.bytes // _UNKNOWN_BYTES for rank, step in gatherings.items()},
        relaxed=None if gatherings else _borders(transfers.coarsest),
        cycles=cycles,
    )


@dataclass(slots=True, eq=False)
class _Package:
    """Exchanges of different ranks whose messages are to each other, and how often each rank makes its own."""

    times: int
    exchanges: dict[int, Exchange] = field(default_factory=dict)  # by rank

    def borders(self) -> Borders:
        return {
            (rank, message.rank): message.bytes
            for rank, exchange in self.exchanges.items()
            for message in exchange.sent
        }


def _borders(packages: Sequence[_Package]) -> Borders:
    """Borders of packages of a level, which have no rank in common."""
    return {pair: size for package in packages for pair, size in package.borders().items()}


def _of(rank: int, packages: Sequence[_Package]) -> tuple[Exchange, ...]:
    return tuple(package.exchanges[rank] for package in packages if rank in package.exchanges)


_RankExchange: TypeAlias = tuple[int, Exchange]


def _packages(ranks: Sequence[Segment]) -> list[list[_Package]]:
    """The package of each exchange, in the order of each rank's calls."""
    times = Counter((rank, step) for rank, steps in enumerate(ranks) for step in _exchanges(steps))
    for (rank, _), number in times.items():  # before the partners: their number grows with that of the exchanges
        if number not in _TIMES:
            raise _NotACycle(f"rank {rank} makes an exchange {number} times; expected {_TIMES_TEXT}")
    partners = _partners(ranks)
    package_of: dict[_RankExchange, _Package] = {}
    for start in times:
        if start in package_of:
            continue
        package_of[start] = package = _Package(times[start])
        reached = [start]
        for rank, exchange in reached:
            if package.exchanges.setdefault(rank, exchange) != exchange or times[rank, exchange] != package.times:
                raise _NotACycle(f"different exchanges of rank {rank} belong to one exchange of another rank")
            for partner in partners[rank, exchange]:
                if partner not in package_of:
                    package_of[partner] = package
                    reached.append(partner)
    return [[package_of[rank, step] for step in _exchanges(steps)] for rank, steps in enumerate(ranks)]


def _exchanges(steps: Segment) -> Iterator[Exchange]:
    return (step for step in steps if isinstance(step, Exchange))


def _partners(ranks: Sequence[Segment]) -> Mapping[_RankExchange, set[_RankExchange]]:
    """For each exchange of a rank, those in which other ranks receive and send its messages.

    Messages from one rank to another arrive in the order in which they are sent.
    """
    sent: dict[tuple[int, int], list[tuple[_RankExchange, int]]] = defaultdict(list)
    received: dict[tuple[int, int], list[tuple[_RankExchange, int]]] = defaultdict(list)
    for rank, steps in enumerate(ranks):
        for step in _exchanges(steps):
            for message in step.sent:
                sent[rank, message.rank].append(((rank, step), message.bytes))
            for message in step.received:
                received[message.rank, rank].append(((rank, step), message.bytes))
    partners: dict[_RankExchange, set[_RankExchange]] = defaultdict(set)
    for source, to in sorted(sent.keys() | received.keys()):
        if [size for _, size in sent[source, to]] != [size for _, size in received[source, to]]:
            raise _NotACycle(f"rank {to} does not receive what rank {source} sends")
        for (sender, _), (receiver, _) in zip(sent[source, to], received[source, to], strict=True):
            partners[sender].add(receiver)
            partners[receiver].add(sender)
    return partners


def _gatherings(ranks: Sequence[Segment]) -> Mapping[int, Gathering]:
    found: dict[int, Gathering] = {}
    for rank, steps in enumerate(ranks):
        for step in steps:
            if isinstance(step, Gathering) and found.setdefault(rank, step) is not step:
                raise _NotACycle(f"rank {rank} gathers more than once")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Transfers:
    """The interpolation that reverses each restriction, and the packages of the coarsest level's matrix."""

    interpolation_of: Mapping[_Package, _Package]
    coarsest: Sequence[_Package]


def _transfers(packages: Sequence[Sequence[_Package]]) -> _Transfers:
    """The roles of the exchanges that are made once: on each rank, the first reverses the last, and so on."""
    partner_of: dict[_Package, _Package] = {}
    restrictions: dict[_Package, None] = {}  # in order
    for rank, order in enumerate(packages):
        single = [package for package in order if package.times == 1]
        for package, partner in zip(single, reversed(single), strict=True):
            if partner_of.setdefault(package, partner) is not partner:
                raise _NotACycle(f"rank {rank} disagrees with others which interpolation belongs to a restriction")
        restrictions.update(dict.fromkeys(single[: len(single) // 2]))
    for restriction in restrictions:
        reverse = {(to, source): size for (source, to), size in restriction.borders().items()}
        if partner_of[restriction].borders() != reverse:
            ranks = " and ".join(map(str, sorted(restriction.exchanges)[:2]))
            raise _NotACycle(f"no interpolation between ranks {ranks} reverses their restriction")
    return _Transfers(
        interpolation_of={restriction: partner_of[restriction] for restriction in restrictions},
        coarsest=[package for package, partner in partner_of.items() if package is partner],
    )


def _by_level(
    packages: Sequence[Sequence[_Package]], transfers: _Transfers
) -> tuple[list[list[_Package]], list[list[_Package]]]:
    """Matrices and restrictions of each level. Each is on the lowest level that the order of calls permits."""
    interpolations = set(transfers.interpolation_of.values())
    before: dict[_Package, set[_Package]] = {}
    for order in packages:
        down = [package for package in dict.fromkeys(order) if package not in interpolations]
        for place, package in enumerate(down):
            before.setdefault(package, set()).update(down[place - 1 : place])
    place_of: dict[_Package, int] = {}  # 2 * level for matrices, 2 * level + 1 for restrictions
    try:
        for package in TopologicalSorter(before).static_order():
            earliest = 1 + max((place_of[earlier] for earlier in before[package]), default=-1)
            place_of[package] = earliest + (earliest + (package in transfers.interpolation_of)) % 2
    except CycleError:
        raise _NotACycle("ranks disagree about the order of exchanges") from None
    above = {package: place for package, place in place_of.items() if package not in transfers.coarsest}
    levels = 1 + max(above.values(), default=-1) // 2
    if not levels:
        raise _NotACycle("it has no matrix with messages")
    matrices: list[list[_Package]] = [[] for _ in range(levels)]
    restrictions: list[list[_Package]] = [[] for _ in range(levels)]
    for package, place in above.items():
        (restrictions if place % 2 else matrices)[place // 2].append(package)
    return matrices, restrictions


def _cycle(
    rank: int,
    matrices: Sequence[Sequence[_Package]],
    restrictions: Sequence[Sequence[_Package]],
    interpolations: Sequence[Sequence[_Package]],
    *,
    bottom: tuple[Step, ...],
) -> Iterator[Step]:
    """The steps of a rank in a V-cycle with these levels."""
    for matrix, restriction in zip(matrices, restrictions, strict=True):
        yield from _of(rank, matrix) * _DOWN
        yield from _of(rank, restriction)
    yield from bottom
    for matrix, interpolation in reversed(list(zip(matrices, interpolations, strict=True))):
        yield from _of(rank, interpolation)
        yield from _of(rank, matrix) * _UP
