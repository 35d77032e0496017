"""Journals of a study: one JSON object per line. Unreadable lines are reported and skipped, up to a limit."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from stressbench.formats.complaints import first_error
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, lines_in, open_regular
from stressbench.formats.study.errors import StudyMistake


def journal_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, with their numbers from 1. Raises StudyMistake, and FileNotFoundError."""
    try:
        with open_regular(path, limit=limits.JOURNAL) as file:
            for number, line in enumerate(lines_in(file, path=path, longest=limits.JOURNAL_LINE), start=1):
                if content := line.rstrip(b"\n"):
                    yield number, content
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise StudyMistake(f"{path}: {reason_of(fault)}") from fault


class Complaints:
    """Collects `FILE:LINE: sentence` for each line that could not be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._messages: list[str] = []

    def add(self, number: int, fault: ValidationError | str) -> None:
        """Add the error of one line, or what was expected in it.

        Raises StudyMistake if there are more than `limits.BROKEN_LINES`.
        """
        if len(self._messages) == limits.BROKEN_LINES:
            message = f"more than {limits.BROKEN_LINES} broken lines, the first of them:"
            raise StudyMistake(f"{self._path}: {message} {self._messages[0]}")
        reason = fault if isinstance(fault, str) else first_error(fault)
        self._messages.append(f"{self._path}:{number}: broken line ({reason}); it is left out")

    def all(self) -> tuple[str, ...]:
        """All sentences, in order of lines."""
        return tuple(self._messages)
