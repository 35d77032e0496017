"""Control characters as visible escapes. Pure."""

import re

# C0 without tab and newline, DEL, C1, line separators, bidirectional controls, and surrogates.
_CONTROL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped_line(text: str) -> str:
    """As `escaped`, with newlines escaped as well."""
    return escaped(text).replace("\n", "\\u000a")


def escaped(text: str) -> str:
    """The text with control characters as escapes such as `\\u001b`; tab and newline are kept.

    The value of a JSON text does not change: C0 is escaped in it already, and JSON readers decode the other escapes.
    """
    return _CONTROL_CHARACTERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
