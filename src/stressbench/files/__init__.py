"""Files: read up to a stated size, written whole or not at all, and kept where nobody else can write."""

from stressbench.files.bounded import (
    Refused,
    forget_what_stays,
    lines_in,
    must_stay,
    open_regular,
    read_bytes,
    read_text,
)
from stressbench.files.journal import append_lines
from stressbench.files.output import new_output, replace_whole, require_output, write_output
from stressbench.files.private import NotPrivate, PrivateDirectory, is_own_file, read_own

__all__ = [
    "NotPrivate",
    "PrivateDirectory",
    "Refused",
    "append_lines",
    "forget_what_stays",
    "is_own_file",
    "lines_in",
    "must_stay",
    "new_output",
    "open_regular",
    "read_bytes",
    "read_own",
    "read_text",
    "replace_whole",
    "require_output",
    "write_output",
]
