"""The results of co-runs from their directory."""

from pathlib import Path

from stressbench.formats.launches.coruns import read_coruns
from stressbench.formats.launches.journal import FILE
from stressbench.results.coruns import Corun, corun_of


def corun_results(folder: Path) -> Corun:
    """The results in a directory that `corun` wrote, also of one that was interrupted. Raises StudyMistake."""
    recorded = read_coruns(folder / FILE)
    return corun_of(recorded.plan, recorded.done, notes=recorded.complaints)
