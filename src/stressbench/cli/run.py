"""`stressbench run`: a workload under MPI, from its check to its table."""

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from stressbench.cli.places import ABOUT, PLACES, engine_for, place_of
from stressbench.cli.scripts import order_of
from stressbench.console import echo
from stressbench.formats.run import Run
from stressbench.launch import session
from stressbench.launch.ending import explain
from stressbench.launch.engine import EngineOptions
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import seconds
from stressbench.launch.simgrid import SimgridPlace
from stressbench.launch.stopping import Patience
from stressbench.launch.target import require_same_time, shape_of, target

_HELP = """\
Run a workload, each job alone and all together, and print what they cost each other.

Checks FILE first, finds the mpirun that fits the engine, and writes RUN.jsonl round by round. Ctrl-C finishes the
current round and ends the file properly; a second Ctrl-C, or one minute (--grace), ends everything at once.

\b
Examples:
    stressbench run demo.sb -n 8
    stressbench run listing1.sb -n 8 --ranks-per-node 1 --until-interval 5% -o listing1.jsonl
    stressbench run --continue demo-20260102T030405Z.jsonl
    stressbench run demo.sb -n 64 -- --hostfile hosts --bind-to core
    stressbench run demo.sb --on lab:tiny
    stressbench run demo.sb --on simgrid:tinis
    stressbench run demo.sb --on slurm -n 64                 # inside salloc or a batch script
    stressbench run demo.sb --on slurm -n 64 --emit --nodes 4 --walltime 1h --queue debug | sbatch

What stands after -- goes to mpirun, srun or flux run as it is. Exit status: 0 done, 2 something to put right
(nothing was measured), 3 the run failed, 130 interrupted.
"""
_AFTER_DASHES = "stressbench.after_dashes"


