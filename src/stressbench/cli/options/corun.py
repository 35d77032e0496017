"""Options of `corun run` and `corun matrix`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options.common import TargetName, ranks_option, seed_option, time_limit_option
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.share import share
from stressbench.cli.options.study_creation import LowerFigures, figure_option
from stressbench.experiments.corun.programs import (
    SEPARATOR,
    calls_of_iterations,
    program_names,
    programs_of,
    rank_counts,
    split,
)
from stressbench.experiments.corun.running import BLOCKS, EXECUTIONS, ROUNDS, CorunSpec
from stressbench.experiments.sweep.launches import figures_of
from stressbench.formats.launches.coruns import NodeUse
from stressbench.formats.launches.journal import FILE
from stressbench.launch.option_values import optional_seconds

EXIT_STATUS = "Exit status: 0 success, 2 invalid input (nothing was started), 3 a program failed, 130 interrupted."
Workloads: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[W.sb [++ W.sb]...]", help="Workloads, or programs without options.", show_default=False),
]
Folder: TypeAlias = Annotated[Path, typer.Argument(metavar="DIR", help="Directory of co-runs.", show_default=False)]
TimeLimit: TypeAlias = Annotated[str | None, time_limit_option("Fail if an execution takes longer than this.")]


def command_line(workloads: Sequence[str] | None, after_dashes: Sequence[str]) -> tuple[str, ...]:
    """The words before and after `--` as one list, in which `++` separates programs."""
    before = tuple(workloads or ())
    between = (SEPARATOR,) if before and after_dashes and before[-1] != SEPARATOR else ()
    return (*before, *between, *after_dashes)


@dataclass(frozen=True, kw_only=True)
class CorunOptions:
    """How programs are run beside each other, and where the results go."""

    ranks: Annotated[
        str | None,
        ranks_option("MPI ranks of each program, or one number each; default on labs: the cores of its hosts.",
                     metavar="N[,N...]"),
    ] = None  # fmt: skip
    on: TargetName = "local"
    nodes: Annotated[
        NodeUse | None,
        typer.Option(
            metavar="disjoint|interleaved|shared", show_default=False,
            help="Hosts of each program: a block of its own, hosts in turn, or all hosts for all; default: disjoint "
            "where there are several hosts.",
        ),
    ] = None  # fmt: skip
    blocks: Annotated[
        int, typer.Option(metavar="N", min=1, help="Blocks of isolated and contended periods; 6 give an interval.")
    ] = BLOCKS
    executions: Annotated[
        int, typer.Option(metavar="N", min=1, help="Least number of executions of each program in a period.")
    ] = EXECUTIONS
    min_overlap: Annotated[
        str,
        typer.Option(metavar="90%", help="Count executions beside which the others ran for this share of the time."),
    ] = "90%"
    figures_of_merit: Annotated[
        list[str] | None,
        figure_option("Figure of merit of programs, higher is better: a regular expression with one group."),
    ] = None
    lower: LowerFigures = None
    iteration_call: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]CALL", show_default=False,
            help="MPI call that each iteration of all programs, or of this one, makes once: compare the time of an "
            "iteration, too; can be repeated.",
        ),
    ] = None  # fmt: skip
    names: Annotated[
        str | None,
        typer.Option(
            metavar="A,B...", help="Names of the programs; default: those of their files.", show_default=False
        ),
    ] = None
    rounds: Annotated[int, typer.Option(metavar="N", min=1, help="Workloads: contended rounds of an execution.")] = (
        ROUNDS
    )
    time_limit: TimeLimit = None
    seed: Annotated[int, seed_option("Random seed of the order of periods, and of workloads.", least=0)] = 1
    machine: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the machine; default: the lab's, or the host's.")
    ] = None
    output: Annotated[Path | None, output_option("DIR", "Keep every execution, observations and a report there.")] = (
        None
    )

    @property
    def sources(self) -> tuple[Path, ...]:
        """The file of the executions; none if they are not kept."""
        return () if self.output is None else (self.output / FILE,)

    def spec(self, words: Sequence[str], *, engine: Path | None) -> CorunSpec:
        """The co-run of these programs. Raises UserError."""
        higher = figures_of(self.figures_of_merit or ())
        lower = figures_of(self.lower or (), option="--fom-lower", beside=higher)
        programs = programs_of(split(words), names=program_names(self.names), ranks=rank_counts(self.ranks))
        return CorunSpec(
            words=tuple(words), programs=programs, iterations=calls_of_iterations(self.iteration_call or (), programs),
            on=self.on, nodes=self.nodes, blocks=self.blocks, executions=self.executions,
            min_overlap=_overlap(self.min_overlap),
            figures={**higher, **lower}, lower=tuple(lower), rounds=self.rounds,
            limit_s=optional_seconds(self.time_limit, option="--time-limit"),
            seed=self.seed, machine=self.machine, engine=engine, output=self.output,
        )  # fmt: skip


def _overlap(text: str) -> float:
    """A share that may be 100 %. Raises UserError."""
    return 1.0 if text == "100%" else share(text, option="--min-overlap", zero=False)
