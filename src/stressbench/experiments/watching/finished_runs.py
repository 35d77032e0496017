"""Rounds of the completed runs of a study: each file is read once, the newest first, a few at a time."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from stressbench.experiments.study.run_states import RunState, State
from stressbench.formats.run import Role, RunFileError, read_run
from stressbench.stats import RoundMedian, select

Rounds: TypeAlias = Mapping[str, Sequence[RoundMedian]]
"""Medians of the rounds of each measured job of a run, by its name."""


class FinishedRuns:
    """The completed runs in the directory of a study. `faults`: a sentence for each file that cannot be read.

    `bytes_per_look`: `read` ends once it has read this much; None: it reads all.
    """

    def __init__(self, folder: Path, *, bytes_per_look: int | None) -> None:
        self._folder = folder
        self._bytes_per_look = bytes_per_look
        self._rounds: dict[str, Rounds | None] = {}
        self._faults: dict[str, str] = {}

    @property
    def faults(self) -> tuple[str, ...]:
        """Sentences in the order in which files were read."""
        return tuple(self._faults.values())

    def read(self, states: Iterable[RunState]) -> None:
        """Read runs of these states that are done and were not read before, as far as `bytes_per_look` allows."""
        files = [one.file for one in states if one.state is State.done and one.file is not None]
        left = self._bytes_per_look
        for file in reversed(files):
            if file in self._rounds:
                continue
            if left is not None and left <= 0:
                return
            self._read_file(file)
            if left is not None:
                left -= _size_of(self._folder / file)

    def rounds_of(self, state: RunState) -> Rounds | None:
        """Rounds of a completed run; None if it was not read yet, or cannot be read."""
        return None if state.file is None else self._rounds.get(state.file)

    def _read_file(self, file: str) -> None:
        try:
            run = read_run(self._folder / file)
        except RunFileError as fault:
            self._rounds[file] = None
            self._faults[file] = f"{fault}; the run is left out"
            return
        self._rounds[file] = {
            job.name: select(run, job=job.job).rounds for job in run.jobs if job.role is Role.measured
        }


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
