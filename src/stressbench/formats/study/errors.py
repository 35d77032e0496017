"""Errors of studies."""

from collections.abc import Iterable

from stressbench.errors import MachineFault, UserError


class StudyMistake(UserError):
    """An error that the user can correct. The message names the value and what would be valid; exit status 2."""


class StudyFileMistake(StudyMistake):
    """A study file is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(*self.messages)


class StudyFault(MachineFault):
    """A failure outside StressBench, because of which the study cannot continue as planned; exit status 3."""
