"""Temporary directories of experiments."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from stressbench.scratch_names import scratch_prefix
from stressbench.stop_signals import handled_by


@contextmanager
def temporary_directory(name: str, *, parent: Path | None = None) -> Iterator[Path]:
    """A temporary directory in `parent`, or the current one, which hosts of a cluster share more often than /tmp.

    It is removed when the context ends; after SIGKILL, `stressbench clean` removes it.
    """
    if parent is None and os.access(Path.cwd(), os.W_OK):
        parent = Path.cwd()
    with TemporaryDirectory(prefix=scratch_prefix(name), dir=parent) as path:
        yield Path(path)


@contextmanager
def scratch_directory(name: str) -> Iterator[Path]:
    """The same for several launches: every stop signal raises KeyboardInterrupt.

    So it is also removed when a signal arrives between two launches.
    """
    with temporary_directory(name) as path, handled_by(_interrupt):
        yield path


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  the signature of signal handlers
    raise KeyboardInterrupt
