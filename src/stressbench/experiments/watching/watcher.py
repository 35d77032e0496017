"""What can be watched: a study or a run, by its path."""

from pathlib import Path
from typing import Protocol

from stressbench.experiments.study.directory import has_study, other_files
from stressbench.experiments.watching.run import RunWatcher
from stressbench.experiments.watching.study import StudyWatcher
from stressbench.formats.files import is_file
from stressbench.formats.study.errors import StudyMistake
from stressbench.results.watching import Activity, Watched

BYTES_PER_LOOK = 64 << 20
"""Bytes of completed runs that are read at a look, so that the first look at a large study does not take minutes."""
_EXPECTED = "expected the directory of a study, or a run file"


class Watcher(Protocol):
    """A study or a run that can be looked at again and again."""

    def look(self) -> Watched:
        """Read what has changed, and return the present state."""


def watcher_of(path: Path, *, bytes_per_look: int | None = BYTES_PER_LOOK) -> Watcher:
    """The watcher of a study's directory or a run file (.jsonl), either of which may not exist yet.

    Raises StudyMistake for anything else of this name.
    """
    if is_file(path) or (not path.exists() and path.suffix == ".jsonl"):
        return RunWatcher(path)
    if path.exists() and not path.is_dir():
        raise StudyMistake(f"{path} is neither a directory nor a file; {_EXPECTED}")
    if path.is_dir() and not has_study(path) and other_files(path):
        raise StudyMistake(f"{path} holds no study (no study-1.toml); {_EXPECTED}")
    return StudyWatcher(path, bytes_per_look=bytes_per_look)


def state_of(path: Path) -> Watched:
    """The present state of the study or run at `path`. Raises StudyMistake where there is none, or it is damaged."""
    watched = watcher_of(path, bytes_per_look=None).look()
    if watched.study is None and not watched.runs and watched.activity is not Activity.running:
        raise StudyMistake(watched.sentence)
    return watched
