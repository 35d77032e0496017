"""Builds the studies of sweeps, and the text of their study files, from Python values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import tomli_w

from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.study.cell_targets import require_controllable_links
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.execution import StudyOptions, begin
from stressbench.formats.study.file import Study, study_of
from stressbench.formats.toml import by_option
from stressbench.formats.units import Stated

OPTION_LABEL = by_option({
    "repetitions": "--runs", "factors.on": "--on", "factors.ranks": "-n", "factors.ranks_per_node": "--ranks-per-node",
    "factors.rate": "--rates", "factors.policy": "--policies", "factors.placement": "--place",
    "rate_command": "--rate-command", "nics": "--nics", "transport": "--transport",
    "run.isolated": "--isolated", "run.contended": "--contended", "run.repetitions": "--repetitions",
    "run.min_time": "--min-time",
})  # fmt: skip
"""The option of `degrade`, `rails` and `study matrix` that sets each key of their studies."""


@dataclass(frozen=True, kw_only=True)
class Specification:
    """A study, and the text of an equivalent study file."""

    study: Study
    text: str

    def begin(
        self, output: Path, options: StudyOptions, *, folder: Path | None = None, progress: Progress = silent
    ) -> Directory:
        """Check the study and set up the directory `output` for it, without starting runs. Raises as `execution.begin`.

        Paths of the study are relative to `folder`, by default the current directory.
        """
        return begin(
            self.study, self.text, output=output, folder=folder or Path.cwd(), options=options, key_label=OPTION_LABEL,
            progress=progress,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SweepRounds:
    """Rounds and repetitions of each run, and the least time per job and round. None: the engine's default."""

    isolated: int | None = None
    contended: int | None = None
    repetitions: int | None = None
    min_time: Stated[float] | None = None

    def table(self) -> Mapping[str, Any]:
        """The content of the table [run] of a study file."""
        return {
            "isolated": self.isolated, "contended": self.contended, "repetitions": self.repetitions,
            "min_time": self.min_time,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WorkloadSweep:
    """Runs of `workloads`, paths relative to the current directory, on the launch target `on`.

    `ranks`, each of the `variables` and `placements` are factors of the study. Without `ranks`, the number of ranks is
    that of the target. `runs`: runs per cell. `rounds`: None for the `default_rounds` of the kind of sweep.
    """

    default_rounds: ClassVar[SweepRounds]
    workloads: tuple[str, ...]
    on: str
    ranks: tuple[int, ...] = ()
    ranks_per_node: int | None = None
    variables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    placements: tuple[str, ...] = ()
    runs: int = 1
    seed: int = 1
    rounds: SweepRounds | None = None

    def study_of(
        self, about: str, *, before_ranks: Mapping[str, Any] | None = None,
        factors: Mapping[str, Any] | None = None, sets: Mapping[str, Any] | None = None, **tables: Any,
    ) -> Specification:  # fmt: skip
        """The study with additional `factors`, variables (`sets`) and other keys of a study file (`tables`).

        `before_ranks`: factors that come before ranks, since the order of factors determines the order of cells. Raises
        ValidationMistakes.
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
                "run": (self.rounds or self.default_rounds).table(),
                **tables,
            }
        )


def specification_of(tables: Mapping[str, Any]) -> Specification:
    """The study of these tables, without keys whose value is None. Raises ValidationMistakes, which name options."""
    stated = _without_none(tables)
    study = study_of(stated, key_label=OPTION_LABEL)
    require_controllable_links(study, key_label=OPTION_LABEL)
    return Specification(study=study, text=tomli_w.dumps(_with_texts(stated)))


def _with_texts(value: Any) -> Any:
    """The tables with the text of each stated value, as in a study file."""
    if isinstance(value, Mapping):
        return {key: _with_texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_texts(inner) for inner in value]
    return str(value) if isinstance(value, Stated) else value


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
