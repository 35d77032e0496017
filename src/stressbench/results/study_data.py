"""What a page tells beyond a study's numbers: the runs themselves, and how they were made. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from stressbench.formats.run import Run
from stressbench.results.selections import Selections


@dataclass(frozen=True, kw_only=True)
class StudyData:
    """Runs that are done, by id; the study's file as it was handed in, its seed, and `environment.json` as text.

    `selections` are the runs' samples that count, where someone has looked already.
    """

    runs: Mapping[str, Run] = field(default_factory=dict)
    name: str = "study.toml"
    text: str = ""
    seed: int | None = None
    environment: str = ""
    selections: Selections | None = None

    @property
    def by_cell(self) -> Mapping[str, Mapping[str, Run]]:
        """Runs of each cell, by id."""
        cells: dict[str, dict[str, Run]] = {}
        for name, run in self.runs.items():
            cells.setdefault(cell_of(name), {})[name] = run
        return cells


NOTHING = StudyData()


def cell_of(run: str) -> str:
    """The cell of a run, by their ids."""
    return run.rpartition("-r")[0]
