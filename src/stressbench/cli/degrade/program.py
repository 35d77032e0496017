"""A program of somebody else's at one injection bandwidth after the other."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from stressbench import __version__
from stressbench.cli.asking import rank_counts
from stressbench.cli.degrade.asked import Asked, rates_of
from stressbench.cli.degrade.injection import Injection, of_command, of_lab
from stressbench.cli.degrade.output import Output, Typed, output_of
from stressbench.cli.programs import Turns, ranks_of, refuse_workload_options
from stressbench.cli.study.common import CliPlaces, say
from stressbench.formats.launches.rates import JOURNAL, RateLaunch, RatesPlan
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.launch import program as launching
from stressbench.launch.errors import LinkMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.place import Place
from stressbench.launch.simgrid import SimgridPlace
from stressbench.study.degradation.launches import Condition, turns_of
from stressbench.study.directory import now
from stressbench.study.programs.figures import figures_in
from stressbench.study.rate_command import argument_of

RUNS = 4


@dataclass(frozen=True, kw_only=True)
class Program:
    """All that is to be launched, checked; nothing has started."""

    plan: RatesPlan
    place: Place
    injection: Injection
    output: Output


def program_of(asked: Asked, typed: Typed, *, others: Mapping[str, object], places: CliPlaces) -> Program:
    """From options; `others` are for workloads, and None where they were not typed. StudyMistake, LaunchMistake."""
    _refuse_workload_options(asked, others)
    on, rates = asked.place, tuple(map(argument_of, rates_of(asked.rates)))
    place = _place(places, on, rates, rate_command=asked.rate_command)
    here = Path.cwd()
    injection = of_lab(places, on) if asked.rate_command is None else of_command(asked.rate_command, folder=here)
    output = output_of(typed, folder=here)
    plan = RatesPlan(
        at=now(), version=__version__, command=tuple(asked.words), on=on, runs=asked.runs or RUNS, seed=asked.seed,
        figures=output.figures, rates=rates, ranks=ranks_of(rank_counts(asked.ranks), place), lower=output.lower,
        figures_from=None if output.file is None else str(output.file), rate_command=asked.rate_command,
        hpcc_n=output.hpcc_n,
    )  # fmt: skip
    for ranks in plan.ranks:
        launching.command_of(
            output.command(plan.command), folder=here, ranks=ranks, place=place, engine=None, environment=os.environ
        )
    return Program(plan=plan, place=place, injection=injection, output=output)


def launch_all(program: Program, *, folder: Path) -> NoReturn:
    """All launches, one after the other, told in `folder`; ends with the status of what came of them."""
    plan = program.plan
    turns = turns_of(
        plan.rates, plan.ranks, runs=plan.runs, seed=plan.seed, rates_together=plan.rate_command is not None
    )  # fmt: skip
    with program.output.placed() as output, program.injection.put_back():
        Turns(
            plan=plan, turns=turns, launch=lambda condition, number: _launch(program, output, condition, number),
            journal=JOURNAL, report="degrade", read_from=output.read_from(plan.command[0]),
            ready=lambda condition: program.injection.set(condition.rate),
        ).carry_out(folder)  # fmt: skip


def _launch(program: Program, output: Output, condition: Condition, repetition: int) -> tuple[RateLaunch, Outcome]:
    plan, at = program.plan, now()
    output.begin(condition.ranks)
    outcome = launching.run_program(
        output.command(plan.command), folder=output.folder, ranks=condition.ranks, place=program.place, engine=None,
        environment=os.environ,
    )  # fmt: skip
    text = output.text(outcome.output)
    if outcome.status == 0 and not outcome.stop_requests:
        complaint = output.complaint(text, ranks=condition.ranks)
        if complaint is not None and repetition == 0:
            raise StudyFault(f"--hpcc: {complaint}")
        if complaint is not None:
            say(f"{complaint}; figures of this launch do not count")
            text = ""
    record = RateLaunch(
        at=at, repetition=repetition, status=outcome.status, wall_s=outcome.ended_s - outcome.began_s,
        figures=figures_in(text, plan.figures), rate=condition.rate, ranks=condition.ranks,
    )  # fmt: skip
    return record, outcome


def _place(places: CliPlaces, on: str, rates: tuple[str, ...], *, rate_command: str | None) -> Place:
    """Where ranks go, able to have all rates. Raises StudyMistake and LaunchMistake."""
    if rate_command is None and not on.startswith(("lab:", "simgrid:")):
        raise StudyMistake(f"--on {on}: has no links of ours; expected lab:NAME there, or --rate-command")
    try:
        found = [places.place(on, rate=None if rate_command or rate == "1" else rate) for rate in rates]
    except LinkMistake as mistake:
        raise StudyMistake(f"--rates {mistake.told}") from mistake
    if isinstance(found[0], SimgridPlace):
        raise StudyMistake(f"--on {on}: a simulation runs workloads alone; expected lab:NAME, or --rate-command")
    return found[0]


def _refuse_workload_options(asked: Asked, others: Mapping[str, object]) -> None:
    """What a program cannot obey is not accepted in silence. Raises StudyMistake."""
    if asked.compete:
        raise StudyMistake(
            f"--compete: is for workloads, whose nodes it can share, and {asked.words[0]} is a program; "
            "expected a lab (--on lab:NAME) or --rate-command"
        )
    given = (
        *((option, value is not None) for option, value in others.items()),
        ("--set", bool(asked.sets)), ("--place", bool(asked.placements)), ("--nodes", asked.nodes is not None),
        ("--ranks-per-node", asked.ranks_per_node is not None), ("--contended", bool(asked.rounds["contended"])),
        *((f"--{name.replace('_', '-')}", asked.rounds[name] is not None)
          for name in ("isolated", "repetitions", "min_time")),
    )  # fmt: skip
    refuse_workload_options(asked.words, given)
