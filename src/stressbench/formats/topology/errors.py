"""Errors in topology files that the user can correct."""

from collections.abc import Iterable

from stressbench.errors import UserError
from stressbench.formats.excerpts import excerpt

_MAX_REPORTED = 100


class TopologyMistake(UserError):
    """A topology file is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(*self.messages)


class LineMistakes:
    """Mistakes of a file that is parsed line by line, collected so that one attempt reports all of them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._messages: list[tuple[int, str]] = []

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return bool(self._messages)

    def add(self, line: int, found: str, expected: str) -> None:
        """Record that the text `found` in this line is not what was `expected`."""
        self._messages.append((line, f"{self.source}:{line}: '{excerpt(found)}': {expected}"))

    def raise_if_any(self) -> None:
        """Raise TopologyMistake with the first mistakes in the order of lines."""
        if self._messages:
            messages = [text for _, text in sorted(self._messages, key=lambda one: one[0])]
            more = len(messages) - _MAX_REPORTED
            raise TopologyMistake([*messages[:_MAX_REPORTED], *([f"{more:,} more mistakes"] if more > 0 else [])])
