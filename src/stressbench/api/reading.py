"""`stressbench.read`: the results in a run file."""

from os import PathLike
from pathlib import Path

from stressbench.api.run_results import RunResults
from stressbench.formats.run import read_run


def read(path: str | PathLike[str]) -> RunResults:
    """Read the run file at `path`.

    Rounds that were not committed are left out, so that the file of an interrupted run, or of one that is still
    running, can be read. Raises `stressbench.RunFileError`, which names file and line, if the file cannot be read.
    """
    return RunResults(read_run(Path(path)))
