"""Two-dimensional torus of switches."""

from stressbench.formats.lab.topologies import Torus
from stressbench.labs.wiring import RailNetwork, Trunk, Wiring, WiringInput, fill_switches, on_every_rail

SPEC = Torus


def wire(spec: Torus, inputs: WiringInput) -> Wiring:
    """Wire the torus. Hosts fill switch after switch, row 0 first."""
    sizes = f"{spec.columns} columns x {spec.rows} rows x {spec.hosts_per_switch} hosts_per_switch"
    names = [f"x{x}y{y}" for y in range(spec.rows) for x in range(spec.columns)]
    rail_network = RailNetwork(
        switches=tuple(names),
        attached=fill_switches(inputs, names, spec.hosts_per_switch, sizes=sizes, key="columns"),
        trunks=(*_along_rows(spec), *_along_columns(spec)),  # this order makes routes go along rows first
    )
    return on_every_rail(inputs, lambda _: rail_network, forwarding=spec.forwarding)


def _along_rows(spec: Torus) -> tuple[Trunk, ...]:
    steps = _steps(spec.columns)
    return tuple(Trunk(f"x{a}y{y}", f"x{b}y{y}", spec.rate) for y in range(spec.rows) for a, b in steps)


def _along_columns(spec: Torus) -> tuple[Trunk, ...]:
    steps = _steps(spec.rows)
    return tuple(Trunk(f"x{x}y{a}", f"x{x}y{b}", spec.rate) for x in range(spec.columns) for a, b in steps)


def _steps(size: int) -> tuple[tuple[int, int], ...]:
    """Pairs of neighbours in a ring of this size; a ring of two has one link."""
    around = size if size > 2 else size - 1
    return tuple((number, (number + 1) % size) for number in range(around))
