"""Launches of an arbitrary MPI program under several rail policies."""

import os
import secrets
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stressbench import __version__
from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import Progress
from stressbench.experiments.study.directory import now
from stressbench.experiments.sweep.figures import figures_in
from stressbench.experiments.sweep.launches import (
    STANDARD_OUTPUT,
    LaunchSweep,
    figures_of,
    ranks_of,
    require_few_launches,
)
from stressbench.experiments.sweep.option_values import distinct_policies
from stressbench.experiments.sweep.order import in_order
from stressbench.experiments.sweep.rails.nic_counters import NicReader, between, nic_reader
from stressbench.experiments.sweep.rails.study import LAB, POLICIES, POLICIES_TEXT
from stressbench.experiments.traced_program import TracedProgram
from stressbench.formats.launches.rails import JOURNAL, LaunchRecord, MpiUse, PlanRecord
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.rail_policies import RailPolicy, Transport
from stressbench.formats.trace import TraceMode
from stressbench.launch import program as launching
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.rails import RailMistake, Rails, RailSubject, require_possible
from stressbench.launch.targets import resolve_target
from stressbench.launch.tracer import find_tracer
from stressbench.launch.tracing import Tracing
from stressbench.tracing.profile import Profile, profile_of

_TRACE = "launch.trace"


@dataclass(frozen=True, kw_only=True)
class ProgramRailSweep:
    """Settings for launches of a program under each of two or more policies. `figures`: expressions `NAME=REGEX`.

    `profile`: record the time of each launch in MPI. `interval_s`: least time from the start of a launch to that of the
    next one. Raises StudyMistake where policies are missing or equal.
    """

    command: tuple[str, ...]
    on: str = LAB
    policies: tuple[RailPolicy, ...] = POLICIES
    nics: tuple[str, ...] = ()
    transport: Transport | None = None
    ranks: int | None = None
    runs: int = 4
    seed: int = 1
    figures: tuple[str, ...] = ()
    profile: bool = False
    interval_s: float = 0.0

    def __post_init__(self) -> None:
        """Check the policies."""
        object.__setattr__(self, "policies", distinct_policies(self.policies, example=POLICIES_TEXT))

    def prepared(self, *, progress: Progress) -> "PreparedRailSweep":
        """The sweep, checked and ready to start. Raises StudyMistake and LaunchMistake."""
        if wrong := next((policy for policy in self.policies if policy.depends_on_jobs), None):
            raise StudyMistake(f"--policies: {wrong}: a program without a workload has no jobs; expected another one")
        require_few_launches(len(self.policies), runs=self.runs)
        target = resolve_target(self.on, environment=os.environ)
        if target.simulated:
            raise StudyMistake(f"--on {self.on}: a simulated host has one NIC; expected lab:NAME, local or a cluster")
        nics = self.nics or target.nics
        if target.nics and (unknown_nic := next((nic for nic in nics if nic not in target.nics), None)) is not None:
            raise RailMistake(
                f"{unknown_nic}: hosts of {self.on} have {', '.join(target.nics)}", subject=RailSubject.nics
            )
        for policy in self.policies:
            require_possible(policy, nics, sysfs=target.numa_sysfs)
        plan = PlanRecord(
            at=now(), version=__version__, command=self.command, on=self.on,
            ranks=ranks_of(() if self.ranks is None else (self.ranks,), target)[0],
            policies=tuple(map(str, self.policies)), nics=nics,
            transport=None if self.transport is None else self.transport.value,
            runs=self.runs, seed=self.seed, figures=figures_of(self.figures), profile=self.profile,
        )  # fmt: skip
        rail_selection = {
            str(policy): RailSelection(
                rails=Rails(policy=policy, nics=nics, transport=self.transport, sysfs=target.numa_sysfs)
            )
            for policy in self.policies
        }
        return PreparedRailSweep(
            plan=plan, target=target, rail_selection=rail_selection, read_nics=nic_reader(self.on, nics),
            tracer=find_tracer(os.environ).library if self.profile else None, interval_s=self.interval_s,
            progress=progress,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PreparedRailSweep:
    """A sweep that can start.

    `rail_selection`: NIC selection of each policy. `read_nics`: reads the NIC counters. `tracer`: its library, if
    launches are profiled.
    """

    plan: PlanRecord
    target: LaunchTarget
    rail_selection: dict[str, RailSelection]
    read_nics: NicReader
    tracer: Path | None
    interval_s: float
    progress: Progress

    def run(self, folder: Path) -> int:
        """Run all launches, record them in `folder`, and return how many failed.

        Raises LaunchMistake where the command of a policy cannot be built, otherwise as LaunchSweep.run.
        """
        plan = self.plan
        for rail_selection in self.rail_selection.values():
            launching.command_of(
                plan.command, folder=Path.cwd(), ranks=plan.ranks, target=self.target, engine=None,
                environment=os.environ, rail_selection=rail_selection,
            )  # fmt: skip
        return LaunchSweep(
            plan=plan, order=tuple(in_order(plan.policies, runs=plan.runs, seed=plan.seed)),
            launch=partial(self._launch, folder), interval_s=self.interval_s, journal=JOURNAL, command="rails",
            read_from=STANDARD_OUTPUT.format(program=plan.command[0]), progress=self.progress,
        ).run(folder)  # fmt: skip

    def _launch(self, folder: Path, policy: str, repetition: int) -> tuple[LaunchRecord, Outcome]:
        plan, at = self.plan, now()
        before = self.read_nics()
        outcome, mpi_use = self._start(folder, self.rail_selection[policy])
        after = self.read_nics()
        record = LaunchRecord(
            at=at, policy=policy, repetition=repetition, status=outcome.status,
            wall_s=outcome.ended_s - outcome.began_s, figures=figures_in(outcome.output, plan.figures),
            carried=between(before, after), mpi=mpi_use,
        )  # fmt: skip
        return record, outcome

    def _start(self, folder: Path, rail_selection: RailSelection) -> tuple[Outcome, MpiUse | None]:
        """One launch. Raises MachineFault where it is to be profiled and left no trace."""
        plan = self.plan
        if self.tracer is None:
            outcome = launching.run_program(
                plan.command, folder=Path.cwd(), ranks=plan.ranks, target=self.target, engine=None,
                environment=os.environ, rail_selection=rail_selection,
            )  # fmt: skip
            return outcome, None
        tracing = Tracing(
            mode=TraceMode.profile, output=(folder / _TRACE).absolute(), key=secrets.token_hex(8), library=self.tracer,
            names=False,
        )  # fmt: skip
        program = TracedProgram(
            words=plan.command, ranks=plan.ranks, target=self.target, rail_selection=rail_selection
        )  # fmt: skip
        try:
            outcome = program.run(tracing)
            if outcome.status != ExitStatus.ok or outcome.stop_requests:
                return outcome, None
            return outcome, _mpi_use(profile_of(program.trace(tracing)))
        finally:
            tracing.output.unlink(missing_ok=True)


def _mpi_use(profile: Profile) -> MpiUse:
    total, ranks = profile.total, profile.facts.ranks_read
    return MpiUse(
        elapsed_s=total.wall_s / ranks, mpi_s=total.mpi_s / ranks, p2p_s=(total.p2p_s + total.wait_s) / ranks,
        collective_s=total.coll_s / ranks, mean_message_bytes=profile.columns.mean_send_bytes,
        mean_collective_bytes=profile.columns.mean_coll_bytes,
    )  # fmt: skip
