"""Options of `stressbench run`."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.single import RanksPerNode, TargetName
from stressbench.experiments.run import RunSpec
from stressbench.launch.batch_script import BatchScript, batch_script
from stressbench.launch.engine import EngineOptions
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import seconds


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What to measure. Values of options of the engine are passed to it as they are."""

    ranks: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--ranks",
            metavar="N",
            help="MPI ranks to start (required unless --continue or --on lab:NAME).",
            show_default=False,
        ),
    ] = None
    ranks_per_node: RanksPerNode = None
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="RUN.jsonl", help="Default: name of FILE and the time (UTC)."),
    ] = None
    isolated: Annotated[str | None, typer.Option(metavar="N", help="Isolated rounds of each job.")] = None
    contended: Annotated[str | None, typer.Option(metavar="N", help="Contended rounds, in which all jobs run.")] = None
    until_interval: Annotated[
        str | None,
        typer.Option(metavar="5%", help="Continue until the interval of each impact is this narrow."),
    ] = None
    finish: Annotated[
        str | None,
        typer.Option(
            metavar="sustain|once",
            help="sustain: jobs that finish early keep running, so contended samples never see a partly idle machine; "
            "once: they stop, as in the paper.",
        ),
    ] = None
    place: Annotated[
        str | None,
        typer.Option(metavar="WHERE", help="Placement of jobs with [NODES]: linear, interleaved or random:SEED."),
    ] = None
    seed: Annotated[str | None, typer.Option(metavar="S", help="Random seed of order, placement and drawn times.")] = (
        None
    )
    warmup: Annotated[str | None, typer.Option(metavar="W", help="Unmeasured repetitions before measured ones.")] = None
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="T", help="End the run properly before this time has passed, for example 55min."),
    ] = None
    stall_limit: Annotated[
        str | None,
        typer.Option(metavar="T", help="End the run if a rank makes no progress for this time, for example 5min; "
                     "default on labs: 60s."),
    ] = None  # fmt: skip
    grace: Annotated[
        str,
        typer.Option(metavar="T", help="How long ranks may continue after a stop request or the time limit; "
                     "then they are killed."),
    ] = "60s"  # fmt: skip
    continue_from: Annotated[
        Path | None, typer.Option("--continue", metavar="RUN.jsonl", help="Continue a run that is not complete.")
    ] = None
    repetitions: Annotated[
        str | None, typer.Option(metavar="R", help="Measured repetitions per round, for jobs without [REPEAT].")
    ] = None
    min_time: Annotated[
        str | None,
        typer.Option(metavar="T", help="Measure each job at least this long per round, for example 30s."),
    ] = None
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Name of this run, part of the names of files that motifs leave.")
    ] = None
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Override a [SET] variable of FILE; may be repeated."),
    ] = None
    verify: Annotated[bool, typer.Option("--verify", help="Check every byte that arrives; slower.")] = False
    realtime: Annotated[
        bool,
        typer.Option(
            "--realtime",
            help="Start ranks under `chrt -r 1`: ranks that share a core take turns. Needs root or CAP_SYS_NICE.",
        ),
    ] = False
    on: TargetName = "local"

    def engine_options(self) -> EngineOptions:
        """The options that the engine has, too."""
        return EngineOptions(
            isolated=self.isolated, contended=self.contended, until_interval=self.until_interval, finish=self.finish,
            place=self.place, seed=self.seed, warmup=self.warmup, time_limit=self.time_limit,
            stall_limit=self.stall_limit, repetitions=self.repetitions, min_time=self.min_time, run_id=self.run_id,
            sets=tuple(self.sets or ()), verify=self.verify,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ScriptOptions:
    """A batch script in the place of a run."""

    emit: Annotated[
        bool,
        typer.Option("--emit", help="Check, print a script for the batch system of --on, and stop."),
    ] = False
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="In a script: number of nodes, with ranks spread evenly over them.")
    ] = None
    walltime: Annotated[
        str | None,
        typer.Option(metavar="T", help="In a script: time limit of the job; the engine ends the run before it."),
    ] = None
    queue: Annotated[
        str | None,
        typer.Option("--queue", "--partition", metavar="NAME", help="In a script: queue or partition."),
    ] = None
    account: Annotated[
        str | None, typer.Option(metavar="NAME", help="In a script: account, project or bank to charge.")
    ] = None

    def script(self, *, on: str, name: str) -> BatchScript | None:
        """None without --emit. Raises LaunchMistake."""
        if self.emit:
            return batch_script(
                on, name=name, nodes=self.nodes, walltime=self.walltime, queue=self.queue, account=self.account
            )
        given = (
            ("--nodes", self.nodes), ("--walltime", self.walltime), ("--queue", self.queue),
            ("--account", self.account),
        )  # fmt: skip
        for option, value in given:
            if value is not None:
                raise LaunchMistake(f"{option} {value}: goes into a script, with --emit; an allocation has its own")
        return None


@dataclass(frozen=True, kw_only=True)
class LauncherOptions:
    """Programs that start ranks."""

    mpirun: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The launcher; default: the mpirun that fits the engine.")
    ] = None
    mpirun_args: Annotated[
        str,
        typer.Option("--mpirun-args", metavar='"..."', help="Options for mpirun, as one text; or put them after --."),
    ] = ""
    engine: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="stressbench-mpi; default: $STRESSBENCH_MPI, or the installed one."),
    ] = None

    def arguments(self) -> tuple[str, ...]:
        """The words of --mpirun-args. Raises LaunchMistake."""
        try:
            return tuple(shlex.split(self.mpirun_args))
        except ValueError as fault:
            raise LaunchMistake(f"--mpirun-args: {self.mpirun_args!r}: {str(fault).lower()}") from fault


def run_spec(
    file: Path | None, what: RunOptions, launcher: LauncherOptions, *, more: tuple[str, ...], terminal: bool
) -> RunSpec:
    """What the options mean; `more`: words for the launcher after `--`. Raises LaunchMistake."""
    return RunSpec(
        workload=file, continue_from=what.continue_from, output=what.output, on=what.on, ranks=what.ranks,
        ranks_per_node=what.ranks_per_node, options=what.engine_options(),
        grace_s=seconds(what.grace, option="--grace"),
        limit_s=None if what.time_limit is None else seconds(what.time_limit, option="--time-limit"),
        mpirun=launcher.mpirun, engine=launcher.engine, launcher_arguments=(*launcher.arguments(), *more),
        realtime=what.realtime, terminal=terminal,
    )  # fmt: skip
