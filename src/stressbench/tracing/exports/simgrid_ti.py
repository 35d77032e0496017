"""Time-independent traces of SimGrid, which `smpirun -replay` simulates. Pure.

Casanova et al. 2014, "Versatile, scalable, and accurate simulation of distributed applications and platforms"; actions
are those of smpi_replay.cpp in https://github.com/simgrid/simgrid, version 3.32 and later.
Collectives are messages, since actions for collectives exist only for all ranks of the simulation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from stressbench.formats.trace import Call
from stressbench.tracing.operations import COMPUTATION, OperationClass, class_of
from stressbench.tracing.schedules.collectives import rounds_of
from stressbench.tracing.schedules.events import Collective, Event, Transfer
from stressbench.tracing.schedules.sources import RankOfJob
from stressbench.tracing.schedules.survey import Survey
from stressbench.tracing.schedules.tags import Tags

FLOPS_PER_S = 1e9
"""Operations that stand for a second of computation: hosts of this speed compute as long as the program did."""
SMALLEST_MESSAGE = 1
"""Messages without content are written with this size: SMPI takes a receive of 0 bytes for one of unknown size."""

_Request: TypeAlias = tuple[int, int, int]  # sender, receiver, tag, as SMPI names requests


def idle_rank(number: int) -> str:
    """The actions of a rank without a job."""
    return f"{number} init\n{number} finalize\n"


@dataclass(slots=True)
class RankActions:
    """Writes the actions of one rank."""

    rank: RankOfJob
    tags: Tags
    _pending: dict[int, list[_Request]] = field(default_factory=dict)
    _collectives: dict[int, tuple[Collective, Call, int]] = field(default_factory=dict)  # nonblocking, by request
    _instances: dict[int, int] = field(default_factory=dict)

    def lines(self, survey: Survey) -> Iterator[str]:
        """The lines of the rank's file."""
        number = self.rank.number
        yield f"{number} init\n"
        for event in survey.events(self.rank):
            yield from self._computation(event.gap_s)
            for action in self._actions(event):
                yield f"{number} {action}\n"
            if event.call.op == COMPUTATION or class_of(event.call.op) is OperationClass.io:
                yield from self._computation(event.duration_s)
        yield from self._computation(self.rank.own.streams_by_thread()[0].tail_s or 0.0)
        yield f"{number} finalize\n"

    def _computation(self, seconds: float) -> Iterator[str]:
        if flops := round(seconds * FLOPS_PER_S):
            yield f"{self.rank.number} compute {flops}\n"

    def _actions(self, event: Event) -> Iterator[str]:
        if len(event.transfers) == 1 and event.transfers[0].request is None:
            (only,) = event.transfers
            yield self._message("send" if only.sends else "recv", only)
        else:
            blocking: list[_Request] = []
            for transfer in event.transfers:
                yield self._message("isend" if transfer.sends else "irecv", transfer)
                started = self._request(
                    transfer.partner, self.tags.message(transfer.group, transfer.tag), sends=transfer.sends
                )
                if transfer.request is None:
                    blocking.append(started)
                else:
                    self._pending.setdefault(transfer.request, []).append(started)
            yield from map(_wait, blocking)
        if event.collective is not None:
            yield from self._begin(event.collective, event.call)
        for request in event.completed:
            yield from map(_wait, self._pending.pop(request, ()))
            if request in self._collectives:
                yield from self._collective(*self._collectives.pop(request))

    def _begin(self, collective: Collective, call: Call) -> Iterator[str]:
        instance = self._instances.get(collective.group.number, 0)
        self._instances[collective.group.number] = instance + 1
        tag = self.tags.collective(collective.group, instance)
        if collective.request is None:
            yield from self._collective(collective, call, tag)
        else:
            self._collectives[collective.request] = (collective, call, tag)

    def _collective(self, collective: Collective, call: Call, tag: int) -> Iterator[str]:
        members = collective.group.members
        for part in rounds_of(collective, call):
            started: list[_Request] = []
            for verb, messages in (("irecv", part.receives), ("isend", part.sends)):
                for message in messages:
                    partner = members[message.partner]
                    yield f"{verb} {partner} {tag} {max(message.bytes, SMALLEST_MESSAGE)}"
                    started.append(self._request(partner, tag, sends=verb == "isend"))
            yield from map(_wait, started)

    def _message(self, verb: str, transfer: Transfer) -> str:
        tag = self.tags.message(transfer.group, transfer.tag)
        return f"{verb} {transfer.partner} {tag} {max(transfer.bytes, SMALLEST_MESSAGE)}"

    def _request(self, partner: int, tag: int, *, sends: bool) -> _Request:
        number = self.rank.number
        return (number, partner, tag) if sends else (partner, number, tag)


def _wait(request: _Request) -> str:
    sender, receiver, tag = request
    return f"wait {sender} {receiver} {tag}"
