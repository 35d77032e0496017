"""Messages on standard error, with levels. `--quiet` suppresses notes and progress, never errors and warnings."""

import os
import sys
from typing import TextIO, cast

from stressbench.console.escaping import escaped_line
from stressbench.console.streams import EscapingStream
from stressbench.levels import Level

_PREFIX = "stressbench: "
_RESET = "\x1b[0m"
_MOST_CHARACTERS, _END_CHARACTERS = 8192, 2048  # a path may have 4,096


_COLOURS = {
    Level.error: "\x1b[1;31m",
    Level.warning: "\x1b[33m",
    Level.note: "\x1b[36m",
    Level.progress: "\x1b[2m",
}
_QUIET_LEVELS = frozenset({Level.error, Level.warning})
_ALL_LEVELS = frozenset(Level)
_visible_levels = [_ALL_LEVELS]


def set_quiet(*, quiet: bool) -> None:
    """Show only errors and warnings from now on, or all messages again."""
    _visible_levels[0] = _QUIET_LEVELS if quiet else _ALL_LEVELS


def is_quiet() -> bool:
    """Whether notes and progress are suppressed."""
    return _visible_levels[0] is _QUIET_LEVELS


def has_colours(stream: TextIO) -> bool:
    """Whether escape sequences for colours may be written: a terminal that supports them, and NO_COLOR is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def error(*lines: str) -> None:
    """Report why the command fails, one message per line."""
    for line in lines:
        emit(line, level=Level.error)


def warning(text: str) -> None:
    """Report something that may make results doubtful or needs the user's attention."""
    emit(text, level=Level.warning)


def note(text: str) -> None:
    """Report what was done or what to do next."""
    emit(text, level=Level.note)


def progress(text: str) -> None:
    """Report what is being done at the moment."""
    emit(text, level=Level.progress)


def emit(text: str, *, level: Level = Level.note) -> None:
    """Write `stressbench: ` and the text as one line to standard error, unless the level is suppressed.

    Control characters and line ends in the text are escaped, as names may contain them. Of a text of more than 8,192
    characters the middle is left out. A message that cannot be written is dropped.
    """
    if level not in _visible_levels[0]:
        return
    stream = sys.stderr
    prefix = f"{_COLOURS[level]}{_PREFIX}{_RESET}" if has_colours(stream) else _PREFIX
    raw = cast("TextIO", stream.unescaped) if isinstance(stream, EscapingStream) else stream
    line = escaped_line(text)
    if len(line) > _MOST_CHARACTERS:
        line = f"{line[: _MOST_CHARACTERS - _END_CHARACTERS]}...{line[-_END_CHARACTERS:]}"
    raw.write(f"{prefix}{line}\n")
    raw.flush()
