"""`stressbench clean`: what killed launches left behind."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.console import echo, error, note
from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of
from stressbench.launch.leftovers import Leftover, find, remove
from stressbench.report.units import count

_HELP = """\
Remove what your own dead processes left behind: shared memory of Open MPI, its session directories, and pools of the
tracer. That is what remains where ranks, or mpirun, were killed with SIGKILL.

It looks into /dev/shm and $TMPDIR (/tmp where that is not set), and where $STRESSBENCH_TRACE_POOL says. What a live
process of yours has open, maps or names stays, and so do files of other users, links, and names that are not Open MPI's
or ours. Processes of other hosts, and of containers that share /dev/shm, are not seen: clean where you launched.

\b
Examples:
    stressbench clean --dry-run              # what would go
    stressbench clean
    srun --ntasks-per-node=1 stressbench clean --in /dev/shm --in /local/$SLURM_JOB_ID

Exit status: 0; 3 something could not be removed, a line each.
"""


@dataclass(frozen=True, kw_only=True)
class Cleaned:
    """A leftover as `--json` tells it; `removed` is false with --dry-run, and where `reason` says why."""

    path: str
    kind: str
    bytes: int
    removed: bool
    reason: str | None


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("clean", help=_HELP)(clean)


def clean(
    folders: Annotated[
        list[Path] | None,
        typer.Option("--in", metavar="DIR", help="Look here in place of those; may be given several times."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Look, remove, tell."""
    done = [_cleaned(left, dry_run=dry_run) for left in find(folders or _places(), user=os.geteuid())]
    if as_json:
        print_json(done, list[Cleaned])
    else:
        _tell(done, dry_run=dry_run)
    if any(one.reason is not None for one in done):
        raise typer.Exit(ExitStatus.fault)


def _places() -> list[Path]:
    pools = os.environ.get("STRESSBENCH_TRACE_POOL")
    return [Path("/dev/shm"), Path(tempfile.gettempdir()), *([Path(pools)] if pools else [])]


def _cleaned(left: Leftover, *, dry_run: bool) -> Cleaned:
    reason = None
    if not dry_run:
        try:
            remove(left)
        except OSError as fault:
            reason = reason_of(fault)
    return Cleaned(
        path=str(left.path), kind=left.kind.value, bytes=left.size, removed=not dry_run and reason is None,
        reason=reason,
    )  # fmt: skip


def _tell(done: list[Cleaned], *, dry_run: bool) -> None:
    for one in done:
        if one.reason is None:
            echo(f"{one.path}: {one.kind}, {one.bytes / 1e6:.1f} MB")
        else:
            error(f"{one.path}: {one.reason}")
    gone = [one for one in done if one.reason is None]
    size = sum(one.bytes for one in gone) / 1e6
    note(f"{count(len(gone), 'leftover')}, {size:.1f} MB, {'would be removed' if dry_run else 'removed'}")
