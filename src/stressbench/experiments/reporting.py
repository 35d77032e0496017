"""How experiments report progress: through a callback, which `stressbench.console.emit` is for commands."""

from typing import Protocol

from stressbench.levels import Level


class Report(Protocol):
    """Receives one sentence at a time, without a full stop, while an experiment runs."""

    def __call__(self, text: str, *, level: Level) -> None:
        """`level` says whether it is progress, a note, a warning or an error."""


def silent(text: str, *, level: Level) -> None:
    """Ignores all messages."""
