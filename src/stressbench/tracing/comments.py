"""Texts of a trace in comments of the files that are made from it. Pure."""


def in_comment(text: str) -> str:
    """The printable characters of a text: a newline in it would end the comment, and what follows would be read."""
    return "".join(letter for letter in text if letter.isprintable())
