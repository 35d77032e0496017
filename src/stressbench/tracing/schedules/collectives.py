"""The messages of collectives, by stated algorithms (docs/how-to/export-traces.md). Pure.

A collective is a series of rounds for each rank. The messages of a round are independent of each other; those of the
next round begin when all of a round are complete. Ranks are those of the communicator, sizes in bytes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from stressbench.formats.trace import Call
from stressbench.tracing.schedules.events import Collective
from stressbench.tracing.schedules.refusal import ScheduleRefused

RING_FROM_BYTES = 64 * 1024
"""Vector of an allreduce, and all blocks of an allgather together, from which a ring is used."""
BARRIER_BYTES = 1


class Part(NamedTuple):
    """A message of a round: the other rank, and its size."""

    partner: int
    bytes: int


class Round(NamedTuple):
    """What a rank sends and receives in one round."""

    sends: tuple[Part, ...] = ()
    receives: tuple[Part, ...] = ()


Rounds: TypeAlias = Iterator[Round]


def rounds_of(collective: Collective, call: Call) -> Rounds:
    """The rounds of this rank. Raises ScheduleRefused for collectives whose messages the trace does not determine."""
    size = len(collective.group.members)
    if size == 1 and not collective.op.startswith("Neighbor"):
        return iter(())
    if collective.op not in _ALGORITHMS:
        raise ScheduleRefused(f"{call.op}: no algorithm is known for this collective")
    return _ALGORITHMS[collective.op](collective, call, size)


def _exchange(to: int, sent: int, origin: int, received: int) -> Round:
    return Round((Part(to, sent),), (Part(origin, received),))


def _barrier(collective: Collective, _: Call, size: int) -> Rounds:
    """Dissemination (Hensgen, Finkel and Manber 1988)."""
    distance = 1
    while distance < size:
        yield _exchange((collective.rank + distance) % size, BARRIER_BYTES,
                        (collective.rank - distance) % size, BARRIER_BYTES)  # fmt: skip
        distance *= 2


def _tree(rank: int, size: int) -> tuple[int | None, list[tuple[int, int]]]:
    """Binomial tree with root 0: the parent, and each child with the number of ranks below it, the largest first."""
    children: list[tuple[int, int]] = []
    mask = 1
    while mask < size and not rank & mask:
        child = rank | mask
        if child < size:
            children.append((child, min(mask, size - child)))
        mask *= 2
    return (rank & ~mask if rank else None), children[::-1]


def _subtree(rank: int, size: int) -> int:
    """Number of ranks in the subtree of the binomial tree."""
    return size if rank == 0 else min(rank & -rank, size - rank)


def _root(call: Call) -> int:
    return call.root or 0


def _downwards(collective: Collective, call: Call, size: int, *, block: int, grows: bool) -> Rounds:
    """Down a binomial tree. `grows`: a message has the blocks of all ranks of the subtree, else one block."""
    root = _root(call)
    own = (collective.rank - root) % size
    parent, children = _tree(own, size)
    if parent is not None:
        yield Round((), (Part((parent + root) % size, block * (_subtree(own, size) if grows else 1)),))
    if children:
        yield Round(tuple(Part((child + root) % size, block * (below if grows else 1)) for child, below in children))


def _upwards(collective: Collective, call: Call, size: int, *, block: int, grows: bool) -> Rounds:
    """Up a binomial tree."""
    root = _root(call)
    own = (collective.rank - root) % size
    parent, children = _tree(own, size)
    if children:
        yield Round((), tuple(Part((child + root) % size, block * (below if grows else 1))
                              for child, below in reversed(children)))  # fmt: skip
    if parent is not None:
        yield Round((Part((parent + root) % size, block * (_subtree(own, size) if grows else 1)),))


def _bcast(collective: Collective, call: Call, size: int) -> Rounds:
    return _downwards(collective, call, size, block=call.bytes or 0, grows=False)


def _reduce(collective: Collective, call: Call, size: int) -> Rounds:
    return _upwards(collective, call, size, block=call.bytes or 0, grows=False)


def _scatter(collective: Collective, call: Call, size: int) -> Rounds:
    return _downwards(collective, call, size, block=call.bytes or 0, grows=True)


def _gather(collective: Collective, call: Call, size: int) -> Rounds:
    return _upwards(collective, call, size, block=call.bytes or 0, grows=True)


def _gatherv(collective: Collective, call: Call, size: int) -> Rounds:
    """Every rank to the root at once."""
    root = _root(call)
    if collective.rank != root:
        yield Round((Part(root, call.bytes or 0),))
        return
    counts = _counts(call, call.receive_counts, size)
    yield Round((), tuple(Part(rank, counts[rank]) for rank in range(size) if rank != root))


def _scatterv(collective: Collective, call: Call, size: int) -> Rounds:
    """The root to every rank at once."""
    root = _root(call)
    if collective.rank != root:
        yield Round((), (Part(root, call.bytes or 0),))
        return
    counts = _counts(call, call.counts, size)
    yield Round(tuple(Part(rank, counts[rank]) for rank in range(size) if rank != root))


def _counts(call: Call, counts: Sequence[int] | None, size: int) -> Sequence[int]:
    if counts is None or len(counts) != size:
        raise ScheduleRefused(f"{call.op}: the trace has no sizes for each rank")
    return counts


def _allreduce(collective: Collective, call: Call, size: int) -> Rounds:
    vector = call.bytes or 0
    if vector < RING_FROM_BYTES:
        return _recursive_doubling(collective.rank, size, vector)
    return _reducing_ring(collective.rank, _even_blocks(vector, size), gathers=True)


def _recursive_doubling(rank: int, size: int, vector: int) -> Rounds:
    """Recursive doubling; the ranks beyond a power of two give their vector to a neighbour and get the result.

    As in Thakur, Rabenseifner and Gropp 2005, section 4.4.
    """
    power = 1 << (size.bit_length() - 1)
    beyond = size - power
    if rank < 2 * beyond and rank % 2 == 0:
        yield Round((Part(rank + 1, vector),))
        yield Round((), (Part(rank + 1, vector),))
        return
    if rank < 2 * beyond:
        yield Round((), (Part(rank - 1, vector),))
    place = rank // 2 if rank < 2 * beyond else rank - beyond
    mask = 1
    while mask < power:
        other = place ^ mask
        partner = 2 * other + 1 if other < beyond else other + beyond
        yield _exchange(partner, vector, partner, vector)
        mask *= 2
    if rank < 2 * beyond:
        yield Round((Part(rank - 1, vector),))


def _even_blocks(vector: int, size: int) -> list[int]:
    return [vector // size + (rank < vector % size) for rank in range(size)]


def _reducing_ring(rank: int, blocks: Sequence[int], *, gathers: bool) -> Rounds:
    """Each block goes round the ring and is reduced on its way (Patarasuk and Yuan 2009).

    After size - 1 rounds each rank has its block of the result; with `gathers`, as many rounds distribute them.
    """
    size = len(blocks)
    right, left = (rank + 1) % size, (rank - 1) % size
    for step in range(1, size):
        yield _exchange(right, blocks[(rank - step) % size], left, blocks[(rank - step - 1) % size])
    if gathers:
        yield from _ring(rank, blocks)


def _ring(rank: int, blocks: Sequence[int]) -> Rounds:
    """Each block goes round the ring to all ranks."""
    size = len(blocks)
    right, left = (rank + 1) % size, (rank - 1) % size
    for step in range(size - 1):
        yield _exchange(right, blocks[(rank - step) % size], left, blocks[(rank - step - 1) % size])


def _reduce_scatter_block(collective: Collective, call: Call, size: int) -> Rounds:
    return _reducing_ring(collective.rank, [call.bytes or 0] * size, gathers=False)


def _reduce_scatter(collective: Collective, call: Call, size: int) -> Rounds:
    counts = call.counts or call.receive_counts
    blocks = _even_blocks(call.bytes or 0, size) if counts is None else _counts(call, counts, size)
    return _reducing_ring(collective.rank, blocks, gathers=False)


def _allgather(collective: Collective, call: Call, size: int) -> Rounds:
    block = call.bytes or 0
    if block * size >= RING_FROM_BYTES:
        yield from _ring(collective.rank, [block] * size)
        return
    distance = 1  # Bruck et al. 1997: after each round, a rank has twice as many blocks
    while distance < size:
        part = block * min(distance, size - distance)
        yield _exchange((collective.rank - distance) % size, part, (collective.rank + distance) % size, part)
        distance *= 2


def _allgatherv(collective: Collective, call: Call, size: int) -> Rounds:
    return _ring(collective.rank, _counts(call, call.receive_counts, size))


def _pairwise(rank: int, sent: Sequence[int], received: Sequence[int]) -> Rounds:
    """In round k to the rank k above and from the rank k below."""
    size = len(sent)
    for step in range(1, size):
        to, origin = (rank + step) % size, (rank - step) % size
        yield _exchange(to, sent[to], origin, received[origin])


def _alltoall(collective: Collective, call: Call, size: int) -> Rounds:
    blocks = [call.bytes or 0] * size
    return _pairwise(collective.rank, blocks, blocks)


def _alltoallv(collective: Collective, call: Call, size: int) -> Rounds:
    received = _counts(call, call.receive_counts, size)
    sent = received if call.in_place else _counts(call, call.counts, size)
    return _pairwise(collective.rank, sent, received)


def _scan(collective: Collective, call: Call, size: int) -> Rounds:
    """Partial results over twice the distance in each round (Hillis and Steele 1986)."""
    part, distance = call.bytes or 0, 1
    while distance < size:
        above, below = collective.rank + distance, collective.rank - distance
        yield Round((Part(above, part),) if above < size else (), (Part(below, part),) if below >= 0 else ())
        distance *= 2


def _neighbours(collective: Collective, call: Call, _: int) -> Rounds:
    """All neighbours at once."""
    assert collective.neighbours is not None
    to, origins = collective.neighbours.destinations, collective.neighbours.sources
    block = call.bytes or 0
    sent = call.counts if call.counts and len(call.counts) == len(to) else (block,) * len(to)
    default = (block,) * len(origins)
    received = call.receive_counts if call.receive_counts and len(call.receive_counts) == len(origins) else default
    yield Round(
        tuple(Part(rank, size) for rank, size in zip(to, sent, strict=True) if rank is not None),
        tuple(Part(rank, size) for rank, size in zip(origins, received, strict=True) if rank is not None),
    )


_ALGORITHMS: Mapping[str, Callable[[Collective, Call, int], Rounds]] = {
    "Barrier": _barrier,
    "Bcast": _bcast,
    "Reduce": _reduce,
    "Allreduce": _allreduce,
    "Reduce_scatter": _reduce_scatter,
    "Reduce_scatter_block": _reduce_scatter_block,
    "Scan": _scan,
    "Exscan": _scan,
    "Gather": _gather,
    "Gatherv": _gatherv,
    "Scatter": _scatter,
    "Scatterv": _scatterv,
    "Allgather": _allgather,
    "Allgatherv": _allgatherv,
    "Alltoall": _alltoall,
    "Alltoallv": _alltoallv,
    "Alltoallw": _alltoallv,
    "Neighbor_allgather": _neighbours,
    "Neighbor_allgatherv": _neighbours,
    "Neighbor_alltoall": _neighbours,
    "Neighbor_alltoallv": _neighbours,
    "Neighbor_alltoallw": _neighbours,
}
