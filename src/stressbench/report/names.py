"""Names from files, fit to be shown."""

_LONGEST = 28


def printable(text: str) -> str:
    """The text without control characters, which neither XML nor a reader can take."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def short(name: str, *, longest: int = _LONGEST) -> str:
    """A name that fits into a figure; tables have it whole."""
    name = printable(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"
