"""Co-runs of programs: isolated and contended periods in randomised blocks."""

import os
import platform
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from stressbench import __version__
from stressbench.errors import Interrupted, MachineFault
from stressbench.experiments.corun.executions import ExecutionFactory
from stressbench.experiments.corun.members import Member, default_node_use, members_of, shared_cores
from stressbench.experiments.corun.periods import PeriodRule, run_period, shortfall, thinned
from stressbench.experiments.corun.programs import ProgramList
from stressbench.experiments.interference.spec import require_real_hosts
from stressbench.experiments.new_directory import make_new_directory
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.experiments.study.directory import locked
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.launches.coruns import (
    JOURNAL,
    CorunPlan,
    LinkUse,
    NodeUse,
    Period,
    PlannedProgram,
    RecordedCoruns,
)
from stressbench.formats.launches.journal import FILE
from stressbench.formats.profiles.coruns import to_line
from stressbench.formats.profiles.profile import valid_name
from stressbench.formats.units import duration_text
from stressbench.launch.concurrent import ConcurrentLaunches, concurrent_launches
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import scheduled_for
from stressbench.launch.targets import LinkMeter, link_meter, resolve_target
from stressbench.levels import Level
from stressbench.report.units import count
from stressbench.results.coruns import OWN_MEASURES, Corun, corun_of, observations_of, sharing_of_cores

BLOCKS, EXECUTIONS, MIN_OVERLAP, ROUNDS = 6, 2, 0.9, 10
OBSERVATIONS = "observations.jsonl"
REPORT = "report.html"


@dataclass(frozen=True, kw_only=True)
class CorunSpec:
    """Programs, and which of them run at the same time.

    `words`: the command line of the programs. `groups`: numbers of programs that run together, by default all of them
    as they were listed. `nodes`: None for hosts of their own where there are several. `blocks`: how often each program
    is measured isolated, and each group together. `executions`: the fewest of each program in a period. `min_overlap`:
    an execution counts if each of the other programs ran for at least this share of its time. `figures`: expressions
    of figures of merit by name, of which less is better for those in `lower`. `iterations`: by a program's name the MPI
    operation that each of its iterations calls once (`calls_of_iterations`). `rounds`: contended rounds of workloads.
    `limit_s`: the longest time of an execution. `machine`: its name in observations, None for that of the lab or of
    this host. `output`: a new directory for launches, observations and a report.
    """

    words: tuple[str, ...]
    programs: ProgramList
    groups: tuple[tuple[int, ...], ...] = ()
    on: str = "local"
    nodes: NodeUse | None = None
    blocks: int = BLOCKS
    executions: int = EXECUTIONS
    min_overlap: float = MIN_OVERLAP
    figures: Mapping[str, str] = field(default_factory=dict)
    lower: tuple[str, ...] = ()
    iterations: Mapping[str, str] = field(default_factory=dict)
    rounds: int = ROUNDS
    limit_s: float | None = None
    seed: int = 1
    machine: str | None = None
    engine: Path | None = None
    output: Path | None = None

    def run(self, *, progress: Progress = silent, earlier: RecordedCoruns | None = None) -> Corun:
        """Measure all blocks. After a stop signal, the result of the blocks so far, which is not `complete`.

        `earlier`: an interrupted co-run in `output`, which the caller has locked; its periods are not measured again.
        Must be called from the main thread. Raises LaunchMistake and StudyMistake before any launch, MachineFault if a
        program fails, and Interrupted without any result.
        """
        self._require_valid_values()
        target = require_real_hosts(resolve_target(self.on, environment=os.environ), target_name=self.on)
        groups = self.groups or (self.programs.order,)
        if any(len(group) < 2 for group in groups):
            raise LaunchMistake(f"{' '.join(self.words)}: expected two programs or more, such as -- ./a ++ ./b")
        nodes = self.nodes or default_node_use(target)
        parts = max(map(len, groups))
        members = _with_concurrent_ranks(
            [
                members_of(group, self.programs.programs, target, nodes=nodes, on=self.on, parts=parts)
                for group in groups
            ]
        )
        meter = link_meter(self.on)
        plan = self._plan(groups, members, nodes)
        if (sharing := sharing_of_cores(plan)) is not None:
            progress(f"{self.on}: {sharing}")
        if earlier is not None:
            _require_same_hosts(earlier.plan, plan)
        with self._folder(is_new=earlier is None) as folder, scratch_directory("corun") as scratch:
            factory = ExecutionFactory(
                folder=scratch.absolute(), engine=self.engine, rounds=self.rounds, seed=self.seed, figures=self.figures,
                iterations=self.iterations,
            )  # fmt: skip
            for member in (one for group in members for one in group):
                factory.prepare(member)
            run = _Run(
                spec=self, plan=plan, members=members, factory=factory, meter=meter,
                journal=(folder or scratch) / FILE, progress=progress, earlier=earlier,
            )  # fmt: skip
            with scheduled_for(target):
                result = run.run()
            if folder is not None:
                _write_results(folder, result, progress=progress)
            return result

    def _require_valid_values(self) -> None:
        """Raise LaunchMistake for values that are out of range."""
        least = {"--blocks": self.blocks, "--executions": self.executions, "--rounds": self.rounds}
        for option, value in least.items():
            if value < 1:
                raise LaunchMistake(f"{option} {value}: expected 1 or more")
        for name in self.figures:
            if name in OWN_MEASURES:
                raise LaunchMistake(f"--fom {name}: expected another name; {name} is measured by itself")
        if not 0 < self.min_overlap <= 1:
            raise LaunchMistake(f"--min-overlap {self.min_overlap:g}: expected a share up to 1, such as 0.9")
        if self.machine is not None and valid_name(self.machine) != self.machine:
            raise LaunchMistake(f"--machine: '{self.machine}' must be letters, digits and . _ + - only, 64 at most")

    def _plan(
        self, groups: Sequence[tuple[int, ...]], members: Sequence[Sequence[Member]], nodes: NodeUse
    ) -> CorunPlan:
        ranks = {one.number: one.ranks for group in members for one in group}
        kind, _, lab = self.on.partition(":")
        return CorunPlan(
            at=_now(), version=__version__, command=self.words, on=self.on, runs=self.blocks, seed=self.seed,
            figures=self.figures,
            programs=tuple(
                PlannedProgram(
                    name=one.name, command=one.command, ranks=ranks[number], is_workload=one.workload is not None
                )
                for number, one in enumerate(self.programs.programs)
            ),
            groups=tuple(groups), hosts=tuple(tuple(one.hosts_text for one in group) for group in members),
            nodes=nodes, own_cores=all(one.own_cores for group in members for one in group),
            shared_cores=max(map(shared_cores, members)) or None,
            executions=self.executions, min_overlap=self.min_overlap,
            lower=self.lower, iterations=self.iterations,
            machine=self.machine or valid_name(f"{kind}-{lab}" if lab else platform.node()),
            rounds=self.rounds, limit_s=self.limit_s,
        )  # fmt: skip

    @contextmanager
    def _folder(self, *, is_new: bool) -> Iterator[Path | None]:
        if self.output is None:
            yield None
            return
        if not is_new:
            yield self.output
            return
        make_new_directory(self.output, begins="a co-run begins")
        with locked_corun(self.output):
            yield self.output


