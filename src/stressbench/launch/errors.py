"""What goes wrong before the first rank starts."""

from stressbench.errors import UserError


class LaunchMistake(UserError):
    """The person who started the command can put it right. The message names the value and what would be right."""


class LinkMistake(LaunchMistake):
    """`on` cannot have such links: `factor` is rate or rails, `explanation` its value and what would be right."""

    def __init__(self, *, on: str, factor: str, explanation: str) -> None:
        super().__init__(f"--on {on}: {factor}: {explanation}")
        self.factor = factor
        self.explanation = explanation
