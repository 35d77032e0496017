"""The one way to standard output and standard error: what comes from files cannot steer the terminal."""

from stressbench.console.escaping import escaped
from stressbench.console.printing import Console, echo
from stressbench.console.streams import OutputFault, take_streams

__all__ = ["Console", "OutputFault", "echo", "escaped", "take_streams"]