@dataclass(kw_only=True)
class _Run:
    spec: CorunSpec
    plan: CorunPlan
    members: Sequence[tuple[Member, ...]]
    factory: ExecutionFactory
    meter: LinkMeter | None
    journal: Path
    progress: Progress
    earlier: RecordedCoruns | None
    periods: list[Period] = field(default_factory=list)

    def run(self) -> Corun:
        spec = self.spec
        self._begin()
        conditions = self._conditions
        with concurrent_launches() as launches:
            try:
                for block in range(spec.blocks):
                    order = random.Random(f"{spec.seed}/{block}").sample(conditions, len(conditions))
                    for members in order:
                        if not self._is_measured(block, members):
                            self._measure(block, members, launches)
            except Interrupted:
                if spec.output is not None:
                    self.progress(_measures_the_rest(spec.output))
                result = self._result()
                if not any(one.blocks for one in result.slowdowns):
                    raise
                return result
            except MachineFault as fault:
                raise MachineFault(*fault.args, *self._kept()) from fault
        return self._result()

    @property
    def _conditions(self) -> list[tuple[Member, ...]]:
        """What a block has a period of: each program isolated, and each group."""
        return [*((member,) for member in _isolated(self.members)), *self.members]

    def _begin(self) -> None:
        """Record the plan, or take over the periods of an earlier co-run with the same one."""
        if self.earlier is None:
            JOURNAL.require_readable(self.plan)
            JOURNAL.append(self.journal, self.plan)
            return
        self.periods = list(self.earlier.done)
        were = "was" if len(self.periods) == 1 else "were"
        self.progress(f"{count(len(self.periods), 'period')} {were} measured before")
        if self.earlier.plan.version != __version__:
            self.progress(
                f"version {self.earlier.plan.version} measured them, and this is {__version__}", level=Level.warning
            )

    def _is_measured(self, block: int, members: tuple[Member, ...]) -> bool:
        sought = block, tuple(one.number for one in members), tuple(one.hosts_text for one in members)
        return any((one.repetition, one.programs, one.hosts) == sought for one in self.periods)

    def _result(self) -> Corun:
        return corun_of(self.plan, self.periods, notes=() if self.earlier is None else self.earlier.complaints)

    def _measure(self, block: int, members: tuple[Member, ...], launches: ConcurrentLaunches) -> None:
        spec = self.spec
        names = " beside ".join(one.program.name for one in members)
        kind = "" if len(members) > 1 else " isolated"
        durations_s = [one.duration_s for one in self.periods]
        left = periods_left(durations_s, planned=spec.blocks * len(self._conditions))
        self.progress(f"block {block + 1} of {spec.blocks}: {names}{kind}; {left}", level=Level.progress)
        if launches.interrupted:
            raise Interrupted("stopped")
        rule = PeriodRule(executions=spec.executions, min_overlap=spec.min_overlap, limit_s=spec.limit_s)
        at = _now()
        if self.meter is not None:
            self.meter.reset()
        executions = run_period(members, rule=rule, factory=self.factory, launches=launches)
        links = None if self.meter is None else self.meter.used()
        kept = thinned(executions)
        period = Period(
            at=at, repetition=block, programs=tuple(one.number for one in members),
            hosts=tuple(one.hosts_text for one in members),
            duration_s=max(one.ended_s for one in executions), executions=kept,
            left_out=len(executions) - len(kept),
            links=None
            if links is None
            else tuple(
                LinkUse(link=one.link, source=one.source, target=one.target, use=one.use)
                for one in links
                if one.use is not None
            ),
        )  # fmt: skip
        JOURNAL.append(self.journal, period)
        self.periods.append(period)
        for sentence in shortfall(members, executions, rule):
            self.progress(sentence, level=Level.warning)

    def _kept(self) -> tuple[str, ...]:
        """Where the periods so far are, if they are kept."""
        if self.spec.output is None or not self.periods:
            return ()
        shows = f"`stressbench corun report {self.spec.output}` shows what was measured before"
        return (f"{shows}, and {_measures_the_rest(self.spec.output)}",)


