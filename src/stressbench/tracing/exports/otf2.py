"""Definitions and events of an OTF2 archive, as JSON lines for the process that writes them (`otf2_writer`). Pure.

A line is a list. The first one: [ticks per second, sentence about the times, jobs, ranks in order as
[number, job or -1], communicators as [number, name, members]]. Then events, each [rank, time, kind, ...], in ticks:
`enter` and `leave` with a region, `send` and `recv` with [rank in the communicator, communicator, tag, bytes], `isend`,
`irecv` with these and the request, `isent` and `post` with a request, `begin`, and `end` with [operation, communicator,
root or -1, bytes sent, bytes received]. The last line is ["end"].
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from stressbench.tracing.operations import COMPUTATION
from stressbench.tracing.schedules.collectives import rounds_of
from stressbench.tracing.schedules.communicators import Group
from stressbench.tracing.schedules.events import Collective, Transfer
from stressbench.tracing.schedules.survey import Survey
from stressbench.tracing.schedules.timeline import TimedEvent, timeline, timing_of

TICKS_PER_S = 1_000_000_000


def otf2_lines(survey: Survey) -> Iterator[bytes]:
    """All lines."""
    source = survey.source
    job_of = {rank: number for number, job in enumerate(source.jobs) for rank in job.ranks}
    ranks = [[rank, job_of.get(rank, -1)] for rank in range(source.ranks)]
    groups = [[group.number, group.name, list(group.members)] for group in survey.groups.all]
    jobs = [job.name for job in source.jobs]
    yield _line([TICKS_PER_S, timing_of(survey), jobs, ranks, groups])
    events = _Events()
    for timed in timeline(survey):
        for event in events.of(timed):
            yield _line(event)
    yield _line(["end"])


def _line(value: list[Any]) -> bytes:
    return orjson.dumps(value) + b"\n"


@dataclass(slots=True)
class _Events:
    _pending: dict[tuple[int, int], list[Transfer]] = field(default_factory=dict)  # by rank and request
    _collectives: dict[tuple[int, int], list[Any]] = field(default_factory=dict)
    _places: dict[int, dict[int, int]] = field(default_factory=dict)  # by communicator, ranks in it
    _clock: dict[int, int] = field(default_factory=dict)  # the last time of each rank

    def of(self, timed: TimedEvent) -> Iterator[list[Any]]:
        number, event = timed.rank.number, timed.event
        enter, leave = self._ticks(number, timed.enter_s), self._ticks(number, timed.leave_s)
        region = "compute" if event.call.op == COMPUTATION else f"MPI_{event.call.op}"
        yield [number, enter, "enter", region]
        for transfer in event.transfers:
            yield from self._start(number, enter, leave, transfer)
        if event.collective is not None:
            yield [number, enter, "begin"]
            end = self._end(event.collective, timed)
            if event.collective.request is None:
                yield [number, leave, "end", end]
            else:
                self._collectives[number, event.collective.request] = end
        for request in event.completed:
            for transfer in self._pending.pop((number, request), ()):
                message = [*self._message(transfer), request]
                yield [number, leave, "isent", request] if transfer.sends else [number, leave, "irecv", message]
            if (number, request) in self._collectives:
                yield [number, leave, "end", self._collectives.pop((number, request))]
        yield [number, leave, "leave", region]

    def _ticks(self, rank: int, seconds: float) -> int:
        """Times of a rank never decrease."""
        ticks = max(round(seconds * TICKS_PER_S), self._clock.get(rank, 0))
        self._clock[rank] = ticks
        return ticks

    def _start(self, number: int, enter: int, leave: int, transfer: Transfer) -> Iterator[list[Any]]:
        if transfer.request is None:
            kind, at = ("send", enter) if transfer.sends else ("recv", leave)
            yield [number, at, kind, self._message(transfer)]
            return
        self._pending.setdefault((number, transfer.request), []).append(transfer)
        if transfer.sends:
            yield [number, enter, "isend", [*self._message(transfer), transfer.request]]
        else:
            yield [number, enter, "post", transfer.request]

    def _message(self, transfer: Transfer) -> list[Any]:
        return [self._place(transfer.group, transfer.partner), transfer.group.number, transfer.tag, transfer.bytes]

    def _place(self, group: Group, rank: int) -> int:
        if group.number not in self._places:
            self._places[group.number] = {member: place for place, member in enumerate(group.members)}
        return self._places[group.number][rank]

    def _end(self, collective: Collective, timed: TimedEvent) -> list[Any]:
        """Bytes are those of the messages that the collective stands for (docs/how-to/export-traces.md)."""
        sent = received = 0
        for part in rounds_of(collective, timed.event.call):
            sent += sum(message.bytes for message in part.sends)
            received += sum(message.bytes for message in part.receives)
        root = timed.event.call.root
        return [collective.op, collective.group.number, -1 if root is None else root, sent, received]
