"""Trace-event JSON, which https://ui.perfetto.dev and chrome://tracing show. Pure.

A job is a process, a rank a thread, a call a slice, and a message an arrow from the call that sends it to the one that
completes its receive. Times are in microseconds with three decimals.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

from stressbench.tracing.operations import COMPUTATION, class_of
from stressbench.tracing.schedules.events import Event, Transfer
from stressbench.tracing.schedules.survey import Channel, Survey
from stressbench.tracing.schedules.timeline import TimedEvent, timeline, timing_of

_NANOSECOND_US = 1e-3
_Message: TypeAlias = tuple[Channel, int]
"""The channel of a message, and its number there from 1."""


def perfetto_text(survey: Survey) -> Iterator[str]:
    """The lines of the file, one event each."""
    source = survey.source
    about = {"writer": "stressbench trace export", "times": timing_of(survey), "ranks": source.ranks}
    yield f'{{"displayTimeUnit":"ns","otherData":{orjson.dumps(about).decode()},"traceEvents":[\n'
    separator = ""
    for record in _records(survey):
        yield separator + orjson.dumps(record).decode()
        separator = ",\n"
    yield "\n]}\n"


def _records(survey: Survey) -> Iterator[dict[str, Any]]:
    for number, job in enumerate(survey.source.jobs):
        yield {"ph": "M", "name": "process_name", "pid": number + 1, "args": {"name": job.name}}
        for own, rank in enumerate(job.ranks):
            place = {"pid": number + 1, "tid": rank + 1}
            yield {"ph": "M", "name": "thread_name", **place, "args": {"name": f"rank {rank}"}}
            yield {"ph": "M", "name": "thread_sort_index", **place, "args": {"sort_index": own}}
    arrows = _Arrows()
    for timed in timeline(survey):
        yield _slice(timed)
        yield from arrows.of(timed)


def _place(timed: TimedEvent) -> dict[str, Any]:
    return {"pid": timed.rank.job + 1, "tid": timed.rank.number + 1}


def _slice(timed: TimedEvent) -> dict[str, Any]:
    event = timed.event
    op = event.call.op
    computes = op == COMPUTATION
    record: dict[str, Any] = {
        "ph": "X", "name": "compute" if computes else f"MPI_{op}", "cat": "compute" if computes else class_of(op).value,
        **_place(timed), "ts": _us(timed.enter_s), "dur": max(_us(timed.leave_s) - _us(timed.enter_s), 0.0),
    }  # fmt: skip
    record["dur"] = round(record["dur"], 3)
    if arguments := _arguments(event):
        record["args"] = arguments
    return record


def _arguments(event: Event) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for transfer in event.transfers:
        way = "to" if transfer.sends else "from"
        arguments.setdefault(way, []).append([transfer.partner, transfer.tag, transfer.bytes])
    if event.collective is not None:
        arguments |= {"communicator": event.collective.group.name, "ranks": len(event.collective.group.members),
                      "bytes": event.call.bytes or 0}  # fmt: skip
    return arguments


@dataclass(slots=True)
class _Arrows:
    """Begins and ends of messages. The k-th message of a channel is received by its k-th receive.

    Arrows are identified by numbers, since Perfetto takes other texts than hexadecimal numbers for none.
    """

    _sent: Counter[Channel] = field(default_factory=Counter)
    _received: Counter[Channel] = field(default_factory=Counter)
    _pending: dict[tuple[int, int], list[_Message]] = field(default_factory=dict)  # by rank and request
    _count: int = 0
    _open: dict[_Message, int] = field(default_factory=dict)  # numbers of those with one end so far

    def of(self, timed: TimedEvent) -> Iterator[dict[str, Any]]:
        number = timed.rank.number
        for transfer in timed.event.transfers:
            if transfer.sends:
                yield self._record(timed, "s", self._message(self._sent, number, transfer.partner, transfer))
                continue
            message = self._message(self._received, transfer.partner, number, transfer)
            if transfer.request is None:
                yield self._record(timed, "f", message)
            else:
                self._pending.setdefault((number, transfer.request), []).append(message)
        for request in timed.event.completed:
            for message in self._pending.pop((number, request), ()):
                yield self._record(timed, "f", message)

    def _message(self, counter: Counter[Channel], sender: int, receiver: int, transfer: Transfer) -> _Message:
        channel = (sender, receiver, transfer.group.number, transfer.tag)
        counter[channel] += 1
        return channel, counter[channel]

    def _number(self, message: _Message) -> int:
        if message in self._open:
            return self._open.pop(message)
        self._count += 1
        self._open[message] = self._count
        return self._count

    def _record(self, timed: TimedEvent, phase: str, message: _Message) -> dict[str, Any]:
        """An end of an arrow, just within the slice, since the end of a slice is no longer part of it."""
        enter, leave = _us(timed.enter_s), _us(timed.leave_s)
        at = enter if phase == "s" else max(enter, round(leave - _NANOSECOND_US, 3))
        ends = {"bp": "e"} if phase == "f" else {}
        return {
            "ph": phase, **ends, "id": self._number(message), "name": "message", "cat": "message", **_place(timed),
            "ts": at,
        }  # fmt: skip


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)
