"""What `profile`, `capture` and `record` share: a command of somebody else's, and how its launch is told."""

from typing import Annotated, Any, TypeAlias

import typer

from stressbench.console import error, note
from stressbench.exit_status import ExitStatus

FOLLOWS: dict[str, Any] = {"allow_interspersed_args": False}  # options behind CMD are CMD's own
EXIT_STATUS = """\
Exit status: that of CMD; 2 something to put right (CMD was not started), 3 CMD ended well but there is nothing to show.
"""

Words: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="[--] CMD...", help="A whole launch: mpirun -n 4 app args.", show_default=False)
]
WithNames: TypeAlias = Annotated[
    bool, typer.Option("--with-names", help="Keep host names too; without it a file names no host, user or path.")
]


def say(sentence: str) -> None:
    """A note on standard error: standard output is CMD's."""
    note(sentence)


def stop(message: str, *, status: int = ExitStatus.bad_input) -> typer.Exit:
    """Say what is wrong; to be raised."""
    error(message)
    return typer.Exit(status)
