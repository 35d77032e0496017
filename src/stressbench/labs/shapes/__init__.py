"""Topologies. Each module wires one kind with its function `wire`; `SPEC` is the type of its `[topology]` table."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias

from stressbench.formats.lab.topologies import Topology
from stressbench.labs.wiring import Wiring, WiringInput

Wire: TypeAlias = Callable[[Any, WiringInput], Wiring]


@cache
def _wires() -> dict[type[Topology], Wire]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return {module.SPEC: module.wire for module in modules}


def wire_of(topology: Topology) -> Wire:
    """The function that wires this topology."""
    return _wires()[type(topology)]
