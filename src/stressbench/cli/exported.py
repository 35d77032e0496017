"""What `--data FOLDER` of reports says when all is written."""

from collections.abc import Sequence
from pathlib import Path

from stressbench.console import echo


def tell_written(files: Sequence[Path], folder: Path) -> None:
    """How many files there are, and why no Parquet is among them where that is so."""
    from stressbench.report.export import NO_PARQUET, has_parquet  # figures take a second to import

    echo(f"stressbench: {folder} has {len(files)} files", err=True)
    if not has_parquet():
        echo(f"stressbench: {NO_PARQUET}", err=True)
