"""How commands end: errors of the project become one message on standard error and an exit status."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from stressbench.console import error
from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus


@contextmanager
def report_errors() -> Iterator[None]:
    """Report a StressBenchError as one message and end with its exit status; Ctrl-C ends with `interrupted`.

    The `stressbench` command as a whole runs inside it, so that commands just raise.
    """
    try:
        yield
    except StressBenchError as fault:
        error(str(fault))
        raise typer.Exit(fault.exit_status) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitStatus.interrupted) from None
