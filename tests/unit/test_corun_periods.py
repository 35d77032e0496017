"""A period of a co-run by a simulated clock: who is started again, which executions count, and when it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stressbench.errors import Interrupted, MachineFault
from stressbench.experiments.corun.executions import Measured, Prepared
from stressbench.experiments.corun.members import Member
from stressbench.experiments.corun.overlaps import least_overlap
from stressbench.experiments.corun.periods import MOST_TRIES, PeriodRule, run_period, shortfall, thinned
from stressbench.experiments.corun.programs import Program
from stressbench.experiments.corun.running import periods_left
from stressbench.formats.launches.coruns import Execution
from stressbench.launch.clock import timed_by
from stressbench.launch.command import Command
from stressbench.launch.concurrent import EndedLaunch
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LOCAL


@dataclass(kw_only=True)
class Simulated:
    """Launches and their clock: program `name` runs for `runs_s` after a start-up of `start_s`."""

    runs_s: dict[str, float]
    start_s: float = 0.0
    statuses: dict[str, int] = field(default_factory=dict)
    interrupts_after_s: float = float("inf")
    time: float = 100.0
    interrupted: bool = False
    limit_s: float | None = None
    running: dict[int, tuple[float, float, str]] = field(default_factory=dict)  # begin, end and name by place
    removed: list[Path] = field(default_factory=list)

    def now_s(self) -> float:
        return self.time

    def alarm(self, delay_s: float, action: Callable[[], object]):
        raise AssertionError

    def start(self, key: int, command: Command, *, limit_s: float | None = None) -> None:
        name = command.argv[0]
        length = self.start_s + self.runs_s[name]
        self.running[key] = (self.time, self.time + min(length, limit_s or length), name)
        self.limit_s = limit_s

    def next_end(self) -> EndedLaunch:
        key = min(self.running, key=lambda one: (self.running[one][1], one))
        began_s, ended_s, name = self.running.pop(key)
        self.time = ended_s
        self.interrupted = ended_s - 100.0 >= self.interrupts_after_s
        at_limit = self.limit_s is not None and ended_s - began_s >= self.limit_s
        return self._ended(key, began_s, ended_s, status=self.statuses.get(name, 0), stop_requests=int(at_limit))

    def end_all(self) -> tuple[EndedLaunch, ...]:
        ended = [self._ended(key, one[0], self.time, status=143) for key, one in self.running.items()]
        self.running.clear()
        return tuple(ended)

    def _ended(self, key: int, began_s: float, ended_s: float, *, status: int, stop_requests: int = 0) -> EndedLaunch:
        outcome = Outcome(
            status=status, stop_requests=stop_requests, output="last words\n", errors="", rank_of=(), began_s=began_s,
            ended_s=ended_s,
        )  # fmt: skip
        return EndedLaunch(key=key, outcome=outcome)

    def execution(self, member: Member) -> Prepared:
        name = member.program.name
        return Prepared(member=member, command=Command(argv=(name,)), run_file=Path(name))

    def measured(self, prepared: Prepared, outcome: Outcome) -> Measured:
        if outcome.status:
            raise MachineFault(f"{prepared.member.program.name} ended with status {outcome.status}")
        return Measured(time_s=outcome.ended_s - outcome.began_s - self.start_s, mpi_s=0.0, figures={})

    def remove_files(self, prepared: Prepared) -> None:
        assert prepared.run_file is not None
        self.removed.append(prepared.run_file)


def members(*names: str) -> tuple[Member, ...]:
    return tuple(
        Member(
            number=number, program=Program(name=name, command=(name,), ranks=1), target=LOCAL, hosts=None, ranks=1,
            part=number,
        )
        for number, name in enumerate(names)
    )  # fmt: skip


def period(
    machine: Simulated, *names: str, executions: int = 2, min_overlap: float = 0.9, limit_s: float | None = None
) -> tuple[Execution, ...]:
    rule = PeriodRule(executions=executions, min_overlap=min_overlap, limit_s=limit_s)
    with timed_by(machine):
        return run_period(members(*names), rule=rule, factory=machine, launches=machine)  # type: ignore[arg-type]


def of(executions: tuple[Execution, ...], place: int) -> list[Execution]:
    return [one for one in executions if one.place == place]


def test_a_program_alone_is_executed_as_often_as_required() -> None:
    done = period(Simulated(runs_s={"a": 5.0}, start_s=1.0), "a", executions=3)

    assert [(one.began_s, one.ended_s, one.time_s) for one in done] == [(0, 6, 5), (6, 12, 5), (12, 18, 5)]
    assert [one.overlap for one in done] == [None, None, None]


def test_a_program_that_ends_is_started_again_until_the_other_is_done() -> None:
    done = period(Simulated(runs_s={"short": 2.0, "long": 7.0}), "short", "long", executions=1)

    assert [(one.began_s, one.ended_s, one.status) for one in of(done, 0)] == [
        (0, 2, 0), (2, 4, 0), (4, 6, 0), (6, 7, None),
    ]  # fmt: skip
    assert [(one.ended_s, one.status, one.overlap) for one in of(done, 1)] == [(7, 0, 1)]


def test_the_overlap_is_the_share_of_the_time_in_which_the_other_ran_without_its_start() -> None:
    machine = Simulated(runs_s={"short": 4.0, "long": 20.0}, start_s=1.0)

    done = period(machine, "short", "long", executions=1, min_overlap=0.75)

    (long,) = [one for one in of(done, 1) if one.status == 0]
    assert long.ended_s == 21
    # From 1 to 21 s; the short one ran from 1 to 5, 6 to 10, 11 to 15, 16 to 20 s, and then started once more.
    assert long.overlap == pytest.approx(16 / 20)


def test_an_execution_with_too_little_overlap_does_not_count_and_tries_are_limited() -> None:
    done = period(
        Simulated(runs_s={"short": 4.0, "long": 20.0}, start_s=1.0), "short", "long", executions=1, min_overlap=0.9
    )

    tries = [one for one in of(done, 1) if one.status == 0]
    assert len(tries) == MOST_TRIES
    rule = PeriodRule(executions=1, min_overlap=0.9)
    (sentence,) = shortfall(members("short", "long"), done, rule)
    assert sentence.startswith(
        "long: 0 executions of 5 had the others beside it for at least 90 % of its time (at best "
    )


def test_a_lower_limit_lets_the_period_end() -> None:
    machine = Simulated(runs_s={"short": 4.0, "long": 20.0}, start_s=1.0)

    done = period(machine, "short", "long", executions=1, min_overlap=0.75)

    assert len([one for one in of(done, 1) if one.status == 0]) == 1
    assert shortfall(members("short", "long"), done, PeriodRule(executions=1, min_overlap=0.75)) == ()


def test_the_overlap_with_the_rarest_of_several_programs_counts() -> None:
    done = period(
        Simulated(runs_s={"a": 10.0, "b": 1.0, "c": 4.0}, start_s=1.0), "a", "b", "c", executions=1, min_overlap=0.4
    )

    first = next(one for one in of(done, 0) if one.status == 0)
    assert first.overlap == pytest.approx(5 / 10)  # b runs half of the time, c 4 of 5 s


def test_a_program_that_fails_ends_all() -> None:
    machine = Simulated(runs_s={"a": 2.0, "b": 5.0}, statuses={"a": 3})

    with pytest.raises(MachineFault, match="a ended with status 3"):
        period(machine, "a", "b")

    assert machine.running == {}
    assert sorted(map(str, machine.removed)) == ["a", "b"]


def test_a_stop_signal_ends_all() -> None:
    machine = Simulated(runs_s={"a": 2.0, "b": 5.0}, interrupts_after_s=3.0)

    with pytest.raises(Interrupted):
        period(machine, "a", "b")

    assert machine.running == {}


def test_an_execution_that_takes_too_long_is_named() -> None:
    with pytest.raises(MachineFault, match="--time-limit: slow was ended after 3 s"):
        period(Simulated(runs_s={"slow": 9.0, "b": 1.0}), "slow", "b", limit_s=3.0)


def test_files_of_all_executions_are_removed() -> None:
    machine = Simulated(runs_s={"a": 2.0, "b": 5.0})

    done = period(machine, "a", "b")

    assert len(machine.removed) == len(done)


def test_very_many_executions_are_thinned_evenly() -> None:
    machine = Simulated(runs_s={"short": 1.0, "long": 99.5})

    done = period(machine, "short", "long", executions=1)

    kept = thinned(done, most=20)
    assert [one.began_s for one in of(kept, 0)] == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert of(kept, 1) == of(done, 1)
    assert thinned(done) == done


@pytest.mark.parametrize(
    ("span", "others", "share"),
    [
        ((0, 10), [[(0, 10)]], 1.0),
        ((0, 10), [[(-5, 2), (4, 6), (9, 20)]], 0.5),
        ((0, 10), [[(0, 10)], [(0, 1)]], 0.1),
        ((0, 10), [[]], 0.0),
        ((3, 3), [[(0, 10)]], 0.0),
    ],
)
def test_overlaps(span: tuple[float, float], others: list[list[tuple[float, float]]], share: float) -> None:
    assert least_overlap(span, others) == pytest.approx(share)


def test_the_time_left_is_that_of_as_many_periods_as_those_so_far() -> None:
    assert periods_left([], planned=12) == "12 periods left"
    assert periods_left([60.0, 120.0], planned=12) == "10 periods left, about 15 min"
    assert periods_left([30.0], planned=2) == "1 period left, about 30 s"
