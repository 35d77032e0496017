"""Options of `stressbench degrade run`: what to run at which rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.options.common import target_option
from stressbench.cli.options.rounds import contended_option, isolated_option, runs_option
from stressbench.cli.options.workload_sweep import WorkloadSweepOptions
from stressbench.experiments.sweep import option_values
from stressbench.experiments.sweep.rates import rules
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.program import RUNS, ProgramRateSweep
from stressbench.experiments.sweep.rates.program_output import FigureOptions
from stressbench.experiments.sweep.rates.study import LAB, RATES_TEXT, ROUNDS, RateSweep


@dataclass(frozen=True, kw_only=True)
class RateSweepOptions(WorkloadSweepOptions):
    """What to run at which rates; paths are relative to the current directory."""

    on: Annotated[
        str | None, target_option(f"Launch target; default: {LAB} unless --rate-command.", show_default=False)
    ] = None
    rates: Annotated[str, typer.Option(metavar="R,R...", help="Shares of the full rate, including 1.")] = RATES_TEXT
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE", show_default=False,
            help="Variable of the workloads that is set to the number of nodes, -n divided by --ranks-per-node.",
        ),
    ] = None  # fmt: skip
    isolated: Annotated[
        int | None, isolated_option(f"Isolated rounds of each job; default: {ROUNDS}.", show_default=False)
    ] = None
    contended: Annotated[
        int | None,
        contended_option(
            f"Contended rounds; default: 0 (with --compete: {ROUNDS}). `degrade report --time contended` shows them.",
            show_default=False,
        ),
    ] = None
    runs: Annotated[
        int | None,
        runs_option(
            f"Runs at each rate; default: 1 (programs: {RUNS}); with 4 or more, intervals use per-run medians.",
            show_default=False,
        ),
    ] = None
    rate_command: Annotated[
        str | None,
        typer.Option(
            metavar="CMD", show_default=False,
            help="Command that sets the injection bandwidth, called as `CMD 1/2` before runs at 1/2, and as `CMD 1` at "
            "the end.",
        ),
    ] = None  # fmt: skip
    compete: Annotated[
        bool,
        typer.Option("--compete", help="Do not change link rates; competing traffic takes the rest of the bandwidth."),
    ] = False
    link: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="With --compete: injection bandwidth of a node, such as 10Gbit.", show_default=False
        ),
    ] = None

    def sweep(self, words: Sequence[str]) -> RateSweep | CompetingSweep:
        """The sweep of these workloads. Raises StudyMistake."""
        rules.require_competing(self.link, competing=self.compete)
        ranks, variables = option_values.rank_counts(self.ranks), option_values.variables(self.sets or ())
        rules.require_node_counts(self.nodes, variables=variables, ranks=ranks)
        rounds = rules.rounds_of(
            self.isolated, self.contended, repetitions=self.repetitions, min_time=self.min_time, competing=self.compete
        )
        sweep = RateSweep(
            workloads=option_values.workloads(words), on=rules.target_or_lab(self.on, rate_command=self.rate_command),
            rates=option_values.rates(self.rates, example=RATES_TEXT), ranks=ranks, ranks_per_node=self.ranks_per_node,
            nodes_variable=self.nodes, variables=variables, placements=tuple(self.placements or ()),
            rate_command=self.rate_command, runs=self.runs or 1, seed=self.seed, rounds=rounds,
        )  # fmt: skip
        return rules.competing_with(sweep, link=self.link) if self.compete else sweep

    def program(self, words: Sequence[str], figures: FigureOptions, *, interval: str | None) -> ProgramRateSweep:
        """The sweep of a program. Raises StudyMistake for options that apply to workloads only."""
        rules.require_competing(self.link, competing=self.compete)
        rules.refuse_competing(words, competing=self.compete)
        self.refuse_for_program(words, (
            ("--nodes", self.nodes is not None), ("--contended", bool(self.contended)),
            ("--isolated", self.isolated is not None),
        ))  # fmt: skip
        return ProgramRateSweep(
            command=tuple(words), on=rules.target_or_lab(self.on, rate_command=self.rate_command),
            rates=option_values.rates(self.rates, example=RATES_TEXT), ranks=option_values.rank_counts(self.ranks),
            rate_command=self.rate_command, runs=self.runs or RUNS, seed=self.seed, figures=figures,
            interval_s=option_values.interval_s(interval),
        )  # fmt: skip
