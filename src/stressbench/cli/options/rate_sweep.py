"""Options of `stressbench degrade run`: what to run at which rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.options import sweep_values
from stressbench.cli.options.study_creation import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets
from stressbench.experiments.study.rate_command import argument_of
from stressbench.experiments.sweep.launches import refuse_workload_options
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.program import RUNS, ProgramRateSweep
from stressbench.experiments.sweep.rates.program_output import FigureOptions
from stressbench.experiments.sweep.rates.study import LAB, ROUNDS, RateSweep
from stressbench.experiments.sweep.rates.study import RATES as DEFAULT_RATES
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import parse_rate
from stressbench.launch.targets import TARGET_NAMES

RATES = ",".join(map(argument_of, DEFAULT_RATES))


@dataclass(frozen=True, kw_only=True)
class RateSweepOptions:
    """What to run at which rates; paths are relative to the current directory."""

    on: Annotated[
        str | None,
        typer.Option(
            "--on", metavar=TARGET_NAMES, help=f"Launch target; default: {LAB} unless --rate-command.",
            show_default=False,
        ),
    ] = None  # fmt: skip
    rates: Annotated[str, typer.Option(metavar="R,R...", help="Shares of the full rate, 1 among them.")] = RATES
    ranks: Ranks = None
    ranks_per_node: RanksPerNode = None
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE", show_default=False,
            help="Variable of the workloads to set to the number of nodes: -n / --ranks-per-node of each run.",
        ),
    ] = None  # fmt: skip
    sets: Sets = None
    placements: Placements = None
    isolated: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Isolated rounds of each job; default: 10.", show_default=False),
    ] = None
    contended: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, show_default=False,
            help="Contended rounds; default: 0, with --compete 10. `degrade report --time contended` shows them.",
        ),
    ] = None  # fmt: skip
    repetitions: Repetitions = None
    min_time: MinTime = None
    runs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, show_default=False,
            help="Runs at each rate; default: 1 (programs: 4); with 4 or more, intervals use per-run medians.",
        ),
    ] = None  # fmt: skip
    seed: Seed = 1
    rate_command: Annotated[
        str | None,
        typer.Option(
            metavar="CMD", show_default=False,
            help="Sets the injection bandwidth: called as `CMD 1/2` before runs at 1/2, and as `CMD 1` at the end.",
        ),
    ] = None  # fmt: skip
    compete: Annotated[
        bool,
        typer.Option("--compete", help="Do not change links: competing traffic takes the rest of the bandwidth."),
    ] = False
    link: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="With --compete: injection bandwidth of a node, such as 10Gbit.", show_default=False
        ),
    ] = None

    def sweep(self, words: Sequence[str]) -> RateSweep:
        """The sweep of these workloads. Raises StudyMistake."""
        self.check()
        if self.isolated == 0 and not self.contended and not self.compete:
            raise StudyMistake("--isolated 0: expected isolated rounds, or --contended N")
        ranks, variables = sweep_values.rank_counts(self.ranks), sweep_values.variables(self.sets or ())
        if self.nodes is not None and self.nodes in variables:
            raise StudyMistake(f"--nodes {self.nodes}: has a value of --set; expected one of the two")
        if self.nodes is not None and not ranks:
            raise StudyMistake(f"--nodes {self.nodes}: needs the numbers of ranks, such as -n 2,4")
        return RateSweep(
            workloads=sweep_values.workloads(words), on=self._target(),
            rates=sweep_values.rates(self.rates, example=RATES), ranks=ranks, ranks_per_node=self.ranks_per_node,
            nodes_variable=self.nodes, variables=variables, placements=tuple(self.placements or ()),
            rate_command=self.rate_command, runs=self.runs or 1, seed=self.seed, rounds=self._rounds(),
        )  # fmt: skip

    def competing(self, words: Sequence[str]) -> CompetingSweep:
        """The sweep with competing traffic. Raises StudyMistake."""
        if self.link is None:
            raise StudyMistake("--compete: needs --link, the injection bandwidth of a node, such as 10Gbit")
        try:
            rate = parse_rate(self.link)
        except ValueError as fault:
            raise StudyMistake(f"--link: '{self.link}': {fault}") from fault
        return CompetingSweep(sweep=self.sweep(words), link_bytes_per_s=rate.bytes_per_s)

    def program(self, words: Sequence[str], figures: FigureOptions) -> ProgramRateSweep:
        """The sweep of a program. Raises StudyMistake for options that apply to workloads only."""
        self.check()
        if self.compete:
            raise StudyMistake(
                f"--compete: is for workloads, whose nodes it can share, and {words[0]} is a program; "
                "expected a lab (--on lab:NAME) or --rate-command"
            )
        refuse_workload_options(words, (
            ("--set", bool(self.sets)), ("--place", bool(self.placements)), ("--nodes", self.nodes is not None),
            ("--ranks-per-node", self.ranks_per_node is not None), ("--contended", bool(self.contended)),
            ("--isolated", self.isolated is not None), ("--repetitions", self.repetitions is not None),
            ("--min-time", self.min_time is not None),
        ))  # fmt: skip
        return ProgramRateSweep(
            command=tuple(words), on=self._target(), rates=sweep_values.rates(self.rates, example=RATES),
            ranks=sweep_values.rank_counts(self.ranks), rate_command=self.rate_command, runs=self.runs or RUNS,
            seed=self.seed, figures=figures,
        )  # fmt: skip

    def check(self) -> None:
        """Raise StudyMistake if --link is given without --compete."""
        if self.link is not None and not self.compete:
            raise StudyMistake(f"--link {self.link}: goes with --compete")

    def _target(self) -> str:
        if self.on is None and self.rate_command is not None:
            raise StudyMistake("--rate-command: needs --on, such as --on slurm")
        return self.on or LAB

    def _rounds(self) -> SweepRounds:
        if self.compete:
            isolated, contended = self.isolated, ROUNDS if self.contended is None else self.contended
        else:
            isolated, contended = ROUNDS if self.isolated is None else self.isolated, self.contended or 0
        return SweepRounds(isolated=isolated, contended=contended, repetitions=self.repetitions, min_time=self.min_time)
