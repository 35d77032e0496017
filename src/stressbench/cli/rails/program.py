"""A program of somebody else's under one rail policy after the other."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import typer

from stressbench import __version__
from stressbench.cli.places import place_of
from stressbench.cli.rails.asked import Asked, nics_of, policies_of, transport_of
from stressbench.cli.rails.counting import Look, between, look_at
from stressbench.cli.study.common import say
from stressbench.launch.execute import Outcome
from stressbench.launch.place import Place
from stressbench.launch.program import command_of, run_program
from stressbench.launch.rails import RailMistake, Rails, parse_policy, require_possible
from stressbench.launch.simgrid import SimgridPlace
from stressbench.launch.steering import Steering
from stressbench.model.errors import reason_of
from stressbench.study.directory import now
from stressbench.study.errors import StudyFault, StudyMistake
from stressbench.study.rails.launches import (
    FILE,
    LaunchRecord,
    PlanRecord,
    append,
    figures_in,
    in_order,
    parse_figure,
)
from stressbench.study.running import DONE, FAULT, INTERRUPTED


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
        runs=asked.runs, seed=asked.seed, figures=_figures(figures),
    )  # fmt: skip
    steering = {
        str(policy): Steering(rails=Rails(policy=policy, nics=nics, transport=transport)) for policy in policies
    }
    return Program(plan=plan, place=place, steering=steering, look=look_at(asked.on, nics))


def launch_all(program: Program, *, output: Path) -> NoReturn:
    """All launches, one after the other; ends with the status of what came of them."""
    _check(program)
    path = _begin(output, program.plan)
    failed = 0
    for policy, repetition in in_order(program.plan.policies, runs=program.plan.runs, seed=program.plan.seed):
        say(f"launch {repetition + 1} of {program.plan.runs}: {policy}")
        record, outcome = _launch(program, policy, repetition)
        if outcome.stop_requests:
            say(f"stopped; `stressbench rails report {output}` tells what was measured before")
            raise typer.Exit(INTERRUPTED)
        append(path, record)
        if record.status != DONE:
            failed += 1
            say(f"{program.plan.command[0]} ended with status {record.status} under {policy}")
        else:
            _require_figures(program.plan, record, path)
    say(f"{len(program.plan.policies) * program.plan.runs - failed} launches are done; "
        f"`stressbench rails report {output}` tells what they found")  # fmt: skip
    raise typer.Exit(FAULT if failed else DONE)


def _launch(program: Program, policy: str, repetition: int) -> tuple[LaunchRecord, Outcome]:
    plan, at = program.plan, now()
    before = program.look()
    outcome = run_program(
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
        command_of(
            program.plan.command, folder=Path.cwd(), ranks=program.plan.ranks, place=program.place, engine=None,
            environment=os.environ, steering=steering,
        )  # fmt: skip


def _begin(output: Path, plan: PlanRecord) -> Path:
    path = output / FILE
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise StudyMistake(f"--output: {output} is there already; a program's launches begin in a new directory")
    try:
        output.mkdir(parents=True, exist_ok=True)
        append(path, plan)
    except OSError as fault:
        raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
    return path


def _require_figures(plan: PlanRecord, record: LaunchRecord, path: Path) -> None:
    """A figure that the first launch does not have is not worth the other ones. Raises StudyFault."""
    missing = [name for name, value in record.figures.items() if value is None]
    if missing and record.repetition == 0:
        raise StudyFault(
            f"--fom {missing[0]}: '{plan.figures[missing[0]]}' finds no number in the last 32 KiB of what "
            f"{plan.command[0]} prints on standard output; {path} has the launches so far"
        )


def _ranks(asked: Asked, place: Place) -> int:
    try:
        typed = None if asked.ranks is None else int(asked.ranks)
    except ValueError:
        raise StudyMistake(f"-n: '{asked.ranks}': expected one number of ranks for a program") from None
    ranks = typed if typed is not None else place.ranks
    if ranks is None:
        raise StudyMistake("-n is missing: how many ranks? For example -n 8")
    if ranks < 1:
        raise StudyMistake(f"-n: {ranks} is not at least 1")
    return ranks


def _figures(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        try:
            name, pattern = parse_figure(text)
        except ValueError as fault:
            raise StudyMistake(f"--fom {text}: {fault}") from fault
        if name in found:
            raise StudyMistake(f"--fom {text}: {name} is given twice")
        found[name] = pattern
    return found


def _refuse_workload_options(asked: Asked, others: Mapping[str, object]) -> None:
    """What a program cannot obey is not accepted in silence. Raises StudyMistake."""
    if missing := next((word for word in asked.words[:1] if word.endswith(".sb")), None):
        raise StudyMistake(f"{missing}: is a workload, and {asked.words[1]} is none; expected workloads, or a program")
    given = (
        *((option, value is not None) for option, value in others.items()),
        ("--set", bool(asked.sets)), ("--place", bool(asked.placements)),
        ("--ranks-per-node", asked.ranks_per_node is not None), ("--contended", bool(asked.rounds["contended"])),
        *((f"--{name.replace('_', '-')}", asked.rounds[name] is not None)
          for name in ("isolated", "repetitions", "min_time")),
    )  # fmt: skip
    if wrong := next((option for option, was in given if was), None):
        raise StudyMistake(f"{wrong}: is for workloads, and {asked.words[0]} is a program; leave it out")
    for policy in policies_of(asked.policies):
        if parse_policy(str(policy)).goes_by_job:
            raise StudyMistake(f"--policies: {policy}: a program without a workload has no jobs; expected another one")
