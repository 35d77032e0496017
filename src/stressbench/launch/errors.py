"""Errors that occur before the first rank starts."""

from stressbench.errors import UserError


class LaunchMistake(UserError):
    """An error that the user can correct. The message names the value and what is expected."""


class LinkMistake(LaunchMistake):
    """The target `on` does not support such links. `factor`: rate or rails. `explanation`: value and expectation."""

    def __init__(self, *, on: str, factor: str, explanation: str) -> None:
        super().__init__(f"--on {on}: {factor}: {explanation}")
        self.factor = factor
        self.explanation = explanation
