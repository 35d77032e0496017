"""Names of temporary directories, by which `stressbench clean` recognises their owners. Pure."""

import os


def scratch_prefix(name: str) -> str:
    """Begin of the name of a temporary directory of this process; eight letters or digits follow.

    The host is part of it, since such a directory may be in a file system that hosts share.
    """
    return f".stressbench-{name}-{os.uname().nodename}-{os.getpid()}-"
