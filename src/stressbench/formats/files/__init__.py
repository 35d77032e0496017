"""File access: reads up to a size limit, atomic writes, and directories that no other user can write to."""

from stressbench.formats.files.bounded import (
    FileRefused,
    clear_protected_files,
    end_of_text,
    is_file,
    lines_in,
    open_regular,
    protect_from_overwriting,
    read_bytes,
    read_text,
    recorded_reads,
)
from stressbench.formats.files.bounded_validator import FAIL_FAST, BoundedValidator, parse_json
from stressbench.formats.files.checksums import sha256_of
from stressbench.formats.files.journal import append_lines, open_journal
from stressbench.formats.files.locks import is_locked
from stressbench.formats.files.output import (
    atomic_output,
    errors_naming,
    new_output,
    require_output,
    write_atomically,
    write_output,
)
from stressbench.formats.files.private import NotPrivate, PrivateDirectory, is_own_file, read_own

__all__ = [
    "FAIL_FAST",
    "BoundedValidator",
    "FileRefused",
    "NotPrivate",
    "PrivateDirectory",
    "append_lines",
    "atomic_output",
    "clear_protected_files",
    "end_of_text",
    "errors_naming",
    "is_file",
    "is_locked",
    "is_own_file",
    "lines_in",
    "new_output",
    "open_journal",
    "open_regular",
    "parse_json",
    "protect_from_overwriting",
    "read_bytes",
    "read_own",
    "read_text",
    "recorded_reads",
    "require_output",
    "sha256_of",
    "write_atomically",
    "write_output",
]
