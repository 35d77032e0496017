"""Errors in labs and lab files that the user can correct."""

from collections.abc import Iterable

from stressbench.errors import UserError


class LabMistake(UserError):
    """An error that the user can correct. The message names the value and what would be valid; exit status 2."""


class LabFileMistake(LabMistake):
    """A lab file is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(*self.messages)
