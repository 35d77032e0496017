"""Data that an HTML page shows besides a study's results: the runs themselves, and how they were made. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stressbench.formats.run import Run
from stressbench.results.selections import Selections


@dataclass(frozen=True, kw_only=True)
class StudyData:
    """Completed runs by id, name and text of the study file, its seed, and `environment.json` as text.

    `selections`: the samples to evaluate of the runs, if they were selected already. `directory`: the path of the
    study, for commands that name it. `files`: run files by id, relative to it. `pages`: existing HTML pages of single
    runs by id, relative to the folder of the page. `until_narrow`: intervals decide how often a cell is repeated.
    """

    runs: Mapping[str, Run] = field(default_factory=dict)
    name: str = "study.toml"
    text: str = ""
    seed: int | None = None
    environment: str = ""
    selections: Selections | None = None
    directory: str = "DIR"
    files: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    until_narrow: bool = False

    @property
    def by_cell(self) -> Mapping[str, Mapping[str, Run]]:
        """Runs of each cell, by id."""
        cells: dict[str, dict[str, Run]] = {}
        for name, run in self.runs.items():
            cells.setdefault(cell_of(name), {})[name] = run
        return cells


NOTHING = StudyData()


def cell_of(run: str) -> str:
    """The id of the cell of a run, from the id of the run."""
    return run.rpartition("-r")[0]
