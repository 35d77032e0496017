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

_ESCAPE_ERRORS = "stressbench.escapes"
_STANDARD_DESCRIPTORS = range(3)


class OutputFault(MachineFault):
    """Standard output cannot be written; the message says why. Not an OSError, which would be attributed to a file."""


class _UnescapedStream(io.TextIOBase):
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
            with self._reporting_failure():
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        if not self._broken:
            with self._reporting_failure():
                self._stream.flush()

    @contextmanager
    def _reporting_failure(self) -> Iterator[None]:
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
                reason = "it is closed" if fault.errno == errno.EBADF else str(fault.strerror or fault)
                raise OutputFault(f"standard output cannot be written: {reason}") from fault


class EscapingStream(io.TextIOBase):
    """A stream that escapes all text written to it; `unescaped` is the same stream without escaping."""

    def __init__(self, stream: TextIO, *, required: bool) -> None:
        self.unescaped = _UnescapedStream(stream, required=required)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the stream."""
        return self.unescaped.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """Error handler of the encoding."""
        return self.unescaped.errors

    def fileno(self) -> int:
        """File descriptor of the stream."""
        return self.unescaped.fileno()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.unescaped.isatty()

    def writable(self) -> bool:
        """Always true."""
        return True

    def flush(self) -> None:
        """Flush the stream."""
        self.unescaped.flush()

    def write(self, text: str) -> int:
        """Write the text, escaped, and return the length of `text`."""
        self.unescaped.write(escaped(text))
        return len(text)


def install_escaping_streams() -> None:
    """Replace `sys.stdout` and `sys.stderr` by escaping streams.

    Messages that cannot be written to standard error are dropped. Closed standard descriptors are opened so that their
    use fails: otherwise the next file that is opened would become standard output.
    """
    for descriptor in _STANDARD_DESCRIPTORS:
        _open_if_closed(descriptor)
    codecs.register_error(_ESCAPE_ERRORS, _escape_unencodable)
    sys.stdout = cast("TextIO", EscapingStream(_escaping_text_stream(sys.stdout, 1), required=True))
    sys.stderr = cast("TextIO", EscapingStream(_escaping_text_stream(sys.stderr, 2), required=False))


def _open_if_closed(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        opened_descriptor = os.open(os.devnull, os.O_WRONLY if descriptor == 0 else os.O_RDONLY)
        os.set_inheritable(opened_descriptor, True)  # noqa: FBT003  like all standard descriptors


def _escaping_text_stream(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is None:  # it was closed when Python started
        return open(descriptor, "w", encoding="utf-8", errors=_ESCAPE_ERRORS, closefd=False)
    cast("io.TextIOWrapper", stream).reconfigure(errors=_ESCAPE_ERRORS)
    return stream


def _escape_unencodable(fault: UnicodeError) -> tuple[str, int]:
    """Characters that the encoding lacks as escapes such as `\\u00b5`, which JSON readers decode."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    hex_units = fault.object[fault.start : fault.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{hex_units[at : at + 4]}" for at in range(0, len(hex_units), 4)), fault.end
