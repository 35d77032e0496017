"""Options of commands that run another command: `profile`, `capture`, `record`, `impact` and `compress`."""

from typing import Annotated, Any, TypeAlias

import typer

OPTIONS_BELONG_TO_COMMAND: dict[str, Any] = {"allow_interspersed_args": False}
"""Context settings: options after CMD belong to CMD."""
EXIT_STATUS = """\
Exit status: that of CMD; 2 invalid input (CMD was not started), 3 CMD succeeded but no trace was written.
"""

LaunchCommand: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="[--] CMD...", help="A whole MPI launch: mpirun -n 4 app args.", show_default=False),
]
ProgramCommand: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="[--] CMD... | W.sb", help="A program without its mpirun, or a workload.", show_default=False
    ),
]
WithNames: TypeAlias = Annotated[
    bool, typer.Option("--with-names", help="Keep host names; by default files name no host, user or path.")
]
