"""What a person can put right about a lab or its file."""

from collections.abc import Iterable

from stressbench.errors import UserError


class LabMistake(UserError):
    """The message names the value and what would be right; exit status 2."""


class LabFileMistake(LabMistake):
    """A lab file is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__(*self.messages)
