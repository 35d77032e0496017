"""The words that put a command on a node of a lab that is up."""

import sys

from stressbench.lab.lifecycle import Running
from stressbench.lab.state import Slot


def entering(running: Running, node: str) -> tuple[str, ...]:
    """To stand before a command. LabMistake where there is no such node."""
    running.holder(node)
    return (sys.executable, "-m", "stressbench.lab.enter", str(Slot(running.state.name).path), node)
