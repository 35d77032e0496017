"""What goes wrong when a suite's file is read."""

from stressbench.errors import UserError


class SuiteFileError(UserError):
    """A protocol is broken, or of something else; the message names file and line."""
