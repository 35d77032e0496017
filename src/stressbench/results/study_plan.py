"""The cells and runs of a study before any of them starts, and the shipped studies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class PlannedCell:
    """A cell, and its value of each factor."""

    cell: str
    values: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run of a cell; `repetition` counts the runs of its cell from 0."""

    run: str
    cell: str
    repetition: int


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """The cells of a study and its runs in their order. `factors`: those with several values.

    `least_s` and `most_s` are bounds on the total duration, s; null: not determined by the study file.
    """

    about: str
    seed: int
    factors: tuple[str, ...]
    cells: tuple[PlannedCell, ...]
    runs: tuple[PlannedRun, ...]
    least_s: float | None
    most_s: float | None
    fewest_runs: Annotated[int, Field(exclude=True)]
    """The number of runs if every interval is narrow as early as possible."""


@dataclass(frozen=True, kw_only=True)
class ShippedStudy:
    """A study shipped with StressBench: its name, and its numbers of cells and runs."""

    study: str
    cells: int
    runs: int
    about: str
