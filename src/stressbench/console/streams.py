"""Standard output and standard error of this process: control characters are escaped, and failed writes reported."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, cast

from stressbench.console.escaping import escaped
from stressbench.errors import MachineFault

_ENCODABLE = "stressbench.escapes"
_STANDARD = range(3)


class OutputFault(MachineFault):
    """Standard output cannot be written; the message says why. Not an OSError, which would be attributed to a file."""


class _Plain(io.TextIOBase):
    """A stream that does not escape, for text that was escaped before colours were added to it."""

    def __init__(self, stream: TextIO, *, required: bool) -> None:
        self._stream = stream
        self._required = required
        self._broken = False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text and not self._broken:  # click writes an empty text to find the type of a stream
            with self._reported():
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        if not self._broken:
            with self._reported():
                self._stream.flush()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Report the first failed write and disable later ones: the interpreter flushes once more at exit."""
        try:
            yield
        except BrokenPipeError:
            self._broken = True
            if self._required:
                raise  # the reader, such as `head`, has ended: not an error
        except OSError as fault:
            self._broken = True
            if self._required:
                why = "it is closed" if fault.errno == errno.EBADF else str(fault.strerror or fault)
                raise OutputFault(f"standard output cannot be written: {why}") from fault


class Standard(io.TextIOBase):
    """A stream that escapes all text written to it; `plain` is the same stream without escaping."""

    def __init__(self, stream: TextIO, *, required: bool) -> None:
        self.plain = _Plain(stream, required=required)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the stream."""
        return self.plain.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """Error handler of the encoding."""
        return self.plain.errors

    def fileno(self) -> int:
        """File descriptor of the stream."""
        return self.plain.fileno()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.plain.isatty()

    def writable(self) -> bool:
        """Always true."""
        return True

    def flush(self) -> None:
        """Flush the stream."""
        self.plain.flush()

    def write(self, text: str) -> int:
        """Write the text, escaped, and return the length of `text`."""
        self.plain.write(escaped(text))
        return len(text)


def take_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` by escaping streams.

    Messages that cannot be written to standard error are dropped. Closed standard descriptors are opened so that their
    use fails: otherwise the next file that is opened would become standard output.
    """
    for descriptor in _STANDARD:
        _open_if_closed(descriptor)
    codecs.register_error(_ENCODABLE, _as_escapes)
    sys.stdout = cast("TextIO", Standard(_text_of(sys.stdout, 1), required=True))
    sys.stderr = cast("TextIO", Standard(_text_of(sys.stderr, 2), required=False))


def _open_if_closed(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        opened = os.open(os.devnull, os.O_WRONLY if descriptor == 0 else os.O_RDONLY)
        os.set_inheritable(opened, True)  # noqa: FBT003  like all standard descriptors


def _text_of(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is None:  # it was closed when Python started
        return open(descriptor, "w", encoding="utf-8", errors=_ENCODABLE, closefd=False)
    cast("io.TextIOWrapper", stream).reconfigure(errors=_ENCODABLE)
    return stream


def _as_escapes(fault: UnicodeError) -> tuple[str, int]:
    """Characters that the encoding lacks as escapes such as `\\u00b5`, which JSON readers decode."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    units = fault.object[fault.start : fault.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), fault.end
