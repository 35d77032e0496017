"""Conversion of errors into one message and an exit status."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from stressbench.console import error
from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of

_DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
_PATH_ERRNOS = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EACCES, errno.EINVAL)


@contextmanager
def report_errors() -> Iterator[None]:
    """Report a StressBenchError as one message and end with its exit status; Ctrl-C ends with `interrupted`.

    All commands run inside this context, so that they only need to raise.
    """
    try:
        yield
    except StressBenchError as fault:
        if str(fault):
            error(*map(str, fault.args))
        raise typer.Exit(fault.exit_status) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitStatus.interrupted) from None


def exit_after_launches(failed: int) -> NoReturn:
    """End with the exit status of a program's launches, of which `failed` failed."""
    raise typer.Exit(ExitStatus.fault if failed else ExitStatus.ok)


@contextmanager
def end_with_status() -> Iterator[None]:
    """End the process with one message and an exit status for errors that commands do not handle.

    These are a full disk, invalid or inaccessible file names, a removed working directory, and too little memory.
    """
    try:
        yield
    except StressBenchError as fault:
        _exit(*map(str, fault.args), status=fault.exit_status)
    except MemoryError:
        _exit("out of memory")
    except OSError as fault:
        if fault.errno in _DISK_ERRNOS:
            _exit(f"{fault.filename or 'a file'} cannot be written: {reason_of(fault)}")
        if fault.errno in _PATH_ERRNOS and fault.filename is not None:
            _exit(f"{os.fsdecode(fault.filename)}: {reason_of(fault)}", status=ExitStatus.bad_input)
        if _working_directory_is_gone():
            _exit("the working directory was removed; change to one that exists", status=ExitStatus.bad_input)
        raise


def _working_directory_is_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _exit(*lines: str, status: ExitStatus = ExitStatus.fault) -> NoReturn:
    error(*lines)
    sys.exit(status)
