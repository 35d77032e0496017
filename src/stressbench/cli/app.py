"""Gathers the subcommands: every module of this package that has `register` becomes one by being there."""

import errno
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import stressbench.cli
from stressbench import __version__
from stressbench.cli.console import report_errors
from stressbench.cli.memory import one_thread_of_algebra, require_memory
from stressbench.cli.subcommands import add_commands
from stressbench.console import echo, error, set_quiet, take_streams
from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of
from stressbench.formats.files import forget_what_stays

_FAULTS_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
_DESCRIPTION = """\
What congestion does to real applications.

StressBench runs communication and storage patterns of several applications, each alone and all together, and says how
much they slow each other down.

Example, three jobs on 8 ranks of this machine:

\b
    stressbench run workloads/demo.sb -n 8 -o demo.jsonl
    stressbench show demo.jsonl
    stressbench report demo.jsonl -o demo.html
"""


def _show_version(asked: bool) -> None:
    if asked:
        echo(f"stressbench {__version__}")
        raise typer.Exit


class _ReportingErrors(TyperGroup):
    """Runs every command inside `report_errors`."""

    def invoke(self, ctx: Any) -> Any:
        with report_errors():
            return super().invoke(ctx)


def build() -> typer.Typer:
    """The command with all its subcommands."""
    app = typer.Typer(cls=_ReportingErrors, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback(help=_DESCRIPTION, no_args_is_help=True)
    def common(
        quiet: Annotated[
            bool, typer.Option("--quiet", help="Print errors and warnings only, no notes and no progress.")
        ] = False,
        _version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
        ] = False,
    ) -> None:
        set_quiet(quiet=quiet)
        forget_what_stays()

    add_commands(app, stressbench.cli)
    return app


def main() -> None:
    """Entry point of `stressbench`. Errors outside of a command, and a full disk, are one message and a status, too."""
    take_streams()
    try:
        require_memory()
        _run()
    except StressBenchError as fault:
        _end(str(fault), status=fault.exit_status)
    except MemoryError:
        _end("out of memory")
    except OSError as fault:
        if fault.errno not in _FAULTS_OF_DISKS:
            raise
        _end(f"{fault.filename or 'a file'} cannot be written: {reason_of(fault)}")


def _run() -> None:
    with one_thread_of_algebra():
        app = build()
    try:
        app(prog_name="stressbench")
    finally:
        sys.stdout.flush()


def _end(message: str, *, status: ExitStatus = ExitStatus.fault) -> NoReturn:
    error(message)
    sys.exit(status)
