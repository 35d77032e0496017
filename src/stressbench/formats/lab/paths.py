"""Paths on the nodes of a lab: those below /run/lab that the lab itself uses, and the check of those in lab files."""

LAB_FOLDER = "/run/lab"
"""A directory that only the lab's nodes see and that vanishes with the lab."""
AGENT = f"{LAB_FOLDER}/agent"
CORES = f"{LAB_FOLDER}/cores"
HOSTS = f"{LAB_FOLDER}/hosts"
IO = f"{LAB_FOLDER}/io"
NUMA = f"{LAB_FOLDER}/numa"
PIDS = f"{LAB_FOLDER}/pids"
PROGRAMS = f"{LAB_FOLDER}/programs"
SCRATCH = f"{LAB_FOLDER}/tmp"
_RESERVED = frozenset({AGENT, CORES, HOSTS, IO, NUMA, PIDS, PROGRAMS, SCRATCH})


def checked_path(path: str) -> str:
    """Return `path`. Raises ValueError if the lab uses it itself.

    Mount points must be below /run/lab, since a daemon that accesses files below its own mount point deadlocks.
    """
    if path in _RESERVED:
        raise ValueError(f"the lab uses this itself; expected another name, such as {LAB_FOLDER}/scratch")
    return path
