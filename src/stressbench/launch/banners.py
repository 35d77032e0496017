"""Open MPI's remarks that tell a person nothing: boxes about a program that ended with a status of its own. Pure."""

import re

_RULE = re.compile(rb"(?:^|(?<=[\r\n]))-{60,}\r?\n")
# A quick agent has put itself into a group of its own and replaced its process before mpirun tries to do the former.
_LINE = re.compile(rb"^\[[^\]\n]*\] plm:rsh: Warning: setpgid\([^\n]*\n", re.MULTILINE)
_NOISE = re.compile(rb"Primary job\s+terminated normally, but|processes exited with non-zero status")


class BannerFilter:
    """Takes a stream in pieces and gives it back without those boxes; everything else goes through at once.

    A box lies between two lines of dashes. Boxes about anything else, such as a rank that a signal ended, stay.
    """

    def __init__(self) -> None:
        self._buffer = b""  # from the opening line of a box on

    def feed(self, piece: bytes) -> bytes:
        """What can be handed on now."""
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
        """What was held back, at the end of the stream."""
        rest, self._buffer = self._buffer, b""
        return rest
