"""Keys of very many parts, `a.a.a = 1`, found before tomllib parses them: its memory grows with the square. Pure."""

import re

_DOUBLE, _SINGLE = r'"(?!"")(?:[^"\\\n]|\\.)*"', r"'(?!'')[^'\n]*'"
_TOKEN = re.compile(
    rf"""
    (?P<part>[A-Za-z0-9_-]+|{_DOUBLE}|{_SINGLE})
    |(?P<dot>[ \t]*\.[ \t]*)
    |(?P<other>\#[^\n]*|[^A-Za-z0-9_\-"'\#.]+)
    |(?P<text>\"""(?:[^\\]|\\.)*?"{{3,5}}|'''.*?'{{3,5}})
    |(?P<unterminated>["'])
    """,
    re.DOTALL | re.VERBOSE,
)


def long_key(text: str, *, most_parts: int) -> int | None:
    """Offset of the first key of more than `most_parts` parts in a TOML text, or in its part before an error."""
    start, parts, is_open = 0, 0, False  # `is_open`: a dot follows the last part
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "part":
            start, parts = (start, parts + 1) if is_open else (token.start(), 1)
            is_open = False
            if parts > most_parts:
                return start
        elif kind == "dot":
            is_open = parts > 0
        elif kind == "unterminated":
            return None  # tomllib gets no further
        else:
            parts, is_open = 0, False
    return None
