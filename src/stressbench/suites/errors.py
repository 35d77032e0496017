"""Errors of reading a suite's protocol file."""


class SuiteFileError(Exception):
    """The file is no valid protocol of the suite; the message names file and line."""
