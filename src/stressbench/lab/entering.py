"""The words that put a command on a node of a lab that is up."""

import sys

from stressbench.lab.lifecycle import RunningLab
from stressbench.lab.state import LabDirectory


def entering(running: RunningLab, node: str) -> tuple[str, ...]:
    """To stand before a command. LabMistake where there is no such node."""
    running.holder(node)
    return (sys.executable, "-m", "stressbench.lab.enter", str(LabDirectory(running.state.name).path), node)
