"""Makes the output of a launch readable: drops boxes of Open MPI about a program that ended with a status of its own.

The engine's statuses of ranks, which are lines of JSON, become sentences. Pure.
"""

import re

from stressbench.formats.run.rank_status import RANK_STATUS_LINE, rank_status_of

_RULE = re.compile(rb"(?:^|(?<=[\r\n]))-{60,}\r?\n")
# Printed when a launch agent has already set its own process group and called exec before mpirun calls setpgid for it.
_LINE = re.compile(rb"^\[[^\]\n]*\] plm:rsh: Warning: setpgid\([^\n]*\n", re.MULTILINE)
_NOISE = re.compile(rb"Primary job\s+terminated normally, but|processes exited with non-zero status")


class BannerFilter:
    """Removes these boxes from a stream that comes in pieces, and words statuses. All else passes through at once.

    A box lies between two lines of dashes. Boxes about anything else, such as a rank ended by a signal, are kept.
    """

    def __init__(self) -> None:
        self._buffer = b""  # from the opening line of a box on

    def feed(self, piece: bytes) -> bytes:
        """The output that is ready after this piece."""
        text, self._buffer = _LINE.sub(b"", self._buffer + piece), b""
        text = RANK_STATUS_LINE.sub(_sentence, text)
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


def _sentence(line: re.Match[bytes]) -> bytes:
    status = rank_status_of(line[0])
    return line[0] if status is None else f"stressbench: {status}\n".encode()
