"""Options of `stressbench rails`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options import sweep_values
from stressbench.cli.options.study_creation import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets
from stressbench.experiments.sweep.launches import refuse_workload_options
from stressbench.experiments.sweep.rails.program import ProgramRailSweep
from stressbench.experiments.sweep.rails.study import LAB, ROUNDS, RailSweep, shipped_workloads
from stressbench.experiments.sweep.rails.study import POLICIES as DEFAULT_POLICIES
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.toml import by_option
from stressbench.launch.targets import TARGET_NAMES

POLICIES = ",".join(DEFAULT_POLICIES)
KEY_LABEL = by_option({
    "factors.policy": "--policies ", "factors.placement": "--place ", "nics": "--nics ", "transport": "--transport ",
    "run.isolated": "--isolated: ", "run.contended": "--contended: ", "run.repetitions": "--repetitions: ",
    "run.min_time": "--min-time: ",
})  # fmt: skip
"""The option that sets each key of a study file."""

RailArguments: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[W.sb... | -- CMD...]",
        help="Workloads, or an MPI program without its mpirun; default: the shipped workloads bandwidth and latency.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class RailSweepOptions:
    """What to run under which policies; paths are relative to the current directory."""

    on: Annotated[str, typer.Option("--on", metavar=TARGET_NAMES, help="Launch target.")] = LAB
    policies: Annotated[
        str, typer.Option(metavar="P,P...", help="default, nic0, nic1, round-robin, local, per-job, jobs:a=0,b=1.")
    ] = POLICIES
    nics: Annotated[
        str | None,
        typer.Option(
            metavar="NIC,NIC...", help="NICs of each host: ib0,ib1; mlx5_0:1,mlx5_1:1; default on labs: their own.",
            show_default=False,
        ),
    ] = None  # fmt: skip
    transport: Annotated[
        str | None,
        typer.Option("--transport", metavar="tcp|ucx|ofi", help="Transport; default: that of MPI.", show_default=False),
    ] = None
    ranks: Ranks = None
    ranks_per_node: RanksPerNode = None
    sets: Sets = None
    placements: Placements = None
    isolated: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Isolated rounds of each job; default: 6.", show_default=False),
    ] = None
    contended: Annotated[
        int, typer.Option(metavar="N", min=0, help="Contended rounds, which show the interference under each policy.")
    ] = 0
    repetitions: Repetitions = None
    min_time: MinTime = None
    runs: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Runs under each policy; with 4 or more, intervals use per-run medians."),
    ] = 4
    seed: Seed = 1

    def sweep(self, words: Sequence[str]) -> RailSweep:
        """The sweep of these workloads, or of the shipped ones if there are none. Raises StudyMistake."""
        if self.isolated == 0 and not self.contended:
            raise StudyMistake("--isolated 0: expected isolated rounds, or --contended N")
        return RailSweep(
            workloads=_workloads(words), on=self.on, policies=sweep_values.policies(self.policies, example=POLICIES),
            nics=sweep_values.nics(self.nics), transport=sweep_values.transport(self.transport),
            ranks=sweep_values.rank_counts(self.ranks), ranks_per_node=self.ranks_per_node,
            variables=sweep_values.variables(self.sets or ()), placements=tuple(self.placements or ()), runs=self.runs,
            seed=self.seed,
            rounds=SweepRounds(
                isolated=ROUNDS if self.isolated is None else self.isolated, contended=self.contended,
                repetitions=self.repetitions, min_time=self.min_time,
            ),
        )  # fmt: skip

    def program(self, words: Sequence[str], figures: Sequence[str]) -> ProgramRailSweep:
        """The sweep of a program. Raises StudyMistake for options that apply to workloads only."""
        refuse_workload_options(words, (
            ("--set", bool(self.sets)), ("--place", bool(self.placements)),
            ("--ranks-per-node", self.ranks_per_node is not None), ("--contended", bool(self.contended)),
            ("--isolated", self.isolated is not None), ("--repetitions", self.repetitions is not None),
            ("--min-time", self.min_time is not None),
        ))  # fmt: skip
        return ProgramRailSweep(
            command=tuple(words), on=self.on, policies=sweep_values.policies(self.policies, example=POLICIES),
            nics=sweep_values.nics(self.nics), transport=sweep_values.transport(self.transport),
            ranks=sweep_values.one_rank_count(self.ranks), runs=self.runs, seed=self.seed, figures=tuple(figures),
        )  # fmt: skip


def _workloads(words: Sequence[str]) -> tuple[str, ...]:
    return sweep_values.workloads(words) if words else shipped_workloads()
