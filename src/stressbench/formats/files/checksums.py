"""Checksums of files."""

import hashlib
from pathlib import Path

from stressbench.formats.files import limits
from stressbench.formats.files.bounded import open_regular


def sha256_of(path: Path) -> str:
    """SHA-256 of the content of a regular file, in hexadecimal. Raises OSError."""
    with open_regular(path, limit=limits.FILE) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
