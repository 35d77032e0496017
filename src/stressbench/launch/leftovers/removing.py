"""Removal of a leftover, protected against replacement of the file since it was found."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from stressbench.launch.leftovers.search import Kind, Leftover

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(leftover: Leftover) -> None:
    """Remove a leftover unless another file has its name by now. Symbolic links are not followed. Raises OSError."""
    with _opened(leftover) as folder:
        try:
            status = os.stat(leftover.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return
        if (status.st_dev, status.st_ino) != (leftover.device, leftover.number):
            return
        if leftover.kind in (Kind.session, Kind.scratch):
            shutil.rmtree(leftover.name, dir_fd=folder)
        else:
            os.unlink(leftover.name, dir_fd=folder)


@contextmanager
def _opened(leftover: Leftover) -> Iterator[int]:
    descriptor = os.open(leftover.folder, _FOLDER)
    try:
        for name in leftover.inside:
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)
