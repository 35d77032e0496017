"""Launches of an arbitrary MPI program at several injection bandwidths."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from stressbench import __version__
from stressbench.experiments.progress import Progress
from stressbench.experiments.study.directory import now
from stressbench.experiments.sweep.figures import figures_in
from stressbench.experiments.sweep.launches import LaunchSweep, ranks_of, require_few_launches
from stressbench.experiments.sweep.option_values import distinct_rates
from stressbench.experiments.sweep.order import in_groups, in_order
from stressbench.experiments.sweep.rates.injection import Injection, of_command, of_lab
from stressbench.experiments.sweep.rates.program_output import FigureOptions, Output, output_of
from stressbench.experiments.sweep.rates.study import LAB, RATES, RATES_TEXT
from stressbench.formats.launches.rates import JOURNAL, RateLaunch, RatesPlan
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.units import RateShare
from stressbench.launch import program as launching
from stressbench.launch.errors import LinkMistake
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.targets import properties_of, resolve_target
from stressbench.levels import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The condition of a launch: its rate and its number of ranks."""

    rate: Fraction
    ranks: int

    def __str__(self) -> str:
        """Text such as `rate 1/2 on 4 ranks`."""
        return f"rate {self.rate} on {self.ranks} {'rank' if self.ranks == 1 else 'ranks'}"


def launch_order(
    rates: Sequence[Fraction], ranks: Sequence[int], *, runs: int, seed: int, grouped_by_rate: bool
) -> tuple[tuple[Condition, int], ...]:
    """Pairs of condition and repetition (from 0): each repetition has all conditions, in a random order of its own.

    `grouped_by_rate`: launches at one rate stay together, since a rate command may be slow.
    """
    by_rate = [[Condition(rate=rate, ranks=count) for count in ranks] for rate in rates]
    if grouped_by_rate:
        return tuple(in_groups(by_rate, runs=runs, seed=seed))
    return tuple(in_order([one for group in by_rate for one in group], runs=runs, seed=seed))


RUNS = 4


@dataclass(frozen=True, kw_only=True)
class ProgramRateSweep:
    """Settings for launches of a program at several injection bandwidths.

    `command`: the program with its arguments. `rates`: shares of the full rate: 1 and smaller ones, as exact fractions.
    `interval_s`: least time from the start of a launch to that of the next one. Raises StudyMistake for other rates.
    """

    command: tuple[str, ...]
    on: str = LAB
    rates: tuple[Fraction, ...] = RATES
    ranks: tuple[int, ...] = ()
    rate_command: str | None = None
    runs: int = RUNS
    seed: int = 1
    figures: FigureOptions = field(default_factory=FigureOptions)
    interval_s: float = 0.0

    def __post_init__(self) -> None:
        """Check the rates."""
        object.__setattr__(self, "rates", distinct_rates(self.rates, example=RATES_TEXT))

    def prepared(self, *, progress: Progress) -> "PreparedRateSweep":
        """The sweep, checked and ready to start. Raises StudyMistake and LaunchMistake."""
        folder = Path.cwd()
        target = _target(self.on, self.rates, rate_command=self.rate_command)
        ranks = ranks_of(self.ranks, target)
        require_few_launches(len(self.rates) * len(ranks), runs=self.runs)
        injection = (
            of_lab(self.on, progress=progress)
            if self.rate_command is None
            else of_command(self.rate_command, folder=folder, progress=progress)
        )
        output = output_of(self.figures, folder=folder)
        plan = RatesPlan(
            at=now(), version=__version__, command=self.command, on=self.on, runs=self.runs, seed=self.seed,
            figures=output.figures, rates=tuple(map(str, self.rates)), ranks=ranks,
            lower=output.lower, figures_from=None if output.file is None else str(output.file),
            rate_command=self.rate_command, hpcc_n=output.hpcc_n,
        )  # fmt: skip
        for count in plan.ranks:
            launching.command_of(
                output.command(plan.command), folder=folder, ranks=count, target=target, engine=None,
                environment=os.environ,
            )  # fmt: skip
        return PreparedRateSweep(
            plan=plan, rates=self.rates, target=target, injection=injection, output=output,
            interval_s=self.interval_s, progress=progress,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PreparedRateSweep:
    """A sweep that can start."""

    plan: RatesPlan
    rates: tuple[Fraction, ...]
    target: LaunchTarget
    injection: Injection
    output: Output
    interval_s: float
    progress: Progress

    def run(self, folder: Path) -> int:
        """Run all launches, record them in `folder`, and return how many failed. Raises as LaunchSweep.run."""
        plan = self.plan
        order = launch_order(
            self.rates, plan.ranks, runs=plan.runs, seed=plan.seed, grouped_by_rate=plan.rate_command is not None
        )  # fmt: skip
        with self.output.placed() as output, self.injection.restoring_full_rate():
            return LaunchSweep(
                plan=plan, order=order, launch=lambda condition, number: self._launch(output, condition, number),
                journal=JOURNAL, command="degrade", read_from=output.read_from(plan.command[0]), progress=self.progress,
                prepare=lambda condition: self.injection.set(condition.rate), interval_s=self.interval_s,
            ).run(folder)  # fmt: skip

    def _launch(self, output: Output, condition: Condition, repetition: int) -> tuple[RateLaunch, Outcome]:
        plan, at = self.plan, now()
        output.begin(condition.ranks)
        outcome = launching.run_program(
            output.command(plan.command), folder=output.folder, ranks=condition.ranks, target=self.target, engine=None,
            environment=os.environ,
        )  # fmt: skip
        text = output.text(outcome.output)
        if outcome.status == 0 and not outcome.stop_requests:
            complaint = output.complaint(text, ranks=condition.ranks)
            if complaint is not None and repetition == 0:
                raise StudyFault(f"--hpcc: {complaint}")
            if complaint is not None:
                self.progress(f"{complaint}; figures of this launch do not count", level=Level.warning)
                text = ""
        record = RateLaunch(
            at=at, repetition=repetition, status=outcome.status, wall_s=outcome.ended_s - outcome.began_s,
            figures=figures_in(text, plan.figures), rate=str(condition.rate), ranks=condition.ranks,
        )  # fmt: skip
        return record, outcome


def _target(on: str, rates: tuple[Fraction, ...], *, rate_command: str | None) -> LaunchTarget:
    """The launch target, checked to support all rates. Raises StudyMistake and LaunchMistake."""
    if rate_command is None and not properties_of(on).controls_links:
        raise StudyMistake(
            f"--on {on}: link rates cannot be controlled on this target; expected lab:NAME there, or --rate-command"
        )
    try:
        targets = [
            resolve_target(on, environment=os.environ, rate=None if rate_command or rate == 1 else RateShare.of(rate))
            for rate in rates
        ]
    except LinkMistake as mistake:
        raise StudyMistake(f"--rates: {mistake.explanation}") from mistake
    if targets[0].simulated:
        raise StudyMistake(f"--on {on}: a simulation runs only workloads; expected lab:NAME, or --rate-command")
    return targets[0]
