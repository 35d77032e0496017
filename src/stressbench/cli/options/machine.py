"""Options and arguments of the subcommands of `machine`."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

EXIT_STATUS = (
    "Exit status: 0 all runs are done, 2 invalid input (nothing was started), 3 runs failed in all attempts, 130 "
    "interrupted\nor the time limit was reached (`machine resume` continues)."
)
MachineFolder: TypeAlias = Annotated[
    Path, typer.Argument(metavar="DIR", help="Directory of `machine run`.", show_default=False)
]
MachinePath: TypeAlias = Annotated[
    Path, typer.Argument(metavar="DIR|FILE", help="Directory of `machine run`, or machine.json.", show_default=False)
]
