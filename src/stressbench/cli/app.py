"""Gathers the subcommands: every module of this package that has `register` becomes one by being there."""

import errno
import sys
from typing import Annotated, NoReturn

import typer

import stressbench.cli
from stressbench import __version__
from stressbench.cli.memory import LittleMemory, one_thread_of_algebra, require_memory
from stressbench.cli.subcommands import add_commands
from stressbench.console import OutputFault, echo, take_streams
from stressbench.formats.errors import reason_of
from stressbench.formats.files import forget_what_stays

_FAULT = 3
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


def build(*, asked: str | None = None) -> typer.Typer:
    """The command with all its subcommands, or with the one that is `asked` for, where there is one of this name."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback(help=_DESCRIPTION, no_args_is_help=True)
    def common(
        _version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
        ] = False,
    ) -> None:
        forget_what_stays()

    add_commands(app, stressbench.cli, asked=asked)
    return app


def main() -> None:
    """Entry point of `stressbench`. What the machine refuses to any command is one message and status 3."""
    take_streams()
    try:
        require_memory()
        _run()
    except (OutputFault, LittleMemory) as fault:
        _end(str(fault))
    except MemoryError:
        _end("out of memory")
    except OSError as fault:
        if fault.errno not in _FAULTS_OF_DISKS:
            raise
        _end(f"{fault.filename or 'a file'} cannot be written: {reason_of(fault)}")


def _run() -> None:
    with one_thread_of_algebra():
        app = build(asked=next(iter(sys.argv[1:]), None))
    try:
        app(prog_name="stressbench")
    finally:
        sys.stdout.flush()


def _end(message: str) -> NoReturn:
    echo(f"stressbench: {message}", err=True)
    sys.exit(_FAULT)
