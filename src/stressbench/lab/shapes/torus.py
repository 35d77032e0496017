"""A two-dimensional torus of switches."""

from typing import Annotated, Literal

from pydantic import Field

from stressbench.lab.fields import Count, RateText, Table
from stressbench.lab.topology import Forwarding
from stressbench.lab.wiring import RailNetwork, Trunk, Wiring, WiringInput, fill_switches, on_every_rail

KIND = "torus"


class Spec(Table):
    """Switches `x0y0`, `x1y0`, ...; routes go along the row first, then along the column (dimension order)."""

    kind: Literal["torus"]
    columns: Count
    rows: Count
    hosts_per_switch: Count = 1
    rate: Annotated[RateText, Field(description="Of the links between switches.")]
    forwarding: Forwarding = Forwarding.route


def wire(spec: Spec, given: WiringInput) -> Wiring:
    """Hosts fill row 0 first."""
    sizes = f"{spec.columns} columns x {spec.rows} rows x {spec.hosts_per_switch} hosts_per_switch"
    names = [f"x{x}y{y}" for y in range(spec.rows) for x in range(spec.columns)]
    plane = RailNetwork(
        switches=tuple(names),
        attached=fill_switches(given, names, spec.hosts_per_switch, sizes=sizes, key="columns"),
        trunks=(*_along_rows(spec), *_along_columns(spec)),  # this order makes routes go along rows first
    )
    return on_every_rail(given, lambda _: plane, forwarding=spec.forwarding)


def _along_rows(spec: Spec) -> tuple[Trunk, ...]:
    steps = _steps(spec.columns)
    return tuple(Trunk(f"x{a}y{y}", f"x{b}y{y}", spec.rate) for y in range(spec.rows) for a, b in steps)


def _along_columns(spec: Spec) -> tuple[Trunk, ...]:
    steps = _steps(spec.rows)
    return tuple(Trunk(f"x{x}y{a}", f"x{x}y{b}", spec.rate) for x in range(spec.columns) for a, b in steps)


def _steps(size: int) -> tuple[tuple[int, int], ...]:
    """Neighbours round a ring of this size; two have one link, not two."""
    around = size if size > 2 else size - 1
    return tuple((number, (number + 1) % size) for number in range(around))
