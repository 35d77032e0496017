"""Sanitising and shortening of names for display."""

_LONGEST = 28


def printable(text: str) -> str:
    """The text with U+FFFD in place of unprintable characters, since XML does not allow control characters."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def short(name: str, *, longest: int = _LONGEST) -> str:
    """The printable name, cut to `longest` characters to fit into a figure; tables show it in full."""
    name = printable(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"
