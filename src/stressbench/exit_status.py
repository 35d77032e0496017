"""The exit statuses of every command."""

from enum import IntEnum

_SIGNALLED = 128


def exit_status_of(returncode: int) -> int:
    """The exit status that a shell reports for a return code of `subprocess`: 128 + N instead of -N for signal N."""
    return returncode if returncode >= 0 else _SIGNALLED - returncode


class ExitStatus(IntEnum):
    """Exit status of a command. A command that runs another program passes on the status of that program instead."""

    ok = 0
    negative = 1
    """The command succeeded with a negative answer: times differ, a link deviates, no prediction is possible."""
    bad_input = 2
    """An option, a file or the environment is wrong and the user can correct it. Nothing was measured."""
    fault = 3
    """A run, the machine or the environment failed, or there is nothing to show."""
    interrupted = 130
    """Interrupted by a signal, or ended at a time limit, before all work was done."""
