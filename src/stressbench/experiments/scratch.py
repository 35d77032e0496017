"""A temporary directory for the files of an experiment's launches."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from stressbench.stop_signals import handled_by


@contextmanager
def scratch(command: str) -> Iterator[Path]:
    """A temporary directory below the current one, which hosts share more often than /tmp.

    It is also removed when a stop signal arrives between two launches: any stop signal raises KeyboardInterrupt.
    """
    home = Path.cwd() if os.access(Path.cwd(), os.W_OK) else None
    with TemporaryDirectory(prefix=f".stressbench-{command}-", dir=home) as name, handled_by(_interrupt):
        yield Path(name)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  a signal's handler
    raise KeyboardInterrupt
