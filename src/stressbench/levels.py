"""Levels of importance of messages to the user."""

from enum import Enum, auto


class Level(Enum):
    """Notes and progress can be suppressed (`--quiet`), errors and warnings cannot."""

    error = auto()
    warning = auto()
    note = auto()
    progress = auto()
