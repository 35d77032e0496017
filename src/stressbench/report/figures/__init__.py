"""The figures of a run. Each module of this package is one figure and is discovered automatically.

A module defines `ORDER`, its position on the page, `draw(section) -> Figure | None` (None: nothing to draw), and
`numbers(section) -> Numbers`, the complete data of the figure.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from stressbench.report.document import Figure, Numbers
from stressbench.report.drawing import style
from stressbench.report.run.section import RunSection


def figures_of(section: RunSection) -> tuple[tuple[Figure, Numbers], ...]:
    """All figures for which the run has data, in the order of the page, each with its data."""
    with style():
        drawn = [(module.draw(section), module) for module in _modules()]
    return tuple((figure, module.numbers(section)) for figure, module in drawn if figure is not None)


def numbers_of(section: RunSection) -> tuple[Numbers, ...]:
    """The complete data of all figures, without drawing them; tables without rows are left out."""
    found = (module.numbers(section) for module in _modules())
    return tuple(numbers for numbers in found if numbers.rows)


def _modules() -> list[ModuleType]:
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    return sorted(modules, key=lambda module: int(module.ORDER))
