"""What goes wrong with profiles and predictions."""

from pathlib import Path

from stressbench.errors import UserError


class ProfileFileError(UserError):
    """A profile cannot be used: `FILE[:LINE]: what stands there: what was expected`."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        """Name `path` and, where the text itself is broken, its line counted from 1."""
        self.path = path
        self.line = line
        super().__init__(f"{path}{'' if line is None else f':{line}'}: {message}")


class Inconclusive(Exception):
    """A model does not hold here; the message says why, as a sentence for people without a full stop."""
