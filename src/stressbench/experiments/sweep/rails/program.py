"""Launches of an arbitrary MPI program under several rail policies."""

import os
from dataclasses import dataclass
from pathlib import Path

from stressbench import __version__
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
from stressbench.formats.launches.rails import JOURNAL, LaunchRecord, PlanRecord
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.rail_policies import RailPolicy, Transport
from stressbench.launch import program as launching
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.rails import RailMistake, Rails, RailSubject, require_possible
from stressbench.launch.targets import resolve_target


@dataclass(frozen=True, kw_only=True)
class ProgramRailSweep:
    """Settings for launches of a program under each of two or more policies. `figures`: expressions `NAME=REGEX`.

    Raises StudyMistake where policies are missing or equal.
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
            require_possible(policy, nics, are_virtual=bool(target.nics))
        plan = PlanRecord(
            at=now(), version=__version__, command=self.command, on=self.on,
            ranks=ranks_of(() if self.ranks is None else (self.ranks,), target)[0],
            policies=tuple(map(str, self.policies)), nics=nics,
            transport=None if self.transport is None else self.transport.value,
            runs=self.runs, seed=self.seed, figures=figures_of(self.figures),
        )  # fmt: skip
        rail_selection = {
            str(policy): RailSelection(rails=Rails(policy=policy, nics=nics, transport=self.transport))
            for policy in self.policies
        }
        read_nics = nic_reader(self.on, nics)
        return PreparedRailSweep(
            plan=plan, target=target, rail_selection=rail_selection, read_nics=read_nics, progress=progress
        )


@dataclass(frozen=True, kw_only=True)
class PreparedRailSweep:
    """A sweep that can start. `rail_selection`: NIC selection of each policy. `read_nics`: reads the NIC counters."""

    plan: PlanRecord
    target: LaunchTarget
    rail_selection: dict[str, RailSelection]
    read_nics: NicReader
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
            plan=plan, order=tuple(in_order(plan.policies, runs=plan.runs, seed=plan.seed)), launch=self._launch,
            journal=JOURNAL, command="rails", read_from=STANDARD_OUTPUT.format(program=plan.command[0]),
            progress=self.progress,
        ).run(folder)  # fmt: skip

    def _launch(self, policy: str, repetition: int) -> tuple[LaunchRecord, Outcome]:
        plan, at = self.plan, now()
        before = self.read_nics()
        outcome = launching.run_program(
            plan.command, folder=Path.cwd(), ranks=plan.ranks, target=self.target, engine=None, environment=os.environ,
            rail_selection=self.rail_selection[policy],
        )  # fmt: skip
        after = self.read_nics()
        record = LaunchRecord(
            at=at, policy=policy, repetition=repetition, status=outcome.status,
            wall_s=outcome.ended_s - outcome.began_s, figures=figures_in(outcome.output, plan.figures),
            carried=between(before, after),
        )  # fmt: skip
        return record, outcome
