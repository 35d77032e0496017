"""Files that somebody else may have written: read up to a stated size, and kept where nobody else can write."""

from stressbench.files.bounded import Refused, lines_in, open_regular, read_bytes, read_text
from stressbench.files.private import NotPrivate, PrivateDirectory
from stressbench.files.shapes import FIRST_MISTAKE, Shape, json_of

__all__ = [
    "FIRST_MISTAKE",
    "NotPrivate",
    "PrivateDirectory",
    "Refused",
    "Shape",
    "json_of",
    "lines_in",
    "open_regular",
    "read_bytes",
    "read_text",
]
