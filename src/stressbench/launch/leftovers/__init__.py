"""Files that killed launches leave in shared memory and temporary directories: finding and removing them."""

from stressbench.launch.leftovers.removing import remove
from stressbench.launch.leftovers.search import Kind, Leftover, find

__all__ = ["Kind", "Leftover", "find", "remove"]