def periods_left(durations_s: Sequence[float], *, planned: int) -> str:
    """Text with the number of periods that are left, and their time if they take as long as those so far."""
    number = planned - len(durations_s)
    left = f"{count(number, 'period')} left"
    return f"{left}, about {duration_text(number * fmean(durations_s))}" if durations_s else left


def locked_corun(folder: Path) -> AbstractContextManager[None]:
    """Lock the directory of a co-run for this process. Raises StudyMistake."""
    return locked(folder, command="corun", subject="co-run")


def _measures_the_rest(output: Path) -> str:
    return f"`stressbench corun resume {output}` measures the rest"


def _require_same_hosts(earlier: CorunPlan, plan: CorunPlan) -> None:
    """Raise LaunchMistake where programs would have other hosts or cores than in the periods so far."""
    if (earlier.hosts, earlier.own_cores) != (plan.hosts, plan.own_cores):
        raise LaunchMistake(
            f"--on {plan.on}: programs would have other hosts or cores than in the blocks so far: resume the co-run "
            "where it began, or begin another one"
        )


def _isolated(groups: Sequence[Sequence[Member]]) -> tuple[Member, ...]:
    """Each program once on each of its hosts."""
    return tuple({member.place: member for group in groups for member in group}.values())


def _with_concurrent_ranks(groups: Sequence[tuple[Member, ...]]) -> tuple[tuple[Member, ...], ...]:
    """The same with the most ranks that run beside each program, so that it is always started in the same way."""
    most: dict[tuple[int, range | None], int] = {}
    for group in groups:
        total = sum(member.ranks for member in group)
        for member in group:
            most[member.place] = max(most.get(member.place, 0), total - member.ranks)
    return tuple(tuple(replace(one, concurrent_ranks=most[one.place]) for one in group) for group in groups)


def _write_results(folder: Path, result: Corun, *, progress: Progress) -> None:
    """Write observations and report. Raises MachineFault."""
    from stressbench.report.coruns import page
    from stressbench.report.renderers import render

    try:
        write_output(folder / OBSERVATIONS, "".join(map(to_line, observations_of(result, source=FILE))))
        write_output(folder / REPORT, render("html", page(result)))
    except OSError as fault:
        raise MachineFault(f"{fault.filename}: {reason_of(fault)}") from fault
    progress(f"wrote {folder / REPORT} and {folder / OBSERVATIONS}")


def _now() -> datetime:
    return datetime.now(UTC)
