"""What killed launches leave behind in memory and in folders for temporary files, and who may still need it."""

from stressbench.launch.leftovers.finding import Kind, Leftover, find
from stressbench.launch.leftovers.removing import remove

__all__ = ["Kind", "Leftover", "find", "remove"]
