"""Makes the output of a launch readable: drops boxes of Open MPI about a program that ended with a status of its own.

The engine's statuses of ranks, which are lines of JSON, become sentences. Pure.
"""

import re

from stressbench.formats.run.rank_status import RANK_STATUS_LINE, RANK_STATUS_START, rank_status_of

_RULE = re.compile(rb"(?:^|(?<=[\r\n]))-{60,}\r?\n")
# Printed when a launch agent has already set its own process group and called exec before mpirun calls setpgid for it.
_LINE = re.compile(rb"^\[[^\]\n]*\] plm:rsh: Warning: setpgid\([^\n]*\n", re.MULTILINE)
_NOISE = re.compile(rb"Primary job\s+terminated normally, but|processes exited with non-zero status")
_LONGEST_STATUS_BYTES = 1 << 13


class BannerFilter:
    """Removes these boxes from a stream that comes in pieces, and words statuses. All else passes through at once.

    A box lies between two lines of dashes. Boxes about anything else, such as a rank ended by a signal, are kept.
    """

    def __init__(self) -> None:
        self._buffer = b""  # from the opening line of a box on, or an unfinished status

    def feed(self, piece: bytes) -> bytes:
        """The output that is ready after this piece."""
        text, self._buffer = _LINE.sub(b"", self._buffer + piece), b""
        text = RANK_STATUS_LINE.sub(_sentence, text)
        unfinished = _unfinished_status(text)
        text = text.removesuffix(unfinished)
        output = b""
        while opening := _RULE.search(text):
            output += text[: opening.start()]
            closing = _RULE.search(text, opening.end())
            if closing is None:
                self._buffer = text[opening.start() :] + unfinished
                return output
            box = text[opening.start() : closing.end()]
            output += b"" if _NOISE.search(box) else box
            text = text[closing.end() :]
        self._buffer = unfinished
        return output + text

    def flush(self) -> bytes:
        """The output still held back, at the end of the stream."""
        rest, self._buffer = self._buffer, b""
        return rest


def _unfinished_status(text: bytes) -> bytes:
    """The end of the text from where it may be a status whose line has not ended, empty where there is none."""
    line = text[text.rfind(b"\n") + 1 :]
    if (found := line.find(RANK_STATUS_START)) >= 0:
        return line[found:] if len(line) - found <= _LONGEST_STATUS_BYTES else b""
    for length in range(min(len(line), len(RANK_STATUS_START) - 1), 0, -1):
        if line.endswith(RANK_STATUS_START[:length]):
            return line[-length:]
    return b""


def _sentence(line: re.Match[bytes]) -> bytes:
    status = rank_status_of(line[0])
    return line[0] if status is None else f"stressbench: {status}\n".encode()
