"""What goes wrong when a suite's file is read."""


class SuiteFileError(Exception):
    """A protocol is broken, or of something else; the message names file and line."""
