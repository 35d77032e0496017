"""When each call begins and ends, from recorded times or, where a trace has none, by a model. Pure.

Either way, a rank computes between its calls for the time that the trace has, and no message is received before it is
sent: a trace has mean times, by which the ranks would drift apart. From recorded times, a call takes the least time
that was recorded for the same call if it may have waited for another rank, else the mean. It ends later if what it
waits for does: a message once the call that sends it could have ended, a collective once all ranks have entered it.

The model of traces without times: a rank spends `CALL_S` in each call. A message arrives `LATENCY_S` and the time of
its bytes at `BYTES_PER_S` after it was sent, and a collective ends on all ranks after the last of them has entered it,
`LATENCY_S` for each doubling of the ranks later, and the time of its bytes. There is no contention.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stressbench.tracing.operations import COMPUTATION
from stressbench.tracing.schedules.events import Collective, Event
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import RankOfJob
from stressbench.tracing.schedules.survey import Channel, Survey

CALL_S = 0.5e-6
LATENCY_S = 1e-6
BYTES_PER_S = 10e9
RECORDED = (
    "recorded: the mean time between each pair of calls; a call takes the least time that was recorded for it, and "
    "longer where it waits for other ranks"
)
MODELLED = (
    f"modelled: the trace has no times; {CALL_S * 1e6:g} us a call, {LATENCY_S * 1e6:g} us latency, "
    f"{BYTES_PER_S / 1e9:g} GB/s, no contention"
)


class TimedEvent(NamedTuple):
    """A call of a rank with its begin and end, in seconds from the start."""

    rank: RankOfJob
    event: Event
    enter_s: float
    leave_s: float


def timing_of(survey: Survey) -> str:
    """Where the times of a timeline come from, in a sentence."""
    return RECORDED if _is_timed(survey) else MODELLED


def timeline(survey: Survey) -> Iterator[TimedEvent]:
    """All calls; those of a rank are in order. Raises ScheduleRefused if the ranks wait for each other."""
    return _Model(survey, is_timed=_is_timed(survey)).events()


def _is_timed(survey: Survey) -> bool:
    return all(job.trace.header.timed for job in survey.source.jobs)


_Key: TypeAlias = tuple[int, int]
"""What a rank waits for: its own number, and the number of a request, or -1 - k for the k-th blocking transfer."""


@dataclass(slots=True)
class _RankState:
    rank: RankOfJob
    events: Iterator[Event]
    now_s: float = 0.0
    current: Event | None = None
    enter_s: float = 0.0
    waits_for: list[_Key] = field(default_factory=list)
    blocking: int = 0


@dataclass(slots=True)
class _Model:
    survey: Survey
    is_timed: bool
    _ready: dict[_Key, float | None] = field(default_factory=dict)  # when a transfer is complete; None: not known yet
    _arrived: dict[Channel, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _posted: dict[Channel, deque[tuple[_Key, float]]] = field(default_factory=lambda: defaultdict(deque))
    _entered: dict[tuple[int, int], list[tuple[_Key, float]]] = field(default_factory=lambda: defaultdict(list))
    _instances: dict[tuple[int, int], int] = field(default_factory=dict)  # by rank and communicator
    _runnable: deque[int] = field(default_factory=deque)

    def events(self) -> Iterator[TimedEvent]:
        states = {
            rank.number: _RankState(rank, self.survey.events(rank)) for rank in self.survey.source.of_jobs()
        }  # fmt: skip
        unfinished = set(states)
        self._runnable.extend(states)
        while self._runnable:
            state = states[self._runnable.popleft()]
            yield from self._run(state)
            if state.current is None:
                unfinished.discard(state.rank.number)
        if unfinished:
            raise ScheduleRefused(f"{len(unfinished):,} ranks wait for each other, the first of them {min(unfinished)}")

    def _run(self, state: _RankState) -> Iterator[TimedEvent]:
        """The calls of a rank up to one that has to wait."""
        while True:
            if state.current is None:
                state.current = next(state.events, None)
                if state.current is None:
                    return
                self._begin(state, state.current)
            if any(self._ready[key] is None for key in state.waits_for):
                return
            ready = [self._ready.pop(key) or 0.0 for key in state.waits_for]
            leave_s = max(state.enter_s + self._least_s(state.current), *ready, 0.0)
            yield TimedEvent(state.rank, state.current, state.enter_s, leave_s)
            state.now_s, state.current = leave_s, None

    def _least_s(self, event: Event) -> float:
        """Time of a call that waits for nothing."""
        if event.call.op == COMPUTATION or not self.is_timed:
            return event.duration_s if event.call.op == COMPUTATION else CALL_S
        receives = event.collective is not None or any(not transfer.sends for transfer in event.transfers)
        return self._recorded_least_s(event) if receives or event.completed else event.duration_s

    def _recorded_least_s(self, event: Event) -> float:
        return event.duration_s if event.call.min_s is None else event.call.min_s

    def _begin(self, state: _RankState, event: Event) -> None:
        number = state.rank.number
        state.enter_s = state.now_s + event.gap_s
        state.waits_for = [(number, request) for request in event.completed if (number, request) in self._ready]
        for transfer in event.transfers:
            key = self._key(state, transfer.request)
            if transfer.sends:
                delay_s = (
                    self._recorded_least_s(event)
                    if self.is_timed
                    else CALL_S + LATENCY_S + transfer.bytes / BYTES_PER_S
                )
                self._ready[key] = state.enter_s
                self._send((number, transfer.partner, transfer.group.number, transfer.tag), state.enter_s + delay_s)
            else:
                self._receive((transfer.partner, number, transfer.group.number, transfer.tag), key, state.enter_s)
        if event.collective is not None:
            self._enter(state, event, event.collective)

    def _key(self, state: _RankState, request: int | None) -> _Key:
        if request is not None:
            return state.rank.number, request
        state.blocking += 1
        key = (state.rank.number, -state.blocking)
        state.waits_for.append(key)
        return key

    def _send(self, channel: Channel, arrival_s: float) -> None:
        if self._posted[channel]:
            key, posted_s = self._posted[channel].popleft()
            self._complete(key, max(arrival_s, posted_s))
        else:
            self._arrived[channel].append(arrival_s)

    def _receive(self, channel: Channel, key: _Key, posted_s: float) -> None:
        self._ready[key] = None
        if self._arrived[channel]:
            self._ready[key] = max(self._arrived[channel].popleft(), posted_s)
        else:
            self._posted[channel].append((key, posted_s))

    def _enter(self, state: _RankState, event: Event, collective: Collective) -> None:
        number, members = state.rank.number, len(collective.group.members)
        instance = self._instances.get((number, collective.group.number), 0)
        self._instances[number, collective.group.number] = instance + 1
        key = self._key(state, collective.request)
        self._ready[key] = None
        entered = self._entered[collective.group.number, instance]
        entered.append((key, state.enter_s))
        if len(entered) == members:
            del self._entered[collective.group.number, instance]
            doublings = (members - 1).bit_length()
            cost_s = CALL_S + LATENCY_S * doublings + (event.call.bytes or 0) / BYTES_PER_S
            end_s = max(enter_s for _, enter_s in entered) + (0.0 if self.is_timed else cost_s)
            for waiting, _ in entered:
                self._complete(waiting, end_s)

    def _complete(self, key: _Key, at_s: float) -> None:
        self._ready[key] = at_s
        self._runnable.append(key[0])
