"""How experiments report what they are doing: through a callback, which is `stressbench.console.emit` for commands."""

from typing import Protocol

from stressbench.levels import Level


class Progress(Protocol):
    """Called with one sentence, without a full stop, whenever a new step begins or something noteworthy happened."""

    def __call__(self, text: str, *, level: Level = Level.note) -> None:
        """`level` says whether it is progress, a note or a warning."""


def silent(text: str, *, level: Level = Level.note) -> None:
    """A `Progress` that drops every message."""
