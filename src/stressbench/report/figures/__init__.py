"""The figures of a run: one file each, found by being there.

A module has `ORDER`, its place on the page, and `draw(section) -> Figure | None`; None: the run has nothing to draw.
"""

from importlib import import_module
from pkgutil import iter_modules

from stressbench.report.drawing import Figure, style
from stressbench.report.section import Section


def figures_of(section: Section) -> tuple[Figure, ...]:
    """All figures that this run can fill, in the order of the page."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    modules.sort(key=lambda module: module.ORDER)
    with style():
        drawn = [module.draw(section) for module in modules]
    return tuple(figure for figure in drawn if figure is not None)
