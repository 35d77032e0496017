"""Options that `beff` and `beff-io` share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ProtocolFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE.jsonl", help="Evaluate this file instead of measuring."),
]
WithPublished: TypeAlias = Annotated[bool, typer.Option("--published", help="Also print the results of the paper.")]
