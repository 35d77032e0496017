"""A period: programs that are executed again and again at the same time, until each was executed often enough."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from stressbench.errors import Interrupted, MachineFault
from stressbench.experiments.corun.executions import ExecutionFactory, Prepared
from stressbench.experiments.corun.members import Member
from stressbench.experiments.corun.overlaps import Span, least_overlap
from stressbench.formats.launches.coruns import MAX_EXECUTIONS, Execution
from stressbench.launch import clock
from stressbench.launch.concurrent import ConcurrentLaunches, EndedLaunch
from stressbench.report.units import count

MOST_TRIES = 5
"""How many times the required number of executions are tried if they do not overlap enough."""


@dataclass(frozen=True, kw_only=True)
class PeriodRule:
    """When a period ends: each program was executed `executions` times, each with an overlap of `min_overlap`.

    A program that never reaches it is executed `MOST_TRIES` times as often. `limit_s`: longest time of an execution.
    """

    executions: int
    min_overlap: float
    limit_s: float | None = None

    def is_satisfied(self, done: Sequence[Execution]) -> bool:
        """Whether these executions of one program suffice."""
        counted = sum(one.overlap is None or one.overlap >= self.min_overlap for one in done)
        return counted >= self.executions or len(done) >= MOST_TRIES * self.executions


@dataclass(kw_only=True)
class _Member:
    """A program of the period: the execution that runs, when it began, and those that are done."""

    member: Member
    running: Prepared | None = None
    began_s: float = 0.0
    done: list[Execution] = field(default_factory=list)

    def spans(self, until_s: float) -> list[Span]:
        """When ranks of the program were active: all of each execution but for the start-up of its ranks."""
        spans = [(one.ended_s - (one.time_s or one.ended_s - one.began_s), one.ended_s) for one in self.done]
        if self.running is not None:
            spans.append((min(until_s, self.began_s + self._startup_s()), until_s))
        return spans

    def _startup_s(self) -> float:
        known = [one.ended_s - one.began_s - one.time_s for one in self.done if one.time_s is not None]
        return max(0.0, median(known)) if known else 0.0


def run_period(
    members: Sequence[Member], *, rule: PeriodRule, factory: ExecutionFactory, launches: ConcurrentLaunches
) -> tuple[Execution, ...]:
    """Execute all programs at the same time, each again when it ends, until the rule is satisfied for all.

    The executions that then still run are ended and do not count. They are returned in the order of their ends. Raises
    Interrupted after a stop signal, and MachineFault if a program fails.
    """
    period = _Period(members=members, rule=rule, factory=factory, launches=launches)
    return period.run()


@dataclass(kw_only=True)
class _Period:
    members: Sequence[Member]
    rule: PeriodRule
    factory: ExecutionFactory
    launches: ConcurrentLaunches
    zero_s: float = field(default_factory=clock.now_s)
    places: list[_Member] = field(init=False)

    def __post_init__(self) -> None:
        self.places = [_Member(member=member) for member in self.members]

    def run(self) -> tuple[Execution, ...]:
        try:
            for number in range(len(self.places)):
                self._start(number)
            while not all(self.rule.is_satisfied(one.done) for one in self.places):
                number = self._end(self.launches.next_end())
                if not all(self.rule.is_satisfied(one.done) for one in self.places):
                    self._start(number)
        finally:
            unfinished = [self._unfinished(ended) for ended in self.launches.end_all()]
        done = [one for place in self.places for one in place.done]
        return tuple(sorted([*done, *unfinished], key=_ended))

    def _start(self, number: int) -> None:
        place = self.places[number]
        prepared = self.factory.execution(place.member)
        place.began_s = self._since_zero(clock.now_s())
        place.running = prepared
        self.launches.start(number, prepared.command, limit_s=self.rule.limit_s)

    def _end(self, ended: EndedLaunch) -> int:
        """Record an execution that has ended, and return the number of its place."""
        place, outcome = self.places[ended.key], ended.outcome
        prepared = place.running
        assert prepared is not None
        try:
            if self.launches.interrupted:
                raise Interrupted("stopped")
            if outcome.stop_requests:
                name = place.member.program.name
                raise MachineFault(f"--time-limit: {name} was ended after {self.rule.limit_s:g} s: use a longer limit")
            measured = self.factory.measured(prepared, outcome)
        finally:
            self.factory.remove_files(prepared)
            place.running = None
        execution = Execution(
            place=ended.key, began_s=self._since_zero(outcome.began_s), ended_s=self._since_zero(outcome.ended_s),
            status=outcome.status, time_s=measured.time_s, mpi_s=measured.mpi_s, figures=measured.figures,
            overlap=None, iterations=measured.iterations,
        )  # fmt: skip
        place.done.append(replace(execution, overlap=self._overlap(execution)))
        return ended.key

    def _overlap(self, execution: Execution) -> float | None:
        others = [one.spans(execution.ended_s) for number, one in enumerate(self.places) if number != execution.place]
        if not others:
            return None
        began_s = execution.ended_s - (execution.time_s or execution.ended_s - execution.began_s)
        return least_overlap((began_s, execution.ended_s), others)

    def _unfinished(self, ended: EndedLaunch) -> Execution:
        """An execution that was ended because the period was over."""
        place, outcome = self.places[ended.key], ended.outcome
        if place.running is not None:
            self.factory.remove_files(place.running)
            place.running = None
        return Execution(
            place=ended.key, began_s=self._since_zero(outcome.began_s), ended_s=self._since_zero(outcome.ended_s),
            status=None, time_s=None, mpi_s=None, figures={}, overlap=None,
        )  # fmt: skip

    def _since_zero(self, at_s: float) -> float:
        return max(0.0, at_s - self.zero_s)


def _ended(execution: Execution) -> tuple[float, int]:
    return execution.ended_s, execution.place


def shortfall(members: Sequence[Member], executions: Sequence[Execution], rule: PeriodRule) -> tuple[str, ...]:
    """A sentence for each program that had too few others beside it for most of its time."""
    sentences = []
    for place, member in enumerate(members):
        done = [one for one in executions if one.place == place and one.status is not None]
        counted = [one for one in done if one.overlap is None or one.overlap >= rule.min_overlap]
        if len(counted) < rule.executions:
            best = max((one.overlap or 0.0 for one in done), default=0.0)
            had = f"{count(len(counted), 'execution')} of {len(done)} had the others beside it"
            share = f"{100 * rule.min_overlap:g} % of its time (at best {100 * best:.0f} %)"
            sentences.append(
                f"{member.program.name}: {had} for at least {share}: the others take too long to start again; give "
                "them longer inputs, or lower --min-overlap"
            )
    return tuple(sentences)


def thinned(executions: Sequence[Execution], *, most: int = MAX_EXECUTIONS) -> tuple[Execution, ...]:
    """At most so many of the executions: of each program every 2nd, 3rd, ..., so that they stay evenly spaced."""
    places = {one.place for one in executions}
    most_each = max(1, most // max(1, len(places)))
    kept: list[Execution] = []
    for place in sorted(places):
        own = [one for one in executions if one.place == place]
        kept += own[:: -(-len(own) // most_each)]
    return tuple(sorted(kept, key=_ended))
