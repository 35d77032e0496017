"""Neighbours of a rank in the topology of a communicator (MPI_Cart_create, MPI_Dist_graph_create_adjacent). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from stressbench.formats.trace import Call, RankTrace
from stressbench.tracing.schedules.refusal import ScheduleRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Ranks of the communicator, in the order of the buffers of a neighbourhood collective; None: there is none."""

    sources: tuple[int | None, ...]
    destinations: tuple[int | None, ...]


def neighbours_of(rank: RankTrace, calls: Sequence[Call], collective: Call, members: Sequence[int]) -> Neighbours:
    """The neighbours to which a neighbourhood collective of the rank sends. Raises ScheduleRefused if unknown."""
    creator = next((call for call in calls if call.made is not None and call.made == collective.comm), None)
    if creator is not None and creator.op == "Cart_create" and creator.dims:
        assert collective.comm is not None
        return _on_grid(creator, rank.comms[collective.comm].rank or 0)
    if creator is not None and creator.op == "Dist_graph_create_adjacent":
        of_world = rank.comms[0]
        place = {member: number for number, member in enumerate(members)}
        if of_world.size >= len(members) and creator.sources is not None and creator.destinations is not None:
            return Neighbours(
                sources=tuple(place.get(world) for world in creator.sources),
                destinations=tuple(place.get(world) for world in creator.destinations),
            )
    made_by = "unknown" if creator is None else creator.op
    raise ScheduleRefused(
        f"rank {rank.rank}: {collective.op}: the neighbours are unknown (communicator made by {made_by}; known are "
        "Cart_create and Dist_graph_create_adjacent)"
    )


def _on_grid(creator: Call, rank: int) -> Neighbours:
    """In each dimension the rank below and the one above, as in MPI 3.1, section 7.6."""
    dims, periods = creator.dims or (), creator.periods or ()
    found: list[int | None] = []
    for place, length in enumerate(dims):
        stride = prod(dims[place + 1 :])
        at = rank // stride % length
        for step in (-1, 1):
            there = at + step
            if periods[place]:
                there %= length
            found.append(rank + (there - at) * stride if 0 <= there < length else None)
    return Neighbours(sources=tuple(found), destinations=tuple(found))
