"""Base classes of the errors that end a command with a message instead of a traceback."""

from stressbench.exit_status import ExitStatus


class StressBenchError(Exception):
    """An error that is reported as one message with one line per argument. `exit_status` is that of the command.

    Only arguments separate lines: a newline within an argument, for example in a file name, is escaped on output.
    """

    exit_status = ExitStatus.fault

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class UserError(StressBenchError):
    """An error that the user can correct. The message names the value, its location, and what would be valid."""

    exit_status = ExitStatus.bad_input


class MachineFault(StressBenchError):
    """A process, a file system or the machine failed. The message names the step and what the system reported."""

    exit_status = ExitStatus.fault


class Interrupted(StressBenchError):
    """A signal or a time limit ended the work early. The message says what is left and how to continue."""

    exit_status = ExitStatus.interrupted