class _SplitAtDashes(TyperCommand):
    """Keeps what stands after `--` for mpirun, so that a second FILE is still a mistake."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_AFTER_DASHES] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- MPIRUN OPTIONS]"]


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP, cls=_SplitAtDashes)(run)


def run(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The workload, a .sb file; not with --continue.", show_default=False),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--ranks",
            metavar="N",
            help="How many MPI ranks to start; needed but with --continue, and on a lab.",
            show_default=False,
        ),
    ] = None,
    ranks_per_node: Annotated[
        int | None,
        typer.Option(metavar="K", help="Call K consecutive ranks a node, to rehearse a large machine on this one."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="RUN.jsonl", help="Default: FILE's name and the time (UTC)."),
    ] = None,
    isolated: Annotated[str | None, typer.Option(metavar="N", help="Rounds in which a job runs alone.")] = None,
    contended: Annotated[str | None, typer.Option(metavar="N", help="Rounds in which all jobs run.")] = None,
    until_interval: Annotated[
        str | None, typer.Option(metavar="5%", help="Go on until every impact's interval is this narrow.")
    ] = None,
    finish: Annotated[
        str | None,
        typer.Option(
            metavar="sustain|once",
            help="sustain: who is done early goes on until all are; once: it stops, as in the paper.",
        ),
    ] = None,
    place: Annotated[
        str | None, typer.Option(metavar="WHERE", help="linear, interleaved or random:SEED, for jobs that say [NODES].")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="S", help="Reproduces order, placement and drawn times.")] = None,
    warmup: Annotated[str | None, typer.Option(metavar="W", help="Repetitions before those that count.")] = None,
    time_limit: Annotated[
        str | None, typer.Option(metavar="T", help="End in good order before this time is over, for example 55min.")
    ] = None,
    stall_limit: Annotated[
        str | None,
        typer.Option(metavar="T", help="End the run where a rank is stuck for so long, for example 5min; on labs 60s."),
    ] = None,
    grace: Annotated[
        str,
        typer.Option(
            metavar="T",
            help="How long ranks that were asked to stop, or whose time is over, may go on until all are killed.",
        ),
    ] = "60s",
    continue_from: Annotated[
        Path | None, typer.Option("--continue", metavar="RUN.jsonl", help="Go on with a run that is not complete.")
    ] = None,
    repetitions: Annotated[
        str | None, typer.Option(metavar="R", help="Measured repetitions a round, of jobs without [REPEAT].")
    ] = None,
    min_time: Annotated[
        str | None, typer.Option(metavar="T", help="Measure each job of a round at least so long, for example 30s.")
    ] = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="A name for this run; files that motifs leave carry it.")
    ] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Override a [SET] of FILE; may be repeated.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check every byte that arrives; slower.")] = False,
    realtime: Annotated[
        bool,
        typer.Option(
            "--realtime",
            help="Start ranks under `chrt -r 1`: ranks that share a core take turns. Needs root or CAP_SYS_NICE.",
        ),
    ] = False,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help=f"Where ranks start. {ABOUT}.")] = "local",
    emit: Annotated[
        bool,
        typer.Option("--emit", help="Check, print a script for the batch system that --on names, and stop."),
    ] = False,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="In a script: how many nodes; ranks spread over them evenly.")
    ] = None,
    walltime: Annotated[
        str | None,
        typer.Option(metavar="T", help="In a script: how long the job may take; the engine ends in good order before."),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option("--queue", "--partition", metavar="NAME", help="In a script: queue or partition."),
    ] = None,
    account: Annotated[
        str | None, typer.Option(metavar="NAME", help="In a script: the account, project or bank that pays.")
    ] = None,
    mpirun: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The launcher; default: the mpirun that fits the engine.")
    ] = None,
    mpirun_args: Annotated[
        str,
        typer.Option("--mpirun-args", metavar='"..."', help="Options for mpirun, as one text; or put them after --."),
    ] = "",
    engine: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="stressbench-mpi; default: $STRESSBENCH_MPI, or the installed one."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check, print the command, and stop.")] = False,
) -> None:
    """Turn the command line into a wish, and carry it out."""
    options = EngineOptions(
        isolated=isolated,
        contended=contended,
        until_interval=until_interval,
        finish=finish,
        place=place,
        seed=seed,
        warmup=warmup,
        time_limit=time_limit,
        stall_limit=stall_limit,
        repetitions=repetitions,
        min_time=min_time,
        run_id=run_id,
        sets=tuple(sets or ()),
        verify=verify,
    )
    try:
        run_file = target(output=output, continue_from=continue_from, workload=file)
        order = order_of(
            emit=emit,
            on=on,
            name=(file or run_file.path).stem,
            run_file=run_file.path,
            nodes=nodes,
            walltime=walltime,
            queue=queue,
            account=account,
        )
        if order is not None:
            options = replace(options, time_limit=order.wanted.engine_limit(time_limit))
        where = place_of(on, environment=os.environ) if order is None else order.place
        require_same_time(run_file, simulated=isinstance(where, SimgridPlace))
        shape = shape_of(ranks=ranks, ranks_per_node=ranks_per_node, run_file=run_file, default=where.ranks)
        wish = session.Wish(
            workload=file,
            ranks=shape.ranks,
            ranks_per_node=shape.ranks_per_node,
            run_file=run_file,
            options=options.with_stall_limit(where.stall_limit),
            mpirun=mpirun,
            engine=engine_for(where, engine, environment=os.environ),
            launcher_arguments=(*_split(mpirun_args), *context.meta.get(_AFTER_DASHES, ())),
            realtime=realtime,
            terminal=sys.stderr.isatty() and not emit,
            place=where,
            patience=Patience(
                grace_s=seconds(grace, option="--grace"),
                limit_s=None if time_limit is None else seconds(time_limit, option="--time-limit"),
            ),
            on=on,
        )
        prepared = session.prepare(wish, environment=os.environ)
        if isinstance(prepared, int):
            raise typer.Exit(prepared)
        if order is not None:
            echo(order.script(prepared.command, ranks=shape.ranks), nl=False)
            return
        if dry_run:
            echo(str(prepared.command))
            return
        if prepared.advice:
            _say(prepared.advice)
        ending = session.run(prepared, run_file=wish.run_file.path)
    except LaunchMistake as mistake:
        _say(str(mistake))
        raise typer.Exit(session.MISTAKE) from None
    _close(ending, wish)


def _close(ending: session.Ending, wish: session.Wish) -> None:
    """Say how it ended, show what was measured, name the next command, pass the status on."""
    for sentence in explain(ending, wish=wish):
        _say(sentence)
    if ending.left is not None and ending.left.rounds and ending.status != session.MISTAKE:
        _show(ending.left)
        path = ending.kept or wish.run_file.path
        report = path.with_suffix(".html")
        _say(f"next: {shlex.join(('stressbench', 'report', str(path), '-o', str(report)))}")
    raise typer.Exit(ending.status)


def _show(run: Run) -> None:
    from stressbench.cli.show import print_run  # its table is one with `stressbench show`

    print_run(run)


def _say(sentence: str) -> None:
    echo(f"stressbench: {sentence}", err=True)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as fault:
        raise LaunchMistake(f"--mpirun-args: {text!r}: {str(fault).lower()}") from fault
