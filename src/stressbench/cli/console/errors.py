"""Errors of the project become one message and an exit status."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

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
        if str(fault):
            error(*map(str, fault.args))
        raise typer.Exit(fault.exit_status) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitStatus.interrupted) from None


def end_of_launches(failed: int) -> NoReturn:
    """End with the exit status of launches of a program of which so many failed."""
    raise typer.Exit(ExitStatus.fault if failed else ExitStatus.ok)
