"""Paths that the nodes of a lab see: what the lab keeps below /run/lab, and what is left to lab files."""

LAB_FOLDER = "/run/lab"
"""A folder that only the lab's own nodes see, and that is gone with the lab."""
AGENT = f"{LAB_FOLDER}/agent"
CORES = f"{LAB_FOLDER}/cores"
HOSTS = f"{LAB_FOLDER}/hosts"
IO = f"{LAB_FOLDER}/io"
PIDS = f"{LAB_FOLDER}/pids"
SCRATCH = f"{LAB_FOLDER}/tmp"
_OWN = frozenset({AGENT, CORES, HOSTS, IO, PIDS, SCRATCH})


def checked_path(path: str) -> str:
    """Return `path`. ValueError where the lab keeps something of its own there.

    I/O nodes serve nowhere but below /run/lab: a daemon that looks at something below its own mount waits for itself
    for ever.
    """
    if path in _OWN:
        raise ValueError(f"the lab uses this itself; expected another name, such as {LAB_FOLDER}/scratch")
    return path
