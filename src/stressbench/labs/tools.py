"""Lookup of programs such as `ip`, `tc` and `nsenter`, which are often in directories of root's PATH only."""

import os
import shutil

_PLACES = ("/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin", "/bin")


def find_tool(name: str) -> str | None:
    """Path of a program, or None if it is not installed."""
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *_PLACES)))
