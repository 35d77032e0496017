"""Two kinds of failure: something that a person can put right, and a machine that does not do its part."""

from collections.abc import Iterable

from stressbench.errors import MachineFault, UserError


class LabMistake(UserError):
    """The person who typed can put it right. The message names the value and what would be right; status 2."""


class LabFileMistake(LabMistake):
    """A lab file is wrong: a line a mistake, `FILE:LINE: what stands there; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__("\n".join(self.messages))


class LabFault(MachineFault):
    """The machine refused or failed; the message names the step and what the system said; status 3."""
