"""What goes wrong before the first rank starts."""


class LaunchMistake(Exception):
    """The person who started the command can put it right. The message names the value and what would be right."""
