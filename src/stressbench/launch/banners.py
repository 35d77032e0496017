"""Filters uninformative messages of Open MPI: boxes about a program that ended with a status of its own. Pure."""

import re

_RULE = re.compile(rb"(?:^|(?<=[\r\n]))-{60,}\r?\n")
# Printed when a launch agent has already set its own process group and called exec before mpirun calls setpgid for it.
_LINE = re.compile(rb"^\[[^\]\n]*\] plm:rsh: Warning: setpgid\([^\n]*\n", re.MULTILINE)
_NOISE = re.compile(rb"Primary job\s+terminated normally, but|processes exited with non-zero status")


class BannerFilter:
    """Removes these boxes from a stream that comes in pieces. Everything else passes through at once.

    A box lies between two lines of dashes. Boxes about anything else, such as a rank ended by a signal, are kept.
    """

    def __init__(self) -> None:
        self._buffer = b""  # from the opening line of a box on

    def feed(self, piece: bytes) -> bytes:
        """The output that is ready after this piece."""
        text, self._buffer = _LINE.sub(b"", self._buffer + piece), b""
        output = b""
        while opening := _RULE.search(text):
            output += text[: opening.start()]
            closing = _RULE.search(text, opening.end())
            if closing is None:
                self._buffer = text[opening.start() :]
                return output
            box = text[opening.start() : closing.end()]
            output += b"" if _NOISE.search(box) else box
            text = text[closing.end() :]
        return output + text

    def flush(self) -> bytes:
        """The output still held back, at the end of the stream."""
        rest, self._buffer = self._buffer, b""
        return rest
