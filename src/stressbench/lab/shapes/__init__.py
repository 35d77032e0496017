"""Topologies by name: each module of this package is one, with `Spec` (its `[topology]` table) and `wire`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from stressbench.lab.fields import Table
from stressbench.lab.wiring import Wiring, WiringInput


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One kind of topology."""

    kind: str
    spec: type[Table]
    wire: Callable[[Any, WiringInput], Wiring]


def shapes() -> Mapping[str, Shape]:
    """All shapes by the word in `kind`."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    found = (Shape(kind=module.KIND, spec=module.Spec, wire=module.wire) for module in modules)
    return {shape.kind: shape for shape in sorted(found, key=lambda shape: shape.kind)}
