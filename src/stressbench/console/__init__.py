"""The one way to standard output and standard error: what comes from files cannot steer the terminal."""

from stressbench.console.escaping import escaped
from stressbench.console.printing import Console, echo

__all__ = ["Console", "echo", "escaped"]
