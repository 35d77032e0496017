"""Beginnings of texts from files, for messages. Pure."""

_MOST = 80  # characters
_MOST_MESSAGE, _END = 600, 200


def excerpt(text: str) -> str:
    """The text, or its first 80 characters and `...`."""
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def shortened(message: str) -> str:
    """The message of a library that may quote any text: of more than 600 characters, the first 400 and the last 200."""
    return message if len(message) <= _MOST_MESSAGE else f"{message[: _MOST_MESSAGE - _END]}...{message[-_END:]}"
