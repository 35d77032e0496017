"""Files that somebody else may have written: read up to a stated size, and kept where nobody else can write."""

from stressbench.files.bounded import Refused, lines_in, open_regular, read_bytes, read_text
from stressbench.files.private import NotPrivate, PrivateDirectory

__all__ = [
    "NotPrivate",
    "PrivateDirectory",
    "Refused",
    "lines_in",
    "open_regular",
    "read_bytes",
    "read_text",
]
