"""What a person can put right about a study."""

from collections.abc import Iterable

from stressbench.errors import MachineFault, UserError


class StudyMistake(UserError):
    """The message names the value and what would be right; status 2."""


class StudyFileMistake(StudyMistake):
    """A study file is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(*self.messages)


class StudyFault(MachineFault):
    """Something outside failed, so that the study cannot go on as it should; status 3."""
