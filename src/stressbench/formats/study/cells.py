"""The cells of a study, and the order in which they are run. Pure."""

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import orjson

from stressbench.formats.study.rail_policies import RailPolicy
from stressbench.formats.units import RateShare, Stated

PLAIN_FACTORS = (
    "workload",
    "placement",
    "ranks",
    "ranks_per_node",
    "on",
    "finish",
    "engine",
    "rate",
    "rails",
    "policy",
)
_SET = "set."
FactorValue: TypeAlias = str | int | RateShare | Stated[RailPolicy]


@dataclass(frozen=True)
class Cell:
    """A combination of one value of each factor; None leaves the choice to the engine or the launch target."""

    workload: str
    on: str
    placement: str | None = None
    ranks: int | None = None
    ranks_per_node: int | None = None
    finish: str | None = None
    engine: str | None = None
    rate: RateShare | None = None
    rails: int | None = None
    policy: Stated[RailPolicy] | None = None
    sets: tuple[tuple[str, str], ...] = ()

    @cached_property
    def values(self) -> Mapping[str, str]:
        """The given values as texts, by factor; variables are `set.NAME`."""
        plain = ((name, getattr(self, name)) for name in PLAIN_FACTORS)
        return {
            **{name: str(value) for name, value in plain if value is not None},
            **{f"{_SET}{name}": value for name, value in self.sets},
        }

    @cached_property
    def id(self) -> str:
        """Ten hexadecimal digits that depend on the values only: a cell has the same id in every study."""
        return hashlib.sha256(orjson.dumps(self.values, option=orjson.OPT_SORT_KEYS)).hexdigest()[:10]


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One run of a cell: the `repetition`-th, counted from 0."""

    cell: Cell
    repetition: int

    @property
    def id(self) -> str:
        """`CELL-rN`, N from 1; also the name of the run file."""
        return f"{self.cell.id}-r{self.repetition + 1}"


def product(factors: Mapping[str, Sequence[FactorValue]]) -> Iterator[Cell]:
    """Every combination, the last factor changing fastest; a factor is an attribute of Cell, or `set.NAME`."""
    for values in itertools.product(*factors.values()):
        attributes = dict(zip(factors, values, strict=True))
        sets = tuple((name.removeprefix(_SET), str(attributes.pop(name))) for name in factors if name.startswith(_SET))
        yield Cell(**attributes, sets=sets)  # type: ignore[arg-type]  # the names are its attributes


def matches(cell: Cell, allowed: Mapping[str, Sequence[str]]) -> bool:
    """Whether the cell has, for each factor in `allowed`, one of the allowed values."""
    return all(cell.values.get(name) in values for name, values in allowed.items())


def scheduled_runs(
    cells: Sequence[Cell], *, repetitions: int, seed: int, grouped_by_rate: bool = False
) -> tuple[PlannedRun, ...]:
    """All runs in their order: for each repetition all cells once, in another random order each time.

    The relative order of two cells does not depend on the other cells, so that a study keeps it when it is extended.
    `grouped_by_rate`: within a repetition, cells of one rate follow each other, for rates that are expensive to change;
    the rates come in random order.
    """

    def order_key(cell: Cell, repetition: int) -> tuple[bytes, bytes]:
        rate = _random_key(seed, repetition, str(cell.rate or "")) if grouped_by_rate else b""
        return rate, _random_key(seed, repetition, cell.id)

    return tuple(
        PlannedRun(cell=cell, repetition=repetition)
        for repetition in range(repetitions)
        for cell in sorted(cells, key=lambda cell: order_key(cell, repetition))
    )


def _random_key(seed: int, repetition: int, label: str) -> bytes:
    return hashlib.sha256(f"{seed}/{repetition}/{label}".encode()).digest()


def varying_factors(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Factors in which the cells differ, in the order of the file."""
    names = dict.fromkeys(name for cell in cells for name in cell.values)
    return tuple(name for name in names if len({cell.values.get(name) for cell in cells}) > 1)


def cell_description(cell: Cell, factors: Sequence[str]) -> str:
    """The cell's values of these factors, as `rate = 1/2, ranks = 4`; all of its values if `factors` is empty."""
    return ", ".join(f"{name} = {value}" for name, value in cell.values.items() if name in factors or not factors)
