"""Where `ip`, `tc` and `nsenter` are: often in folders that only root's PATH names."""

import os
import shutil

_PLACES = ("/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin", "/bin")


def find_tool(name: str) -> str | None:
    """The program's path, or None."""
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *_PLACES)))
