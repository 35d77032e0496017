"""Options of `stressbench rails`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options.common import target_option
from stressbench.cli.options.rail_program import RailProgramOptions
from stressbench.cli.options.rounds import contended_option, isolated_option, runs_option
from stressbench.cli.options.workload_sweep import WorkloadSweepOptions
from stressbench.experiments.sweep import option_values
from stressbench.experiments.sweep.rails.program import ProgramRailSweep
from stressbench.experiments.sweep.rails.shipped_workloads import shipped_workloads
from stressbench.experiments.sweep.rails.study import LAB, POLICIES_TEXT, ROUNDS, RailSweep
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.experiments.sweep.workload_rules import require_rounds

RailArguments: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[W.sb... | -- CMD...]",
        help="Workloads, or an MPI program without its mpirun; default: the shipped workloads bandwidth and latency.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class RailSweepOptions(WorkloadSweepOptions):
    """What to run under which policies; paths are relative to the current directory."""

    on: Annotated[str, target_option("Launch target.")] = LAB
    policies: Annotated[
        str,
        typer.Option(
            metavar="P,P...", help="Rail policies: default, nic0, nic1, round-robin, local, per-job, jobs:a=0,b=1."
        ),
    ] = POLICIES_TEXT
    nics: Annotated[
        str | None,
        typer.Option(
            metavar="NIC,NIC...", show_default=False,
            help="NICs of each host, such as ib0,ib1 or mlx5_0:1,mlx5_1:1; default on labs: those of its hosts.",
        ),
    ] = None  # fmt: skip
    transport: Annotated[
        str | None,
        typer.Option(
            "--transport",
            metavar="tcp|ucx|ofi",
            help="Transport; default: the MPI library's choice.",
            show_default=False,
        ),
    ] = None
    isolated: Annotated[
        int | None, isolated_option(f"Isolated rounds of each job; default: {ROUNDS}.", show_default=False)
    ] = None
    contended: Annotated[int, contended_option("Contended rounds, which show the interference under each policy.")] = 0
    runs: Annotated[
        int,
        runs_option("Runs under each policy; with 4 or more, intervals use per-run medians."),
    ] = 4

    def sweep(self, words: Sequence[str]) -> RailSweep:
        """The sweep of these workloads, or of the shipped ones if there are none. Raises StudyMistake."""
        require_rounds(self.isolated, self.contended)
        return RailSweep(
            workloads=option_values.workloads(words) if words else shipped_workloads(), on=self.on,
            policies=option_values.policies(self.policies, example=POLICIES_TEXT),
            nics=option_values.nics(self.nics), transport=option_values.transport(self.transport),
            ranks=option_values.rank_counts(self.ranks), ranks_per_node=self.ranks_per_node,
            variables=option_values.variables(self.sets or ()), placements=tuple(self.placements or ()), runs=self.runs,
            seed=self.seed,
            rounds=SweepRounds(
                isolated=ROUNDS if self.isolated is None else self.isolated, contended=self.contended,
                repetitions=self.repetitions, min_time=option_values.time("--min-time", self.min_time),
            ),
        )  # fmt: skip

    def program(self, words: Sequence[str], options: RailProgramOptions) -> ProgramRailSweep:
        """The sweep of a program. Raises StudyMistake for options that apply to workloads only."""
        self.refuse_for_program(
            words, (("--contended", bool(self.contended)), ("--isolated", self.isolated is not None))
        )
        return ProgramRailSweep(
            command=tuple(words), on=self.on, policies=option_values.policies(self.policies, example=POLICIES_TEXT),
            nics=option_values.nics(self.nics), transport=option_values.transport(self.transport),
            ranks=option_values.one_rank_count(self.ranks), runs=self.runs, seed=self.seed,
            figures=tuple(options.figures or ()), profile=options.profile,
            interval_s=option_values.interval_s(options.interval),
        )  # fmt: skip
