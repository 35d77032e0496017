"""The directory of an export, which appears when it is complete."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.scratch import temporary_directory


def require_new_directory(path: Path) -> None:
    """Raise UserError if `path` is there, unless it is an empty directory, or its parent is no directory."""
    if path.is_symlink() or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
        raise UserError(f"--output: {path} already exists; expected the name of a new directory")
    if not path.parent.is_dir():
        raise UserError(f"--output: {path}: no such directory: {path.parent}")


@contextmanager
def new_output_directory(path: Path) -> Iterator[Path]:
    """A directory to fill, which becomes `path` on exit unless an exception is raised. Raises OSError."""
    with temporary_directory("export", parent=path.parent) as temporary:
        folder = temporary / "export"
        folder.mkdir()
        yield folder
        if path.is_dir():
            path.rmdir()
        folder.rename(path)
