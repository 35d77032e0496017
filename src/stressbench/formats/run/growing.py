"""`GrowingRun` reads a run file while it is written: each call reads only what was added since the one before."""

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from stressbench.formats.errors import RunFileError, reason_of
from stressbench.formats.files import limits, lines_in, open_regular
from stressbench.formats.run.reading import RunReader
from stressbench.formats.run.run import Run

_UNCOMMITTED = (b'{"type":"sample"', b'{"type":"histogram"')
_HEADER = b'{"type":"header"'
_BEGIN_BYTES = 4096


class GrowingRun:
    """A run file that grows, is continued, or is replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget()

    def _forget(self) -> None:
        self._offset = 0
        self._lines = 0
        self._headers: list[tuple[int, bytes]] = []
        self._begin = b""
        self._identity: tuple[int, int] | None = None

    def added(self) -> tuple[Run | None, bool]:
        """What was committed since the last call, and whether the file is another one than it was then.

        The run has all launches, but only the rounds, samples, events and faults that were added; None: nothing was.
        Of another file, which was replaced or cut, everything is returned. Records of a round that is not committed
        yet are left for the next call. Raises RunFileError, which a later call may not, as the file may be written
        anew; everything is then read again.
        """
        try:
            with open_regular(self._path, limit=limits.RUN) as file:
                is_another = self._is_another(file)
                if is_another:
                    self._forget()
                self._remember(file)
                return self._read(file), is_another
        except OSError as fault:
            self._forget()
            raise RunFileError(reason_of(fault), path=self._path) from fault
        except RunFileError:
            self._forget()
            raise

    def _is_another(self, file: BinaryIO) -> bool:
        status = os.fstat(file.fileno())
        if self._identity is None:
            return False
        if self._identity != (status.st_dev, status.st_ino) or status.st_size < self._offset:
            return True
        return os.pread(file.fileno(), len(self._begin), 0) != self._begin

    def _remember(self, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        self._identity = (status.st_dev, status.st_ino)
        if len(self._begin) < _BEGIN_BYTES:
            self._begin = os.pread(file.fileno(), _BEGIN_BYTES, 0)

    def _read(self, file: BinaryIO) -> Run | None:
        file.seek(self._offset)
        lines = self._committed_lines(file)
        first = next(lines, None)
        if first is None:
            return None
        earlier = tuple(self._headers)
        return RunReader(path=self._path).read_lines(chain(earlier, self._noting_headers(chain((first,), lines))))

    def _noting_headers(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        for number, line in lines:
            if line.startswith(_HEADER):
                self._headers.append((number, line))
            yield number, line

    def _committed_lines(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """Complete lines up to the last one that is not part of an uncommitted round, with their numbers."""
        held: list[tuple[int, bytes]] = []
        number, offset = self._lines, self._offset
        for line in lines_in(file, path=self._path, longest=limits.LINE):
            if not line.endswith(b"\n"):
                return
            number, offset = number + 1, offset + len(line)
            held.append((number, line))
            if not line.startswith(_UNCOMMITTED):
                self._lines, self._offset = number, offset
                yield from held
                held.clear()
