"""File access: reads up to a size limit, atomic writes, and directories that no other user can write to."""

from stressbench.formats.files.bounded import (
    Refused,
    forget_what_stays,
    lines_in,
    must_stay,
    open_regular,
    read_bytes,
    read_text,
)
from stressbench.formats.files.journal import append_lines, open_journal
from stressbench.formats.files.output import new_output, replace_whole, require_output, write_output
from stressbench.formats.files.private import NotPrivate, PrivateDirectory, is_own_file, read_own
from stressbench.formats.files.shapes import FIRST_MISTAKE, Shape, json_of

__all__ = [
    "FIRST_MISTAKE",
    "NotPrivate",
    "PrivateDirectory",
    "Refused",
    "Shape",
    "append_lines",
    "forget_what_stays",
    "is_own_file",
    "json_of",
    "lines_in",
    "must_stay",
    "new_output",
    "open_journal",
    "open_regular",
    "read_bytes",
    "read_own",
    "read_text",
    "replace_whole",
    "require_output",
    "write_output",
]
