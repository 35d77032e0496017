"""`stressbench run`: check a workload, run it under MPI, and print the results."""

import os
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from stressbench.cli.options.after_dashes import split_at_dashes, words_after_dashes
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.launcher import LauncherOptions
from stressbench.cli.options.run import RunOptions, run_spec
from stressbench.cli.options.script import ScriptOptions
from stressbench.cli.options.watching import WatchOptions
from stressbench.console import echo, error, is_quiet, note, warning
from stressbench.experiments.run import FinishedRun, PreparedRun

_HELP = """\
Run a workload, each job isolated and all jobs at the same time, and print how much they slow each other down.

Checks FILE first, finds the mpirun that fits the engine, and writes RUN.jsonl round by round. Ctrl-C finishes the
current round and ends the file properly; a second Ctrl-C ends everything immediately, as does the end of --grace.

\b
Examples:
    stressbench run demo.sb -n 8
    stressbench run listing1.sb -n 8 --ranks-per-node 1 --until-interval 5% -o listing1.jsonl
    stressbench run --continue demo-20260102T030405Z.jsonl
    stressbench run demo.sb -n 64 -- --hostfile hosts --bind-to core
    stressbench run demo.sb --on lab:tiny --watch
    stressbench run demo.sb --on simgrid:tinis
    stressbench run demo.sb --on slurm -n 64                 # inside salloc or a batch script
    stressbench run demo.sb --on slurm -n 64 --emit --nodes 4 --walltime 1h --queue debug | sbatch

Words after -- are passed to mpirun, srun or flux run unchanged.

Exit status: 0 success, 2 invalid input (nothing was measured), 3 the run failed, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP, cls=split_at_dashes("[-- MPIRUN OPTIONS]"))(run)


@with_options
def run(
    *,
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The workload, a .sb file; not with --continue.", show_default=False),
    ] = None,
    run_options: RunOptions,
    script: ScriptOptions,
    launcher: LauncherOptions,
    watching: WatchOptions,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check, print the command, and exit.")] = False,
) -> None:
    """Check the workload; print the script or the command, or run it and print the results."""
    watching.check(emit=script.emit)
    spec = run_spec(
        file, run_options, launcher, extra=words_after_dashes(context),
        terminal=sys.stderr.isatty() and not script.emit and not is_quiet(),
    )  # fmt: skip
    name = (file or run_options.continue_from or Path("run")).stem
    prepared = spec.prepared(environment=os.environ, script=script.script(on=run_options.on, name=name))
    if prepared.script is not None:
        echo(prepared.script_text(), nl=False)
        return
    if dry_run:
        echo(prepared.command)
        return
    if prepared.advice:
        warning(prepared.advice)
    with _page(prepared, port=watching.watch_port) if watching.watch else nullcontext():
        finished = prepared.run()
    _report_and_exit(finished)


def _page(prepared: PreparedRun, *, port: int | None) -> AbstractContextManager[None]:
    from stressbench.cli.console.watching import page_of_run  # loads a server and templates, which few runs need

    return page_of_run(prepared, port=port)


def _report_and_exit(finished: FinishedRun) -> NoReturn:
    """Report how the run ended, print the results and the next command, and return the status."""
    for sentence in finished.reasons:
        error(sentence)
    if finished.has_results and finished.result.run is not None:
        from stressbench.experiments.run_summary import brief_summary  # statistics take long to import
        from stressbench.report.renderers.text import show

        show(brief_summary(finished.result.run))
        report = finished.path.with_suffix(".html")
        note(f"next: {shlex.join(('stressbench', 'report', str(finished.path), '-o', str(report)))}")
    raise typer.Exit(finished.result.status)
