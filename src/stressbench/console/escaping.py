"""Control characters as visible escapes. Pure."""

import re

# C0 without tab and newline, DEL, C1, the separators that end a line, and what changes the direction of text.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escaped_line(text: str) -> str:
    """As `escaped`, with line ends as escapes, too."""
    return escaped(text).replace("\n", "\\u000a")


def escaped(text: str) -> str:
    """The text with `\\u001b` in the place of an escape character; tab and newline stay.

    JSON keeps its value: its writer has escaped C0, and reads the rest back from what stands here.
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
