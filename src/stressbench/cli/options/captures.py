"""Options of commands that compare the calls of captures, or make workloads of them."""

from typing import Annotated, TypeAlias

import typer

AnyTag: TypeAlias = Annotated[
    bool, typer.Option("--any-tag", help="Do not compare tags, for programs that use counters as tags.")
]
JobName: TypeAlias = Annotated[
    str | None, typer.Option("--job", metavar="NAME", help="Name of the job; default: the program's.")
]
