"""A program of somebody else's under one rail policy after the other."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from stressbench import __version__
from stressbench.cli.places import place_of
from stressbench.cli.programs import STANDARD_OUTPUT, Turns, figures_of, ranks_of, refuse_workload_options
from stressbench.cli.rails.asked import Asked, nics_of, policies_of, transport_of
from stressbench.cli.rails.counting import Look, between, look_at
from stressbench.formats.launches.rails import JOURNAL, LaunchRecord, PlanRecord
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.rail_policies import parse_policy
from stressbench.launch import program as launching
from stressbench.launch.execute import Outcome
from stressbench.launch.place import Place
from stressbench.launch.rails import RailMistake, Rails, require_possible
from stressbench.launch.simgrid import SimgridPlace
from stressbench.launch.steering import Steering
from stressbench.study.directory import now
from stressbench.study.programs.figures import figures_in
from stressbench.study.programs.order import in_order


@dataclass(frozen=True, kw_only=True)
class Program:
    """All that is to be launched, checked; nothing has started."""

    plan: PlanRecord
    place: Place
    steering: dict[str, Steering]
    look: Look


def program_of(asked: Asked, figures: Sequence[str], *, others: Mapping[str, object]) -> Program:
    """From options; `others` are for workloads, and None where they were not typed. StudyMistake, LaunchMistake."""
    _refuse_workload_options(asked, others)
    policies, nics, transport = policies_of(asked.policies), nics_of(asked.nics), transport_of(asked.transport)
    place = place_of(asked.on, environment=os.environ)
    if isinstance(place, SimgridPlace):
        raise StudyMistake(f"--on {asked.on}: a simulated host has one card; expected lab:NAME, local or a cluster")
    nics = nics or place.nics
    if place.nics and (strange := next((nic for nic in nics if nic not in place.nics), None)) is not None:
        raise RailMistake(f"{strange}: hosts of {asked.on} have {', '.join(place.nics)}", option="--nics")
    for policy in policies:
        require_possible(policy, nics, are_virtual=bool(place.nics))
    plan = PlanRecord(
        at=now(), version=__version__, command=tuple(asked.words), on=asked.on, ranks=_ranks(asked, place),
        policies=tuple(map(str, policies)), nics=nics, transport=None if transport is None else transport.value,
        runs=asked.runs, seed=asked.seed, figures=figures_of(figures),
    )  # fmt: skip
    steering = {
        str(policy): Steering(rails=Rails(policy=policy, nics=nics, transport=transport)) for policy in policies
    }
    return Program(plan=plan, place=place, steering=steering, look=look_at(asked.on, nics))


def launch_all(program: Program, *, output: Path) -> NoReturn:
    """All launches, one after the other; ends with the status of what came of them."""
    _check(program)
    plan = program.plan
    Turns(
        plan=plan, turns=tuple(in_order(plan.policies, runs=plan.runs, seed=plan.seed)),
        launch=lambda policy, repetition: _launch(program, policy, repetition), journal=JOURNAL, report="rails",
        read_from=STANDARD_OUTPUT.format(program=plan.command[0]),
    ).carry_out(output)  # fmt: skip


def _launch(program: Program, policy: str, repetition: int) -> tuple[LaunchRecord, Outcome]:
    plan, at = program.plan, now()
    before = program.look()
    outcome = launching.run_program(
        plan.command, folder=Path.cwd(), ranks=plan.ranks, place=program.place, engine=None, environment=os.environ,
        steering=program.steering[policy],
    )  # fmt: skip
    after = program.look()
    record = LaunchRecord(
        at=at, policy=policy, repetition=repetition, status=outcome.status, wall_s=outcome.ended_s - outcome.began_s,
        figures=figures_in(outcome.output, plan.figures), carried=between(before, after),
    )  # fmt: skip
    return record, outcome


def _check(program: Program) -> None:
    """Each policy's command can be made. Raises LaunchMistake."""
    for steering in program.steering.values():
        launching.command_of(
            program.plan.command, folder=Path.cwd(), ranks=program.plan.ranks, place=program.place, engine=None,
            environment=os.environ, steering=steering,
        )  # fmt: skip


def _ranks(asked: Asked, place: Place) -> int:
    try:
        typed = None if asked.ranks is None else int(asked.ranks)
    except ValueError:
        raise StudyMistake(f"-n: '{asked.ranks}': expected one number of ranks for a program") from None
    if typed is not None and typed < 1:
        raise StudyMistake(f"-n: {typed} is not at least 1")
    return ranks_of(() if typed is None else (typed,), place)[0]


def _refuse_workload_options(asked: Asked, others: Mapping[str, object]) -> None:
    """What a program cannot obey is not accepted in silence. Raises StudyMistake."""
    given = (
        *((option, value is not None) for option, value in others.items()),
        ("--set", bool(asked.sets)), ("--place", bool(asked.placements)),
        ("--ranks-per-node", asked.ranks_per_node is not None), ("--contended", bool(asked.rounds["contended"])),
        *((f"--{name.replace('_', '-')}", asked.rounds[name] is not None)
          for name in ("isolated", "repetitions", "min_time")),
    )  # fmt: skip
    refuse_workload_options(asked.words, given)
    for policy in policies_of(asked.policies):
        if parse_policy(str(policy)).goes_by_job:
            raise StudyMistake(f"--policies: {policy}: a program without a workload has no jobs; expected another one")
