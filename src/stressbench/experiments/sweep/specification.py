"""Sweeps as studies: from values to the study and to the text of its file."""

from collections.abc import Mapping
from dataclasses import dataclass
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


def specification_of(tables: Mapping[str, Any], *, called: Called = by_key) -> Specification:
    """The study of these tables; keys whose value is None are left out. Raises Mistakes, worded by `called`."""
    given = _given(tables)
    return Specification(study=study_of(given, called=called), text=tomli_w.dumps(given))


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            if inner := _given(value):
                found[key] = inner
        elif isinstance(value, tuple):
            found[key] = list(value)
        elif value is not None:
            found[key] = value
    return found
