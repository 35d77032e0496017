"""What `--data FOLDER` of reports says when all is written."""

from collections.abc import Sequence
from pathlib import Path

from stressbench.console import note


def tell_written(files: Sequence[Path], folder: Path) -> None:
    """How many files there are, and why no Parquet is among them where that is so."""
    from stressbench.report.export import NO_PARQUET, has_parquet  # figures take a second to import

    note(f"{folder} has {len(files)} files")
    if not has_parquet():
        note(NO_PARQUET)
