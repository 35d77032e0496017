"""A study of all pairs of workloads run side by side: which job slows which."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import temporary_directory
from stressbench.experiments.study.combining import JobTemplate, combined_workload, read_job_template
from stressbench.experiments.study.directory import Directory, removed_if_refused
from stressbench.experiments.study.execution import StudyOptions
from stressbench.experiments.sweep.specification import Specification, SweepRounds, specification_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text, write_atomically
from stressbench.formats.files.studies import WORKLOADS
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.toml import unknown_message

_FILE = "matrix.toml"


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """Workloads of one job each, run in all pairs and in larger `groups` of jobs given by name.

    `with_copies`: each job also runs beside a second copy of itself.
    """

    workloads: tuple[Path, ...]
    groups: tuple[tuple[str, ...], ...] = ()
    with_copies: bool = False
    on: str = "local"
    ranks: int | None = None
    ranks_per_node: int | None = None
    placements: tuple[str, ...] = ()
    runs: int = 1
    seed: int = 1
    rounds: SweepRounds

    def specification(self) -> Specification:
        """The study. Raises StudyMistake and ValidationMistakes."""
        return specification_of(
            {
                "about": f"Pairwise slowdowns: {', '.join(self._jobs)}",
                "seed": self.seed,
                "repetitions": self.runs,
                "matrix": list(self._jobs),
                "factors": {
                    "workload": list(map(_name, self._all_groups())),
                    "on": self.on,
                    "ranks": self.ranks,
                    "ranks_per_node": self.ranks_per_node,
                    "placement": self.placements or None,
                },
                "run": self.rounds.table(),
            }
        )

    def begin(self, output: Path, options: StudyOptions, *, progress: Progress = silent) -> Directory:
        """Check the study and set up the directory `output` for it, with its workloads, without starting runs.

        Raises StudyMistake and ValidationMistakes; a new directory is left only without one.
        """
        made = self.specification()
        options.check(made.study)
        with removed_if_refused(output, WORKLOADS):
            return made.begin(output, options, folder=self.write_in(output, made), progress=progress)

    def write_in(self, output: Path, made: Specification) -> Path:
        """Write the workload of each group and the study file below `output`. Returns the folder of these files.

        Raises StudyMistake where `output` contains something else, or a workload has changed.
        """
        folder = output / WORKLOADS
        try:
            if output.exists() and any(output.iterdir()) and not (folder / _FILE).exists():
                raise StudyMistake(
                    f"{output} contains files that are not a matrix; choose a directory that is new or empty"
                )
            folder.mkdir(parents=True, exist_ok=True)
            for group in self._all_groups():
                _write(folder / _name(group), combined_workload([self._jobs[name] for name in group]))
            write_atomically(folder / _FILE, made.text.encode())
        except OSError as fault:
            raise StudyMistake(f"--output: {fault.filename}: {reason_of(fault)}") from fault
        return folder.absolute()

    @contextmanager
    def in_temporary_directory(self) -> Iterator[tuple[Path, Specification]]:
        """Context with the workloads in a temporary directory, and the study whose paths are relative to it."""
        made = self.specification()
        with temporary_directory("matrix") as path:
            yield self.write_in(path, made), made

    @cached_property
    def _jobs(self) -> Mapping[str, JobTemplate]:
        """Jobs by name. Raises StudyMistake where two have the same name."""
        jobs: dict[str, JobTemplate] = {}
        for path in self.workloads:
            job = read_job_template(path)
            if job.name in jobs:
                raise StudyMistake(
                    f"{path}: its job is called {job.name}, as that of another workload; expected different names"
                )
            jobs[job.name] = job
        return jobs

    def _all_groups(self) -> list[tuple[str, ...]]:
        groups: list[tuple[str, ...]] = list(itertools.combinations(self._jobs, 2))
        if self.with_copies:
            groups += [(name, name) for name in self._jobs]
        if not groups:
            raise StudyMistake("a matrix needs two workloads, or one and --self")
        for names in self.groups:
            text = ",".join(names)
            if len(names) < 3:
                raise StudyMistake(f"--triple: '{text}': expected three names of jobs or more, such as a,b,c")
            for name in names:
                if name not in self._jobs:
                    raise StudyMistake(f"--triple: '{text}': {unknown_message('job', name, tuple(self._jobs))}")
            if names in groups:
                raise StudyMistake(f"--triple: '{text}' is given twice")
            groups.append(names)
        return groups


def _name(group: tuple[str, ...]) -> str:
    return "+".join(group) + ".sb"


def _write(path: Path, text: str) -> None:
    """Write a workload. Raises StudyMistake where the file exists with another text, since runs may have used it."""
    if path.exists() and read_text(path, limit=limits.WORKLOAD, errors="replace") != text:
        raise StudyMistake(
            f"{path} already exists with different contents: a workload has changed; choose another directory"
        )
    write_atomically(path, text.encode())
