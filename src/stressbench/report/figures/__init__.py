"""The figures of a run: one file each, found by being there.

A module has `ORDER`, its place on the page, `draw(section) -> Figure | None` and `numbers(section) -> Numbers`, what is
drawn in full; None: the run has nothing to draw.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from stressbench.report.document import Figure, Numbers
from stressbench.report.drawing import style
from stressbench.report.run.section import RunSection


def figures_of(section: RunSection) -> tuple[tuple[Figure, Numbers], ...]:
    """All figures that this run can fill, in the order of the page, with their numbers."""
    with style():
        drawn = [(module.draw(section), module) for module in _modules()]
    return tuple((figure, module.numbers(section)) for figure, module in drawn if figure is not None)


def numbers_of(section: RunSection) -> tuple[Numbers, ...]:
    """What the figures show, in full, without drawing it; tables without rows are left out."""
    found = (module.numbers(section) for module in _modules())
    return tuple(numbers for numbers in found if numbers.rows)


def _modules() -> list[ModuleType]:
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    return sorted(modules, key=lambda module: int(module.ORDER))
