"""The exit statuses of every command."""

from enum import IntEnum


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
