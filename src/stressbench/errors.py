"""Base classes of the errors that end a command with a message instead of a traceback."""

from stressbench.exit_status import ExitStatus


class StressBenchError(Exception):
    """An error that is reported as one message, each argument as a line. `exit_status` is what the command ends with.

    What separates lines is no part of any argument: a name in it may hold a line end, which begins no line.
    """

    exit_status = ExitStatus.fault

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class UserError(StressBenchError):
    """The user can correct it. The message names the value, its location, and what would be valid."""

    exit_status = ExitStatus.bad_input


class MachineFault(StressBenchError):
    """A process, a file system or the machine failed. The message names the step and what the system reported."""

    exit_status = ExitStatus.fault


class Interrupted(StressBenchError):
    """A signal or a time limit ended the work early. The message says what is left and how to continue."""

    exit_status = ExitStatus.interrupted
