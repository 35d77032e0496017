"""Errors of profiles and predictions."""

from pathlib import Path

from stressbench.errors import UserError


class ProfileFileError(UserError):
    """A profile cannot be used. The message is `FILE[:LINE]: what was found: what was expected`."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        """Name `path` and, where the text itself is broken, its line counted from 1."""
        self.path = path
        self.line = line
        super().__init__(f"{path}{'' if line is None else f':{line}'}: {message}")


class Inconclusive(Exception):
    """A model does not apply to these measurements; the message gives the reason, as a sentence without a full stop."""
