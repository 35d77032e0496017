"""Beginnings of texts from files, for messages. Pure."""

_MOST = 80  # characters
_MOST_MESSAGE, _END = 600, 200


def excerpt(text: str, *, longest: int = _MOST) -> str:
    """The text, or if it is longer than `longest`, its first characters and `...`."""
    return text if len(text) <= longest else f"{text[:longest]}..."


def shortened(message: str) -> str:
    """The message of a library that may quote any text: of more than 600 characters, the first 400 and the last 200."""
    return message if len(message) <= _MOST_MESSAGE else f"{message[: _MOST_MESSAGE - _END]}...{message[-_END:]}"
