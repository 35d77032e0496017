"""`stressbench clean`: remove what killed launches left behind."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.console import error, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.cleaning import remove_leftovers
from stressbench.report.cleaning import document_of, failures_of, summary_text
from stressbench.report.renderers.text import show
from stressbench.results.leftovers import CleanedLeftover

_HELP = """\
Remove what your own dead processes left behind: shared memory of Open MPI, its session directories, pools of the
tracer, and temporary directories of `validate` and `compress`, for example. They remain after ranks, mpirun or
stressbench were killed with SIGKILL. Outputs (`-o`) that a signal left unfinished are removed, too.

Searches /dev/shm, $TMPDIR (default: /tmp), the current directory and $STRESSBENCH_TRACE_POOL. Files that one of your
live processes has open, maps or names, files of other users, links, and files not named like those of Open MPI and
StressBench are kept.
Processes of other hosts, and of containers that share /dev/shm, are not visible: run it where you launched.

\b
Examples:
    stressbench clean --dry-run              # list what would be removed
    stressbench clean
    srun --ntasks-per-node=1 stressbench clean --in /dev/shm --in /local/$SLURM_JOB_ID

Exit status: 0 success, 3 something could not be removed (one line each).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("clean", help=_HELP)(clean)


def clean(
    folders: Annotated[
        list[Path] | None,
        typer.Option("--in", metavar="DIR", help="Search this directory instead; can be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be removed, and remove nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON output.")] = False,
) -> None:
    """Remove the leftovers of dead processes, and print one line per leftover."""
    leftovers = remove_leftovers(folders or (), dry_run=dry_run)
    if as_json:
        print_json(leftovers, list[CleanedLeftover])
    else:
        show(document_of(leftovers))
        error(*failures_of(leftovers))
        note(summary_text(leftovers, dry_run=dry_run))
    if failures_of(leftovers):
        raise typer.Exit(ExitStatus.fault)
