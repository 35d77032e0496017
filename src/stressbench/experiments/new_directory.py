"""The directory of `--output DIR`, in which launches begin."""

from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.formats.study.errors import StudyMistake


def make_new_directory(path: Path, *, begins: str) -> None:
    """Make the directory, or take it if it is there and empty. Raises StudyMistake.

    `begins`: what begins there, as `a validation begins`.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise StudyMistake(f"--output: {path} already exists; {begins} in a new directory")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise StudyMistake(f"--output: {path}: {reason_of(fault)}") from fault
