"""All output to standard output and standard error, with control characters escaped."""

from stressbench.console.escaping import escaped
from stressbench.console.messages import emit, error, has_colours, is_quiet, note, progress, set_quiet, warning
from stressbench.console.printing import Console, echo, stderr_console
from stressbench.console.streams import OutputFault, install_escaping_streams

__all__ = [
    "Console",
    "OutputFault",
    "echo",
    "emit",
    "error",
    "escaped",
    "has_colours",
    "install_escaping_streams",
    "is_quiet",
    "note",
    "progress",
    "set_quiet",
    "stderr_console",
    "warning",
]
