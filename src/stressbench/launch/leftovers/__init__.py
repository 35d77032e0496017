"""Files that killed launches leave in shared memory and temporary directories: finding and removing them."""

from stressbench.launch.leftovers.finding import Kind, Leftover, find
from stressbench.launch.leftovers.removing import remove

__all__ = ["Kind", "Leftover", "find", "remove"]
