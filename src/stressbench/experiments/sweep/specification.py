"""Sweeps as studies: from values to the study and to the text of its file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.execution import StudyOptions, begin
from stressbench.formats.study.file import Study, study_of
from stressbench.formats.toml import Called, by_key


@dataclass(frozen=True, kw_only=True)
class Specification:
    """A study, and the text that a study file with the same content has."""

    study: Study
    text: str

    def begin(
        self, output: Path, options: StudyOptions, *, folder: Path | None = None, called: Called = by_key
    ) -> Directory:
        """The directory `output` with this study, checked and not started. Raises as `begin` of studies.

        Its paths are relative to `folder`, by default the current directory.
        """
        return begin(self.study, self.text, output=output, folder=folder or Path.cwd(), options=options, called=called)


@dataclass(frozen=True, kw_only=True)
class SweepRounds:
    """Rounds of each run: their numbers, and how long each job is measured in a round; None leaves it to the engine."""

    isolated: int | None = None
    contended: int | None = None
    repetitions: int | None = None
    min_time: str | None = None

    def table(self) -> Mapping[str, Any]:
        """The table [run] of a study file."""
        return {
            "isolated": self.isolated, "contended": self.contended, "repetitions": self.repetitions,
            "min_time": self.min_time,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WorkloadSweep:
    """Runs of `workloads`, paths relative to the current directory, on the launch target `on`.

    Each number of `ranks`, each value of each of the `variables` and each of the `placements` is a factor; none of
    ranks: the target's own number. `runs`: of each cell.
    """

    workloads: tuple[str, ...]
    on: str
    ranks: tuple[int, ...] = ()
    ranks_per_node: int | None = None
    variables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    placements: tuple[str, ...] = ()
    runs: int = 1
    seed: int = 1
    rounds: SweepRounds

    def study_of(
        self, about: str, *, called: Called, before_ranks: Mapping[str, Any] | None = None,
        factors: Mapping[str, Any] | None = None, sets: Mapping[str, Any] | None = None, **tables: Any,
    ) -> Specification:  # fmt: skip
        """The study with these `factors` and variables (`sets`), too, and more keys of a study file as `tables`.

        `before_ranks`: factors that come before those of ranks, since their order is that of the cells. Raises
        Mistakes, whose messages call keys as `called` does.
        """
        return specification_of(
            {
                "about": f"{about}: {', '.join(Path(path).stem for path in self.workloads)}",
                "seed": self.seed,
                "repetitions": self.runs,
                "factors": {
                    "workload": self.workloads,
                    "on": self.on,
                    **(before_ranks or {}),
                    "ranks": self.ranks or None,
                    "ranks_per_node": self.ranks_per_node,
                    "placement": self.placements or None,
                    **(factors or {}),
                },
                "set": {name: list(values) for name, values in self.variables.items()} | dict(sets or {}),
                "run": self.rounds.table(),
                **tables,
            },
            called=called,
        )


def specification_of(tables: Mapping[str, Any], *, called: Called = by_key) -> Specification:
    """The study of these tables; keys whose value is None are left out. Raises Mistakes, worded by `called`."""
    stated = _without_none(tables)
    return Specification(study=study_of(stated, called=called), text=tomli_w.dumps(stated))


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    stated: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            if inner := _without_none(value):
                stated[key] = inner
        elif isinstance(value, tuple):
            stated[key] = list(value)
        elif value is not None:
            stated[key] = value
    return stated
