"""`--report FILE.html`: a page with figures, in addition to the output of a command."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ReportPage: TypeAlias = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write a page with figures and all tables.", show_default=False),
]
