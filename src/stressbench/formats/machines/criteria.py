"""Acceptance criteria of a machine, a TOML file: bounds of figures, and how they have to be measured. Pure.

The JSON Schema is schema/machine-criteria.schema.json; docs/how-to/procurement.md describes the file.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationError, WithJsonSchema

from stressbench.errors import UserError
from stressbench.formats.excerpts import excerpt
from stressbench.formats.machines.vocabulary import Better, Unit
from stressbench.formats.toml import (
    Complaint,
    KeyPath,
    Table,
    ValidationMistakes,
    complaints_of,
    mistakes_as,
    parse_toml,
    unknown_message,
)
from stressbench.formats.units import UnitError, parse_byte_rate, parse_seconds

_LARGEST = 2**31 - 1
_LEAST, _MOST = 1e-100, 1e100
_SIDES: Mapping[Better, str] = {Better.less: "at_most", Better.more: "at_least"}

_Count: TypeAlias = Annotated[int, Field(strict=True, ge=1, le=_LARGEST)]
_Bounds: TypeAlias = Mapping[str, Annotated[object, WithJsonSchema({"type": ["string", "number"]})]]


class CriteriaMistake(UserError):
    """The file of criteria is wrong: one line for each mistake, `FILE:LINE: what was found; what was expected`."""

    def __init__(self, messages: Iterable[str]) -> None:
        super().__init__(*messages)


class CriteriaTable(Table):
    """A whole file of criteria."""

    about: Annotated[str | None, Field(strict=True, min_length=1, max_length=200, description="A sentence.")] = None
    suite: Annotated[_Count, Field(description="Version of the suite.")]
    ranks: Annotated[_Count | None, Field(description="Ranks of the measurement.")] = None
    nodes: Annotated[_Count | None, Field(description="Nodes of the measurement.")] = None
    launches: Annotated[_Count | None, Field(description="Launches of each workload, at least.")] = None
    at_most: _Bounds = Field(
        default_factory=dict, description="Upper bounds by figure: times such as '2.5us', ratios such as 1.3."
    )
    at_least: _Bounds = Field(default_factory=dict, description="Lower bounds by figure: bandwidths such as '11GB/s'.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureKind:
    """The unit of a figure of the suite, and whether less or more of it is better."""

    unit: Unit
    better: Better


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A bound of one figure in SI units: an upper one if less is better, a lower one if more is better."""

    figure: str
    unit: Unit
    better: Better
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Bounds of figures, and what the measurement has to be: version of the suite, ranks, nodes, fewest launches.

    None: any.
    """

    about: str | None
    suite: int
    ranks: int | None
    nodes: int | None
    launches: int | None
    criteria: tuple[Criterion, ...]


def parse_criteria(text: str, *, source: str, figures: Mapping[str, FigureKind]) -> Criteria:
    """The criteria in `text`; `figures`: those of the suite. Raises CriteriaMistake with the line of every mistake."""
    with mistakes_as(CriteriaMistake, text=text, source=source):
        tables = parse_toml(text, source=source)
        try:
            table = CriteriaTable.model_validate(tables)
        except ValidationError as fault:
            raise ValidationMistakes(complaints_of(fault, CriteriaTable)) from fault
        return _criteria(table, figures)


def _criteria(table: CriteriaTable, figures: Mapping[str, FigureKind]) -> Criteria:
    criteria: list[Criterion] = []
    complaints: list[Complaint] = []
    for key, name, value in _entries(table):
        place: KeyPath = (key, name)
        kind = figures.get(name)
        if kind is None:
            complaints.append(Complaint(place=place, text=unknown_message("figure", name, tuple(figures))))
        elif _SIDES[kind.better] != key:
            better = f"of {name}, {kind.better} is better"
            complaints.append(Complaint(place=place, text=f"[{key}] {better}; expected it in [{_SIDES[kind.better]}]"))
        else:
            try:
                bound = _bound(value, unit=kind.unit)
            except UnitError as mistake:
                complaints.append(Complaint(place=place, text=f"{key}.{name}: {_shown(value)}: {mistake}"))
            else:
                criteria.append(Criterion(figure=name, unit=kind.unit, better=kind.better, bound=bound))
    if not criteria and not complaints:
        complaints.append(Complaint(place=(), text="no criteria; expected figures in [at_most] or [at_least]"))
    if complaints:
        raise ValidationMistakes(complaints)
    return Criteria(
        about=table.about, suite=table.suite, ranks=table.ranks, nodes=table.nodes, launches=table.launches,
        criteria=tuple(criteria),
    )  # fmt: skip


def _entries(table: CriteriaTable) -> Iterator[tuple[str, str, object]]:
    for key, bounds in (("at_most", table.at_most), ("at_least", table.at_least)):
        yield from ((key, name, value) for name, value in bounds.items())


def _bound(value: object, *, unit: Unit) -> float:
    """The bound in SI units. Raises UnitError."""
    match unit:
        case Unit.seconds:
            if not isinstance(value, str):
                raise UnitError("expected a time with its unit in quotes, such as '2.5us'")
            return parse_seconds(value)
        case Unit.bytes_per_s:
            return float(parse_byte_rate(value).count)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise UnitError("expected a ratio, such as 1.3")
    if not _LEAST <= value <= _MOST:
        raise UnitError("expected a ratio above 0, such as 1.3")
    return float(value)


def _shown(value: Any) -> str:
    return f"'{excerpt(value)}'" if isinstance(value, str) else excerpt(f"{value!r}")
