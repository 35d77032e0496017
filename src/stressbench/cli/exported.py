"""What `--data FOLDER` of reports says when all is written."""

from collections.abc import Sequence
from pathlib import Path

import typer


def tell_written(files: Sequence[Path], folder: Path) -> None:
    """How many files there are, and why no Parquet is among them where that is so."""
    from stressbench.report.export import NO_PARQUET, has_parquet  # figures take a second to import

    typer.echo(f"stressbench: {folder} has {len(files)} files", err=True)
    if not has_parquet():
        typer.echo(f"stressbench: {NO_PARQUET}", err=True)
